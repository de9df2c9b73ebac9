"""Runs made by hand: every value is given, nothing is replayed."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from mnemo_lab.context import Candidates
from mnemo_lab.conversation import Conversation, Message
from mnemo_lab.corpora.base import Dataset
from mnemo_lab.corpora.card import Card
from mnemo_lab.recording import Probe, Recording
from mnemo_lab.replay.candidates import Shortlists
from mnemo_lab.replay.grid import Grid
from mnemo_lab.replay.rows import head_of
from mnemo_lab.replay.run import Plan, Run, cell_name, plans
from mnemo_lab.replay.store import RunStore
from mnemo_lab.services import ServicesSpec

Value = Callable[[str, str, int, int], Mapping[str, float] | float | None]
"""Strategy, recording, index of the probe, budget → evidence recall, all metrics, or ``None`` for no row."""


@dataclass(frozen=True)
class Shape:
    """What a made run looks like."""

    recordings: Sequence[str] = ("r1", "r2", "r3", "r4", "r5", "r6")
    probes: int = 2
    categories: Sequence[str] = ("fact",)
    strategies: Sequence[str] = ("bm25",)
    budgets: Sequence[int] = (512, 1024, 2048)
    baseline: str = "recent"
    dev: Sequence[str] = ()
    chinese: Sequence[str] = ()
    unanswerable: Sequence[int] = ()
    question: str = "Where is <b>it</b>?"


def make_run(shape: Shape, value: Value, folder: Path | None = None, error: str | None = None) -> Run:
    """A run whose rows hold the given values; ``error`` is put on rows whose value is NaN."""
    recordings = tuple(_recording(name, shape) for name in shape.recordings)
    data = Dataset.of("made", recordings, Card(name="made", title="Made by hand", licence="CC0-1.0"))
    grid = Grid(
        dataset="made", strategies=tuple(shape.strategies), budgets=tuple(shape.budgets), baseline=shape.baseline,
        embedder="hashing",
    )  # fmt: skip
    run = Run(grid, data, RunStore(folder), ServicesSpec(embedder="hashing"))
    for recording in recordings:
        for plan in plans(run, recording):
            rows = [row for b in grid.budgets for row in _rows(recording, plan, b, value, error)]
            run.store.add(cell_name(plan.cell), rows, None)
    return run


def rank(run: Run, recording: str, strategy: str, positions: Sequence[int]) -> None:
    """Give every probe of a recording the same stored shortlist, best first."""
    found = next(r for r in run.dataset.recordings if r.id == recording)
    plan = next(p for p in plans(run, found) if p.cell.strategy == strategy)
    scores = np.arange(len(positions), 0, -1, dtype=np.float64)
    candidates = Candidates(np.array(positions, dtype=np.int64), {"keyword": scores}, scores)
    run.store.add(cell_name(plan.cell), [], Shortlists({p.id: candidates for p in found.probes}))


def _recording(name: str, shape: Shape) -> Recording:
    messages = tuple(
        Message(
            "user" if i % 2 == 0 else "assistant",
            f"message {i} of {name} <i>&</i>",
            f"{name}-m{i}",
            "2026-01-01T09:00:00",
        )
        for i in range(8)
    )
    probes = tuple(
        Probe(
            f"{name}-q{i}", shape.question, shape.categories[i % len(shape.categories)], (f"{name}-m{i % 8}",),
            answer="here & now", answerable=i not in shape.unanswerable,
        )
        for i in range(shape.probes)
    )  # fmt: skip
    split, language = "dev" if name in shape.dev else "test", "zh" if name in shape.chinese else "en"
    return Recording(name, (Conversation(messages, f"{name}-c"),), probes, split, language)  # type: ignore[arg-type]


def _rows(recording: Recording, plan: Plan, budget: int, value: Value, error: str | None) -> list[dict[str, Any]]:
    rows = []
    for index, probe in enumerate(recording.probes):
        found = value(plan.cell.strategy, recording.id, index, budget)
        if found is None:
            continue
        metrics = dict(found) if isinstance(found, Mapping) else _all(found)
        failed = error if metrics["evidence_recall"] != metrics["evidence_recall"] else None
        age = {"evidence_age_tokens": 100.0 * (index + 1), "evidence_age_messages": float(index)}
        cost = {"context_tokens": float(budget) - 8, "write_tokens": 0.0, "read_tokens": 0.0, "over_budget": False}
        head = {**head_of(probe, budget, plan.cell), "error": failed}
        rows.append({**head, **age, **cost, **metrics})
    return rows


def _all(recall: float) -> dict[str, float]:
    names = ("evidence_recall", "evidence_any", "evidence_all", "evidence_coverage", "answer_in_context")
    whole = recall if recall != recall else float(recall == 1)
    return {**dict.fromkeys(names, recall), "evidence_all": whole}
