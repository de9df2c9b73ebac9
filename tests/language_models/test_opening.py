from __future__ import annotations

import pytest

from mnemo_lab.errors import InvalidInput, UnknownName
from mnemo_lab.language_models import chosen_cassette, chosen_language_model, fingerprint_of, open_language_model
from mnemo_lab.services import ServicesSpec


@pytest.fixture(autouse=True)
def _bare(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("MNEMO_LLM", "MNEMO_CASSETTE", "MNEMO_LLM_BASE_URL", "ANTHROPIC_BASE_URL", "MNEMO_LLM_TIMEOUT"):
        monkeypatch.delenv(name, raising=False)


def test_what_is_chosen(monkeypatch: pytest.MonkeyPatch) -> None:
    assert (chosen_language_model(), chosen_language_model(""), chosen_cassette()) == ("extractive", "extractive", None)
    monkeypatch.setenv("MNEMO_LLM", "openai:gpt-4o-mini")
    monkeypatch.setenv("MNEMO_CASSETTE", "c.jsonl")
    assert (chosen_language_model(), chosen_cassette()) == ("openai:gpt-4o-mini", "c.jsonl")
    assert (chosen_language_model("local:smollm2"), chosen_cassette("d.jsonl")) == ("local:smollm2", "d.jsonl")


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("gpt-4o-mini", "unknown kind of language model 'gpt-4o-mini'; known: anthropic, extractive, local, openai"),
        ("opanai:gpt-4o", "unknown kind of language model 'opanai'; .*Did you mean 'openai'"),
        ("openai:", "'openai:': name a model too, as in openai:gpt-4o-mini"),
        ("local", "'local': name a model too"),
        ("extractive:fast", "extractive takes no name or settings"),
        ("local:smollm3", "unknown local model 'smollm3'; known: a path ending in .gguf, smollm2"),
        ("openai:m?heat=1", "'heat=1' are no settings; .* with temperature, seed, window, threads"),
        ("openai:m?temperature=hot", "'temperature=hot' are no settings"),
        ("openai:m?temperature=-1", "no settings"),
        ("anthropic:m?window=0", "no settings"),
        ("local:smollm2?threads", "no settings"),
    ],
)
def test_what_is_no_model(text: str, says: str) -> None:
    with pytest.raises(InvalidInput, match=says):
        open_language_model(text)


@pytest.mark.parametrize("variable", ["MNEMO_LLM_TIMEOUT", "MNEMO_LLM_CONCURRENCY"])
@pytest.mark.parametrize("value", ["0", "-1", "soon", "inf", "nan"])
def test_numbers_of_the_environment(variable: str, value: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(variable, value)
    with pytest.raises(InvalidInput, match=f"{variable}='{value}': must be a number above 0"):
        open_language_model("openai:m")


def test_fingerprints_need_neither_key_nor_connection(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret")
    settings = "Settings(temperature=0.0, seed=None, window=None)"
    assert fingerprint_of("openai:gpt-4o") == f"openai:gpt-4o at https://api.openai.com/v1 {settings}"
    assert fingerprint_of("anthropic:claude-x") == f"anthropic:claude-x at https://api.anthropic.com {settings}"
    assert fingerprint_of("extractive") == "extractive-1"
    monkeypatch.setenv("MNEMO_LLM_BASE_URL", "http://127.0.0.1:1/v1")
    assert fingerprint_of("openai:m?seed=2").startswith("openai:m at http://127.0.0.1:1/v1 Settings(")
    assert fingerprint_of("openai:m?threads=2") == fingerprint_of("openai:m") != fingerprint_of("openai:m?seed=2")


def test_services_open_what_the_spec_names() -> None:
    assert ServicesSpec(language_model="openai:m").open().language_model.name == "openai:m"
    with pytest.raises(UnknownName):
        _ = ServicesSpec(language_model="nobody:m").open().language_model
