"""``mnemo run --language-model``."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Mnemo
from tests.saved import save_office


def test_the_model_is_in_the_manifest(mnemo: Mnemo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MNEMO_LLM", "openai:other")
    words = ("run", "--dataset", str(save_office(tmp_path / "office")), "--strategies", "recent", "--budgets", "64")
    said = mnemo(*words, "--language-model", "local:smollm2", "--out", "one", "--quiet")
    assert said.status == 0
    manifest = json.loads((tmp_path / "one" / "manifest.json").read_text())
    assert manifest["language_model"] == {"name": "local:smollm2", "fingerprint": None}, "nothing here asks it"


def test_a_model_that_does_not_exist_is_said_first(mnemo: Mnemo) -> None:
    said = mnemo("run", "bilingual", "--language-model", "gpt-4o")
    assert said.status == 2 and "unknown kind of language model 'gpt-4o'; known: anthropic" in said.err
