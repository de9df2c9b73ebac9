"""A run: a grid over a data set, resumable; and what can be asked of it afterwards."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mnemo_lab.corpora.base import Dataset
from mnemo_lab.errors import UnknownName
from mnemo_lab.language_models import chosen_cassette, chosen_language_model
from mnemo_lab.language_models import fingerprint_of as model_fingerprint_of
from mnemo_lab.language_models.base import LanguageModel
from mnemo_lab.recording import Recording
from mnemo_lab.registry import resolve
from mnemo_lab.replay import manifest as facts
from mnemo_lab.replay.candidates import Shortlists
from mnemo_lab.replay.grid import Grid
from mnemo_lab.replay.loop import failed_outcome, replay
from mnemo_lab.replay.outcome import Outcome
from mnemo_lab.replay.reference import ORACLE, replay_oracle
from mnemo_lab.replay.rows import ROW_SCHEMA, Cell, frame_of, row_of
from mnemo_lab.replay.store import RunStore
from mnemo_lab.replay.view import RecordingView
from mnemo_lab.services import Services, ServicesSpec
from mnemo_lab.strategy import Strategy
from mnemo_lab.strategy_text import parse_strategy

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl

Progress = Callable[[int, int, str], None]
"""Called with cells done, cells in all, and what is being done."""


@dataclass(frozen=True)
class Plan:
    """One cell still to be computed, wholly or in part."""

    cell: Cell
    strategy: Strategy | None
    """``None`` for the oracle."""


class Run:
    """Manifest and rows of a grid over a data set. ``rows`` is polars; ``to_pandas()`` pandas."""

    def __init__(self, grid: Grid, dataset: Dataset, store: RunStore, spec: ServicesSpec) -> None:
        self.grid, self.dataset, self.store, self.spec = grid, dataset, store, spec

    @cached_property
    def model_fingerprint(self) -> str | None:
        """Of the language model, where a strategy asks one."""
        if not any("language_model" in parse_strategy(text).needs for text in self.grid.labelled().values()):
            return None
        return model_fingerprint_of(self.spec.language_model, self.spec.cassette)

    @cached_property
    def rows(self) -> pl.DataFrame:
        """One row per probe, strategy and budget of this grid, in a fixed order."""
        found = self.store.rows
        wanted = (
            (plan.cell.key(probe.id, budget), plan.cell.labels)
            for recording in self.dataset.recordings
            for plan in plans(self, recording)
            for budget in self.grid.budgets
            for probe in recording.probes
        )
        return frame_of({**found[key], **labels} for key, labels in wanted if key in found)

    def to_pandas(self) -> pd.DataFrame:
        """The rows as a pandas frame; undefined values are NaN."""
        import pandas as pd

        return pd.DataFrame(self.rows.to_dict(as_series=False))

    @property
    def labels(self) -> list[str]:
        """Strategies as tables call them, the oracle last."""
        return [*self.grid.labelled(), ORACLE]

    def shortlists(self, recording: str, strategy: str) -> Shortlists | None:
        """The stored candidates of a recording under a strategy's label."""
        by_id = {r.id: r for r in self.dataset.recordings}
        if recording not in by_id:
            raise UnknownName("recording of this run", recording, by_id)
        cells = {plan.cell.strategy: plan.cell for plan in plans(self, by_id[recording])}
        if strategy not in cells:
            raise UnknownName("strategy of this run", strategy, cells)
        return self.store.shortlists(cell_name(cells[strategy]))

    def services(self, language: str, language_model: LanguageModel | None = None) -> Services:
        """Fresh services as the run used them for recordings of a language."""
        return self.spec.for_language(language).open(language_model)

    def manifest(self) -> dict[str, Any]:
        known = self.store.read_manifest()
        return known if known is not None else describe(self)

    def _repr_html_(self) -> str:
        # By name: what shows a run is built on runs, and may be replaced without touching them.
        show: Callable[[Run], str] = resolve("view", "run")
        return show(self)


def plans(run: Run, recording: Recording) -> list[Plan]:
    """The cells of one recording, strategies in the grid's order, the oracle last."""
    found = []
    for label, text in [*run.grid.labelled().items(), (ORACLE, ORACLE)]:
        strategy = None if text == ORACLE else parse_strategy(text)
        found.append(Plan(_cell(run, recording, label, text, strategy), strategy))
    return found


def _cell(run: Run, recording: Recording, label: str, text: str, strategy: Strategy | None) -> Cell:
    spec = run.spec.for_language(recording.language)
    used = [spec.counter, str(spec.seed)]
    if strategy is not None and "embedder" in strategy.needs:
        used.append(_fingerprint(spec.embedder))
    if strategy is not None and "language_model" in strategy.needs:
        used.append(str(run.model_fingerprint))
    return Cell(
        run.dataset.name, run.dataset.digest, recording.id, recording.split, recording.language,
        label, text, " ".join(used),
    )  # fmt: skip


def _fingerprint(embedder: str) -> str:
    """Model and weights of an embedder by name, without loading the model."""
    from mnemo_lab.embeddings import fingerprint_of

    return fingerprint_of(embedder)


