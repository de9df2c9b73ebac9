"""Signals of development recordings as arrays, and what a weighting of them keeps, for many weightings at once.

The scores come from ``hybrid`` itself and the packing rule is the one of ``pack_lines``, only vectorised over
questions (``tests/evals`` holds the two together): a weighting takes milliseconds instead of a replay.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from mnemo_lab.context import Query
from mnemo_lab.corpora.base import Dataset
from mnemo_lab.errors import InvalidInput
from mnemo_lab.packing.pack import MIN_LINE, frame_tokens
from mnemo_lab.recording import Probe, Recording
from mnemo_lab.replay.view import RecordingView
from mnemo_lab.retrieval.base import RetrievingMemory
from mnemo_lab.retrieval.fusion import STD_FLOOR
from mnemo_lab.retrieval.strategies.hybrid import Hybrid
from mnemo_lab.services import Services

Floats = NDArray[np.float64]
Weights = Mapping[str, float]
MEASURES: Final = ("recall@10", "evidence at 512", "evidence at 2,048")
BUDGETS: Final = (512, 2048)
BEST: Final = 10
EVERYTHING: Final = Hybrid(keyword=1.0, context=1.0, dense=1.0, window=1.0, session=1.0, speaker=1.0, answers=1.0)
"""Every signal on, so that all columns are computed; the weights themselves play no part."""


@dataclass(frozen=True)
class Signals:
    """One recording: a (probes, messages) matrix per signal brought to scale, gold, and tokens per line."""

    recording: str
    scaled: dict[str, Floats]
    gold: NDArray[np.bool_]
    tokens: NDArray[np.int64]
    frame: int


def development(data: Dataset, recordings: Sequence[str] = ()) -> Dataset:
    """The named recordings, else all of the development split; raises ``InvalidInput`` for any other."""
    chosen = data.select(recordings=recordings) if recordings else data.select(split="dev")
    held_back = [recording.id for recording in chosen if recording.split != "dev"]
    if held_back:
        raise InvalidInput(
            f"{', '.join(held_back)}: test recordings; weights are chosen on development recordings only "
            f"({', '.join(r.id for r in data if r.split == 'dev')}), so that what is claimed on the others stays true"
        )
    return chosen


def usable(recording: Recording) -> list[Probe]:
    """Answerable questions with evidence that are asked at the very end."""
    return [probe for probe in recording.probes if probe.evidence and probe.answerable and probe.after is None]


def signals_of(recording: Recording, services: Services) -> Signals:
    """Score every message for every usable question with every signal of ``hybrid``."""
    view = RecordingView(recording, services)
    probes = usable(recording)
    services.embedder.encode(EVERYTHING.texts_to_embed(view.messages))
    services.embedder.encode([probe.question for probe in probes], "query")
    memory = EVERYTHING.start(services, recording.id)
    assert isinstance(memory, RetrievingMemory)
    for conversation in recording.conversations:
        memory.begin(conversation.info)
        memory.observe(conversation.messages)
    columns: dict[str, list[Floats]] = {}
    for probe in probes:
        found = memory.candidates(Query(probe.question))
        for signal, scores in found.scores.items():
            mean, spread = found.moments[signal]
            columns.setdefault(signal, []).append((scores - mean) / max(spread, STD_FLOOR))
    gold = np.zeros((len(probes), len(view.messages)), dtype=bool)
    for row, probe in enumerate(probes):
        gold[row, [view.position_of[name] for name in probe.evidence]] = True
    tokens = np.array([memory.history.line(position).tokens for position in range(len(view.messages))])
    scaled = {signal: np.stack(rows) for signal, rows in columns.items()}
    return Signals(recording.id, scaled, gold, tokens, frame_tokens(services))


def measure(signals: Signals, weights: Weights) -> Floats:
    """(probes, measures): what the weighting ranks among the best ten and keeps at each budget, in per cent."""
    fused = np.zeros(signals.gold.shape)
    for signal, weight in weights.items():
        if weight:
            fused += weight * signals.scaled[signal]
    order = np.argsort(-fused, axis=1, kind="stable")
    hits = np.take_along_axis(signals.gold, order, axis=1)
    kept = _packed(signals.tokens[order], hits, signals.frame)
    share: Floats = np.column_stack([hits[:, :BEST].sum(axis=1), *kept]) / signals.gold.sum(axis=1)[:, None]
    return 100 * share


def _packed(costs: NDArray[np.int64], hits: NDArray[np.bool_], frame: int) -> NDArray[np.int64]:
    """(budgets, probes): evidence taken in ranked order where lines that do not fit are skipped."""
    room = np.repeat(np.array(BUDGETS)[:, None] - frame, len(costs), axis=1)
    got = np.zeros(room.shape, dtype=np.int64)
    for rank in range(costs.shape[1]):
        fits = costs[:, rank] <= room
        room -= costs[:, rank] * fits
        got += hits[:, rank] & fits
        if room.max(initial=0) < MIN_LINE:
            break
    return got
