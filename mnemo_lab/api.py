"""The front door in Python: load, run, compare, report."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mnemo_lab.corpora.base import Dataset
from mnemo_lab.corpora.base import load as load_dataset
from mnemo_lab.replay.answer_settings import AnswerSettings, make_settings
from mnemo_lab.replay.grid import BUDGETS, Grid, make_grid, place_of
from mnemo_lab.replay.run import Progress, Run, execute
from mnemo_lab.replay.run import open_run as _open_run

if TYPE_CHECKING:
    from mnemo_lab.answering.answers import Answers
    from mnemo_lab.language_models.base import LanguageModel
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
    language_model: str | None = None,
    cache_dir: str | None = None,
    progress: bool = True,
) -> Run:
    """Replay every recording through every strategy at every budget (tokens).

    ``full``, ``recent``, ``random``, ``seed_truncator`` and the ``oracle`` row are always there. With ``out`` the
    run is kept in that folder and the same call resumes it. ``language_model`` (``openai:gpt-4o-mini``,
    ``local:smollm2``; default: ``MNEMO_LLM``, else ``extractive``) is for strategies that ask one. ``cache_dir``:
    where embeddings are kept (``""``: nowhere).
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
            "language_model": language_model or "",
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

    def __init__(self, unit: str = "cell") -> None:
        self._unit = unit

    def __enter__(self) -> Progress:
        self._bar: Any = None
        return self._show

    def _show(self, done: int, total: int, what: str) -> None:
        if self._bar is None:
            from tqdm.auto import tqdm

            self._bar = tqdm(total=total, unit=self._unit)
        self._bar.total, self._bar.n = total, done
        self._bar.set_description(what)

    def __exit__(self, *exc: object) -> None:
        if self._bar is not None:
            self._bar.close()


def answer(
    run: Run,
    reader: str | LanguageModel = "local:smollm2",
    strategies: Sequence[str] | None = None,
    budgets: Sequence[int] = (1024,),
    probes: int = 60,
    judge: str | LanguageModel | None = None,
    cassette: StrPath | None = None,
    *,
    language: str | None = None,
    max_tokens: int = 64,
    progress: bool = True,
) -> Answers:
    """Let a language model answer at most ``probes`` questions of a finished run from each strategy's contexts.

    The questions are the same for every strategy: a fixed sample of the test recordings (of all, where none is for
    testing), balanced over categories and recordings. Answers are kept with the run; the same call asks only what is
    missing. ``strategies``: ``None`` for all but ``full``.
    ``judge``: a model that grades the answers, and is itself graded on planted ones. ``cassette``: a file of recorded
    answers. ``language``: only recordings in ``"en"`` or ``"zh"``.
    """
    settings = make_settings(
        {
            "reader": reader if isinstance(reader, str) else reader.name,
            "strategies": None if strategies is None else tuple(strategies),
            "budgets": tuple(budgets),
            "probes": probes,
            "judge": judge if judge is None or isinstance(judge, str) else judge.name,
            "cassette": None if cassette is None else os.fspath(cassette),
            "language": language,
            "max_tokens": max_tokens,
        }
    )
    return answer_with(run, settings, progress, reader, judge)


def answer_with(
    run: Run,
    settings: AnswerSettings,
    progress: bool = True,
    reader: str | LanguageModel | None = None,
    judge: str | LanguageModel | None = None,
) -> Answers:
    """Answer a run's questions by settings, as in a grid's ``[answering]``; models that are open may be handed in."""
    from mnemo_lab.answering.answers import answer_run

    opened = _open_model(reader or settings.reader, settings)
    grader = _open_model(judge or settings.judge, settings) if judge or settings.judge else None
    if not progress:
        return answer_run(run, settings, opened, grader)
    with _Bar("answer") as bar:
        return answer_run(run, settings, opened, grader, bar)


def _open_model(model: str | LanguageModel | None, settings: AnswerSettings) -> LanguageModel:
    if model is not None and not isinstance(model, str):
        return model
    from mnemo_lab.language_models import chosen_cassette, open_language_model

    return open_language_model(model or settings.reader, cassette=chosen_cassette(settings.cassette))


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
