"""Whether descriptions tell stretches apart: where the one with a probe's evidence ranks by BM25 of its description.

    python -m evals.describers.finding              # test recordings; --split dev prints those it was designed on

Beside the describer: the opening of each stretch (its first 80 tokens), and all of its text.
LoCoMo and BEAM where MNEMO_DATA_DIR is set. `mrr` is 1 / rank of the first stretch with evidence, `r@3` whether that is
among three; a probe counts where at least three stretches lie before it.
"""

from __future__ import annotations

import argparse
import sys
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import fields
from statistics import mean, median
from time import process_time
from typing import Final

import numpy as np

from evals.describers.stretches import services, stretches
from mnemo_lab.conversation import Message
from mnemo_lab.corpora.base import load
from mnemo_lab.errors import InvalidInput
from mnemo_lab.hydration.checkpoint import Checkpoint
from mnemo_lab.hydration.describers import open_describer
from mnemo_lab.hydration.index import description_text
from mnemo_lab.recording import Recording
from mnemo_lab.retrieval.bm25_matrix import BM25Matrix, TermCounts

SETS: Final = ("bilingual", "locomo", "beam")
OPENING: Final = 80
Texts = Callable[[Sequence[Sequence[Message]]], list[str]]


def opening(parts: Sequence[Sequence[Message]]) -> list[str]:
    counter = services().counter
    return [counter.head("\n".join(m.text for m in part), OPENING) for part in parts]


def everything(parts: Sequence[Sequence[Message]]) -> list[str]:
    return ["\n".join(m.text for m in part) for part in parts]


class Described:
    """What a checkpoint is searched by, and the milliseconds that describing a stretch took."""

    def __init__(self) -> None:
        self.milliseconds: list[float] = []

    def __call__(self, parts: Sequence[Sequence[Message]]) -> list[str]:
        describer = open_describer("extractive", services())
        found = []
        for part in parts:
            started = process_time()
            said = describer.describe(part)
            self.milliseconds.append(1e3 * (process_time() - started))
            values = {f.name: getattr(said, f.name) for f in fields(said)}
            found.append(description_text(Checkpoint("", "", "", "", created_at=part[-1].timestamp, **values)))
        return found


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
        if wanted and before.sum() >= 3:
            scores = np.where(before, matrix.scores(counts.query_terms(probe.question)), -np.inf)
            order = np.argsort(-scores, kind="stable")
            yield 1 + min(int(np.flatnonzero(order == i)[0]) for i in wanted)


def measure(name: str, split: str) -> None:
    """Prints one line per language and text."""
    described = Described()
    ways: dict[str, Texts] = {"opening": opening, "described": described, "everything": everything}
    found: dict[tuple[str, str], list[int]] = defaultdict(list)
    tokens: dict[str, list[int]] = defaultdict(list)
    for recording in load(name).select(split=split):  # type: ignore[arg-type]
        parts = stretches(recording)
        for way, texts_of in ways.items():
            texts = texts_of(parts)
            found[recording.language, way] += ranks(recording, parts, texts)
            tokens[way] += [services().count(text) for text in texts]
    for (language, way), places in sorted(found.items()):
        mrr, three = mean(1 / rank for rank in places), mean(rank <= 3 for rank in places)
        size = mean(tokens[way])
        line = f"{name:9} {language} {way:10} mrr {mrr:.3f} r@3 {three:.3f} n {len(places):4} tokens {size:6.0f}"
        sys.stdout.write(f"{line}\n")
    times = described.milliseconds
    sys.stdout.write(f"{name:9} describing a stretch: median {median(times):.1f} ms, most {max(times):.1f} ms\n")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--split", choices=("dev", "test"), default="test")
    split = parser.parse_args().split
    for name in SETS:
        try:
            measure(name, split)
        except InvalidInput as error:
            sys.stdout.write(f"{name}: {error}\n")


if __name__ == "__main__":
    main()
