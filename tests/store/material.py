"""What the tests of the store share."""

from __future__ import annotations

import os
import traceback
from collections.abc import Callable
from pathlib import Path

from mnemo_lab.conversation import Conversation, ConversationInfo, Message
from mnemo_lab.embeddings.hashing import HashingEmbedder
from mnemo_lab.hydration.checkpoint import Checkpoint
from mnemo_lab.store import ConversationStore
from tests.conversations import office_recording

EMBEDDER = HashingEmbedder()


class OtherEmbedder(HashingEmbedder):
    """The same vectors under another name."""

    name, fingerprint = "other", "other-v2"


def conversations() -> tuple[Conversation, ...]:
    return tuple(office_recording().conversations)


def fill(store: ConversationStore, namespace: str = "anna") -> None:
    for conversation in conversations():
        store.append(namespace, conversation.info, conversation.messages)


def note(number: int, text: str = "") -> Message:
    return Message("user", text or f"note number{number} about topic{number % 7}", f"m{number}")


def info(name: str = "c") -> ConversationInfo:
    return ConversationInfo(name)


def checkpoint(name: str = "k1", conversation: str = "c1", **fields: object) -> Checkpoint:
    values: dict[str, object] = {
        "summary": "Staging listens on port 5433; 发布会定在五月三十号。",
        "keywords": ("staging", "发布会"),
        "entities": {"number": ("5433",), "date": ("五月三十号",)},
        "decisions": ("all ids are UUIDs",),
        "open_items": ("banner",),
        "trigger": "every(n=5)",
        "score": 1.0,
        **fields,
    }
    return Checkpoint(name, conversation, "m0", "m7", **values)  # type: ignore[arg-type]


def every_byte(folder: Path) -> bytes:
    """All files of a store, one after the other."""
    return b"\n".join(path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file())


def start(work: Callable[[], None]) -> int:
    """Run in a process of its own (exit status 1 on an error); its id."""
    child = os.fork()
    if not child:
        try:
            work()
            os._exit(0)
        except BaseException:
            traceback.print_exc()
            os._exit(1)
    return child
