"""Every command on small data: what it prints, what it writes, how it ends."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from mnemo_lab import __version__
from mnemo_lab.cli.main import COMMANDS
from mnemo_lab.conversation import Conversation, Message, ToolCall
from mnemo_lab.corpora.card import card_names
from mnemo_lab.formats.portable import write_file
from mnemo_lab.registry import PRESETS, names
from mnemo_lab.strategy_text import parse_strategy
from tests.cli.conftest import Mnemo
from tests.saved import META, save_office

ROOT = Path(__file__).resolve().parents[2]
SMALL = ("run", "--dataset", "office", "--strategies", "bm25", "--budgets", "64", "200", "--baseline", "recent")


def test_help_names_every_command(mnemo: Mnemo) -> None:
    for words in ((), ("--help",), ("-h",)):
        said = mnemo(*words)
        assert said.status == 0 and "examples:" in said.out
        assert all(f"\n    {name} " in said.out for name in COMMANDS if len(name) < 10)
        assert "\n    strategies\n" in said.out
    assert mnemo("--version").out == f"mnemo-lab {__version__}\n"


@pytest.mark.parametrize("command", COMMANDS)
def test_each_command_has_help_with_examples(mnemo: Mnemo, command: str) -> None:
    said = mnemo(command, "--help")
    assert said.status == 0
    assert f"examples:\n  mnemo {command}" in said.out


@pytest.mark.parametrize(
    "words",
    [
        ("rnu",),
        ("run", "--budgets", "x"),
        ("run", "--split", "x"),
        ("data",),
        ("data", "list", "x"),
        ("report",),
        ("inspect",),
    ],
)
def test_words_it_does_not_know(mnemo: Mnemo, words: tuple[str, ...]) -> None:
    said = mnemo(*words)
    assert said.status == 2 and said.err.startswith("usage: mnemo") and "error: " in said.err


def test_strategies(mnemo: Mnemo) -> None:
    """Each as you would type it, defaults included; one of them with what its parameters mean."""
    said = mnemo("strategies")
    assert said.status == 0
    for name in names("strategy"):
        assert f"{parse_strategy(name)}\n    " in said.out
    for name, text in PRESETS.items():
        assert f"{name} = {text}\n" in said.out
    one = mnemo("strategies", "hybrid")
    assert one.out.startswith("hybrid(k=None, ") and "``fusion``" in one.out
    assert "keep_last_n=10" in mnemo("strategies", "seed_truncator").out
    wrong = mnemo("strategies", "hybird")
    assert wrong.status == 2 and wrong.err.startswith("mnemo strategies: unknown strategy 'hybird'; known: ")
    assert "Did you mean 'hybrid'?" in wrong.err and not wrong.out


def test_run_report_and_resume(mnemo: Mnemo, tmp_path: Path) -> None:
    save_office(tmp_path / "office")
    said = mnemo(*SMALL)
    assert said.status == 0
    assert said.out.rstrip().endswith(f"report: {Path('runs') / 'office' / 'report.html'}")
    assert "bm25" in said.out and "oracle" in said.out, "the table"
    folder = tmp_path / "runs" / "office"
    assert {"rows.jsonl", "manifest.json", "report.html", "report.md", "leaderboard.csv"} <= {
        p.name for p in folder.iterdir()
    }
    manifest = json.loads((folder / "manifest.json").read_text())
    assert manifest["grid"]["dataset"] == str(tmp_path / "office"), "so that it opens from anywhere"
    rows = (folder / "rows.jsonl").read_bytes()
    assert rows.count(b"\n") == 6 * 6 * 2
    again = mnemo(*SMALL, "--quiet")
    assert (again.status, again.err) == (0, "")
    assert again.out == f"report: {Path('runs') / 'office' / 'report.html'}\n"
    assert (folder / "rows.jsonl").read_bytes() == rows
    os.chdir("/")
    (folder / "report.html").unlink()
    said = mnemo("report", str(folder), "--quiet")
    assert (said.status, said.out, said.err) == (0, f"report: {folder / 'report.html'}\n", "")
    assert (folder / "report.html").stat().st_size > 10_000


def test_run_with_a_grid_and_changes_to_it(mnemo: Mnemo, tmp_path: Path) -> None:
    save_office(tmp_path / "data" / "office")
    (tmp_path / "grids").mkdir()
    grid = 'dataset = "../data/office"\nstrategies = ["bm25", "dense"]\nbudgets = [64]\nembedder = "hashing"\n'
    (tmp_path / "grids" / "small.toml").write_text(grid)
    said = mnemo("run", "grids/small.toml", "--quiet", "--budgets", "0", "100", "--strategies", "recent(keep_last_n=2)")
    assert said.status == 0, said.err
    rows = [json.loads(line) for line in (tmp_path / "runs" / "small" / "rows.jsonl").read_text().splitlines()]
    assert {row["budget_tokens"] for row in rows} == {0, 100}
    assert {row["strategy"] for row in rows} == {
        "full",
        "recent",
        "random",
        "seed_truncator",
        "recent(keep_last_n=2)",
        "oracle",
    }


def test_inspect(mnemo: Mnemo, tmp_path: Path) -> None:
    """Markup in what a user wrote is text, tools and losses are counted, the proxy is named."""
    messages = (
        Message("user", "[bold]你好[/nope] 世界", "m0", "2026-03-01T00:00:00Z"),
        Message("assistant", None, "m1", tool_calls=(ToolCall("c", "run[/x]", "{}"), ToolCall("d", "run[/x]", "{}"))),
        Message("tool", "1", "m2", tool_call_id="c"),
        Message("user", "next", "m3"),
    )
    write_file(Conversation(messages, "c1", "A [/title]"), tmp_path / "odd.json", META)
    said = mnemo("inspect", "odd.json")
    assert said.status == 0
    assert "A [/title]  (Mnemosyne conversation context)" in said.out
    assert "messages  4 in 3 units" in said.out
    assert "tools     run[/x] x2" in said.out
    assert "2026-03-01T00:00:00Z to 2026-03-01T00:00:00Z" in said.out
    assert "tool call d is never answered" in said.out
    assert "(proxy)" not in said.out
    with pytest.warns(UserWarning, match="'gpt-99' is not in the model table; counting with o200k_base as a proxy"):
        assert "o200k_base (proxy), counted for gpt-99" in mnemo("inspect", "odd.json", "--model", "gpt-99").out


def test_data_list(mnemo: Mnemo) -> None:
    said = mnemo("data", "list")
    assert said.status == 0 and all(name in said.out for name in card_names())


def shell(*words: str, cwd: Path, **options: object) -> subprocess.Popen[bytes]:
    env = os.environ | {"PYTHONPATH": str(ROOT), "MNEMO_CACHE_DIR": str(cwd / ".cache")}
    line = [sys.executable, "-m", "mnemo_lab.cli.main", *words]
    return subprocess.Popen(line, cwd=cwd, env=env, stderr=subprocess.PIPE, **options)  # type: ignore[call-overload, no-any-return]


def test_a_closed_pipe_is_no_error(tmp_path: Path) -> None:
    """``mnemo … | head``: also where the pipe is closed before the first byte."""
    read, put = os.pipe()
    os.close(read)
    process = shell("strategies", cwd=tmp_path, stdout=put)
    os.close(put)
    _, err = process.communicate(timeout=60)
    assert (process.returncode, err) == (0, b"")


def test_stopped_by_the_user(tmp_path: Path) -> None:
    """Control-C says that the same command goes on, and ends with 130."""
    from tests.replay.slow_plugin import install

    save_office(tmp_path / "office")
    install(tmp_path)
    log = tmp_path / "log"
    env = os.environ | {"PYTHONPATH": f"{ROOT}:{tmp_path}", "SLOW_AT": "0", "SLOW_LOG": str(log)}
    words = ["run", "--dataset", "office", "--strategies", "slow", "--budgets", "64", "--quiet"]
    line = [sys.executable, "-m", "mnemo_lab.cli.main", *words]
    process = subprocess.Popen(line, cwd=tmp_path, env=env, stderr=subprocess.PIPE, text=True)
    while not log.exists():
        assert process.poll() is None
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert err == "\nmnemo run: stopped; the same command goes on where it was\n"


def test_help_loads_nothing_heavy(tmp_path: Path) -> None:
    heavy = (
        "torch",
        "faiss",
        "sentence_transformers",
        "matplotlib",
        "ipywidgets",
        "pandas",
        "polars",
        "numpy",
        "scipy",
    )
    code = f"""
import sys
from mnemo_lab.cli.main import build_parser
build_parser().format_help()
import mnemo_lab
print([name for name in {heavy} if name in sys.modules])
"""
    env = os.environ | {"PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, env=env, capture_output=True, text=True, check=True
    )
    assert done.stdout == "[]\n"
