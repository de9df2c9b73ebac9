"""``extractive``: what is said, taken from the messages themselves."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import groupby
from typing import Final, NamedTuple

from mnemo_lab.conversation import Message
from mnemo_lab.describers.base import Description
from mnemo_lab.describers.entities import Entities
from mnemo_lab.describers.keywords import Keywords, Terms, terms_of
from mnemo_lab.describers.progress import Progress
from mnemo_lab.describers.reading import Sentence, joined, read
from mnemo_lab.packing.lines import speaker_of
from mnemo_lab.services import Services
from mnemo_lab.text.language import CJK

SUMMARY_TOKENS: Final = 60
LECTURED: Final = 0.6
"""Factor for what stands in the middle of a model's long message."""
_SHORTEST: Final = 20
"""Characters that any sentence counts for, so that one telling word alone does not win; a Chinese one is three."""
_IS_CJK: Final = re.compile(f"[{CJK}]")


class _Read(NamedTuple):
    """A stretch with the terms of its sentences."""

    messages: Sequence[Message]
    sentences: list[Sentence]
    terms: list[Terms]
    speakers: set[str]

    @property
    def texts(self) -> list[str]:
        return [sentence.text for sentence in self.sentences]


class ExtractiveDescriber:
    """Needs no model: sentences, names and terms of the messages, in English and Chinese, as they are written.

    What is a keyword, and which sentences tell most, depends on the stretches before.
    """

    name = "extractive"

    def __init__(self, services: Services) -> None:
        self._counter = services.counter
        self._keywords, self._entities = Keywords(), Entities()

    def describe(self, messages: Sequence[Message]) -> Description:
        said = _read(messages)
        worths = [self._keywords.worth(t, s.text) for t, s in zip(said.terms, said.sentences, strict=True)]
        progress = Progress(messages, said.sentences, worths)
        found = Description(
            summary=self._summary(said, worths),
            keywords=self._keywords.of(said.terms, said.texts),
            entities=self._entities.of(by_message(said.sentences), said.speakers),
            decisions=progress.decisions,
            task_state=progress.task_state,
            intent=progress.intent,
            outcomes=progress.outcomes,
            open_items=progress.open_items,
            describer=self.name,
        )
        self._keywords.add(said.terms, said.texts)
        return found

    def saw(self, messages: Sequence[Message]) -> None:
        said = _read(messages)
        self._entities.learn(by_message(said.sentences), said.speakers)
        self._keywords.add(said.terms, said.texts)

    def _summary(self, said: _Read, worths: Sequence[float]) -> str:
        """The sentences that tell most for their length, in order, each message's behind who says it."""
        kept: list[int] = []
        places: set[int] = set()
        room = SUMMARY_TOKENS
        for i in _most_telling(said.sentences, worths):
            sentence = said.sentences[i]
            size = self._counter.count(sentence.text) + 1
            if sentence.at not in places:
                size += self._counter.count(speaker_of(said.messages[sentence.at])) + 2
            if size <= room:
                kept.append(i)
                places.add(sentence.at)
                room -= size
        return self._counter.head(_shown(said, sorted(kept) or range(min(len(said.sentences), 1))), SUMMARY_TOKENS)


def _read(messages: Sequence[Message]) -> _Read:
    """The names of those who speak are no terms."""
    sentences = read(messages)
    speakers = {message.name for message in messages if message.name and message.role != "tool"}
    names = frozenset(key for name in speakers for key, _ in terms_of(name))
    return _Read(messages, sentences, [terms_of(sentence.text, names) for sentence in sentences], speakers)


def _most_telling(sentences: Sequence[Sentence], worths: Sequence[float]) -> list[int]:
    """Those that say something, best first: the most of worth for their length."""
    per_size = {}
    for i, (sentence, worth) in enumerate(zip(sentences, worths, strict=True)):
        size = len(sentence.text) + 2 * len(_IS_CJK.findall(sentence.text))
        per_size[i] = worth * (1.0 if sentence.told else LECTURED) / (_SHORTEST + size) ** 0.5
    return sorted((i for i in per_size if worths[i] > 0), key=lambda i: -per_size[i])


def _shown(said: _Read, kept: Iterable[int]) -> str:
    """A line for each message."""
    lines = []
    for at, several in groupby((said.sentences[i] for i in kept), key=lambda sentence: sentence.at):
        lines.append(f"{speaker_of(said.messages[at])}: {joined(sentence.text for sentence in several)}")
    return "\n".join(lines)


def by_message(sentences: Sequence[Sentence]) -> list[str]:
    texts: dict[int, list[str]] = {}
    for sentence in sentences:
        texts.setdefault(sentence.at, []).append(sentence.text)
    return ["\n".join(said) for said in texts.values()]
