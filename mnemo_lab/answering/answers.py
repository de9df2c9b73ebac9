"""Answers of one reader over a run, with their scores: what the notebook, the table and the report are made of."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from math import nan
from typing import TYPE_CHECKING, Any, Final

from mnemo_lab.answering.judging import JudgeCheck, check_judge, judge_all, key_of, to_grade, verdicts
from mnemo_lab.answering.refusal import abstains
from mnemo_lab.answering.scores import contains_answer, exact_match, token_f1
from mnemo_lab.answering.stage import Stage, Wanted, ask_all, note
from mnemo_lab.language_models.base import LanguageModel
from mnemo_lab.recording import Probe, Recording
from mnemo_lab.registry import resolve
from mnemo_lab.replay.answer_settings import AnswerSettings
from mnemo_lab.replay.run import Progress, Run

if TYPE_CHECKING:
    import polars as pl

TEXTS: Final = ("recording", "split", "language", "probe", "category", "twin", "strategy", "answer", "verdict", "error")
SCORES: Final = ("exact_match", "token_f1", "contains_answer", "judge", "correct")
COSTS: Final = (
    "input_tokens", "output_tokens", "write_tokens", "read_tokens", "answer_dollars", "write_dollars", "read_dollars",
)  # fmt: skip
FLAGS: Final = ("answerable", "abstained", "cut")


@dataclass(frozen=True)
class Answers:
    """What a reader answered. ``rows`` is polars: one row per strategy, budget and question of the sample.

    ``exact_match``, ``token_f1``, ``contains_answer`` and ``judge`` are null for unanswerable questions. ``correct``:
    an answerable one whose answer contains the gold answer and is no refusal, an unanswerable one that was refused.
    Tokens and dollars: ``input``/``output``/``answer`` are the reader's, ``write`` and ``read`` the strategy's own
    models' as the run counted them (write costs shared among all of the recording's questions).
    """

    stage: Stage

    @cached_property
    def rows(self) -> pl.DataFrame:
        import polars as pl

        schema: dict[str, Any] = dict.fromkeys(TEXTS, pl.String)
        schema |= {"budget_tokens": pl.Int64} | dict.fromkeys(FLAGS, pl.Boolean)
        schema |= dict.fromkeys([*SCORES, *COSTS], pl.Float64)
        order = [*TEXTS[:5], "answerable", *TEXTS[5:7], "budget_tokens", "answer", "abstained", *SCORES, "verdict"]
        frame = pl.DataFrame(list(_rows(self.stage)), schema=schema, strict=False)
        return frame.select([*order, *COSTS, "cut", "error"]).with_columns(pl.col([*SCORES, *COSTS]).fill_nan(None))

    @cached_property
    def judge_check(self) -> JudgeCheck | None:
        """The judge on planted answers; ``None`` without a judge."""
        return check_judge(self.stage)

    def table(self) -> pl.DataFrame:
        """One row per strategy and budget: scores with intervals, abstention, hallucination, cost per correct."""
        # By name: what summarises and shows answers is built on them.
        summarise: Callable[[Answers], pl.DataFrame] = resolve("view", "answers_table")
        return summarise(self)

    def _repr_html_(self) -> str:
        show: Callable[[Answers], str] = resolve("view", "answers")
        return show(self)


def answer_run(
    run: Run,
    settings: AnswerSettings,
    reader: LanguageModel,
    judge: LanguageModel | None = None,
    progress: Progress | None = None,
) -> Answers:
    """Ask and judge what is not yet there, and give all of it; see ``ask_all`` and ``judge_all`` for what is raised."""
    stage = Stage(run, settings, reader.fingerprint, judge.fingerprint if judge else None)
    note(stage)
    ask_all(stage, reader, progress)
    if judge is not None:
        judge_all(stage, judge, progress)
    return Answers(stage)


def _rows(stage: Stage) -> Iterator[dict[str, Any]]:
    known, graded = stage.answers(), verdicts(stage)
    twins = {(picked.recording, picked.probe.id): picked.twin for picked in stage.sample}
    for recording in stage.recordings:
        for wanted in stage.wanted(recording):
            for one in wanted:
                then = stage.run.store.rows.get(one.row)
                record = known.get(one.key)
                if then is not None and then["error"] is not None:
                    record = {"error": then["error"]}  # no context, no question
                if then is None or record is None:
                    continue
                twin = twins[recording.id, one.probe.id]
                yield _head(recording, one, twin) | _scored(stage, one.probe, record, graded) | _costs(record, then)


def _head(recording: Recording, one: Wanted, twin: str | None) -> dict[str, Any]:
    return {
        "recording": recording.id,
        "split": recording.split,
        "language": recording.language,
        "probe": one.probe.id,
        "category": one.probe.category,
        "answerable": one.probe.answerable,
        "twin": twin,
        "strategy": one.plan.cell.strategy,
        "budget_tokens": one.budget,
    }


def _scored(stage: Stage, probe: Probe, record: dict[str, Any], graded: dict[str, dict[str, Any]]) -> dict[str, Any]:
    if record["error"] is not None:
        return {"error": record["error"]}
    said = record["answer"]
    abstained = abstains(said, probe.answers if probe.answerable else ())
    found = {"answer": said, "abstained": abstained, "cut": record["cut"]}
    if not probe.answerable:
        return found | {"correct": float(abstained)}
    found |= {"exact_match": exact_match(said, probe.answers), "token_f1": token_f1(said, probe.answers)}
    holds = contains_answer(said, probe.answers)
    found |= {"contains_answer": holds, "correct": float(holds == 1 and not abstained)}
    return found | _verdict(stage, probe, said, graded)


def _verdict(stage: Stage, probe: Probe, said: str, graded: dict[str, dict[str, Any]]) -> dict[str, Any]:
    """What the judge says; a refusal to an answerable question is wrong without asking it."""
    if stage.judge is None:
        return {}
    shown = to_grade(probe, said)
    verdict = "wrong" if shown is None else graded.get(key_of(stage, shown), {}).get("verdict")
    return {"verdict": verdict, "judge": nan if verdict is None else float(verdict == "correct")}


def _costs(record: dict[str, Any], then: dict[str, Any]) -> dict[str, Any]:
    own = {name: then.get(name, 0.0) for name in ("write_tokens", "read_tokens", "write_dollars", "read_dollars")}
    used = {name: record.get(name) for name in ("input_tokens", "output_tokens")}
    return {**own, **used, "answer_dollars": record.get("dollars")}
