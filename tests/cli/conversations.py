"""Conversation files for the commands that convert them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from mnemo_lab.conversation import Conversation, DocumentMeta, Message, ToolCall
from mnemo_lab.formats.portable import dumps

META = DocumentMeta("2026-01-01T00:00:00Z", "elsewhere")


def talk(number: int = 1) -> Conversation:
    messages = (
        Message("user", f"Which port does host {number} use?", "u1", "2026-03-01T08:00:00Z"),
        Message("assistant", None, "a1", tool_calls=(ToolCall("c1", "look_up", f'{{"host":{number}}}'),)),
        Message("tool", "5433", "t1", tool_call_id="c1"),
        Message("assistant", "Port 5433.", "a2", "2026-03-02T08:00:00Z"),
    )
    return Conversation(messages, f"id-{number}", f"Ports [b]{number}[/x]", "gpt-4", "Be brief.")


def save(path: Path, *conversations: Conversation) -> Path:
    texts = [dumps(conversation, META) for conversation in conversations]
    path.write_text(texts[0] if len(texts) == 1 else f"[{','.join(texts)}]", encoding="utf-8")
    return path


def load(path: Path) -> Any:
    return json.loads(path.read_text(encoding="utf-8"))
