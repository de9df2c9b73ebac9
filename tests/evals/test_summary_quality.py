"""The baselines against references, what is counted by hand, and that the report is written."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from evals.summary_quality import measure as command
from evals.summary_quality.measure import Measured, answers_in, dropped, measure, report
from evals.summary_quality.writers import COUNTER, DAMPING, _page_rank, _vectors, newest, text_rank
from mnemo_lab.conversation import Message
from mnemo_lab.corpora.base import load
from mnemo_lab.recording import Probe

LINES = [
    "a: the red cat sat",
    "b: a red cat ran off",
    "a: the cat is red and fast",
    "b: nothing to do with it",
    "a: ok",
]
MESSAGES = [Message("user", "Port 5433. Tea at four.", "m0"), Message("assistant", "好的。预算是 72 万。", "m1")]


def test_page_rank_is_the_stationary_vector_of_the_dense_matrix() -> None:
    vectors = _vectors(LINES)
    dense = vectors.toarray()
    assert np.linalg.norm(dense, axis=1) == pytest.approx([1, 1, 1, 1, 1])
    votes = dense @ dense.T
    np.fill_diagonal(votes, 0)
    walk = votes / np.maximum(votes.sum(axis=0), 1e-12)
    whole = np.linalg.solve(np.eye(5) - DAMPING * walk, np.full(5, (1 - DAMPING) / 5))
    assert _page_rank(vectors) == pytest.approx(whole, abs=1e-4)
    assert set(np.argsort(-whole)[:3]) == {0, 1, 2}, "the cats vote for each other"


def test_the_baselines_fill_their_room_in_the_order_of_time() -> None:
    lines = ["user: Port 5433.", "user: Tea at four.", "assistant: 好的。", "assistant: 预算是 72 万。"]
    assert newest(MESSAGES, 1000) == text_rank(MESSAGES, 1000) == "\n".join(lines)
    room = sum(COUNTER.count(f"{line}\n") for line in lines[2:])
    assert newest(MESSAGES, room) == "\n".join(lines[2:])
    cats = [Message("user", line.partition(": ")[2], str(i)) for i, line in enumerate(LINES)]
    assert all("cat" in line for line in text_rank(cats, 17).splitlines())
    assert newest([], 10) == text_rank([], 10) == ""


def test_answers_that_can_be_asked_for() -> None:
    probes = [
        Probe("p0", "which port?", "fact", ("m0",), answer="5433"),
        Probe("p1", "预算多少？", "fact", ("m1",), answer="72万"),
        Probe("p2", "which port?", "fact", ("m0",), answer="six"),  # not in the text
        Probe("p3", "which port?", "fact", ("m9",), answer="5433"),  # evidence is not dropped
        Probe("p4", "which port?", "fact", ("m0",), answer="5433", answerable=False),
        Probe("p5", "which port?", "fact", (), answer="5433"),
    ]
    assert answers_in(MESSAGES, probes) == [[("5433",)], [("72 万",)]]


def test_survival_by_hand() -> None:
    recording = next(iter(load("bilingual").select(split="dev")))
    messages = dropped(recording)
    assert len(messages) == int(0.7 * len(list(recording.messages())))
    found = list(measure(recording, "g"))
    assert len(found) == 9
    tokens = sum(COUNTER.count(message.text) for message in messages)
    for item in found:
        assert item.tokens <= tokens * item.share
        assert all(item.kept[column] <= item.total[column] for column in item.total)
    ours = found[0]
    assert (ours.writer, ours.share) == ("extractive", 0.25)
    assert ours.of("numbers") > 0.9 and ours.of("identifiers") > 0.9


def test_the_report_says_what_is_reached_and_what_is_not() -> None:
    total = {"identifiers": 4, "numbers": 10, "names": 0, "decisions": 2, "answers": 1}

    def item(recording: str, numbers: int) -> Measured:
        kept = {"identifiers": 4, "numbers": numbers, "names": 0, "decisions": 1, "answers": 0}
        return Measured("set, en", recording, "extractive", 0.25, 200, kept, total)

    text = report([item("a", 10), item("b", 6)])
    assert "- set, en: identifiers 1.00, numbers 0.80: missed for numbers" in text
    row = "| 25% | extractive | 1.00 (1.00–1.00) | 0.80 (0.60–1.00) | — | 0.50 (0.50–0.50) | 0.00 (0.00–0.00) |"
    assert row in text
    assert "| 25% | extractive | 2.00 | 4.00 | — | 0.50 | 0.00 |" in text
    assert "2 recordings (a, b): 8 identifiers, 20 numbers, 0 names, 4 decisions, 2 answers." in text
    assert "reached" in report([item("a", 9)]) and "than ours: nowhere." in report([item("a", 9)])
    better = item("a", 10)._replace(writer="newest sentences")
    behind = "set, en at 25%, numbers (newest sentences 1.00, ours 0.60)."
    assert f"than ours: {behind}" in report([item("a", 6), better])


def test_development_recordings_are_not_published(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "report.md"
    assert command.main(["--sets", "bilingual", "--split", "dev", "--out", str(out)]) == 0
    assert "bilingual, zh" in capsys.readouterr().out and not out.exists()
    assert np.isnan(Measured("g", "r", "w", 1, 1, {"names": 0}, {"names": 0}).of("names"))
