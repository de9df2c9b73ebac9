"""``ml.answer``: the same stage from Python."""

from __future__ import annotations

from pathlib import Path

import pytest

import mnemo_lab as ml
from mnemo_lab.errors import InvalidInput
from tests.answering.scripted import Scripted, looks_it_up
from tests.replay.helpers import dataset


def test_answer_from_python(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run = ml.run(dataset(), ["bm25"], [64, 200], embedder="hashing", out=tmp_path, progress=False)
    model = Scripted(looks_it_up)
    answers = ml.answer(run, model, ["bm25", "full"], budgets=[200], progress=False)
    assert capsys.readouterr().err == ""
    assert len(model.asked) == len(answers.rows) == 12
    assert answers.table().filter(strategy="full")["exact_match"].to_list() == [1.0]
    assert answers._repr_html_().startswith("<style>")
    again = ml.answer(ml.open_run(tmp_path, dataset()), model, ["bm25", "full"], budgets=[200])
    assert len(model.asked) == 12 and again.rows.equals(answers.rows)
    assert capsys.readouterr().err.count("answer") >= 1, "a progress bar"
    page = ml.report(run, tmp_path / "report")
    assert "What a reader answers" in page.read_text(encoding="utf-8")


def test_a_judge_may_be_handed_in() -> None:
    run = ml.run(dataset(), ["bm25"], [200], embedder="hashing", progress=False)
    judge = Scripted(lambda _: "CORRECT", "local:yes", "yes 1")
    answers = ml.answer(run, Scripted(looks_it_up), ["full"], budgets=[200], judge=judge, progress=False)
    assert answers.judge_check is not None and answers.judge_check.false_positive_rate == 1
    assert answers.stage.settings.judge == "local:yes"
    assert "no better than tossing a coin" in answers._repr_html_()


def test_bad_calls() -> None:
    run = ml.run(dataset(), ["bm25"], [200], embedder="hashing", progress=False)
    with pytest.raises(InvalidInput, match="answers at 1024 tokens: the run has no such budget"):
        ml.answer(run, Scripted(looks_it_up), progress=False)
    with pytest.raises(InvalidInput, match="unknown kind of language model 'gpt'"):
        ml.answer(run, "gpt:4", budgets=[200], progress=False)
