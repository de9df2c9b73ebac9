"""The published answers: replayed from their cassette, without the model, they give the published report again."""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from evals.answering.measure import GRID, REPORT, measured, report
from mnemo_lab import registry
from mnemo_lab.conversation import Message
from mnemo_lab.language_models.base import Completion
from mnemo_lab.language_models.local import LocalModel

TAPE = GRID.with_name("smollm2.jsonl")
ROUNDING = 8
"""Answers that may be missing on another machine: where two messages are as near to a question as the last bit of a
vector tells, a hybrid's context differs from the recorded one."""
MISSED: list[Sequence[Message]] = []


class Absent:
    """The model's name and fingerprint; whoever asks it is counted."""

    def __init__(self, model: str) -> None:
        known = LocalModel(model)
        self.name, self.fingerprint, self.window = known.name, known.fingerprint, 8192

    def chat(self, messages: Sequence[Message], max_tokens: int) -> Completion:
        MISSED.append(messages)
        return Completion("(not recorded)", 0, 0)

    def stream(self, messages: Sequence[Message], max_tokens: int) -> Iterator[str | Completion]:
        yield self.chat(messages, max_tokens)


def open_absent(model: str) -> Absent:
    return Absent(model)


def test_the_recorded_answers_give_the_published_figures(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(registry.BUILT_IN["language_model"], "local", f"{__name__}:open_absent")
    registry._entries.cache_clear()
    tape = Path(shutil.copy(TAPE, tmp_path))
    answers = measured(tape)
    registry._entries.cache_clear()
    text, published = report(answers), REPORT.read_text(encoding="utf-8")
    settings = answers.stage.settings
    assert len(answers.rows) == len(answers.stage.sample) * 4 * len(settings.budgets)
    if not MISSED:
        assert text == published, "run: python evals/answering/measure.py"
    assert len(MISSED) <= ROUNDING
    for line in text.splitlines():
        if line.startswith(("| recent |", "| head", "| oracle |")):
            assert line.replace("*", "") in published.replace("*", "")
