"""Whole jobs as a user runs them, from a cold embedding cache. Once each: they take minutes."""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from evals.speed.table import Row, Target, skipped
from mnemo_lab.corpora.base import load
from mnemo_lab.errors import InvalidInput

LIMITS: Final = {"bilingual": 180.0, "locomo": 600.0}
"""Grid, which is also its data set's name → seconds."""


def rows() -> Iterator[Row]:
    for name, limit in LIMITS.items():
        what = f"mnemo run evals/{name}.toml, cold cache"
        try:
            load(name)
        except InvalidInput:
            yield skipped(what, "its data set is not here (`mnemo data fetch` or MNEMO_DATA_DIR)")
            continue
        yield Row(what, _run(name), target=Target(limit, unit=" s"), note="replay, report and figures; once")


def _run(name: str) -> float:
    root = Path(__file__).resolve().parents[2]
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "mnemo_lab.cli.main", "run", f"evals/{name}.toml", "--quiet"]
        command += ["--out", f"{folder}/run", "--cache-dir", f"{folder}/cache"]
        start = time.perf_counter()
        subprocess.run(command, check=True, cwd=root, stdout=subprocess.DEVNULL)
        return time.perf_counter() - start
