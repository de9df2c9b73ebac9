"""``model``: a language model finds the facts, and where it cannot, the rules do."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final, NamedTuple

from mnemo_lab.conversation import Message
from mnemo_lab.extraction.base import Fact
from mnemo_lab.extraction.fields import Said, Shown, facts_of, items_of
from mnemo_lab.extraction.prompts import CATEGORIES, again, line, request
from mnemo_lab.extraction.recalled import without_recalled
from mnemo_lab.extraction.rules.extractor import RulesExtractor, is_person
from mnemo_lab.extraction.spoken import spoken
from mnemo_lab.language_models.errors import BrokenAnswer, ContextTooLong, LanguageModelError, Refused
from mnemo_lab.services import Services
from mnemo_lab.summaries.model_written import ASSUMED_WINDOW
from mnemo_lab.text.language import language_of

TASK: Final = "extract"
"""What the ledger calls it."""
ANSWER: Final = 1200
"""Tokens of an answer; a quarter of a small window."""
CUT: Final = "cut"
_SLACK: Final = 64
"""Tokens that prime the reply, and that counting in parts may be off by."""
_LEAST: Final = 48
"""Tokens of messages below which asking is of no use."""
_ENDS: Final = re.compile(r"[.!?](?=\s)|[。！？；\n]")


class Part(NamedTuple):
    """What one request asks about, and what was said before it."""

    before: Sequence[Shown]
    new: Sequence[Shown]


class ModelExtractor:
    """Asks once for one JSON object, once more where the answer cannot be used, and then falls back to the rules.

    What does not fit the model's window, or whose answer does not fit its limit, is asked about in parts. Only people's
    messages have a number to be named by, without code, quotations and blocks of memory. ``categories`` are custom
    ones beside the built-in ones. ``dropped`` counts what the answers held and was no fact: ``out_of_range``,
    ``malformed``, ``inferred`` (nobody said the value or the subject), ``cut``; ``fallbacks`` says why rules stood in.
    """

    name = "model"

    def __init__(self, services: Services, categories: Sequence[str] = ()) -> None:
        self._services, self._rules = services, RulesExtractor()
        self._categories = (*CATEGORIES, *categories)
        self._window: int | None = None
        self.dropped: Counter[str] = Counter()
        self.fallbacks: list[str] = []

    def extract(self, messages: Sequence[Message], before: Sequence[Message] = ()) -> list[Fact]:
        """As ``Extractor.extract``."""
        new = shown(messages)
        if not any(is_person(one.message) for one in new):
            return []
        return self._in_parts(Part(shown(before), new), shrinks=True)

    @property
    def window(self) -> int:
        """Tokens of prompt and answer: the model's, until it says that less fits."""
        return self._window or self._services.language_model.window or ASSUMED_WINDOW

    def _in_parts(self, whole: Part, shrinks: bool) -> list[Fact]:
        try:
            parts = list(self._parts(whole))
        except Refused as error:
            return self._fallen_back(whole, error)
        return [fact for part in parts for fact in self._found(part, shrinks)]

    def _found(self, part: Part, shrinks: bool) -> list[Fact]:
        try:
            return self._asked(part)
        except ContextTooLong as error:
            if not shrinks:
                return self._fallen_back(part, error)
            limit = error.limit or self.window // 2
            if error.limit and error.asked:  # in our tokens
                limit = min(limit, self.window * limit // error.asked)
            self._window = limit if limit < self.window else self.window * 3 // 4
            return self._in_parts(part, shrinks=False)
        except LanguageModelError as error:
            return self._fallen_back(part, error)

    def _fallen_back(self, part: Part, error: Exception) -> list[Fact]:
        self._services.ledger.of(self._services.language_model.name, TASK).fell_back += 1
        self.fallbacks.append(str(error))
        before, new = ([replace(one.message, content=one.text) for one in some] for some in part)
        return self._rules.extract(new, before)

    def _asked(self, part: Part) -> list[Fact]:
        language = _language(part.new)
        asked = request(*self._lines(part, language), language, self._categories)
        done = self._services.ask(asked, self._answer, TASK)
        if done.finish == "length" and (halves := _halves(part)):
            return [fact for half in halves for fact in self._found(half, shrinks=False)]
        try:
            return self._read(done.text, part, done.finish == "length")
        except BrokenAnswer as error:
            written = self._services.counter.head(done.text, self._answer // 2)
            done = self._services.ask(again(asked, written, str(error), language), self._answer, TASK)
            return self._read(done.text, part, done.finish == "length")

    def _read(self, answer: str, part: Part, is_cut: bool) -> list[Fact]:
        items = items_of(answer)
        if is_cut and len(items) > 1:  # the last one ends in the middle
            items.pop()
        numbered = [one for one in part.new if is_person(one.message)]
        said = Said(one.text for one in (*part.before, *part.new))
        facts, dropped = facts_of(items, numbered, said, self._categories)
        self.dropped += dropped
        self.dropped[CUT] += is_cut
        return facts

    @property
    def _answer(self) -> int:
        return max(min(ANSWER, self.window // 4), 1)

    def _lines(self, part: Part, language: str) -> tuple[list[str], list[str]]:
        """Of before and of new; numbers from 1 on for what people said."""
        new, number = [], 0
        for one in part.new:
            number += is_person(one.message)
            new.append(_line(one, number if is_person(one.message) else None, language))
        return [_line(one, None, language) for one in part.before], new

    def _parts(self, whole: Part) -> Iterator[Part]:
        """In order, each with what came before it as far as a quarter of its room holds that."""
        language = _language(whole.new)
        frame = sum(map(self._services.message_tokens, request(["\n"], [], language, self._categories)))
        # a retry sends half an answer back and asks for another
        room = self.window - frame - 2 * self._answer - _SLACK
        if room < _LEAST:
            raise Refused(f"a window of {self.window} tokens is too small to find facts in")
        before, new, left = list(whole.before), list[Shown](), room * 3 // 4
        for one in self._fitting(whole.new, room * 3 // 4, language):
            size = self._size(one, language)
            if new and size > left:
                yield Part(self._newest(before, room // 4, language), new)
                before, new, left = [*before, *new], [], room * 3 // 4
            new.append(one)
            left -= size
        yield Part(self._newest(before, room // 4, language), new)

    def _newest(self, before: Sequence[Shown], room: int, language: str) -> list[Shown]:
        kept: list[Shown] = []
        for one in reversed(before):
            room -= self._size(one, language)
            if room < 0:
                break
            kept.insert(0, one)
        return kept

    def _fitting(self, new: Sequence[Shown], room: int, language: str) -> Iterator[Shown]:
        """Messages, and stretches of those that are longer than ``room`` tokens."""
        for one in new:
            if self._size(one, language) <= room:
                yield one
                continue
            tokens = max(room - self._size(Shown(one.message, ""), language) - 1, 1)
            rest = one.text
            while rest.strip():
                head = self._services.counter.head(rest, tokens) or rest[:1]
                if len(head) < len(rest):
                    ends = [end.end() for end in _ENDS.finditer(head)]
                    head = head[: ends[-1]] if ends and ends[-1] > len(head) // 2 else head
                yield Shown(one.message, head)
                rest = rest[len(head) :]

    def _size(self, one: Shown, language: str) -> int:
        return self._services.count(_line(one, 99, language))


def shown(messages: Sequence[Message]) -> list[Shown]:
    """What people said in earnest and others wrote, without what came from memory; nothing of tools and systems."""
    found = []
    for message in messages:
        if message.role in ("user", "assistant"):
            text = spoken(message.text) if is_person(message) else without_recalled(message.text)
            if text.strip():
                found.append(Shown(message, text))
    return found


def _halves(part: Part) -> tuple[Part, Part] | None:
    """``None`` where one of them would have nothing that a person said."""
    middle = len(part.new) // 2
    first, second = part.new[:middle], part.new[middle:]
    if not all(any(is_person(one.message) for one in half) for half in (first, second)):
        return None
    return Part(part.before, first), Part([*part.before, *first], second)


def _language(new: Sequence[Shown]) -> str:
    return language_of(one.text for one in new if is_person(one.message))


def _line(one: Shown, number: int | None, language: str) -> str:
    return line(one.message, " ".join(one.text.split()), number, language)
