"""``rules``: the extractor that needs no model."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from mnemo_lab.conversation import Message
from mnemo_lab.extraction.base import USER, Fact
from mnemo_lab.extraction.spoken import spoken
from mnemo_lab.text.language import language_of

Finder = Callable[[Message, str, Sequence[Message]], list[Fact]]


class RulesExtractor:
    """Reads what users say, message by message, by the rules of the language it is mostly written in.

    Where speakers have names (two people's chat) both are read, and the name is the subject in place of ``user``.
    """

    name = "rules"

    def extract(self, messages: Sequence[Message], before: Sequence[Message] = ()) -> list[Fact]:
        """As ``Extractor.extract``."""
        found: list[Fact] = []
        so_far = list(before)
        for message in messages:
            text = spoken(message.text) if is_person(message) else ""
            if text.strip():
                facts = _finder(language_of([text]))(message, text, so_far)
                found += [_named(fact, message.name) for fact in facts] if message.name else facts
            so_far.append(message)
        return found


def is_person(message: Message) -> bool:
    """Users are; of others, who has a name."""
    return message.role == "user" or (message.role == "assistant" and bool(message.name))


def _named(fact: Fact, name: str | None) -> Fact:
    return replace(fact, subject=name or fact.subject) if fact.subject == USER else fact


def _finder(language: str) -> Finder:
    if language == "zh":
        from mnemo_lab.extraction.rules.chinese.find import find
    else:
        from mnemo_lab.extraction.rules.english.find import find
    return find
