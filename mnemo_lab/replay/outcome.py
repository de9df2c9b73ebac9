"""Outcome: one probe under one strategy and one budget."""

from __future__ import annotations

from dataclasses import dataclass, field

from mnemo_lab.context import Context
from mnemo_lab.recording import Probe
from mnemo_lab.replay.view import Gold, Kept, RecordingView


@dataclass(frozen=True, slots=True)
class Costs:
    """Tokens that models read and wrote, what language models were paid, and times in milliseconds (``None`` unless
    timed).

    ``write_tokens`` and ``write_dollars`` are the recording's write path up to the probe, shared among its probes;
    ``read_tokens`` and ``read_dollars`` are this recall's own. US dollars, NaN where a model's price is not known.
    """

    write_tokens: float = 0.0
    read_tokens: int = 0
    write_dollars: float = 0.0
    read_dollars: float = 0.0
    observe_ms: float | None = None
    recall_ms: tuple[float, ...] = ()
    query_embedding_ms: float | None = None


@dataclass(frozen=True, slots=True)
class Outcome:
    """One probe under one strategy and budget, with what the metrics need to judge it.

    ``ranking`` are positions from best to worst, empty for a strategy that does not rank. ``error`` says why
    there is no context.
    """

    view: RecordingView
    probe: Probe
    gold: Gold
    strategy: str
    budget_tokens: int
    context: Context | None
    kept: Kept
    ranking: tuple[int, ...] = ()
    costs: Costs = field(default_factory=Costs)
    error: str | None = None
