"""``rules``: the extractor that needs no model."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from mnemo_lab.conversation import Message
from mnemo_lab.extraction.base import Fact
from mnemo_lab.extraction.spoken import spoken
from mnemo_lab.text.language import language_of

Finder = Callable[[Message, str, Sequence[Message]], list[Fact]]


class RulesExtractor:
    """Reads what users say, message by message, by the rules of the language it is mostly written in."""

    name = "rules"

    def extract(self, messages: Sequence[Message], before: Sequence[Message] = ()) -> list[Fact]:
        """As ``Extractor.extract``."""
        found: list[Fact] = []
        so_far = list(before)
        for message in messages:
            text = spoken(message.text) if message.role == "user" else ""
            if text.strip():
                found += _finder(language_of([text]))(message, text, so_far)
            so_far.append(message)
        return found


def _finder(language: str) -> Finder:
    if language == "zh":
        from mnemo_lab.extraction.rules.chinese.find import find
    else:
        from mnemo_lab.extraction.rules.english.find import find
    return find
