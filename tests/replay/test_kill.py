"""``kill -9`` in the middle of ``mnemo run``, twice, then the same command: the rows of a run never stopped."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from tests.replay.slow_plugin import install
from tests.saved import save_office

ROOT = Path(__file__).resolve().parents[2]
GRID = """dataset = "office"
strategies = ["bm25", "slow", "slow(mark=1)", "hybrid"]
budgets = [64, 200]
embedder = "hashing"
"""


def start(folder: Path, out: str, slow_at: str = "") -> subprocess.Popen[str]:
    env = os.environ | {
        "PYTHONPATH": f"{ROOT}{os.pathsep}{folder / 'plugin'}", "SLOW_AT": slow_at, "SLOW_LOG": str(folder / "log"),
        "MNEMO_CACHE_DIR": str(folder / "cache"),
    }  # fmt: skip
    words = [sys.executable, "-m", "mnemo_lab.cli.main", "run", "grid.toml", "--out", out, "--quiet"]
    return subprocess.Popen(words, cwd=folder, env=env, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def kill_in(folder: Path, slow_at: str) -> None:
    """Start the run, and kill it in the third recall of the slow strategy."""
    log = folder / "log"
    log.unlink(missing_ok=True)
    process = start(folder, "stopped", slow_at)
    deadline = time.monotonic() + 120
    while not log.exists() or log.read_text().count("\n") < 3:
        assert process.poll() is None, process.communicate()
        assert time.monotonic() < deadline
        time.sleep(0.02)
    process.send_signal(signal.SIGKILL)
    process.communicate()
    assert process.returncode == -signal.SIGKILL


def rows(folder: Path) -> dict[str, dict[str, Any]]:
    found = [json.loads(line) for line in (folder / "rows.jsonl").read_text(encoding="utf-8").splitlines()]
    assert len({row["key"] for row in found}) == len(found), "no row stands twice"
    return {row["key"]: row for row in found}


def test_a_killed_run_goes_on(tmp_path: Path) -> None:
    save_office(tmp_path / "office")
    (tmp_path / "grid.toml").write_text(GRID)
    install(tmp_path / "plugin")
    whole = start(tmp_path, "whole")
    kill_in(tmp_path, "0")
    first = rows(tmp_path / "stopped")
    assert {row["strategy"] for row in first.values()} == {"full", "recent", "random", "seed_truncator", "bm25"}
    kill_in(tmp_path, "1")
    second = rows(tmp_path / "stopped")
    assert len(second) == len(first) + 12 and {row["strategy"] for row in second.values()} - {"slow"} == {
        row["strategy"] for row in first.values()
    }
    with (tmp_path / "stopped" / "rows.jsonl").open("a") as stream:
        stream.write('{"key": "torn by the kill", "pro')
    resumed = start(tmp_path, "stopped")
    for process in (whole, resumed):
        out, err = process.communicate(timeout=240)
        assert process.returncode == 0, err
        assert "report: " in out
    assert rows(tmp_path / "stopped") == rows(tmp_path / "whole")
    assert len(rows(tmp_path / "whole")) == 9 * 6 * 2
    same = [p.name for p in sorted((tmp_path / "whole" / "candidates").iterdir())]
    assert [p.name for p in sorted((tmp_path / "stopped" / "candidates").iterdir())] == same
    for table in ("leaderboard.csv",):
        assert (tmp_path / "stopped" / table).read_bytes() == (tmp_path / "whole" / table).read_bytes()
