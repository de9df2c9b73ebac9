from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest

from mnemo_lab.cli.main import run


class Said(NamedTuple):
    status: int
    out: str
    err: str


Mnemo = Callable[..., Said]


@pytest.fixture
def mnemo(capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Mnemo:
    """The command line in this process, in an empty folder with an empty cache; a traceback fails the test."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MNEMO_CACHE_DIR", str(tmp_path / ".cache"))
    monkeypatch.setenv("COLUMNS", "200")
    monkeypatch.delenv("MNEMO_DATA_DIR", raising=False)

    def call(*words: str) -> Said:
        try:
            status = run(words)
        except SystemExit as stopped:  # argparse: help, and words it does not know
            status = int(stopped.code or 0)
        said = capsys.readouterr()
        assert "Traceback" not in said.out + said.err
        return Said(status, said.out, said.err)

    return call
