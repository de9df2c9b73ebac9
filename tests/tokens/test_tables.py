"""The tables come with the package: no network, and the user's own folder is left alone."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from mnemo_lab.tokens import tables

BLOCKED = """
import socket
def refuse(*a, **k): raise OSError("the network is blocked")
socket.socket.connect = socket.create_connection = socket.getaddrinfo = refuse
from mnemo_lab.tokens import open_counter
from mnemo_lab.errors import MnemoError
try:
    print(open_counter("cl100k_base").count("hello world"), open_counter("o200k_base").count("部署方案"))
except MnemoError as error:
    print(error)
"""


def run(environment: dict[str, str]) -> str:
    kept = {k: v for k, v in os.environ.items() if k not in ("TIKTOKEN_CACHE_DIR", "DATA_GYM_CACHE_DIR")}
    done = subprocess.run(
        [sys.executable, "-c", BLOCKED], env={**kept, **environment}, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_counts_without_a_network(tmp_path: Path) -> None:
    assert run({"MNEMO_CACHE_DIR": str(tmp_path)}) == "2 2"
    assert sorted(p.name for p in (tmp_path / "tiktoken").iterdir()) == sorted(tables.CACHED_AS.values())


def test_a_folder_of_the_users_without_tables_is_named(tmp_path: Path) -> None:
    said = run({"TIKTOKEN_CACHE_DIR": str(tmp_path), "MNEMO_CACHE_DIR": str(tmp_path / "c")})
    assert said.startswith(f"the table of cl100k_base is not in {tmp_path} and could not be fetched")
    assert "unset TIKTOKEN_CACHE_DIR" in said
    assert not (tmp_path / "c").exists()


@pytest.mark.parametrize("variable", ["TIKTOKEN_CACHE_DIR", "DATA_GYM_CACHE_DIR"])
def test_the_variable_is_set_only_where_unset(variable: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in ("TIKTOKEN_CACHE_DIR", "DATA_GYM_CACHE_DIR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("MNEMO_CACHE_DIR", str(tmp_path))
    monkeypatch.setenv(variable, "/elsewhere")
    tables.provide_tables()
    assert os.environ[variable] == "/elsewhere"
    assert not list(tmp_path.iterdir())
    monkeypatch.delenv(variable)
    tables.provide_tables()
    assert os.environ["TIKTOKEN_CACHE_DIR"] == str(tmp_path / "tiktoken")
    monkeypatch.delenv("TIKTOKEN_CACHE_DIR")
