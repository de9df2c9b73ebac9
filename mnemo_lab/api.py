"""The front door in Python: load, run, compare, report."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mnemo_lab.corpora.base import Dataset
from mnemo_lab.corpora.base import load as load_dataset
from mnemo_lab.replay.grid import BUDGETS, Grid, make_grid, place_of
from mnemo_lab.replay.run import Progress, Run, execute
from mnemo_lab.replay.run import open_run as _open_run

if TYPE_CHECKING:
    from mnemo_lab.reporting.compare import Comparison

StrPath = str | os.PathLike[str]


def load(name: str, path: StrPath | None = None) -> Dataset:
    """A data set by name (``bilingual``, ``locomo``, ``beam``), or your own from a folder or file.

    Raises ``InvalidInput`` saying what is missing and how to get it.
    """
    return load_dataset(name, None if path is None else Path(path))


def run(
    data: Dataset | str,
    strategies: Sequence[str],
    budgets: Sequence[int] = BUDGETS,
    *,
    baseline: str = "recent",
    out: StrPath | None = None,
    embedder: str = "auto",
    counter: str = "o200k_base",
    seed: int = 0,
    cache_dir: str | None = None,
    progress: bool = True,
) -> Run:
    """Replay every recording through every strategy at every budget (tokens).

    ``full``, ``recent``, ``random``, ``seed_truncator`` and the ``oracle`` row are always there. With ``out`` the
    run is kept in that folder and the same call resumes it. ``cache_dir``: where embeddings are kept (``""``:
    nowhere).
    """
    dataset = load(data) if isinstance(data, str) else data
    grid = make_grid(
        {
            "dataset": place_of(data) if isinstance(data, str) else dataset.name,
            "strategies": tuple(strategies),
            "budgets": tuple(budgets),
            "baseline": baseline,
            "embedder": embedder,
            "counter": counter,
            "seed": seed,
        }
    )
    return run_grid(grid, dataset, None if out is None else Path(out), cache_dir, progress)


def run_grid(
    grid: Grid, dataset: Dataset, out: Path | None = None, cache_dir: str | None = None, progress: bool = True
) -> Run:
    """Run a whole grid; ``progress`` shows a bar on standard error or in the notebook."""
    made = _open_run(grid, dataset, out, cache_dir)
    if not progress:
        execute(made)
        return made
    with _Bar() as bar:
        execute(made, bar)
    return made


class _Bar:
    """A tqdm bar as a ``Progress`` callback."""

    def __enter__(self) -> Progress:
        self._bar: Any = None
        return self._show

    def _show(self, done: int, total: int, what: str) -> None:
        if self._bar is None:
            from tqdm.auto import tqdm

            self._bar = tqdm(total=total, unit="cell")
        self._bar.n = done
        self._bar.set_description(what)

    def __exit__(self, *exc: object) -> None:
        if self._bar is not None:
            self._bar.close()


def open_run(folder: StrPath, data: Dataset | None = None) -> Run:
    """A finished (or half-finished) run from its folder; ``data``: the data set it was made on, where it was made
    in Python and has no name to load it by."""
    from mnemo_lab.replay.reopen import reopen

    return reopen(Path(folder), data)


def compare(
    run: Run, baseline: str | None = None, metric: str = "evidence_recall", budget: int | None = None
) -> Comparison:
    """Every strategy against a baseline at one budget: paired differences with intervals and adjusted p values."""
    from mnemo_lab.reporting.compare import compare as compare_run

    return compare_run(run, baseline, metric, budget)


def report(run: Run, out: StrPath) -> Path:
    """Write leaderboard, figures and the report into a folder; returns the path of ``report.html``."""
    from mnemo_lab.reporting.write import write_report

    return write_report(run, Path(out))
