"""Conversations with the positions at which a topic (or session) opens, and their messages' vectors."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

from evals.segmentation.plan import Plan
from mnemo_lab.conversation import Conversation
from mnemo_lab.corpora.base import Dataset, load
from mnemo_lab.corpora.topics import starts_of
from mnemo_lab.history import History
from mnemo_lab.hydration.segments import Segmenter
from mnemo_lab.hydration.triggers.base import unit
from mnemo_lab.hydration.triggers.combine import parse_trigger
from mnemo_lab.recording import Split
from mnemo_lab.retrieval.index_text import index_passages
from mnemo_lab.services import Services, ServicesSpec

if TYPE_CHECKING:
    from mnemo_lab.embeddings.base import Vectors
    from mnemo_lab.language_models.base import LanguageModel

BILINGUAL_TOPICS: Final = Path(__file__).with_name("bilingual_topics.jsonl")
BY_HAND: Final = "by hand"
"""The label of sets whose topics were written down apart from the messages."""


class Cut(NamedTuple):
    """A boundary before message ``at``, decided when message ``known`` had come: the conversation's length where only
    its end decided."""

    at: int
    known: int


@dataclass
class Talk:
    """One conversation of a recording; ``wanted`` are positions of messages."""

    recording: str
    conversation: Conversation
    wanted: list[int]
    services: Services

    @property
    def length(self) -> int:
        return len(self.conversation.messages)

    @property
    def texts(self) -> list[str]:
        return [message.text for message in self.conversation.messages]

    @cached_property
    def history(self) -> History:
        history = History(self.services)
        history.begin(self.conversation.info)
        history.extend(self.conversation.messages)
        return history

    @cached_property
    def vectors(self) -> Vectors:
        """A row per message, the unit mean of its passages' vectors. Messages as they are: the prefix of an indexed
        line holds its date, which would tell sessions apart."""
        import numpy as np

        parts = [index_passages(message, False) for message in self.conversation.messages]
        rows = self.services.embedder.encode([text for one in parts for text in one])
        starts = np.cumsum([0, *(len(one) for one in parts[:-1])])
        return np.stack([unit(row) for row in np.add.reduceat(rows, starts)])

    def found(self, trigger: str, delay: int) -> list[Cut]:
        """Boundaries that a trigger finds, message by message."""
        segmenter = Segmenter(parse_trigger(trigger), self.services, delay, lambda at: self.vectors[at])
        cuts: list[Cut] = []
        for position in range(self.length):
            closed = segmenter.observe(self.history, position, position + 1)
            cuts += (Cut(segment.stop, position) for segment in closed)
        return cuts + [Cut(segment.stop, self.length) for segment in segmenter.end()[:-1]]


def talks_of(plan: Plan, split: Split, cache: str | None, language_model: LanguageModel | None = None) -> list[Talk]:
    """The conversations of one half of a set; raises ``InvalidInput`` where it is not here."""
    data = load(plan.data).select(split=split)
    return list(_talks(data, plan.label, cache, language_model))


def _talks(data: Dataset, label: str, cache: str | None, language_model: LanguageModel | None) -> Iterator[Talk]:
    opened: dict[str, Services] = {}
    for recording in data:
        if recording.language not in opened:
            spec = ServicesSpec(cache=cache).for_language(recording.language)
            opened[recording.language] = spec.open(language_model)
        for conversation in recording.conversations:
            wanted = _by_hand(conversation) if label == BY_HAND else starts_of(conversation.messages, label)
            yield Talk(recording.id, conversation, wanted, opened[recording.language])


def _by_hand(conversation: Conversation) -> list[int]:
    opens = topics_by_hand()[conversation.id]
    return [at for at, message in enumerate(conversation.messages) if message.id in opens]


def topics_by_hand() -> dict[str, set[str]]:
    """Ids of the messages that open a topic, by conversation of the bilingual set."""
    lines = BILINGUAL_TOPICS.read_text(encoding="utf-8").splitlines()
    return {item["conversation"]: set(item["opens"]) for item in map(json.loads, lines)}
