"""A language model from what one types."""

from __future__ import annotations

import os
from pathlib import Path

from mnemo_lab.errors import InvalidInput, UnknownName
from mnemo_lab.language_models.base import LanguageModel
from mnemo_lab.language_models.cassette import RecordedModel
from mnemo_lab.registry import names, resolve


def chosen_language_model(text: str | None = None) -> str:
    """The text, else ``MNEMO_LLM``, else ``extractive``."""
    return text or os.environ.get("MNEMO_LLM") or "extractive"


def chosen_cassette(path: str | None = None) -> str | None:
    """The path, else ``MNEMO_CASSETTE``, else none."""
    return path or os.environ.get("MNEMO_CASSETTE") or None


def split_kind(text: str) -> tuple[str, str]:
    """Kind and model; raises ``UnknownName`` for a kind that no registry knows."""
    kind, _, model = text.partition(":")
    if kind not in names("language_model"):
        raise UnknownName("kind of language model", kind, names("language_model"))
    if not model and kind in ("openai", "anthropic", "local"):
        raise InvalidInput(f"language model {text!r}: name a model too, as in openai:gpt-4o-mini or local:smollm2")
    return kind, model


def open_language_model(text: str, cassette: str | None = None) -> LanguageModel:
    """``openai:MODEL``, ``anthropic:MODEL``, ``local:smollm2``, ``local:/path/to/model.gguf``, ``extractive``.

    Nothing is loaded and nobody is connected to before the first question, so a missing key or package is an error
    only then. With a ``cassette`` its answers come first, and new ones are recorded there.
    """
    kind, model = split_kind(text)
    opened: LanguageModel = resolve("language_model", kind)(model)
    return RecordedModel(opened, Path(cassette)) if cassette else opened


def fingerprint_of(text: str, cassette: str | None = None) -> str:
    """What decides a model's answers, without loading it or connecting to it."""
    return open_language_model(text, cassette).fingerprint
