"""Processor time over real chat text and over code, and what is found in code, where hardly anything should be."""

from __future__ import annotations

import json
import sysconfig
import time
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

from mnemo_lab.conversation import Conversation, Message
from mnemo_lab.paths import datasets_root
from mnemo_lab.privacy import Redactor, find_sensitive

FOLDERS: Final = ("json", "email", "http", "asyncio", "logging", "unittest", "xml", "concurrent", "importlib")
REPEATS: Final = 3


def conversations() -> list[Conversation]:
    """The bundled bilingual conversations, read without their format."""
    found = []
    for path in sorted((datasets_root() / "bilingual" / "recordings").glob("*/*.json")):
        document = json.loads(path.read_text(encoding="utf-8"))
        document = document.get("conversation", document)
        texts = [message.get("content") for message in document["messages"]]
        found.append(Conversation(tuple(Message("user", text) for text in texts if isinstance(text, str))))
    return found


def code() -> list[str]:
    """Some packages of Python's own library."""
    root = Path(sysconfig.get_paths()["stdlib"])
    paths = [path for folder in FOLDERS for path in sorted((root / folder).rglob("*.py"))]
    return [path.read_text(encoding="utf-8", errors="replace") for path in paths]


def megabytes(texts: Sequence[str]) -> float:
    return sum(len(text.encode(errors="replace")) for text in texts) / 1e6


def rate(texts: Sequence[str], work: Callable[[], object]) -> float:
    """Megabytes of UTF-8 a second of processor time, best of ``REPEATS``."""
    best = float("inf")
    for _ in range(REPEATS):
        start = time.process_time()
        work()
        best = min(best, time.process_time() - start)
    return megabytes(texts) / best


def speeds() -> list[tuple[str, float, float]]:
    """(what, megabytes, megabytes a second)."""
    chats = conversations()
    texts = [message.text for chat in chats for message in chat.messages]
    whole = "\n".join(texts)
    plain = Redactor().redact(whole).text
    sources = code()
    rows: list[tuple[str, Sequence[str], Callable[[], object]]] = [
        ("chat, one text, nothing in it to find", [plain], lambda: find_sensitive(plain)),
        ("chat, one text", [whole], lambda: Redactor().redact(whole)),
        ("chat, conversation by conversation", texts, lambda: [Redactor().redact_conversation(chat) for chat in chats]),
        ("chat, message by message", texts, lambda: [find_sensitive(text) for text in texts]),
        ("Python source, file by file", sources, lambda: [find_sensitive(text) for text in sources]),
    ]
    return [(name, megabytes(material), rate(material, work)) for name, material, work in rows]


def found_in_code() -> tuple[float, Counter[str]]:
    """Megabytes of Python source and findings in it by kind."""
    sources = code()
    return megabytes(sources), Counter(item.kind for text in sources for item in find_sensitive(text))
