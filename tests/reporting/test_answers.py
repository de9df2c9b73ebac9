"""Tables and section on answers, by value, from records that are made by hand."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from mnemo_lab.answering.abstention import TwinPair, balanced_accuracy, hallucination_rate, per_correct
from mnemo_lab.answering.answers import Answers
from mnemo_lab.answering.stage import ANSWERS, STAGES, Stage, note
from mnemo_lab.replay.answer_settings import AnswerSettings
from mnemo_lab.replay.run import Run
from mnemo_lab.reporting.answers import answer_tables, answers_html, answers_sections, answers_table, sentences
from mnemo_lab.reporting.document import Text
from mnemo_lab.reporting.write import write_report
from tests.reporting.runs import Shape, make_run

SIX = ("r1", "r2", "r3", "r4", "r5", "r6")


def made(
    recordings: tuple[str, ...] = SIX, folder: Path | None = None, fail: bool = False, **settings: Any
) -> tuple[Run, Answers]:
    """Two questions a recording, the second unanswerable; recent answers the first in every other recording and
    never refuses; bm25 answers all and refuses. 100 tokens in, 10 out, a cent each; writing took 40 and 2 cents."""
    run = make_run(Shape(recordings, unanswerable=(1,), question="Where is it?"), lambda *_: 1.0, folder)
    for row in run.store.rows.values():
        row |= {"write_tokens": 40.0, "read_tokens": 0.0, "write_dollars": 0.02, "read_dollars": 0.0}
    given = {"reader": "openai:x", "strategies": ("recent", "bm25", "oracle"), "budgets": (1024,)} | settings
    stage = Stage(run, AnswerSettings.model_validate(given), "reader 1")
    note(stage)
    for number, recording in enumerate(stage.recordings):
        for wanted in stage.wanted(recording):
            for one in wanted:
                text = say(one.plan.cell.strategy, one.probe.answerable, number)
                found = {"error": None, "answer": text, "cut": False, "dollars": 0.01}
                if fail and one.plan.cell.strategy == "recent" and number == 0 and one.probe.answerable:
                    found = {"error": "Unavailable: 503 <b>busy</b>"}
                run.store.append(ANSWERS, {"key": one.key, "input_tokens": 100, "output_tokens": 10, **found})
    return run, Answers(stage)


def say(strategy: str, answerable: bool, number: int) -> str:
    if not answerable:
        return "I don't know." if strategy != "recent" else "In Rome."
    return "In Rome." if strategy == "recent" and number % 2 else "here & now"


def test_every_figure_by_hand() -> None:
    """recent: 3 of 6 right, 6 hallucinated: 3 correct of 12 at 150 tokens and 3 cents each."""
    _, answers = made()
    lines = {line["strategy"]: line for line in answers.table().iter_rows(named=True)}
    assert list(lines) == ["recent", "bm25", "oracle"]
    recent, bm25 = lines["recent"], lines["bm25"]
    assert (recent["n"], recent["recordings"], recent["unanswerable"], recent["twin_pairs"]) == (6, 6, 6, 6)
    assert (recent["exact_match"], recent["token_f1"], recent["contains_answer"]) == (0.5, 0.5, 0.5)
    assert recent["judge"] is None
    # Six recordings of 0 and 1: standard error sqrt(.3/6), t with 5 degrees 2.5706.
    assert recent["exact_match_lo"] == 0 and recent["exact_match_hi"] == 1
    assert recent["correct"] == 0.25
    assert recent["correct_lo"] == 0 and recent["correct_hi"] == pytest.approx(
        0.25 + 2.5706 * (0.075 / 6) ** 0.5, abs=1e-4
    )
    assert (recent["refusals_right"], recent["hallucinated"]) == (0.5, 1.0)
    assert (recent["tokens_per_answer"], recent["tokens_per_correct"]) == (150.0, 12 * 150 / 3)
    assert recent["dollars_per_answer"] == pytest.approx(0.03)
    assert recent["dollars_per_correct"] == pytest.approx(12 * 0.03 / 3)
    assert (bm25["exact_match"], bm25["correct"], bm25["refusals_right"], bm25["hallucinated"]) == (1, 1, 1, 0)
    assert bm25["tokens_per_correct"] == 150.0
    assert (recent["cut"], recent["failed"]) == (0, 0)


def test_failures_are_left_out_and_said() -> None:
    _, answers = made(fail=True)
    recent = next(line for line in answers_table(answers).iter_rows(named=True) if line["strategy"] == "recent")
    assert (recent["n"], recent["failed"], recent["twin_pairs"], recent["unanswerable"]) == (5, 1, 5, 6)
    assert recent["exact_match"] == 0.4 and recent["tokens_per_correct"] == 11 * 150 / 2
    assert "recent: 1 question without an answer: Unavailable: 503 <b>busy</b>" in sentences(answers)


def test_nothing_correct_costs_nothing_that_can_be_said() -> None:
    run, answers = made()
    for record in run.store.lines(ANSWERS):
        record["answer"] = "In Rome."
    line = answers_table(answers).row(0, named=True)
    assert line["correct"] == 0 and line["tokens_per_correct"] is None and line["dollars_per_correct"] is None
    assert line["tokens_per_answer"] == 150


def test_an_unknown_price_is_no_price() -> None:
    run, answers = made()
    next(iter(run.store.rows.values()))["write_dollars"] = None
    run.store.lines(ANSWERS)[0]["dollars"] = None
    line = answers_table(answers).row(0, named=True)
    assert line["dollars_per_answer"] is None and line["dollars_per_correct"] is None
    assert line["tokens_per_answer"] == 150


def test_tables_and_sentences() -> None:
    _, answers = made()
    scores, refusals = answer_tables(answers)
    assert scores.columns == ("strategy", "n", "exact", "F1", "contains")
    assert [(row.cells[0].text, row.cells[2].text, row.cells[2].best, row.reference) for row in scores.rows] == [
        ("recent", "0.50", False, False), ("bm25", "1.00", True, False), ("oracle", "1.00", False, True),
    ]  # fmt: skip
    assert scores.rows[0].cells[2].sub == "0.00–1.00"
    assert [cell.text for cell in refusals.rows[0].cells] == [
        "recent", "0.25", "0.50", "1.00", "150", "600", "$0.030", "$0.12",
    ]  # fmt: skip
    assert [cell.text for cell in refusals.rows[1].cells][-3:] == ["150", "$0.030", "$0.030"]
    assert refusals.rows[1].cells[5].best and not refusals.rows[2].cells[5].best
    (first,) = sentences(answers)
    assert first.startswith("Reader openai:x: 12 questions of 6 recordings, 6 answerable and 6 not, balanced")


def test_few_recordings_have_no_intervals() -> None:
    _, answers = made(SIX[:3])
    assert answers_table(answers)["exact_match_lo"].null_count() == 3
    assert "Fewer than six recordings: no intervals" in answer_tables(answers)[0].note


def test_answers_that_are_still_to_come() -> None:
    run, answers = made()
    run.store.lines(ANSWERS).pop()
    assert "1 of 36 answers are still to come." in sentences(answers)


def test_the_section_in_the_report(tmp_path: Path) -> None:
    """Without answers there is none; with them, each reader has its part; text of the data is escaped."""
    silent = make_run(Shape(SIX), lambda *_: 1.0)
    assert answers_sections(silent) == []
    run, _ = made(folder=tmp_path / "run", fail=True)
    (section,) = answers_sections(run)
    assert (section.anchor, section.title) == ("answers", "What a reader answers")
    page = write_report(run, tmp_path / "report").read_text(encoding="utf-8")
    assert "What a reader answers" in page and "Reader openai:x" in page
    assert "503 &lt;b&gt;busy&lt;/b&gt;" in page and "<b>busy" not in page
    text = (tmp_path / "report" / "report.md").read_text(encoding="utf-8")
    assert "## What a reader answers" in text and "| recent | 5 |" in text


def test_answers_of_another_grid_are_named_and_left_out() -> None:
    run, answers = made()
    settings = answers.stage.settings.model_dump() | {"strategies": ["dense"]}
    run.store.append(STAGES, {"reader": "reader 2", "judge": None, "settings": settings})
    (section,) = answers_sections(run)
    texts = [block.text for block in section.blocks if isinstance(block, Text)]
    assert len(texts) == 2 and "openai:x answered is not shown: unknown strategy of this run 'dense'" in texts[1]


def test_in_a_notebook() -> None:
    _, answers = made(fail=True)
    shown = answers._repr_html_()
    assert shown == answers_html(answers) and "mnemo-table" in shown and "&lt;b&gt;busy" in shown


def test_balanced_accuracy_by_hand() -> None:
    """Three of four refused, one of two twins answered: (0.75 + 0.5) / 2."""
    pairs = [TwinPair(True, True), TwinPair(True, True), TwinPair(True, False), TwinPair(False, False)]
    assert balanced_accuracy(pairs) == (0.75 + 0.5) / 2
    assert balanced_accuracy([TwinPair(True, True)] * 9) == balanced_accuracy([TwinPair(False, False)]) == 0.5
    assert balanced_accuracy([TwinPair(True, False)]) == 1 and balanced_accuracy([TwinPair(False, True)]) == 0
    assert balanced_accuracy([]) != balanced_accuracy([]) and hallucination_rate([]) != hallucination_rate([])
    assert hallucination_rate([True, False, False, False]) == 0.75
    assert per_correct(12.0, 4) == 3 and per_correct(12.0, 0) != per_correct(12.0, 0)
