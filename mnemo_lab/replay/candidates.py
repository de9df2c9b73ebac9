"""Shortlists: the best candidates of every probe of one cell, with raw scores, as plain arrays on disk."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from mnemo_lab.context import Candidates
from mnemo_lab.replay.outcome import Outcome

if TYPE_CHECKING:
    import numpy as np

    from mnemo_lab.context import FloatArray, IntArray

LENGTH: Final = 200


@dataclass(frozen=True)
class Shortlists:
    """Candidates by probe id."""

    by_probe: dict[str, Candidates]

    @classmethod
    def of(cls, outcomes: Iterable[Outcome]) -> Shortlists | None:
        """The shortlists of one cell; ``None`` where the strategy does not rank."""
        found: dict[str, Candidates] = {}
        for outcome in outcomes:
            if outcome.context and outcome.context.candidates and outcome.probe.id not in found:
                found[outcome.probe.id] = shorten(outcome.context.candidates)
        return cls(found) if found else None


def shorten(candidates: Candidates, length: int = LENGTH) -> Candidates:
    """The best of the final score in half of the places, the union of the best of every signal in the rest."""
    import numpy as np

    if len(candidates.positions) <= length:
        return candidates
    columns = [column for column in candidates.scores.values() if len(np.unique(column)) > 2]  # a flag ranks nothing
    ranks = np.min([_ranks(column) for column in (candidates.fused, *columns)], axis=0)
    final = _ranks(candidates.fused)
    ranks[final < length // 2] = -1
    kept = np.sort(np.lexsort((candidates.positions, final, ranks))[:length])
    scores = {signal: column[kept] for signal, column in candidates.scores.items()}
    return Candidates(candidates.positions[kept], scores, candidates.fused[kept], candidates.moments)


def _ranks(column: FloatArray) -> IntArray:
    """0 for the best; ties by place, NaN last."""
    import numpy as np

    order = np.argsort(-np.nan_to_num(column, nan=-np.inf), kind="stable")
    ranks = np.empty(len(order), dtype=np.int64)
    ranks[order] = np.arange(len(order))
    return ranks


def write_shortlists(path: Path, shortlists: Shortlists) -> None:
    """Flat arrays with offsets, float32 scores; written whole or not at all."""
    import numpy as np

    items = list(shortlists.by_probe.items())
    signals = sorted({signal for _, c in items for signal in c.scores})
    arrays: dict[str, np.ndarray] = {
        "probes": np.array([probe for probe, _ in items]),
        "signals": np.array(signals),
        "ends": np.cumsum([len(c.positions) for _, c in items]),
        "positions": np.concatenate([c.positions for _, c in items]).astype(np.int32),
        "fused": np.concatenate([c.fused for _, c in items]).astype(np.float32),
        "moments": np.array([[c.moments.get(s, (np.nan, np.nan)) for s in signals] for _, c in items]),
    }
    for signal in signals:
        columns = [c.scores.get(signal, np.full(len(c.positions), np.nan)) for _, c in items]
        arrays[f"score_{signal}"] = np.concatenate(columns).astype(np.float32)
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_suffix(".draft")
    with draft.open("wb") as stream:
        np.savez_compressed(stream, **arrays)  # type: ignore[arg-type]
    draft.replace(path)


def read_shortlists(path: Path) -> Shortlists:
    import numpy as np

    with np.load(path) as arrays:
        signals = [str(s) for s in arrays["signals"]]
        columns = {signal: arrays[f"score_{signal}"].astype(np.float64) for signal in signals}
        positions, fused = arrays["positions"].astype(np.int64), arrays["fused"].astype(np.float64)
        moments, start, found = arrays["moments"], 0, {}
        for row, (probe, end) in enumerate(zip(arrays["probes"], arrays["ends"], strict=True)):
            part = slice(start, int(end))
            scale = {s: (float(m), float(d)) for s, (m, d) in zip(signals, moments[row], strict=True) if m == m}
            scores = {signal: column[part] for signal, column in columns.items()}
            found[str(probe)] = Candidates(positions[part], scores, fused[part], scale)
            start = int(end)
    return Shortlists(found)
