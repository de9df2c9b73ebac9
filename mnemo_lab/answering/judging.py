"""The judging stage: answers that are there are graded, and so are planted ones, whose truth is known."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import nan
from typing import Any, Final, NamedTuple

from mnemo_lab.answering.judge import judge, verdict_key
from mnemo_lab.answering.planting import Planted, plant
from mnemo_lab.answering.refusal import abstains
from mnemo_lab.answering.stage import PATIENCE, Stage, give_up, reason, usage_of
from mnemo_lab.language_models.base import LanguageModel
from mnemo_lab.language_models.errors import LanguageModelError
from mnemo_lab.ledger import Ledger
from mnemo_lab.recording import Probe
from mnemo_lab.replay.run import Progress
from mnemo_lab.services import Services

VERDICTS: Final = "verdicts.jsonl"


class Graded(NamedTuple):
    """What a judge is shown."""

    question: str
    golds: tuple[str, ...]
    answer: str


@dataclass(frozen=True)
class JudgeCheck:
    """How a judge does on planted answers. Rates are NaN where none was planted; an unreadable verdict is neither."""

    wrong: int
    """Planted wrong answers that have a verdict."""
    wrong_passed: int
    """Those that it called correct."""
    right: int
    right_passed: int
    right_failed: int
    """Planted right answers that it called wrong."""
    unreadable: int

    @property
    def false_positive_rate(self) -> float:
        return self.wrong_passed / self.wrong if self.wrong else nan

    @property
    def false_negative_rate(self) -> float:
        return self.right_failed / self.right if self.right else nan

    @property
    def tells_them_apart(self) -> bool:
        """Whether it passes right answers more often than wrong ones; true where that is not known."""
        return not (self.wrong and self.right) or self.right_passed / self.right > self.false_positive_rate


def to_grade(probe: Probe, answer: str | None) -> Graded | None:
    """What is shown to the judge of an answer; ``None`` where rules decide: no gold, no answer, or a refusal."""
    if not probe.answerable or answer is None or abstains(answer, probe.answers):
        return None
    return Graded(probe.question, probe.answers, answer)


def planted(stage: Stage) -> list[Planted]:
    """The planted answers of a stage: of the questions of its sample."""
    by_id = {recording.id: recording for recording in stage.recordings}
    seed = stage.run.grid.seed
    return [item for picked in stage.sample for item in plant(by_id[picked.recording], picked.probe, seed)]


def verdicts(stage: Stage) -> dict[str, dict[str, Any]]:
    """All verdicts that are kept with the run, by key."""
    return {record["key"]: record for record in stage.run.store.lines(VERDICTS, ("key", "error"))}


def key_of(stage: Stage, graded: Graded) -> str:
    return verdict_key(stage.judge or "", stage.settings.max_tokens, *graded)


def check_judge(stage: Stage) -> JudgeCheck | None:
    """The judge on the planted answers; ``None`` without a judge."""
    if stage.judge is None:
        return None
    known = verdicts(stage)
    told = [
        (item.right, known[key]["verdict"])
        for item in planted(stage)
        if (key := key_of(stage, _shown(item))) in known and known[key]["error"] is None
    ]
    wrong, right = [v for is_right, v in told if not is_right], [v for is_right, v in told if is_right]
    passed, failed = right.count("correct"), right.count("wrong")
    unreadable = (wrong + right).count("unreadable")
    return JudgeCheck(len(wrong), wrong.count("correct"), len(right), passed, failed, unreadable)


def _shown(item: Planted) -> Graded:
    return Graded(item.probe.question, item.golds, item.answer)


def judge_all(stage: Stage, model: LanguageModel, progress: Progress | None = None) -> None:
    """Grade every answer and every planted one that has no verdict yet; what failed is graded again.

    Raises ``LanguageModelError`` after five failures in a row.
    """
    wanted = {key_of(stage, graded): graded for graded in (*_answered(stage), *map(_shown, planted(stage)))}
    known = verdicts(stage)
    todo = {key: graded for key, graded in wanted.items() if known.get(key, {"error": ""})["error"] is not None}
    services, failed = Services(stage.run.spec, model), 0
    for number, (key, graded) in enumerate(todo.items()):
        if progress:
            progress(len(wanted) - len(todo) + number, len(wanted), "judging")
        services.ledger = Ledger()
        found: dict[str, Any] = {"key": key, "judge": model.name, "error": None, "verdict": None}
        try:
            found["verdict"] = judge(*graded, services, stage.settings.max_tokens).verdict
            failed = 0
        except LanguageModelError as error:
            failed += 1
            if failed == PATIENCE:
                raise give_up(error) from error
            found["error"] = reason(error)
        stage.run.store.append(VERDICTS, found | usage_of(services.ledger))
    if progress:
        progress(len(wanted), len(wanted), "done")


def _answered(stage: Stage) -> Iterable[Graded]:
    known = stage.answers()
    for recording in stage.recordings:
        for wanted in stage.wanted(recording):
            yield from _of(wanted, known)


def _of(wanted: Sequence[Any], known: dict[str, dict[str, Any]]) -> Iterable[Graded]:
    for one in wanted:
        graded = to_grade(one.probe, known.get(one.key, {}).get("answer"))
        if graded is not None:
            yield graded
