"""What is indexed of a message: date, speaker and text, cut into passages. Rendering is configured apart."""

from __future__ import annotations

from mnemo_lab.conversation import Message
from mnemo_lab.packing.lines import speaker_of
from mnemo_lab.text.dates import date_words
from mnemo_lab.text.language import language_of
from mnemo_lab.text.passages import passages


def index_passages(message: Message, prefix: bool) -> list[str]:
    """The passages of a message, each with its ``[8 May 2023] Speaker:`` prefix unless that is switched off."""
    text = message.text + "".join(f" {call.name} {call.arguments}" for call in message.tool_calls)
    cut = passages(text)
    if not prefix:
        return cut
    head = speaker_of(message) + ": "
    date = date_words(message.timestamp, language_of([text]))
    return [f"[{date}] {head}{part}" if date else f"{head}{part}" for part in cut]
