"""A message as one dated line of a transcript."""

from __future__ import annotations

from mnemo_lab.conversation import Message


def speaker_of(message: Message) -> str:
    """Who speaks: the name where there is one, else the role. Never starts with a slash (see below)."""
    return " ".join((message.name or "").split()).lstrip("/ ") or message.role


def transcript_line(message: Message) -> str:
    """``[2026-03-02] Speaker: text``, calls in brackets after it, and a newline at the end.

    A line never starts with white space or a slash and always ends in a newline: tiktoken's encodings split
    there, so the tokens of joined lines are the sum of their tokens (``tests/packing`` holds this).
    """
    date = (message.timestamp or "")[:10].strip()
    head = f"[{date}] {speaker_of(message)}: " if date else f"{speaker_of(message)}: "
    calls = "".join(f" [call {call.name}({call.arguments})]" for call in message.tool_calls)
    return f"{head}{message.text}{calls}\n"
