from __future__ import annotations

import re
import tomllib
from importlib.resources import files

import pytest
import tiktoken

from mnemo_lab.errors import UnknownName
from mnemo_lab.tokens import ENCODINGS, known_models, model_card
from mnemo_lab.tokens.models import find_model


@pytest.mark.parametrize("name", known_models())
def test_every_entry_loads(name: str) -> None:
    card = model_card(name)
    assert card.name == name == name.lower()
    assert card.vendor in ("openai", "anthropic", "google", "other")
    assert card.encoding in ENCODINGS
    assert card.window >= 4096
    assert re.fullmatch(r"\d{4}-\d{2}-\d{2}", card.as_of)
    assert (card.input_price is None) == (card.output_price is None)
    assert card.input_price is None or 0 < card.input_price <= (card.output_price or 0)
    if card.exact:
        assert card.vendor == "openai" and tiktoken.encoding_name_for_model(name) == card.encoding


@pytest.mark.parametrize("name", known_models())
@pytest.mark.parametrize("suffix", ["-2024-08-06", "-20250514", "-latest", "@20250514"])
def test_dated_snapshots_and_prefixes_resolve(name: str, suffix: str) -> None:
    card = model_card(name)
    assert find_model(f"{name}{suffix}") == card
    assert find_model(f"openrouter/vendor/{name.upper()}{suffix}") == card


def test_names_are_listed_once() -> None:
    raw = tomllib.loads(files("mnemo_lab.tokens").joinpath("models.toml").read_text(encoding="utf-8"))
    listed = [entry["name"] for entry in raw["model"]]
    assert sorted(listed) == sorted(set(listed)) == known_models()


def test_other_names_are_unknown() -> None:
    assert find_model("gpt-4o-2") is None
    assert find_model("gpt-4o-mini-audio") is None
    with pytest.raises(UnknownName, match="Did you mean 'gpt-4o'"):
        model_card("gpt4o")
