from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

from evals.speed import bench
from evals.speed.clock import Pair, alone, in_turns
from evals.speed.session import Session, measure
from evals.speed.table import Row, Target, as_markdown, as_text, compared, duration, skipped
from mnemo_lab.errors import InvalidInput

FAST = compared("fast", Pair(0.002, 0.001, 2.0), "bare loop", Target(2.5))
SLOW = compared("slow", Pair(0.002, 0.001, 2.0), "bare loop", Target(1.3))
RATE = Row("rate", rate=1234.5, target=Target(1000, ">=", "/s"))
JOB = Row("job", 200.0, target=Target(180, unit=" s"))


@pytest.mark.parametrize(("row", "passed"), [(FAST, True), (SLOW, False), (RATE, True), (JOB, False)])
def test_a_target_is_met_by_the_ratio_the_rate_or_the_time(row: Row, passed: bool) -> None:
    assert row.passed is passed


def test_what_was_not_measured_neither_passes_nor_fails() -> None:
    assert skipped("keyword", "no bm25s").passed is None
    assert Row("job", target=Target(1)).passed is None
    assert Row("free", 0.1).passed is None


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(None, ""), (62.34, "62.3 s"), (1234.0, "1,230 s"), (0.0123, "12.3 ms"), (0.00000456, "4.56 µs"), (0.0, "0 µs")],
)
def test_durations_have_three_digits_and_a_unit_that_suits(seconds: float | None, text: str) -> None:
    assert duration(seconds) == text


def test_the_table_says_value_limit_ratio_target_and_verdict() -> None:
    rows = [FAST, SLOW, RATE, JOB, skipped("keyword", "no bm25s")]
    markdown = as_markdown(rows).splitlines()
    assert markdown[2] == "| fast | 2 ms | 1 ms | 2 | ≤ 2.5 pass | limit: bare loop |"
    assert "≤ 1.3 FAIL" in markdown[3]
    assert "1,234/s" in markdown[4]
    assert "≥ 1,000/s pass" in markdown[4]
    assert "not measured: no bm25s" in markdown[6]
    assert len({line.count("|") for line in markdown}) == 1
    text = as_text(rows).splitlines()
    assert len(text) == len(rows) + 1
    assert len({line.index("limit: bare loop") for line in text[1:3]}) == 1


def test_work_is_warmed_up_and_taken_in_turns() -> None:
    done: list[str] = []

    def work(name: str) -> None:
        done.append(name)
        sum(range(1_000_000))

    pair = in_turns(lambda: work("a"), lambda: work("b"), repeats=3)
    assert done.count("a") >= 5
    turns = "".join(name for i, name in enumerate(done) if i == 0 or done[i - 1] != name)
    assert turns == "abababab"
    assert 0.1 < pair.ratio < 10
    assert alone(lambda: None, repeats=3) < 0.01


def group(monkeypatch: pytest.MonkeyPatch, name: str, rows: list[Row] | Exception) -> str:
    module = ModuleType(name)

    def made() -> Iterator[Row]:
        if isinstance(rows, Exception):
            raise rows
        yield from rows

    module.rows = made  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, f"evals.speed.{name}", module)
    return name


def test_a_group_that_lacks_something_says_so_and_the_rest_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    groups = {
        "first": group(monkeypatch, "first", ModuleNotFoundError("No module named 'bm25s'", name="bm25s")),
        "second": group(monkeypatch, "second", [FAST]),
    }
    session = measure(groups, 1)
    assert [row.what for row in session.rows] == ["first", "fast"]
    assert "pip install" in session.rows[0].note


def test_a_fault_of_our_own_is_not_taken_for_a_missing_package(monkeypatch: pytest.MonkeyPatch) -> None:
    for error in (ModuleNotFoundError("…", name="mnemo_lab.gone"), InvalidInput("…")):
        name = group(monkeypatch, "broken", error)
        with pytest.raises(type(error)):
            measure({"broken": name}, 1)


def test_every_group_is_a_module_that_yields_rows() -> None:
    for module in bench.GROUPS.values():
        assert (Path(bench.__file__).parent / f"{module}.py").is_file()


def test_the_command_writes_the_report(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(os, "environ", os.environ.copy())
    monkeypatch.setitem(bench.GROUPS, "packing", group(monkeypatch, "fake", [FAST, SLOW]))
    out = tmp_path / "reports" / "bench.md"
    assert bench.main(["--only", "packing", "--out", str(out)]) == 0
    text = out.read_text(encoding="utf-8")
    for fact in ("| fast |", "command: `", "commit ", "threads 1", "load before and after", "versions: python"):
        assert fact in text
    assert "FAIL" in capsys.readouterr().out
    assert os.environ["OMP_NUM_THREADS"] == "1"
    assert os.environ["OMP_WAIT_POLICY"] == "passive"
    assert bench.main(["--only", "packing", "--out", str(out), "--strict"]) == 1


def test_a_busy_machine_is_said_to_be_busy(tmp_path: Path) -> None:
    from evals.speed.report import write_report

    busy = Session(1, "python bench.py", load_before=3.0, load_after=3.0, rows=[FAST])
    assert "measure again" in write_report(busy, tmp_path / "bench.md")
    quiet = Session(1, "python bench.py", load_before=0.1, load_after=1.0, rows=[FAST])
    assert "measure again" not in write_report(quiet, tmp_path / "bench.md")


def test_one_group_measures_for_real() -> None:
    (row,) = measure({"packing": bench.GROUPS["packing"]}, 1).rows
    assert row.seconds is not None
    assert 0 < row.seconds < 0.1
