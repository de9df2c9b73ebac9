"""``rules``: the extractor that needs no model."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Final

from mnemo_lab.conversation import Message
from mnemo_lab.extraction.base import USER, Fact
from mnemo_lab.extraction.spoken import spoken
from mnemo_lab.text.language import language_of
from mnemo_lab.text.sentences import sentences

SENTENCE: Final = 6
"""Characters from which on a sentence in the other language is read by its rules."""
Finder = Callable[[Message, str, Sequence[Message]], list[Fact]]


class RulesExtractor:
    """Reads what users say, message by message, every sentence by the rules of its language.

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
                facts = [f for code, part in by_language(text) for f in _finder(code)(message, part, so_far)]
                found += [_named(fact, message.name) for fact in facts] if message.name else facts
            so_far.append(message)
        return found


def by_language(text: str) -> list[tuple[str, str]]:
    """The text by language, what is in the other one blanked; in one piece where a language has no sentence of words.

    A short Latin sentence in a Chinese message ("OK.") is part of it.
    """
    whole = language_of([text])
    found = [(language_of([text[start:stop]]), start, stop) for start, stop in sentences(text)]
    others = [(start, stop) for code, start, stop in found if code != whole and stop - start >= SENTENCE]
    if not others:
        return [(whole, text)]
    kept = list(text)
    other = [" " if sign != "\n" else sign for sign in text]
    for start, stop in others:
        other[start:stop] = text[start:stop]
        kept[start:stop] = [" "] * (stop - start)
    return [(whole, "".join(kept)), ("en" if whole == "zh" else "zh", "".join(other))]


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
