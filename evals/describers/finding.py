"""Whether descriptions tell stretches apart: where the one with a probe's evidence ranks by BM25 of its description.

Beside the describer, each as long as what it says of the same stretch: the simplest describer (the first sentence and
the words said most often) and the opening; and all of the stretch's text.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import fields
from statistics import mean
from typing import Final, NamedTuple

import numpy as np

from evals.describers.stretches import services, stretches
from mnemo_lab.conversation import Message
from mnemo_lab.corpora.base import load
from mnemo_lab.describers import open_describer
from mnemo_lab.hydration.checkpoint import Checkpoint
from mnemo_lab.hydration.index import description_text
from mnemo_lab.recording import Recording
from mnemo_lab.retrieval.bm25_matrix import BM25Matrix, TermCounts
from mnemo_lab.text.sentences import sentences
from mnemo_lab.text.words import words

WAYS: Final = ("described", "simplest", "opening", "everything")
LEAST: Final = 3
"""Stretches before a probe from which it counts."""


def described(parts: Sequence[Sequence[Message]]) -> list[str]:
    """What a checkpoint is searched by."""
    describer, found = open_describer("extractive", services()), []
    for part in parts:
        said = describer.describe(part)
        values = {f.name: getattr(said, f.name) for f in fields(said)}
        found.append(description_text(Checkpoint("", "", "", "", created_at=part[-1].timestamp, **values)))
    return found


def simplest(part: Sequence[Message], tokens: int) -> str:
    """The first sentence, and the words said most often until ``tokens`` are full."""
    text, count = everything(part), services().count
    first = next((text[start:end] for start, end in sentences(text)), "")
    said = [f"{(part[-1].timestamp or '')[:10]} {first}"]
    room = tokens - count(said[0])
    for word, _ in Counter(words(text)).most_common():
        room -= count(f" {word}")
        if room < 0:
            break
        said.append(word)
    return " ".join(said)


def everything(part: Sequence[Message]) -> str:
    return "\n".join(m.text for m in part)


def texts_of(parts: Sequence[Sequence[Message]]) -> dict[str, list[str]]:
    """For each way a text for each stretch."""
    ours = described(parts)
    sizes, counter = [services().count(text) for text in ours], services().counter
    return {
        "described": ours,
        "simplest": [simplest(part, size) for part, size in zip(parts, sizes, strict=True)],
        "opening": [counter.head(everything(part), size) for part, size in zip(parts, sizes, strict=True)],
        "everything": [everything(part) for part in parts],
    }


def ranks(recording: Recording, parts: Sequence[Sequence[Message]], texts: Sequence[str]) -> Iterator[int]:
    """For each probe the best rank, from 1, of a stretch with evidence among those that lie before it."""
    place = {m.id: i for i, m in enumerate(recording.messages())}
    owner = {m.id: i for i, part in enumerate(parts) for m in part}
    counts = TermCounts({})
    counts.add(list(texts))
    matrix = BM25Matrix(counts.matrix(), 0.9, 0.4, None)
    ends = np.array([place[part[-1].id] for part in parts])
    for probe in recording.probes:
        before = ends <= (place[probe.after] if probe.after else len(place))
        wanted = {owner[e] for e in probe.evidence if e in owner and before[owner[e]]}
        if wanted and before.sum() >= LEAST:
            scores = np.where(before, matrix.scores(counts.query_terms(probe.question)), -np.inf)
            order = np.argsort(-scores, kind="stable")
            yield 1 + min(int(np.flatnonzero(order == i)[0]) for i in wanted)


class Found(NamedTuple):
    """One recording and way: the rank of each probe's stretch, and tokens of a text on average."""

    language: str
    recording: str
    way: str
    places: list[int]
    tokens: float

    @property
    def mrr(self) -> float:
        return mean(1 / place for place in self.places)


def measure(name: str, split: str) -> Iterator[Found]:
    """Raises ``InvalidInput`` where the data set is not there. A recording without probes that count is left out."""
    for recording in load(name).select(split=split):  # type: ignore[arg-type]
        parts = stretches(recording)
        for way, texts in texts_of(parts).items():
            if places := list(ranks(recording, parts, texts)):
                tokens = mean(services().count(text) for text in texts)
                yield Found(recording.language, recording.id, way, places, tokens)


def rows(found: Sequence[Found]) -> Iterator[list[str]]:
    """Language, way, tokens, mean reciprocal rank and share among three over all probes; recordings in which ours
    ranks better."""
    by: defaultdict[tuple[str, str], list[Found]] = defaultdict(list)
    for item in found:
        by[item.language, item.way].append(item)
    for (language, way), items in sorted(by.items(), key=lambda pair: (pair[0][0], WAYS.index(pair[0][1]))):
        places = [place for item in items for place in item.places]
        mrr, three = mean(1 / place for place in places), mean(place <= LEAST for place in places)
        better = sum(a.mrr > b.mrr for a, b in zip(by[language, "described"], items, strict=True))
        beaten = f"{better} of {len(items)}" if way != "described" else "–"
        yield [
            language,
            way,
            f"{mean(i.tokens for i in items):.0f}",
            str(len(places)),
            f"{mrr:.3f}",
            f"{three:.3f}",
            beaten,
        ]
