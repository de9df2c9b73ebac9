"""The report on disk: what is in it, what is escaped, and that no run breaks it."""

import re
from html.parser import HTMLParser
from io import StringIO
from math import nan

import polars as pl
import pytest
from rich.console import Console

from mnemo_lab.errors import InvalidInput
from mnemo_lab.reporting.tables import leaderboard_html
from mnemo_lab.reporting.terminal import print_summary
from mnemo_lab.reporting.write import write_report
from tests.reporting.runs import Shape, make_run, rank

ORDER = [
    "answer", "main", "figures", "pairs", "category", "language", "age", "costs", "worst", "run",
]  # fmt: skip
FIGURES = ["by_age", "by_category", "by_recording", "pairs", "pareto", "recall_over_budget"]
EVIL = "<script>alert(1)</script> | *x*"


def usual(strategy, recording, index, budget):
    fixed = {"full": 1.0, "oracle": 1.0, "bm25": 0.75 * (index != 1)}
    return fixed.get(strategy, 0.25)


class Balanced(HTMLParser):
    """Fails on a tag that is closed but not open."""

    VOID = frozenset({"meta", "br", "link"})

    def __init__(self):
        super().__init__()
        self.open, self.ids = [], []

    def handle_starttag(self, tag, attrs):
        self.ids += [value for name, value in attrs if name == "id"]
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open and self.open[-1] == tag, (tag, self.open[-3:], self.getpos())
        self.open.pop()


def test_everything_is_written_in_order(tmp_path):
    run = make_run(Shape(categories=("早期约束", "fact"), chinese=("r1", "r2"), dev=()), usual)
    rank(run, "r1", "bm25", [5, 0, 2])
    page = write_report(run, tmp_path / "out")
    assert page == tmp_path / "out" / "report.html"
    assert pl.read_parquet(tmp_path / "out" / "rows.parquet").equals(run.rows)
    assert (tmp_path / "out" / "leaderboard.csv").exists() and (tmp_path / "out" / "report.md").exists()
    assert sorted(p.stem for p in (tmp_path / "out" / "figures").glob("*.png")) == FIGURES
    assert sorted(p.stem for p in (tmp_path / "out" / "figures").glob("*.svg")) == FIGURES
    html = page.read_text(encoding="utf-8")
    assert re.findall(r'<section id="(\w+)">', html) == ORDER
    assert "早期约束" in html and html.count("<svg") == len(FIGURES)
    assert "http://" not in re.sub(r'xmlns(:xlink)?="[^"]*"', "", html) and "https://" not in html


def test_the_page_is_well_formed_with_unique_ids(tmp_path):
    run = make_run(Shape(), usual)
    rank(run, "r1", "bm25", [5, 0, 2])
    parser = Balanced()
    parser.feed(write_report(run, tmp_path).read_text(encoding="utf-8"))
    assert parser.open == [] and len(parser.ids) == len(set(parser.ids))


def test_texts_of_the_data_are_escaped(tmp_path):
    shape = Shape(question=f"Where is {EVIL}?", categories=(EVIL,))
    run = make_run(shape, lambda s, *a: nan if s == "random" else usual(s, *a), error=f"ValueError: {EVIL}")
    html = write_report(run, tmp_path).read_text(encoding="utf-8")
    assert "<script" not in html
    assert html.count("&lt;script&gt;alert(1)&lt;/script&gt;") >= 3
    markdown = (tmp_path / "report.md").read_text(encoding="utf-8")
    assert "<script" not in markdown.replace("\\<script", "") and "\\| \\*x" in markdown
    assert "<script" not in leaderboard_html(run)


def test_worst_questions_show_what_was_retrieved_instead(tmp_path):
    run = make_run(Shape(), usual)
    for name in ("r1", "r2", "r3", "r4", "r5", "r6"):
        rank(run, name, "bm25", [5, 4, 1, 0, 2, 3])
    html = write_report(run, tmp_path).read_text(encoding="utf-8")
    assert "bm25 keeps less than all of the evidence at 2,048 tokens for 12 of 12 questions" in html
    assert html.count('<article class="case">') == 12
    assert '<span class="hit">rank 3</span>' in html and "message 5 of r1 &lt;i&gt;&amp;&lt;/i&gt;" in html
    assert "message 3 of r1" not in html  # sixth: only five are shown


@pytest.mark.parametrize(
    ("shape", "value", "says"),
    [
        (Shape(), lambda *_: None, "nothing was replayed"),
        (Shape(recordings=()), usual, "nothing was replayed"),
        (Shape(probes=0), usual, "nothing was replayed"),
        (Shape(), lambda *_: nan, "Every strategy failed"),
        (Shape(recordings=("r1",)), usual, "On this one recording"),
        (Shape(strategies=()), usual, "any of the 3 strategies"),
        (Shape(budgets=(0,)), usual, "at 0 tokens"),
        (Shape(budgets=(700,)), usual, "At 700 tokens"),
        (Shape(unanswerable=(0, 1)), usual, "no answerable question"),
        (Shape(baseline="oracle"), usual, "oracle 1.00"),
        (Shape(dev=("r1", "r2", "r3", "r4", "r5", "r6")), usual, "a result of tuning, not a claim"),
    ],
)
def test_odd_runs_get_text_not_a_traceback(tmp_path, shape, value, says):
    run = make_run(shape, value, error="ValueError: broken")
    html = write_report(run, tmp_path).read_text(encoding="utf-8")
    assert says in html
    assert leaderboard_html(run)
    console = Console(file=StringIO(), width=80)
    print_summary(run, console)
    assert "strategy" in console.file.getvalue()


def test_errors_are_listed_with_counts(tmp_path):
    run = make_run(Shape(), lambda s, *a: nan if s == "bm25" else usual(s, *a), error="ValueError: broken")
    html = write_report(run, tmp_path).read_text(encoding="utf-8")
    row = re.search(
        r'<th scope="row" class="text">bm25</th><td class="text">ValueError: broken</td><td>(.*?)</td><td>(.*?)</td>',
        html,
    )
    assert row and row.groups() == ("36", "6")


def test_the_terminal_shows_table_answer_and_place(tmp_path):
    console = Console(file=StringIO(), width=200)
    print_summary(make_run(Shape(), usual), console, tmp_path / "report.html")
    text = console.file.getvalue()
    assert "bm25" in text and "0.38" in text and "On these 6 recordings: bm25" in text
    assert str(tmp_path / "report.html") in text


def test_a_folder_that_cannot_be_written_is_named(tmp_path):
    (tmp_path / "file").write_text("x", encoding="utf-8")
    with pytest.raises(InvalidInput, match="choose another folder"):
        write_report(make_run(Shape(), usual), tmp_path / "file")


def test_costs_show_milliseconds_where_timed(tmp_path):
    run = make_run(Shape(), usual, tmp_path)
    row = {"strategy": "bm25", "budget_tokens": 512, "query_embedding_ms": 4.0}
    run.store.write_timings([{**row, "recall_ms": ms} for ms in (1.0, 2.0, 3.0)])
    html = write_report(run, tmp_path / "out").read_text(encoding="utf-8")
    assert '<td>2.00<span class="sub">p95 2.90</span></td><td>–</td><td>–</td>' in html
    assert "Embedding the question comes on top: 4.00 ms (median)." in html and "Not timed" not in html
