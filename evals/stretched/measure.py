"""What a strategy keeps, what it searched for that, and what its index cost to write."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final

import polars as pl

from mnemo_lab.context import Candidates
from mnemo_lab.corpora.base import Dataset
from mnemo_lab.corpora.stretch import stretch
from mnemo_lab.hydration.strategies.base import HydrationCandidates
from mnemo_lab.metrics.evidence import evidence_recall
from mnemo_lab.recording import Recording
from mnemo_lab.replay.loop import replay
from mnemo_lab.replay.view import RecordingView
from mnemo_lab.services import Services, ServicesSpec
from mnemo_lab.strategy_text import parse_strategy

BUDGETS: Final = (512, 2048)
CHOSEN: Final = (
    "hybrid",
    "hydrate(checkpoint=0.0, checkpoint_words=0.0)",
    "hydrate",
    "hydrate(scope=100)",
    "hydrate(scope=200)",
    "checkpoint",
)
"""The second has all of hydrate's other signals, so the third against it shows what checkpoints themselves are worth.
``scope``: only the messages of so many closest checkpoints are searched."""


def measure(
    chosen: Iterable[Recording],
    donors: Dataset,
    strategies: Sequence[str],
    messages: int,
    seeds: Iterable[int],
    cache_dir: str | None,
) -> pl.DataFrame:
    """One row for every probe, seed, strategy and budget."""
    seeds, rows = list(seeds), []
    for recording in chosen:
        services = ServicesSpec(cache=cache_dir).for_language(recording.language).open()
        for seed in seeds:
            longer = stretch(recording, donors.recordings, messages, seed)
            view = RecordingView(longer, services)
            for text in strategies:
                sys.stderr.write(f"{recording.id} seed {seed} {text}\n")
                rows += list(_rows(view, text, seed, services))
    return pl.DataFrame(rows)


def _rows(view: RecordingView, text: str, seed: int, services: Services) -> Iterator[dict[str, Any]]:
    strategy = parse_strategy(text)
    for outcome in replay(view, strategy, text, BUDGETS, services):
        if not (outcome.probe.answerable and outcome.probe.evidence) or outcome.context is None:
            continue
        yield {
            "recording": view.recording.id,
            "seed": seed,
            "strategy": text,
            "probe": outcome.probe.id,
            "budget": outcome.budget_tokens,
            "evidence": evidence_recall(outcome),
            "compared": compared(outcome.context.candidates),
            "written": outcome.costs.write_tokens * len(view.recording.probes),
            "messages": len(view.messages),
        }


def compared(found: Candidates | None) -> int:
    """Vectors compared with the question: those of messages, and of checkpoints where they are looked at."""
    if found is None:
        return 0
    looked_at = isinstance(found, HydrationCandidates) and ("checkpoint" in found.scores or _narrowed(found))
    return len(found.positions) + (len(found.stretches) if looked_at else 0)  # type: ignore[attr-defined]


def _narrowed(found: HydrationCandidates) -> bool:
    return bool(found.stretches) and len(found.positions) < found.stretches[-1].stop
