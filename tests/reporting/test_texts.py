"""Numbers as words, tables as text, ages and worst questions by hand."""

from math import inf, nan

import pytest

from mnemo_lab.reporting import wording as say
from mnemo_lab.reporting.by_age import by_age
from mnemo_lab.reporting.tables import Cell, Row, Table, md, to_html, to_markdown, to_text
from mnemo_lab.reporting.worst import around, worst
from tests.reporting.runs import Shape, make_run, rank


def test_numbers():
    assert [say.share(v) for v in (0.5, 1, None, nan)] == ["0.50", "1.00", "–", "–"]
    assert [say.signed(v) for v in (0.5, -0.25, 0.0, -0.0001, inf)] == ["+0.500", "−0.250", "0.000", "0.000", "–"]
    assert say.interval(0.1, 0.2) == "0.10–0.20" and say.interval(nan, nan) == "" and say.interval(1.0, 1.0) == ""
    assert say.interval(-0.01, 0.05, 2, sign=True) == "−0.01 to +0.05"
    assert [say.p_value(p) for p in (0.0001, 0.0312, 0.5, nan)] == ["<0.001", "0.031", "0.50", "–"]
    assert [say.p_equals(p) for p in (0.0001, 0.03)] == ["p < 0.001", "p = 0.03"]
    assert [say.short_tokens(v) for v in (0, 999, 1000, 1250, 9949, 12345)] == ["0", "999", "1k", "1.2k", "9.9k", "12k"]
    assert say.listing(["a"]) == "a" and say.listing(["a", "b", "c"], "or") == "a, b or c"
    assert say.count(1, "recording") == "1 recording" and say.count(2000, "question") == "2,000 questions"
    assert say.shorten("a  b\nc", 9) == "a b c" and say.shorten("abcdef", 4) == "abc…"


def test_table_in_three_forms():
    rows = (Row.of("<a|b>", Cell("1", "0–2", best=True)), Row.of("ab", "10", reference=True))
    table = Table(("名", "n"), rows, "cap", "note")
    assert to_text(table).splitlines() == [
        "cap",
        "名           n",
        "-----  -------",
        "<a|b>  1 (0–2)",
        "ab          10",
        "note",
    ]
    assert to_markdown(table).splitlines()[2:5] == ["| 名 | n |", "|---|---:|", "| \\<a\\|b\\> | **1** (0–2) |"]
    html = to_html(table)
    assert "&lt;a|b&gt;" in html and '<b>1</b><span class="sub">0–2</span>' in html and '<tr class="reference">' in html
    assert "<caption>" in html and "<caption>" not in to_html(table, captioned=False)


def test_markdown_shows_text_as_it_is():
    assert md("a_b *c* <d> [e]\nf") == "a\\_b \\*c\\* \\<d\\> \\[e\\] f"


def test_columns_line_up_with_chinese():
    lines = to_text(Table(("name", "n"), (Row.of("汉字", "1"), Row.of("abcde", "22")))).splitlines()
    assert lines == ["name    n", "-----  --", "汉字    1", "abcde  22"]


def test_recall_by_age_by_hand():
    # Ages are 100, 200, ... per probe; five bins over ten probes hold two each.
    run = make_run(Shape(recordings=("r1",), probes=10), lambda s, r, i, b: i / 10)
    names, found = by_age(run)
    own = found.filter(strategy="bm25")
    assert names[0] == "100–280" and len(names) == 5
    assert own["n"].to_list() == [2, 2, 2, 2, 2]
    assert own["evidence_recall"].to_list() == pytest.approx([0.05, 0.25, 0.45, 0.65, 0.85])


def lost(strategy, recording, index, budget):
    """Probe 0 is kept, 1 is lost by all but the oracle, 2 by bm25 alone, 3 by the oracle, too."""
    return {"oracle": (1, 1, 1, 0.5), "bm25": (1, 0, 0.5, 0)}.get(strategy, (0, 0, 1, 0))[index]


def test_worst_counts_what_there_was_room_for():
    run = make_run(Shape(recordings=("r1",), probes=4, categories=("a", "b", "c", "d")), lost)
    rank(run, "r1", "bm25", [7, 1, 2])
    found = worst(run, "bm25")
    assert (found.asked, found.lost, found.hopeless) == (3, 2, 1)
    assert [case.category for case in found.cases] == ["b", "c"]
    assert found.cases[0].evidence[0].rank == 2 and found.cases[0].kept == 0
    assert [shown.text[:9] for shown in found.cases[0].retrieved] == ["message 7", "message 1", "message 2"]
    assert [shown.is_evidence for shown in found.cases[0].retrieved] == [False, True, False]
    assert [case.probe for case in found.hopeless_cases] == ["r1-q1"]


def test_worst_goes_round_the_categories():
    run = make_run(Shape(probes=9, categories=("a", "a", "b")), lambda s, *_: float(s == "oracle"))
    found = worst(run, "bm25", most=4)
    assert [case.category for case in found.cases] == ["a", "a", "b", "b"]
    assert found.lost == 54 and all(case.retrieved == () for case in found.cases)


def test_worst_without_a_strategy_or_an_oracle():
    assert worst(make_run(Shape(), lost_nothing), None).cases == ()
    assert worst(make_run(Shape(), lambda s, *_: None if s == "oracle" else 0.0), "bm25").asked == 0


def lost_nothing(*_):
    return 1.0


def test_excerpts_show_where_the_answer_stands():
    text = "x" * 500 + " ANSWER " + "y" * 500
    assert "ANSWER" in around(text, 501, 220) and len(around(text, 501, 220)) == 220
    assert around("short ANSWER", 6, 220) == "short ANSWER"
