"""One go through the groups, with what was going on around it."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib import import_module

from evals.speed.table import Row, skipped


@dataclass
class Session:
    """Rows with the command, threads, load before and after, and how long it all took."""

    threads: int
    command: str
    load_before: float | None
    load_after: float | None = None
    seconds: float = 0.0
    rows: list[Row] = field(default_factory=list)


def measure(groups: Mapping[str, str], threads: int) -> Session:
    """Measure group by group. One that needs a package that is not installed says so and the rest goes on."""
    session = Session(threads, " ".join(["python", *sys.orig_argv[1:]]), load())
    start = time.perf_counter()
    for name, module in groups.items():
        sys.stderr.write(f"measuring {name}\n")
        try:
            session.rows += import_module(f"evals.speed.{module}").rows()
        except ModuleNotFoundError as error:
            if (error.name or "").partition(".")[0] in ("evals", "mnemo_lab"):
                raise
            session.rows.append(skipped(name, f"{error}; install it with: pip install 'mnemo-lab[dev]'"))
    session.load_after = load()
    session.seconds = time.perf_counter() - start
    return session


def load() -> float | None:
    """Processes that wanted to run, over the last minute."""
    return os.getloadavg()[0] if hasattr(os, "getloadavg") else None
