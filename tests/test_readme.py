"""README says what is true: its strategies table is generated, its commands parse, its files exist."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from mnemo_lab.cli.main import build_parser

ROOT = Path(__file__).resolve().parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
COMMANDS = sorted(set(re.findall(r"^(?:\.venv/bin/)?(mnemo .*?)(?:\s+#.*)?$", README, re.MULTILINE)))


def test_strategies_table_is_current() -> None:
    done = subprocess.run([sys.executable, "evals/readme.py", "--check"], cwd=ROOT, check=False)
    assert done.returncode == 0, "run: python evals/readme.py"


@pytest.mark.parametrize("command", COMMANDS)
def test_commands_parse(command: str) -> None:
    options = build_parser().parse_args(shlex.split(command)[1:])
    assert options.command


def test_commands_are_found() -> None:
    assert len(COMMANDS) >= 5


@pytest.mark.parametrize("target", sorted(set(re.findall(r"`?make (\w+)`?", README))))
def test_make_targets_exist(target: str) -> None:
    assert re.search(rf"^{target}:", (ROOT / "Makefile").read_text(), re.MULTILINE)


@pytest.mark.parametrize("path", sorted(set(re.findall(r"\]\(([\w./]+)\)", README))))
def test_links_lead_somewhere(path: str) -> None:
    assert (ROOT / path).exists()
