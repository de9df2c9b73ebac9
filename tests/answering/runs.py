"""A finished run over the office recordings, and what reading it must give."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from mnemo_lab.answering.answers import Answers, answer_run
from mnemo_lab.language_models.base import LanguageModel
from mnemo_lab.replay.answer_settings import make_settings
from mnemo_lab.replay.run import Run
from tests.replay.helpers import dataset, done

STRATEGIES = ("recent", "bm25", "oracle", "full")


def office_run(out: Path | None = None, **fields: Any) -> Run:
    """Two recordings, dev and test: the test one is asked."""
    return done(out, ("bm25",), (64, 200), **fields)


def read(run: Run, reader: LanguageModel, judge: LanguageModel | None = None, **settings: Any) -> Answers:
    given = {"budgets": (200,), "strategies": STRATEGIES, "max_tokens": 20} | settings
    if judge is not None:
        given["judge"] = judge.name
    return answer_run(run, make_settings({"reader": reader.name} | given), reader, judge)


__all__ = ["STRATEGIES", "dataset", "office_run", "read"]
