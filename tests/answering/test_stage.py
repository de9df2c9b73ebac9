"""The stage: what is asked, what it scores by value, and that nothing is asked twice."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import polars as pl
import pytest

from mnemo_lab.answering import reader, stage
from mnemo_lab.answering.answers import Answers
from mnemo_lab.conversation import Message
from mnemo_lab.errors import InvalidInput
from mnemo_lab.language_models.errors import LanguageModelError, Unavailable
from mnemo_lab.replay.answer_settings import make_settings
from mnemo_lab.replay.loop import replay
from mnemo_lab.replay.run import execute
from mnemo_lab.replay.view import RecordingView
from mnemo_lab.strategy_text import parse_strategy
from tests.answering.runs import STRATEGIES, office_run, read
from tests.answering.scripted import Scripted, looks_it_up, question_of
from tests.conversations import office_recording
from tests.replay.helpers import dataset, run_of
from tests.replay.spies import CALLS


def test_accuracy_is_what_the_context_holds() -> None:
    """The reader answers where the context holds the answer: each score is the run's ``answer_in_context``."""
    run = office_run()
    answers = read(run, Scripted(looks_it_up))
    assert len(answers.rows) == 6 * len(STRATEGIES) and set(answers.rows["recording"]) == {"office2"}
    held = run.rows.filter((pl.col("budget_tokens") == 200) & (pl.col("recording") == "office2"))
    for label in STRATEGIES:
        wanted = dict(held.filter(strategy=label).select("probe", "answer_in_context").iter_rows())
        for row in answers.rows.filter(strategy=label).iter_rows(named=True):
            for score in ("exact_match", "token_f1", "contains_answer"):
                assert row[score] == wanted[row["probe"]], (label, row)
            assert row["abstained"] == (wanted[row["probe"]] != 1)
    assert set(answers.rows.filter(strategy="full", answerable=True)["exact_match"]) == {1.0}


def test_contexts_are_those_of_the_run() -> None:
    """What the reader is sent is what each strategy recalls when all questions of the recording are asked."""
    run, model = office_run(), Scripted(looks_it_up)
    read(run, model, budgets=(64, 200), strategies=("bm25", "recent"))
    view = RecordingView(run.dataset.recordings[1], run.services("en"))
    wanted = [
        reader.prompt(outcome, outcome.context)
        for label in ("bm25", "recent")
        for outcome in replay(view, parse_strategy(label), label, [64, 200], view.services)
        if outcome.context is not None
    ]
    assert len(model.asked) == 2 * 2 * 6
    assert sorted(map(repr, model.asked)) == sorted(map(repr, wanted))


def test_costs_are_the_runs_and_the_readers() -> None:
    answers = read(office_run(), model := Scripted(looks_it_up), strategies=("recent",))
    rows = answers.rows
    assert rows["write_tokens"].sum() == 0 and rows["answer_dollars"].sum() == 0
    assert rows["input_tokens"].sum() == sum(len(m.text.split()) for asked in model.asked for m in asked)
    priced = read(office_run(), Scripted(looks_it_up, name="openai:gpt-4o-mini"), strategies=("recent",))
    took = priced.rows["input_tokens"].sum() * 0.15e-6 + priced.rows["output_tokens"].sum() * 0.6e-6
    assert priced.rows["answer_dollars"].sum() == pytest.approx(took)
    unknown = read(office_run(), Scripted(looks_it_up, name="openai:nobody-knows"), strategies=("recent",))
    assert unknown.rows["answer_dollars"].null_count() == 6


def test_nothing_is_asked_twice(tmp_path: Path) -> None:
    run, model = office_run(tmp_path), Scripted(looks_it_up)
    first = read(run, model)
    assert len(model.asked) == 24
    again = read(office_run(tmp_path), model)
    assert len(model.asked) == 24 and again.rows.equals(first.rows)
    read(office_run(tmp_path), model, budgets=(64, 200))
    assert len(model.asked) == 48, "a budget more"
    read(office_run(tmp_path), model, strategies=(*STRATEGIES, "random"))
    assert len(model.asked) == 54, "a strategy more"
    read(office_run(tmp_path), model, max_tokens=21)
    assert len(model.asked) == 78, "another length of answers"
    read(office_run(tmp_path), other := Scripted(looks_it_up, fingerprint="scripted 2"))
    assert len(other.asked) == 24, "another reader"


