"""The answering stage over a finished run: what is still to be asked, asked, judged and kept.

``answers.jsonl``, ``verdicts.jsonl`` and ``stages.jsonl`` lie in the run's folder and are only appended to.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property
from hashlib import blake2b
from typing import Any, Final, NamedTuple

from mnemo_lab.answering import reader
from mnemo_lab.answering.sampling import Picked, sample
from mnemo_lab.errors import InvalidInput
from mnemo_lab.language_models.base import LanguageModel
from mnemo_lab.language_models.errors import LanguageModelError
from mnemo_lab.ledger import Ledger
from mnemo_lab.recording import Probe, Recording
from mnemo_lab.replay.answer_settings import AnswerSettings, make_settings
from mnemo_lab.replay.loop import replay
from mnemo_lab.replay.outcome import Outcome
from mnemo_lab.replay.reference import replay_oracle
from mnemo_lab.replay.rows import Cell
from mnemo_lab.replay.run import Plan, Progress, Run, embed_together, plans
from mnemo_lab.replay.view import RecordingView
from mnemo_lab.services import Services

ANSWERS: Final = "answers.jsonl"
STAGES: Final = "stages.jsonl"
SCHEMA: Final = 1
"""Raise it when a field of an answer changes its meaning."""
PATIENCE: Final = 5
"""Questions in a row that no answer comes to before the stage gives up: a model that is not there stays away."""


class Wanted(NamedTuple):
    """One answer: of which plan, to which probe, at which budget, under which key."""

    plan: Plan
    probe: Probe
    budget: int
    key: str

    @property
    def row(self) -> str:
        """The key of the run's row whose context is read."""
        return self.plan.cell.key(self.probe.id, self.budget)


@dataclass(frozen=True)
class Stage:
    """One reader (and judge) by fingerprint over the sample of a run: enough to find what was answered."""

    run: Run
    settings: AnswerSettings
    reader: str
    judge: str | None = None

    @cached_property
    def recordings(self) -> list[Recording]:
        """Where claims are made (the test recordings, where there are any), in the language asked for."""
        language = self.settings.language
        found = [r for r in self.run.dataset.recordings if language is None or r.language == language]
        if not found:
            raise InvalidInput(f"no recording of {self.run.dataset.name} is in the language {language!r}")
        return [r for r in found if r.split == "test"] or found

    @cached_property
    def sample(self) -> list[Picked]:
        found = sample(self.recordings, self.settings.probes, self.run.grid.seed)
        if not found:
            raise InvalidInput(
                f"{self.run.dataset.name} has no probe with a gold answer, and none that is unanswerable: a reader's "
                "answers cannot be scored"
            )
        return found

    @cached_property
    def labels(self) -> list[str]:
        """The strategies asked for as the run calls them; raises ``InvalidInput``."""
        return self.settings.labels(self.run.grid.labelled())

    @cached_property
    def budgets(self) -> list[int]:
        """Raises ``InvalidInput`` for a budget that the run does not have."""
        return self.settings.budgets_of(self.run.grid.budgets)

    def check(self) -> None:
        """Raise ``InvalidInput`` for what cannot be asked of this run."""
        if not (self.sample and self.labels and self.budgets):
            raise InvalidInput("answering: name at least one strategy, e.g. --strategies recent")

    def wanted(self, recording: Recording) -> Iterator[list[Wanted]]:
        """What is asked of one recording, strategy by strategy."""
        probes = [picked.probe for picked in self.sample if picked.recording == recording.id]
        by_label = {plan.cell.strategy: plan for plan in plans(self.run, recording)}
        for label in self.labels:
            plan = by_label[label]
            yield [Wanted(plan, probe, b, self._key(plan.cell, probe, b)) for probe in probes for b in self.budgets]

    def _key(self, cell: Cell, probe: Probe, budget: int) -> str:
        parts = [SCHEMA, cell.key(probe.id, budget), self.reader, reader.PROMPT_VERSION, self.settings.max_tokens]
        return blake2b(json.dumps(parts).encode(), digest_size=16).hexdigest()

    def answers(self) -> dict[str, dict[str, Any]]:
        """All answers that are kept with the run, by key."""
        return {record["key"]: record for record in self.run.store.lines(ANSWERS, ("key", "error"))}


def note(stage: Stage) -> None:
    """Keep with the run what was asked for, so that the report finds it. The same reader again takes its place."""
    stage.check()
    record = {"reader": stage.reader, "judge": stage.judge, "settings": stage.settings.model_dump(mode="json")}
    if record not in stage.run.store.lines(STAGES)[-1:]:
        stage.run.store.append(STAGES, record)


def stages(run: Run) -> list[Stage]:
    """The last stage of every reader, length of answers and language; raises ``InvalidInput``."""
    found: dict[tuple[Any, ...], Stage] = {}
    for record in run.store.lines(STAGES, ("reader", "judge", "settings")):
        settings = make_settings(record["settings"])
        place = record["reader"], settings.max_tokens, settings.language
        found[place] = Stage(run, settings, record["reader"], record["judge"])
    return list(found.values())


def ask_all(stage: Stage, model: LanguageModel, progress: Progress | None = None) -> None:
    """Ask whatever has no answer yet; what failed is asked again. Each answer is on disk before the next is asked.

    Raises ``InvalidInput`` where the run is not finished, and ``LanguageModelError`` after five failures in a row.
    """
    known = stage.answers()
    asker = _Asker(stage, model, progress)
    for recording in stage.recordings:
        todo = []
        for wanted in stage.wanted(recording):
            _check_finished(stage.run, wanted)
            open_ = [w for w in wanted if known.get(w.key, {"error": ""})["error"] is not None]
            asker.done += len(wanted) - len(open_)
            if open_:
                todo.append(open_)
        if todo:
            asker.recording(recording, todo)
    asker.say("done")


