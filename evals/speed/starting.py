"""Starting up: the command and the import beside a bare interpreter."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from evals.speed.clock import in_turns
from evals.speed.table import Row, Target, compared

REPEATS: Final = 9
TARGET: Final = Target(5)
BARE: Final = (sys.executable, "-c", "pass")


def rows() -> Iterator[Row]:
    script = Path(sys.executable).with_name("mnemo")
    command = [str(script)] if script.exists() else [sys.executable, "-m", "mnemo_lab.cli.main"]
    shown = "mnemo" if script.exists() else "python -m mnemo_lab.cli.main"
    yield _row(f"{shown} --help", [*command, "--help"], TARGET)
    yield _row("import mnemo_lab", [sys.executable, "-c", "import mnemo_lab"])


def _row(what: str, command: Sequence[str], target: Target | None = None) -> Row:
    return compared(what, in_turns(lambda: run(command), lambda: run(BARE), REPEATS), "python -c pass", target)


def run(command: Sequence[str]) -> None:
    """Run a command from the checkout's root; raises where it fails."""
    root = Path(__file__).resolve().parents[2]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, cwd=root)