def test_another_instruction_asks_anew(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run, model = office_run(tmp_path), Scripted(looks_it_up)
    read(run, model, strategies=("recent",))
    monkeypatch.setattr(reader, "PROMPT_VERSION", reader.PROMPT_VERSION + 1)
    read(run, model, strategies=("recent",))
    assert len(model.asked) == 12


def test_a_smaller_sample_is_part_of_a_larger_one() -> None:
    run, model = office_run(), Scripted(looks_it_up)
    small = read(run, model, strategies=("recent",), probes=3)
    assert 2 <= len(small.rows) == len(model.asked) <= 3
    read(run, model, strategies=("recent",))
    assert len(model.asked) == 6


@pytest.mark.parametrize("keep", [0, 1, 7, 23])
def test_stopped_after_any_answer(tmp_path: Path, keep: int) -> None:
    """A file that ends after any answer, and inside the next one, goes on to the same rows."""
    whole = read(office_run(tmp_path), Scripted(looks_it_up)).rows
    path = tmp_path / stage.ANSWERS
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(lines[:keep]) + lines[keep][:20])
    model = Scripted(looks_it_up)
    assert read(office_run(tmp_path), model).rows.equals(whole)
    assert len(model.asked) == 24 - keep
    assert {json.loads(line)["key"] for line in path.read_bytes().splitlines()} == {
        json.loads(line)["key"] for line in lines
    }


def test_a_line_that_is_no_answer_is_named(tmp_path: Path) -> None:
    read(office_run(tmp_path), Scripted(looks_it_up))
    path = tmp_path / stage.ANSWERS
    path.write_bytes(b"{}\n" + path.read_bytes())
    with pytest.raises(InvalidInput, match=r"answers\.jsonl:1: not a row"):
        read(office_run(tmp_path), Scripted(looks_it_up))


def test_failed_answers_are_rows_and_tried_again(tmp_path: Path) -> None:
    broken = True

    def say(messages: Sequence[Message]) -> str:
        if broken and question_of(messages).startswith("What does E-4417"):
            raise Unavailable("503 \ud800 no capacity")
        return looks_it_up(messages)

    answers = read(office_run(tmp_path), Scripted(say))
    failed = answers.rows.filter(pl.col("error").is_not_null())
    assert set(failed["probe"]) == {"q3"} and len(failed) == 4
    assert set(failed["error"]) == {"Unavailable: 503 \\ud800 no capacity"}
    assert failed["exact_match"].null_count() == 4 and failed["correct"].null_count() == 4
    broken = False
    healed = read(office_run(tmp_path), model := Scripted(say))
    assert len(model.asked) == 4 and healed.rows["error"].null_count() == 24
    assert healed.rows.equals(read(office_run(), Scripted(looks_it_up)).rows)


def test_a_model_that_is_not_there_stops_the_stage(tmp_path: Path) -> None:
    """After five failures in a row; what was answered before is kept."""
    said = 0

    def say(messages: Sequence[Message]) -> str:
        nonlocal said
        said += 1
        if said > 3:
            raise Unavailable("connection refused")
        return looks_it_up(messages)

    with pytest.raises(
        LanguageModelError, match=r"5 questions in a row .* connection refused; what was answered is kept"
    ):
        read(office_run(tmp_path), Scripted(say))
    assert said == 8
    read(office_run(tmp_path), model := Scripted(looks_it_up))
    assert len(model.asked) == 21


@pytest.mark.usefixtures("spies")
def test_a_strategy_that_failed_has_errors_for_answers(tmp_path: Path) -> None:
    run = run_of(tmp_path, ("broken(at=4)", "bm25"), (200,))
    execute(run)
    model = Scripted(looks_it_up)
    answers = read(run, model, strategies=("broken(at=4)", "bm25"))
    then = run.rows.filter(strategy="broken(at=4)", recording="office2")
    now = answers.rows.filter(strategy="broken(at=4)")
    assert dict(now.select("probe", "error").iter_rows()) == dict(then.select("probe", "error").iter_rows())
    assert now["error"].null_count() == 3 == now["correct"].count()
    assert answers.rows.filter(strategy="bm25")["error"].null_count() == 6
    assert len(model.asked) == 3 + 6


