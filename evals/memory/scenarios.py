"""The scripted scenarios of ``datasets/memory_events``."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from mnemo_lab.conversation import Conversation, Message

FOLDER: Final = Path(__file__).parents[2] / "datasets" / "memory_events"
LANGUAGES: Final = ("en", "zh")
SPLITS: Final = ("dev", "test")


@dataclass(frozen=True)
class GoldFact:
    """A fact that is said, with every spelling of its value that counts; see the data set's card for the fields."""

    id: str
    category: str
    subject: str
    attribute: str
    value: str
    aliases: tuple[str, ...]
    polarity: str
    evidence: tuple[str, ...]
    valid_from: str | None
    valid_to: str | None
    replaced_by: str | None

    @property
    def spellings(self) -> tuple[str, ...]:
        return (self.value, *self.aliases)

    @property
    def ended(self) -> bool:
        """Whether a later message changes or ends it."""
        return self.valid_to is not None or self.replaced_by is not None


@dataclass(frozen=True)
class MemoryProbe:
    """A question asked later; ``as_of`` a day it is about, where that is not the day it is asked."""

    id: str
    question: str
    asked_at: str
    as_of: str | None
    answer: tuple[str, ...]
    fact: str


@dataclass(frozen=True)
class Scenario:
    """Conversations in time order, what is worth remembering of them, and what is asked afterwards."""

    id: str
    language: str
    split: str
    kind: str
    conversations: tuple[Conversation, ...]
    facts: tuple[GoldFact, ...]
    probes: tuple[MemoryProbe, ...]
    secrets: tuple[str, ...]


def read_scenarios(language: str, split: str, folder: Path = FOLDER) -> list[Scenario]:
    """The scenarios of one language and half."""
    lines = (folder / f"{language}.{split}.jsonl").read_text(encoding="utf-8").splitlines()
    return [_scenario(json.loads(line)) for line in lines if line.strip()]


def _scenario(row: dict[str, Any]) -> Scenario:
    talks = tuple(
        Conversation(
            tuple(Message(m["role"], m["text"], id=m["id"], timestamp=m["at"]) for m in talk["messages"]),
            id=f"{row['id']}/{talk['id']}",
        )
        for talk in row["conversations"]
    )
    facts = tuple(_fact(fact) for fact in row["facts"])
    probes = tuple(
        MemoryProbe(p["id"], p["question"], p["asked_at"], p["as_of"], tuple(p["answer"]), p["fact"])
        for p in row["probes"]
    )
    secrets = tuple(row["secrets"])
    return Scenario(row["id"], row["language"], row["split"], row["kind"], talks, facts, probes, secrets)


def _fact(row: dict[str, Any]) -> GoldFact:
    return GoldFact(
        row["id"],
        row["category"],
        row["subject"],
        row["attribute"],
        row["value"],
        tuple(row["aliases"]),
        row["polarity"],
        tuple(row["evidence"]),
        row["from"] or None,
        row["until"] or None,
        row["replaced_by"],
    )
