"""Dollars in reports only where a model was paid; costs by turn as a table and a picture, by value."""

import csv
from dataclasses import replace

import polars as pl
import pytest

from mnemo_lab.conversation import Conversation
from mnemo_lab.errors import UnknownName
from mnemo_lab.replay.turn_costs import turn_costs
from mnemo_lab.reporting import fonts
from mnemo_lab.reporting.leaderboard import COLUMNS, leaderboard, write_leaderboard
from mnemo_lab.reporting.sections import _costs
from mnemo_lab.reporting.tables import to_text
from mnemo_lab.reporting.turn_costs import WORDS, draw_turn_costs, turn_cost_table
from mnemo_lab.reporting.wording import dollars
from tests.replay.helpers import dataset
from tests.replay.test_turn_costs import hand_made
from tests.reporting.runs import Shape, make_run

METRICS = ("evidence_recall", "evidence_any", "evidence_all", "evidence_coverage", "answer_in_context")


def paid(write, read):
    """bm25 pays; the others do not."""

    def value(strategy, recording, index, budget):
        own = {"write_dollars": write, "read_dollars": read} if strategy == "bm25" else {}
        return {**dict.fromkeys(METRICS, 0.5), **own}

    return value


def paid_table(run):
    return [block for block in _costs(run).blocks if "US dollars" in getattr(block, "caption", "")]


def test_nothing_paid_shows_no_dollars():
    run = make_run(Shape(), paid(0.0, 0.0))
    assert leaderboard(run).columns == list(COLUMNS)
    assert paid_table(run) == []
    assert "$" not in "".join(to_text(block) for block in _costs(run).blocks if hasattr(block, "columns"))


def test_what_was_paid_stands_beside_the_tokens(tmp_path):
    run = make_run(Shape(), paid(0.00031234567, 0.02))
    board = leaderboard(run)
    place = board.columns.index("write_tokens")
    assert board.columns[place + 1 : place + 3] == ["write_dollars", "read_dollars"]
    (table,) = paid_table(run)
    assert [cell.text for cell in table.rows[0].cells] == ["bm25", "$0.00031", "$0.020"] and len(table.rows) == 1
    write_leaderboard(board, tmp_path / "x.csv")
    with (tmp_path / "x.csv").open(encoding="utf-8") as stream:
        rows = [row for row in csv.DictReader(stream) if row["strategy"] == "bm25"]
    assert {float(row["write_dollars"]) for row in rows} == {0.000312346}


def test_an_unknown_price_is_not_nothing():
    run = make_run(Shape(), paid(float("nan"), 0.0))
    found = leaderboard(run).filter(pl.col("strategy") == "bm25")
    assert found["write_dollars"].null_count() == found.height
    (table,) = paid_table(run)
    assert [cell.text for cell in table.rows[0].cells] == ["bm25", "–", "$0"]


def test_a_price_known_for_some_questions_only_gives_no_mean():
    def value(strategy, recording, index, budget):
        found = paid(0.0, 0.0)(strategy, recording, index, budget)
        return {**found, "write_dollars": float("nan")} if index and strategy == "bm25" else found

    found = leaderboard(make_run(Shape(), value)).filter(pl.col("strategy") == "bm25")
    assert found["write_dollars"].null_count() == found.height


@pytest.mark.parametrize(
    ("value", "text"),
    [(0, "$0"), (0.00031, "$0.00031"), (0.075, "$0.075"), (0.5, "$0.50"), (12.5, "$12.50"), (1234.5, "$1,234.50"),
     (None, "–"), (float("nan"), "–")],
)  # fmt: skip
def test_dollars_in_words(value, text):
    assert dollars(value) == text


@pytest.fixture(scope="module")
def costs():
    """Recent breaks even at turn 4 of 6, and never in a recording that ends after turn 3."""
    hand = hand_made()
    short = Conversation(tuple(hand.messages())[:6], "c", system_prompt=hand.conversations[0].system_prompt)
    return turn_costs(dataset(hand, replace(hand, id="short", conversations=(short,))), ["recent"], 50)


def test_the_table_by_hand(costs):
    """Full: 540 tokens in 9 turns, 300 + 60 unchanged. Recent: 300 + 120, unchanged 90 + 60; 0.15 dollars a million."""
    table = turn_cost_table(costs)
    assert [[cell.text for cell in row.cells] for row in table.rows] == [
        ["full", "60", "0.67", "1.00", "1.00", "–", "–"],
        ["recent", "47", "0.36", "0.78", "0.78", "never", "never"],
    ]
    assert [cell.sub for cell in table.rows[1].cells] == [
        "", "", "0.00", "$0.0070 per 1,000", "$0.0070 per 1,000", "4–never in 1 of 2", "4–never in 1 of 2",
    ]  # fmt: skip
    assert table.caption == "Costs by turn at 50 tokens: 2 recordings, 9 turns of office"
    assert table.rows[0].reference and not table.rows[1].reference
    assert "Priced as gpt-4o-mini" in costs._repr_html_() and "4–never in 1 of 2" in costs._repr_html_()


def test_both_languages_say_everything(costs):
    assert WORDS["en"].keys() == WORDS["zh"].keys()
    table = turn_cost_table(costs, "zh")
    assert table.columns[0] == "策略" and table.rows[1].cells[5].text == "从不"
    assert table.rows[1].cells[5].sub == "4–从不，2 份中 1 份"
    assert "gpt-4o-mini" in table.note and "{" not in table.note + table.caption


def test_the_picture_shows_the_bills_and_where_they_cross(costs):
    figure = draw_turn_costs(costs)
    assert figure.get_suptitle() == "hand at 50 tokens, priced as gpt-4o-mini"  # the longest recording
    for axes in figure.axes:
        lines = {line.get_label(): line for line in axes.get_lines()}
        assert list(lines["full"].get_xdata()) == [1, 2, 3, 4, 5, 6]
        assert list(lines["full"].get_ydata()) == pytest.approx([n * 0.15e-6 for n in (20, 60, 120, 200, 300, 420)])
        assert lines["recent"].get_ydata()[3] == pytest.approx(180 * 0.15e-6)
        marks = [line for line in axes.get_lines() if line.get_marker() == "o" and len(line.get_xdata())]
        assert [(mark.get_xdata()[0], mark.get_ydata()[0]) for mark in marks] == [(4, pytest.approx(180 * 0.15e-6))]
    assert all(
        line.get_marker() != "o" or not len(line.get_xdata())
        for line in draw_turn_costs(costs, "short").axes[0].get_lines()
    )


def test_chinese_labels_where_there_is_a_font_and_english_where_not(costs, monkeypatch):
    monkeypatch.setattr("mnemo_lab.reporting.turn_costs.chinese_family", lambda: None)
    assert draw_turn_costs(costs, language="zh").axes[0].get_xlabel() == "turn"
    monkeypatch.setattr("mnemo_lab.reporting.turn_costs.chinese_family", lambda: fonts.LATIN)
    assert draw_turn_costs(costs, language="zh").axes[0].get_xlabel() == "轮次"


def test_an_unknown_recording_is_named(costs):
    with pytest.raises(UnknownName, match="unknown recording of office with turns 'hnad'; known: hand, short"):
        draw_turn_costs(costs, "hnad")