@pytest.mark.usefixtures("spies")
def test_only_recordings_with_something_to_ask_are_replayed(tmp_path: Path) -> None:
    run = run_of(tmp_path, ("spy",), (200,))
    execute(run)
    CALLS.clear()
    read(run, Scripted(looks_it_up), strategies=("spy",), probes=2)
    recalls = [call for call in CALLS if call[0] == "recall"]
    assert len(recalls) == 2, "only the probes of the sample"
    CALLS.clear()
    read(run, Scripted(looks_it_up), strategies=("spy",), probes=2)
    assert CALLS == []


def test_a_changed_context_is_an_error(tmp_path: Path) -> None:
    """A row that the replay cannot give again is not read as if it could."""
    run = office_run(tmp_path)
    for row in run.store.rows.values():
        if row["strategy"] == "bm25":
            row["context_tokens"] += 1
    answers = read(run, Scripted(looks_it_up), strategies=("bm25", "recent"))
    assert all("the replay gave a context of" in text for text in answers.rows.filter(strategy="bm25")["error"])
    assert answers.rows.filter(strategy="recent")["error"].null_count() == 6


def test_an_unfinished_run_is_said_to_be_one() -> None:
    with pytest.raises(InvalidInput, match=r"no row for recent at 200 tokens on office2: let mnemo run finish first"):
        read(run_of(None), Scripted(looks_it_up))


@pytest.mark.parametrize(
    ("settings", "says"),
    [
        ({"budgets": (1024,)}, "answers at 1024 tokens: the run has no such budget; it has 64, 200"),
        ({"strategies": ("dense",)}, "unknown strategy of this run 'dense'"),
        ({"strategies": ("bm52",)}, "unknown strategy 'bm52'"),
        ({"strategies": ()}, "name at least one strategy"),
        ({"probes": 0}, "probes: Input should be greater than or equal to 1"),
        ({"language": "fr"}, "language: Input should be 'en' or 'zh'"),
        ({"language": "zh"}, "no recording of office is in the language 'zh'"),
        ({"budget": 1}, "budget: Extra inputs are not permitted .*known: reader, strategies"),
    ],
)
def test_what_cannot_be_asked(settings: dict[str, object], says: str) -> None:
    with pytest.raises(InvalidInput, match=says):
        read(office_run(), Scripted(looks_it_up), **settings)


def test_a_data_set_without_answers_cannot_be_scored() -> None:
    office = office_recording()
    mined = replace(office, probes=tuple(replace(p, answer=None, answerable=True) for p in office.probes))
    with pytest.raises(InvalidInput, match="no probe with a gold answer"):
        read(office_run(data=dataset(mined)), Scripted(looks_it_up))


def test_dev_recordings_are_asked_only_where_there_is_nothing_else() -> None:
    run = office_run(data=dataset(office_recording()))
    assert set(read(run, Scripted(looks_it_up)).rows["recording"]) == {"office"}


def test_strategies_by_label_and_by_text() -> None:
    run = office_run()
    wanted = make_settings({"strategies": ("bm25", "bm25()", "oracle", "seed_truncator", "recent")})
    assert wanted.labels(run.grid.labelled()) == ["bm25", "oracle", "seed_truncator", "recent"]
    assert make_settings({}).labels(run.grid.labelled()) == ["recent", "random", "seed_truncator", "bm25", "oracle"]


def test_progress_counts_answers() -> None:
    seen: list[tuple[int, int]] = []
    run = office_run()
    one = stage.Stage(run, make_settings({"budgets": (200,), "strategies": ("recent", "bm25")}), "scripted 1")
    stage.ask_all(one, Scripted(looks_it_up), lambda done, total, _: seen.append((done, total)))
    assert seen[0] == (0, 12) and seen[-1] == (12, 12) and seen == sorted(seen)
    assert isinstance(Answers(one).rows, pl.DataFrame)
