from __future__ import annotations

import math
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


@pytest.mark.parametrize("name", known_models())
def test_a_cache_is_cheaper_to_read_and_dearer_to_write_and_has_a_source(name: str) -> None:
    card = model_card(name)
    assert card.cache_min_tokens >= card.cache_step_tokens >= 1
    if card.cached_price is None:
        assert card.cache_write_price is None and card.from_cache(10**6) == 0
    else:
        assert 0 < card.cached_price < (card.input_price or 0) and (card.cache_source or "").startswith("https://")
        assert card.cache_write_price is None or card.cache_write_price > (card.input_price or 0)


def test_openai_reads_whole_steps_from_the_cache() -> None:
    """OpenAI's own example: of a prompt of 2,006 tokens 1,920 are cached, 1,024 and seven times 128."""
    card = model_card("gpt-4o-mini")
    assert [card.from_cache(n) for n in (0, 1023, 1024, 1151, 1152, 2006)] == [0, 0, 1024, 1024, 1152, 1920]
    assert card.input_dollars(2006) == pytest.approx(2006 * 0.15e-6)
    assert card.input_dollars(2006, 2006) == pytest.approx(1920 * 0.075e-6 + 86 * 0.15e-6)
    assert card.input_dollars(2006, 1000) == card.input_dollars(2006)


def test_anthropic_charges_for_what_is_put_into_the_cache() -> None:
    """Sonnet: 3.75 to write, 0.30 to read, from 1,024 tokens on; Haiku 3.5 from 2,048 on."""
    sonnet = model_card("claude-sonnet-4")
    assert sonnet.input_dollars(2000) == pytest.approx(2000 * 3e-6)
    assert sonnet.input_dollars(2000, 0) == pytest.approx(2000 * 3.75e-6)
    assert sonnet.input_dollars(2000, 1500) == pytest.approx(1500 * 0.3e-6 + 500 * 3.75e-6)
    assert sonnet.input_dollars(1000, 900) == sonnet.input_dollars(1000)
    assert model_card("claude-3-5-haiku").input_dollars(2000, 1500) == pytest.approx(2000 * 0.8e-6)


def test_without_a_cache_or_a_price() -> None:
    assert model_card("gpt-4").input_dollars(2000, 1500) == pytest.approx(2000 * 30e-6)
    assert math.isnan(model_card("llama3.1").input_dollars(2000))