def _check_finished(run: Run, wanted: Sequence[Wanted]) -> None:
    missing = next((w for w in wanted if w.row not in run.store.rows), None)
    if missing is not None:
        cell = missing.plan.cell
        raise InvalidInput(
            f"the run has no row for {cell.strategy} at {missing.budget} tokens on {cell.recording}: let mnemo run "
            "finish first"
        )


class _Asker:
    """Replays recordings for their contexts and asks the reader; counts what is done and what went wrong."""

    def __init__(self, stage: Stage, model: LanguageModel, progress: Progress | None) -> None:
        self.stage, self.progress = stage, progress
        self.done, self.failed = 0, 0
        self.total = len(stage.sample) * len(stage.labels) * len(stage.budgets)
        # Services of its own: what a strategy asks of its model is counted apart from what the reader is asked.
        self._reader = Services(stage.run.spec, model)
        self._opened: dict[str, Services] = {}

    def say(self, what: str) -> None:
        if self.progress:
            self.progress(self.done, self.total, what)

    def recording(self, recording: Recording, todo: Sequence[Sequence[Wanted]]) -> None:
        services = self._services(recording)
        strategies = [plan.strategy for wanted in todo if (plan := wanted[0].plan).strategy is not None]
        if any("embedder" in strategy.needs for strategy in strategies):
            self.say(f"{recording.id}: embedding")
            # As the run did, strategies that are not asked for included: batching changes the last bits of a vector.
            every = [plan.strategy for plan in plans(self.stage.run, recording) if plan.strategy is not None]
            with suppress(Exception):  # a strategy that needs these vectors will say so itself
                embed_together(RecordingView(recording, services), every, services)
        for wanted in todo:
            self._strategy(recording, wanted, services)

    def _services(self, recording: Recording) -> Services:
        name = self.stage.run.spec.for_language(recording.language).embedder
        if name not in self._opened:
            self._opened[name] = self.stage.run.services(recording.language)
        return self._opened[name]

    def _strategy(self, recording: Recording, wanted: Sequence[Wanted], services: Services) -> None:
        rows, label = self.stage.run.store.rows, wanted[0].plan.cell.strategy
        can = {(w.probe.id, w.budget): w for w in wanted if rows[w.row]["error"] is None}
        self.done += len(wanted) - len(can)  # what the strategy failed at has no context to answer from
        try:
            outcomes = _contexts(recording, list(can.values()), services)
        except Exception as error:  # one broken strategy must not cost the other answers
            outcomes = {}
            for one in can.values():
                self._keep(one, {"error": reason(error)})
        for place, outcome in outcomes.items():
            self.say(f"{recording.id}: {label}")
            self._keep(can[place], self._ask(can[place], outcome))

    def _ask(self, wanted: Wanted, outcome: Outcome) -> dict[str, Any]:
        then = self.stage.run.store.rows[wanted.row]["context_tokens"]
        if outcome.context is None or outcome.context.tokens != then:
            now = outcome.context.tokens if outcome.context else "no"
            return {"error": f"the replay gave a context of {now} tokens, the run {then:.0f}: run it anew elsewhere"}
        self._reader.ledger = Ledger()
        try:
            said = reader.answer(outcome, self._reader, self.stage.settings.max_tokens)
        except LanguageModelError as error:
            self.failed += 1
            if self.failed == PATIENCE:
                raise give_up(error) from error
            return {"error": reason(error)}
        self.failed = 0
        return {"error": None, "answer": said.text, "cut": said.cut, **usage_of(self._reader.ledger)}

    def _keep(self, wanted: Wanted, found: dict[str, Any]) -> None:
        cell = wanted.plan.cell
        head = {"key": wanted.key, "reader": self._reader.language_model.name, "recording": cell.recording}
        head |= {"probe": wanted.probe.id, "strategy": cell.strategy}
        self.stage.run.store.append(ANSWERS, {**head, "budget_tokens": wanted.budget, **found})
        self.done += 1


def reason(error: Exception) -> str:
    return f"{type(error).__name__}: {error}".encode("utf-8", "backslashreplace").decode()


def give_up(error: LanguageModelError) -> LanguageModelError:
    return LanguageModelError(
        f"{PATIENCE} questions in a row were not answered, the last because: {error}; what was answered is kept, and "
        "the same command goes on from there"
    )


def usage_of(ledger: Ledger) -> dict[str, Any]:
    """What one question took: tokens, seconds, US dollars (NaN where a price is not known)."""
    table = ledger.table()
    used = {name: sum(row[name] for row in table) for name in ("input_tokens", "output_tokens", "dollars")}
    return {**used, "seconds": round(sum(row["seconds"] for row in table), 3)}


def _contexts(recording: Recording, wanted: Sequence[Wanted], services: Services) -> dict[tuple[str, int], Outcome]:
    """The contexts of the run again: the replay is deterministic, and only the probes of the sample are asked."""
    if not wanted:
        return {}
    places = {(w.probe.id, w.budget) for w in wanted}
    probes = {w.probe.id: w.probe for w in wanted}
    view = RecordingView(replace(recording, probes=tuple(probes.values())), services)
    budgets, plan = sorted({w.budget for w in wanted}), wanted[0].plan
    if plan.strategy is None:
        outcomes = replay_oracle(view, budgets, services)
    else:
        outcomes = replay(view, plan.strategy, plan.cell.strategy, budgets, services)
    found = {(outcome.probe.id, outcome.budget_tokens): outcome for outcome in outcomes}
    return {place: outcome for place, outcome in found.items() if place in places}
