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
    date = day_of(message)
    return f"[{date}] {undated_line(message)}" if date else undated_line(message)


def undated_line(message: Message) -> str:
    """The same without its date, for lines under a heading that has it."""
    calls = "".join(f" [call {call.name}({call.arguments})]" for call in message.tool_calls)
    return f"{speaker_of(message)}: {message.text}{calls}\n"


def day_of(message: Message) -> str:
    """The day a message was written as it says, ``2026-03-02``; empty where it does not."""
    return (message.timestamp or "")[:10].strip()
