"""``extractive``: what is said, taken from the messages themselves."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final, NamedTuple

from mnemo_lab.conversation import Message
from mnemo_lab.hydration.describers.base import Description
from mnemo_lab.hydration.describers.entities import Entities
from mnemo_lab.hydration.describers.keywords import Keywords, Terms, terms_of
from mnemo_lab.hydration.describers.progress import Progress
from mnemo_lab.hydration.describers.reading import Sentence, read
from mnemo_lab.services import Services
from mnemo_lab.summaries import ExtractiveSummariser
from mnemo_lab.text.language import CJK

SUMMARY_TOKENS: Final = 80
CONSIDERED: Final = 800
"""Characters of the sentences among which a summary chooses, a Chinese one counted as three."""
LECTURED: Final = 0.6
"""Factor for what stands in the middle of a model's long message."""
_SHORTEST: Final = 20
"""Characters that any sentence counts for, so that one telling word alone does not win."""
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
        self._summariser = ExtractiveSummariser(services.counter)
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
        """A summary of the sentences that tell most; the day is said where there are several."""
        kept = _most_telling(said.sentences, worths)
        days = {(said.messages[sentence.at].timestamp or "")[:10] for sentence in kept}
        shown = []
        for at in dict.fromkeys(sentence.at for sentence in kept):
            message = said.messages[at]
            text = "\n".join(sentence.text for sentence in kept if sentence.at == at)
            moment = message.timestamp if len(days) > 1 else None
            shown.append(Message(message.role, text, str(at), moment, message.name))
        return self._summariser.fold(None, shown, SUMMARY_TOKENS).text


def _read(messages: Sequence[Message]) -> _Read:
    """The names of those who speak are no terms."""
    sentences = read(messages)
    speakers = {message.name for message in messages if message.name and message.role != "tool"}
    names = frozenset(key for name in speakers for key, _ in terms_of(name))
    return _Read(messages, sentences, [terms_of(sentence.text, names) for sentence in sentences], speakers)


def _most_telling(sentences: Sequence[Sentence], worths: Sequence[float]) -> list[Sentence]:
    """In order, those of most worth for their length that together have ``CONSIDERED`` characters."""
    sizes = [len(s.text) + 2 * len(_IS_CJK.findall(s.text)) for s in sentences]
    per_size = [
        worth * (1.0 if s.told else LECTURED) / (_SHORTEST + size) ** 0.5
        for worth, s, size in zip(worths, sentences, sizes, strict=True)
    ]
    ranked = sorted(range(len(sentences)), key=lambda i: -per_size[i])
    kept, room = [], CONSIDERED
    for i in ranked:
        if worths[i] > 0 and sizes[i] <= room:
            kept.append(i)
            room -= sizes[i]
    return [sentences[i] for i in sorted(kept)]


def by_message(sentences: Sequence[Sentence]) -> list[str]:
    texts: dict[int, list[str]] = {}
    for sentence in sentences:
        texts.setdefault(sentence.at, []).append(sentence.text)
    return ["\n".join(said) for said in texts.values()]
