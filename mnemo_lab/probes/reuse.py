"""Which things a message uses again, long after they were introduced and with nothing said of them since."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from typing import Final, NamedTuple

from mnemo_lab.conversation import Message
from mnemo_lab.probes.lexicon import Lexicon, goes_on_as
from mnemo_lab.probes.rare import Wordings, widen
from mnemo_lab.probes.things import KINDS, Kind, Mention, Thing, fold, shapes
from mnemo_lab.probes.worth import worth
from mnemo_lab.text.passages import passages
from mnemo_lab.text.words import words
from mnemo_lab.units import parse_units

EXCHANGE: Final = 1
"""Turns after the first mention that still belong to the introduction: a reply that takes the thing up."""
PASSING: Final = frozenset({"number", "quoted", "name", "cjk", "phrase"})
"""Kinds that a long answer is full of in passing: there they neither introduce nor rely."""
SUPPORT: Final = 0.5
MOST_SUPPORT: Final = 1.0
RARE: Final = 30
"""A word is rare where at most one message in so many has it, or four."""
_PLACEHOLDER: Final = re.compile(r"\[(?:image|file|attachment)\b[^\]\n]{0,400}\]")


class Use(NamedTuple):
    """One thing, where it is used again and where it was introduced."""

    thing: Thing
    here: Mention
    there: Mention
    worth: float


@dataclass(frozen=True, slots=True)
class Link:
    """Message ``position`` uses again what message ``evidence`` introduced. ``score``: how sure and how telling."""

    position: int
    evidence: int
    uses: tuple[Use, ...]
    score: float

    @property
    def kind(self) -> Kind:
        """The most telling kind among what is used again."""
        return min((use.thing.kind for use in self.uses), key=KINDS.index)


class Reader:
    """Everything that is looked up while one list of messages is mined."""

    def __init__(self, messages: Sequence[Message]) -> None:
        self.messages = messages
        self.texts = [said(message) for message in messages]
        speakers = {message.name for message in messages if message.name}
        lexicon, wordings = Lexicon(self.texts, speakers), Wordings(self.texts)
        self._mentions = [_claimed(text, lexicon, wordings) for text in self.texts]
        self._turn_of = turns(messages)
        self._long = [len(passages(text)) > 1 for text in self.texts]

    def may_ask(self, position: int) -> bool:
        """People may; of an assistant only what is short: a long answer is about many things at once."""
        short = self.messages[position].role == "assistant" and not self._long[position]
        return short or self._by_a_person(position)

    def links(self, min_turns: int) -> Iterator[Link]:
        """In the order of the messages that use something again."""
        uses: dict[tuple[int, int], list[Use]] = defaultdict(list)
        for thing, places in self._places.items():
            pair = self._gap(places, min_turns)
            if pair and not self._in_passing(thing, *pair) and not self._is_another(thing, *pair):
                uses[pair].append(self._use(thing, *pair))
        for again, first in sorted((again, first) for first, again in uses):
            found = _longest(uses[first, again])
            support = min(SUPPORT * self._support(first, again, found), MOST_SUPPORT)
            yield Link(again, first, found, sum(use.worth for use in found) + support)

    @cached_property
    def _places(self) -> dict[Thing, list[int]]:
        """The messages that use a thing, in order."""
        found: dict[Thing, list[int]] = defaultdict(list)
        for position, mentions in enumerate(self._mentions):
            for thing in mentions:
                found[thing].append(position)
        return found

    def _gap(self, places: Sequence[int], min_turns: int) -> tuple[int, int] | None:
        """The introduction and the first use after its exchange, where at least ``min_turns`` lie between."""
        start = self._turn_of[places[0]]
        later = next((p for p in places if self._turn_of[p] > start + EXCHANGE), None)
        return (places[0], later) if later is not None and self._turn_of[later] - start >= min_turns else None

    def _in_passing(self, thing: Thing, first: int, again: int) -> bool:
        """Whether a thing says nothing here: one of many in a long message, a habit of speech, a library's word."""
        between = self._by_a_person(first) or self._by_a_person(again)
        if thing.kind not in PASSING:
            return thing.kind == "identifier" and not between and not any(map(str.isdecimal, thing.key))
        long = (p for p in (first, again) if self._long[p])
        return not between or any(thing.kind == "phrase" or not self._by_a_person(p) for p in long)

    def _is_another(self, thing: Thing, first: int, again: int) -> bool:
        """Whether a name goes on as one that the introduction does not know."""
        if thing.kind != "name":
            return False
        more = goes_on_as(self.texts[again], self._mentions[again][thing].end)
        return bool(more) and more not in fold(self.texts[first])

    def _by_a_person(self, position: int) -> bool:
        """Users are, and assistants with a name, who are people in data sets of people's talk."""
        message = self.messages[position]
        return message.role == "user" or (message.role == "assistant" and bool(message.name))

    def _use(self, thing: Thing, first: int, again: int) -> Use:
        here, there = self._mentions[again][thing], self._mentions[first][thing]
        if thing.kind == "cjk":
            here, there = widen(self.texts[again], here, self.texts[first], there)
        return Use(here.thing, here, there, worth(here.thing, self.texts[again][here.start : here.end]))

    def _support(self, first: int, again: int, uses: Sequence[Use]) -> int:
        """Other rare words that the two messages share."""
        own = {word for use in uses for word in words(use.thing.key)}
        return len(self.shared(first, again) - own)

    def shared(self, first: int, again: int) -> frozenset[str]:
        """Rare words of both messages: stems, and pairs of Chinese characters."""
        return self._rare_words[first] & self._rare_words[again]

    @cached_property
    def _rare_words(self) -> list[frozenset[str]]:
        terms = [frozenset(words(text)) for text in self.texts]
        counts = Counter(chain.from_iterable(terms))
        most = max(4, len(terms) // RARE)
        return [frozenset(w for w in found if counts[w] <= most and len(w) > 1) for found in terms]


def said(message: Message) -> str:
    """The text and the arguments of the calls; what stands for an attachment is nobody's words and becomes blank.

    The text comes first and keeps its length, so that a place in it is a place in the message.
    """
    text = _PLACEHOLDER.sub(lambda found: " " * len(found[0]), message.text)
    return text + "".join(f"\n{call.arguments}" for call in message.tool_calls)


def turns(messages: Sequence[Message]) -> list[int]:
    """Of each message its turn; where an assistant works alone, every further step of it counts as one."""
    found: list[int] = []
    number, stepped = 0, False
    for unit in parse_units(messages):
        if unit.kind == "user" or (unit.kind == "step" and stepped):
            number, stepped = number + 1, False
        stepped = stepped or unit.kind == "step"
        found += [number] * len(unit.positions)
    return found


def _claimed(text: str, lexicon: Lexicon, wordings: Wordings) -> dict[Thing, Mention]:
    """First mentions; a stretch of text belongs to the most telling kind that claims it.

    Grams and pairs may share characters among themselves.
    """
    kept: dict[Thing, Mention] = {}
    taken = bytearray(len(text))
    for mention in chain(shapes(text), lexicon.mentions(text), wordings.mentions(text)):
        kind = mention.thing.kind
        mark = KINDS.index(kind) + 1
        free = {0, mark} if kind in ("cjk", "phrase") else {0}
        part = slice(mention.start, mention.end)
        if free.issuperset(taken[part]):
            taken[part] = bytes([mark]) * (mention.end - mention.start)
            kept.setdefault(mention.thing, mention)
    return kept


def _longest(uses: Sequence[Use]) -> tuple[Use, ...]:
    """Without what overlaps a longer one, in the order of the text."""
    kept: list[Use] = []
    for use in sorted(uses, key=lambda use: (use.here.start - use.here.end, use.here.start)):
        if not any(other.here.start < use.here.end and use.here.start < other.here.end for other in kept):
            kept.append(use)
    return tuple(sorted(kept, key=lambda use: use.here.start))
