"""Re-fuse and re-pack a run's stored shortlists under other settings: no search, no embedder, no model.

All probes are packed side by side, one rank at a time, as columns; what comes out equals what ``Hybrid.order`` and
``pack_lines`` give probe by probe (``tests/replay/test_repack.py`` holds the two together).
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import nan
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np
import polars as pl

from mnemo_lab.context import Candidates
from mnemo_lab.errors import InvalidInput, UnknownName
from mnemo_lab.packing.pack import MIN_LINE, frame_tokens, protected_tokens
from mnemo_lab.recording import Probe
from mnemo_lab.replay.run import Run
from mnemo_lab.replay.view import RecordingView
from mnemo_lab.retrieval.fusion import Method, fuse
from mnemo_lab.retrieval.strategies.hybrid import Hybrid
from mnemo_lab.strategy_text import parse_strategy

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Ints = NDArray[np.int64]
    Floats = NDArray[np.float64]
    Flags = NDArray[np.bool_]
    Array = NDArray[Any]

METRICS: Final = ("evidence_recall", "answer_in_context", "precision", "context_tokens")
INDEXED: Final = ("k1", "b", "reach", "decay", "prefix")
"""Settings that changed the scores when they were computed, so that a shortlist cannot follow them."""


@dataclass(frozen=True, slots=True)
class Repacked:
    """Means over the probes where a metric is defined (NaN: nowhere), and all ``n`` probes one by one.

    ``cut_short``: probes whose stored shortlist ended before the budget; a fresh run might keep more there."""

    evidence_recall: float
    answer_in_context: float
    precision: float
    context_tokens: float
    n: int
    cut_short: int
    probes: pl.DataFrame


class Repacker:
    """What a hybrid's stored candidates would have given under other weights, ``k``, neighbours and budgets.

    Exact for any weights where the shortlist holds the whole history (up to 200 messages). In longer ones no message
    from outside it can come in, and ``minmax`` and ``rrf`` see only the shortlist: with its own weights a hybrid over
    LoCoMo gets its own recall to four digits up to 2,048 tokens, and 0.001 less at 4,096. Probes where the strategy
    failed are left out.
    """

    def __init__(self, run: Run, strategy: str) -> None:
        self.own = own_hybrid(run, strategy)
        self._asked = _Asked(_lists(run, strategy))
        self.signals = self._asked.signals
        self._scaled: dict[tuple[Method, str], Floats] = {}

    def evaluate(self, settings: Hybrid, budget: int, recordings: Collection[str] | None = None) -> Repacked:
        """Pack every probe (of these recordings) again; raises ``InvalidInput`` for what the shortlists do not know."""
        self.check(settings)
        asked, chosen = self._asked, self._asked.rows_of(recordings)
        at_first = budget - asked.fixed - asked.frame
        room = at_first.copy()
        taken = _fill(asked, self._order(settings, chosen), room, settings.neighbours)
        metrics = asked.measure(taken, at_first - room)
        frame = asked.base.with_columns(pl.Series(k, v).fill_nan(None) for k, v in metrics.items())[chosen]
        means = frame.select(pl.col(METRICS).mean().fill_null(nan)).row(0, named=True)
        ended = (room >= asked.floor) & (asked.sizes < np.minimum(asked.horizon, settings.k or asked.horizon))
        return Repacked(**means, n=len(chosen), cut_short=int(ended[chosen].sum()), probes=frame)

    def check(self, settings: Hybrid) -> None:
        """Raise ``InvalidInput`` where these settings need scores that the run has not stored."""
        for name in [*INDEXED, *(("role",) if settings.role_weight else ())]:
            if getattr(settings, name) != getattr(self.own, name):
                given = f"{name}={getattr(settings, name)!r}"
                made = f"the stored scores were made with {name}={getattr(self.own, name)!r}"
                raise InvalidInput(f"hybrid({given}): {made}; add hybrid({given}) to the grid and run it")
        for signal, weight in settings.weights().items():
            if weight and signal not in self.signals:
                name = "role_weight" if signal == "role" else signal
                raise InvalidInput(
                    f"hybrid({name}={weight!r}): the run stored no scores of {signal!r} ({', '.join(self.signals)}); "
                    f"add a hybrid with {name} above 0 to the grid and run it"
                )

    def _order(self, settings: Hybrid, chosen: Ints) -> Ints:
        """Positions from best to worst by probe, -1 where there are no more; only the rows ``chosen`` are filled."""
        positions = self._asked.positions[chosen]
        fused = np.zeros(positions.shape)
        for signal, weight in settings.weights().items():
            if weight:
                fused += weight * self._scale(settings.fusion, signal)[chosen]
        best = np.argsort(np.where(positions < 0, np.inf, -fused), axis=1, kind="stable")
        order = np.full(self._asked.positions.shape, -1)
        order[chosen] = np.take_along_axis(positions, best, axis=1)
        return order[:, : settings.k]

    def _scale(self, method: Method, signal: str) -> Floats:
        """One signal of every probe on the common scale: a fusion of it alone. Made once."""
        if (method, signal) not in self._scaled:
            found = (item.candidates for item in self._asked.lists)
            rows = [fuse({signal: c.scores[signal]}, {signal: 1.0}, method, c.moments) for c in found]
            self._scaled[method, signal] = _padded(rows, 0.0)
        return self._scaled[method, signal]


def own_hybrid(run: Run, strategy: str) -> Hybrid:
    """The hybrid behind a label of the run; raises ``InvalidInput`` for anything else."""
    known = run.grid.labelled()
    if strategy not in known:
        raise UnknownName("strategy of this run", strategy, known)
    own = parse_strategy(known[strategy])
    if not isinstance(own, Hybrid):
        raise InvalidInput(f"{strategy!r} is not a hybrid: only fused signals can be weighed again; name a hybrid")
    return own


class _List(NamedTuple):
    """One probe with its view and its stored candidates."""

    view: RecordingView
    probe: Probe
    candidates: Candidates


def _lists(run: Run, strategy: str) -> list[_List]:
    found = []
    for recording in run.dataset.recordings:
        stored = run.shortlists(recording.id, strategy)
        if stored is not None:
            view = RecordingView(recording, run.services(recording.language))
            found += [_List(view, p, stored.by_probe[p.id]) for p in recording.probes if p.id in stored.by_probe]
    if not found:
        raise InvalidInput(f"the run has no stored candidates of {strategy!r}; run the grid with that strategy in it")
    return found


class _Asked:
    """All probes as columns: one row per probe, lists padded with -1."""

    def __init__(self, lists: list[_List]) -> None:
        self.lists = lists
        self.signals = sorted(set.intersection(*(set(item.candidates.scores) for item in lists)))
        self.positions = _padded([item.candidates.positions for item in lists], -1)
        self.sizes = (self.positions >= 0).sum(axis=1)
        golds = [item.view.gold(item.probe) for item in lists]
        self.horizon = np.array([gold.horizon for gold in golds])
        self.evidence = _padded([np.array(gold.evidence, dtype=np.int64) for gold in golds], -1)
        views = list(dict.fromkeys(item.view for item in lists))
        self.view = np.array([views.index(item.view) for item in lists])
        self.costs = _padded([np.diff(view.line_sums) for view in views], 0)
        self.frame = np.array([frame_tokens(item.view.services) for item in lists])
        self.fixed = np.array([_protected(item.view, h) for item, h in zip(lists, self.horizon, strict=True)])
        cheapest = np.minimum.accumulate(self.costs, axis=1)[self.view, self.horizon - 1]
        self.floor = np.maximum(cheapest, MIN_LINE)  # with less room than this, nothing seen so far can be taken

    @cached_property
    def base(self) -> pl.DataFrame:
        of = [(item.view.recording, item.probe) for item in self.lists]
        rows = [(r.id, r.split, r.language, p.id, p.category, p.answerable) for r, p in of]
        names = ["recording", "split", "language", "probe", "category", "answerable"]
        return pl.DataFrame(rows, schema=names, orient="row")

    def rows_of(self, recordings: Collection[str] | None) -> Ints:
        return np.flatnonzero([recordings is None or item.view.recording.id in recordings for item in self.lists])

    def measure(self, taken: Flags, spent: Ints) -> dict[str, Floats]:
        """The metrics of ``mnemo_lab.metrics`` where every kept message is whole."""
        kept = taken[np.arange(len(taken))[:, None], self.evidence] & (self.evidence >= 0)
        relevant = (kept * self.costs[self.view[:, None], self.evidence]).sum(axis=1)
        number = (self.evidence >= 0).sum(axis=1)
        tokens = self.fixed + spent + self.frame * taken.any(axis=1)
        return {
            "evidence_recall": _ratio(kept.sum(axis=1), number),
            "answer_in_context": self._answered(taken),
            "precision": np.where(number > 0, _ratio(relevant, tokens), nan),
            "context_tokens": tokens.astype(np.float64),
        }

    def _answered(self, taken: Flags) -> Floats:
        """Answered where any alternative has all its parts; a part is there where any message with it is kept."""
        bits = (int.from_bytes(row.tobytes(), "little") for row in np.packbits(taken, axis=1, bitorder="little"))
        return np.array([_any_whole(kept, options) for kept, options in zip(bits, self._needles, strict=True)])

    @cached_property
    def _needles(self) -> list[list[list[int]]]:
        """Per probe its reachable alternatives: for each part, the messages that contain it, as bits."""
        asked = [view.answer_places(probe) if probe.answerable else [] for view, probe, _ in self.lists]
        places = [[[where for _, where in option] for option in options] for options in asked]
        return [[[sum(1 << p for p in w) for w in option] for option in options if all(option)] for options in places]


def _fill(asked: _Asked, order: Ints, room: Ints, neighbours: int) -> Flags:
    """What is taken of each probe's messages; ``room`` is lowered in place to what is left."""
    steps = [0, *(sign * far for far in range(1, neighbours + 1) for sign in (-1, 1))]
    taken = np.zeros((len(order), asked.costs.shape[1]), dtype=np.bool_)
    live = np.arange(len(order))
    for hits in order.T:
        live = live[(hits[live] >= 0) & (room[live] >= asked.floor[live])]
        if not len(live):
            break
        for step in steps:
            place = hits[live] + step
            inside = (place >= 0) & (place < asked.horizon[live])
            rows, place = live[inside], place[inside]
            price = asked.costs[asked.view[rows], place]
            fits = (price <= room[rows]) & (room[rows] >= MIN_LINE) & ~taken[rows, place]
            rows = rows[fits]
            taken[rows, place[fits]] = True
            room[rows] -= price[fits]
    return taken


def _protected(view: RecordingView, horizon: int) -> int:
    """Tokens of the system prompt of the conversation that is going on."""
    seen, prompt = 0, None
    for conversation in view.recording.conversations:
        if seen < horizon:
            prompt = conversation.info.system_prompt
        seen += len(conversation.messages)
    return protected_tokens(prompt, view.services)


def _padded(rows: Sequence[Array], filler: float) -> Array:
    """Rows of unequal length as one matrix at least one column wide."""
    width = max(1, *(len(row) for row in rows))
    return np.array([np.pad(row, (0, width - len(row)), constant_values=filler) for row in rows])


def _any_whole(kept: int, options: list[list[int]]) -> float:
    return float(any(all(kept & part for part in option) for option in options)) if options else nan


def _ratio(part: Ints, whole: Ints) -> Floats:
    found: Floats = np.divide(part, whole, out=np.full(len(part), nan), where=whole > 0)
    return found