def cell_name(cell: Cell) -> str:
    """A file name for a cell's candidates: readable, and unique to what was computed."""
    digest = blake2b(cell.key("", 0).encode(), digest_size=6).hexdigest()
    readable = "".join(c if c.isalnum() else "-" for c in f"{cell.recording}-{cell.strategy}")[:60]
    return f"{readable}-{digest}"


def describe(run: Run) -> dict[str, Any]:
    """The manifest of a run as it would be written now."""
    languages = sorted({recording.language for recording in run.dataset.recordings})
    return {
        "created": datetime.now(UTC).isoformat(timespec="seconds"),
        "row_schema": ROW_SCHEMA,
        "grid": run.grid.model_dump(mode="json"),
        "dataset": {
            "name": run.dataset.name,
            "digest": run.dataset.digest,
            "licence": run.dataset.card.licence,
            "recordings": {r.id: r.split for r in run.dataset.recordings},
            "losses": [item.sentence() for item in run.dataset.losses],
        },
        "strategies": run.grid.labelled(),
        "embedders": {language: run.spec.for_language(language).embedder for language in languages},
        "language_model": {"name": run.spec.language_model, "fingerprint": run.model_fingerprint},
        "threads": run.spec.threads,
        "commit": facts.commit(),
        "machine": facts.machine(),
        "versions": facts.versions(),
    }


def execute(run: Run, progress: Progress | None = None) -> None:
    """Compute every cell that is not yet there. Errors of a strategy become rows; the rest goes on."""
    run.store.write_manifest(describe(run) | _created(run))
    opened: dict[str, Services] = {}
    total, done = len(run.dataset.recordings) * len(run.labels), 0
    for recording in run.dataset.recordings:
        todo = [plan for plan in plans(run, recording) if _missing(run, recording, plan)]
        done += len(run.labels) - len(todo)
        if not todo:
            continue
        spec = run.spec.for_language(recording.language)
        services = opened.setdefault(spec.embedder, spec.open())
        view = RecordingView(recording, services)
        if progress:
            progress(done, total, f"{recording.id}: embedding")
        with suppress(Exception):  # the strategies that need these vectors will say so in their rows
            embed_together(view, [plan.strategy for plan in todo if plan.strategy], services)
        for plan in todo:
            if progress:
                progress(done, total, f"{recording.id}: {plan.cell.strategy}")
            outcomes = _outcomes(run, view, plan, services)
            rows = (row_of(outcome, plan.cell) for outcome in outcomes)
            run.store.add(cell_name(plan.cell), rows, Shortlists.of(outcomes))
            done += 1
    if progress:
        progress(total, total, "done")


def _created(run: Run) -> dict[str, Any]:
    """A resumed run keeps its birthday."""
    known = run.store.read_manifest()
    return {"created": known["created"]} if known and "created" in known else {}


def _missing(run: Run, recording: Recording, plan: Plan) -> bool:
    keys = (plan.cell.key(p.id, b) for p in recording.probes for b in run.grid.budgets)
    return any(run.store.missing(key) for key in keys)


def embed_together(view: RecordingView, strategies: Sequence[Strategy], services: Services) -> None:
    """Embed all texts and questions of a recording in one batch each, so that batching changes no later vector."""
    texts: dict[str, None] = {}
    for strategy in strategies:
        if hasattr(strategy, "texts_to_embed"):
            texts |= dict.fromkeys(strategy.texts_to_embed(view.messages))
    if texts:
        services.embedder.encode(list(texts))
        services.embedder.encode(list(dict.fromkeys(p.question for p in view.recording.probes)), "query")


def _outcomes(run: Run, view: RecordingView, plan: Plan, services: Services) -> list[Outcome]:
    budgets, label = run.grid.budgets, plan.cell.strategy
    found: list[Outcome] = []
    try:
        if plan.strategy is None:
            found += replay_oracle(view, budgets, services)
        else:
            for outcome in replay(view, plan.strategy, label, budgets, services):
                found.append(outcome)
    except Exception as error:  # one broken strategy must not cost the other cells
        reason = f"{type(error).__name__}: {error}".encode("utf-8", "backslashreplace").decode()
        there = {(outcome.probe.id, outcome.budget_tokens) for outcome in found}
        asked = ((probe, budget) for probe in view.recording.probes for budget in budgets)
        found += [failed_outcome(view, p, label, b, reason) for p, b in asked if (p.id, b) not in there]
    return found


def open_run(grid: Grid, dataset: Dataset, out: Path | None, cache: str | None = None, threads: int = 1) -> Run:
    """A run over the grid's split of a data set, with whatever rows ``out`` already holds."""
    chosen = dataset if grid.split == "all" else dataset.select(split=grid.split)
    grid = grid.model_copy(update={"language_model": chosen_language_model(grid.language_model)})
    model, cassette = grid.language_model, chosen_cassette(grid.cassette)
    spec = ServicesSpec(grid.counter, grid.embedder, grid.seed, threads, cache, model, cassette)
    return Run(grid, chosen, RunStore(out), spec)
