"""What may follow a model's name (``openai:gpt-4o-mini?temperature=0.7&seed=1``), and numbers from the environment."""

from __future__ import annotations

import os
from dataclasses import dataclass, field, fields
from math import inf
from typing import Any
from urllib.parse import parse_qsl

from mnemo_lab.errors import InvalidInput


@dataclass(frozen=True, slots=True)
class Settings:
    """``window`` in tokens, where the model's own is unknown or too large; ``threads`` of a model that runs here."""

    temperature: float = 0.0
    seed: int | None = None
    window: int | None = None
    threads: int = field(default=1, repr=False)  # changes no answer


def split_settings(model: str) -> tuple[str, Settings]:
    """The bare name and what follows its ``?``; raises ``InvalidInput``."""
    name, _, query = model.partition("?")
    try:
        pairs = parse_qsl(query, keep_blank_values=True, strict_parsing=bool(query))
        given: dict[str, Any] = {key: float(text) if key == "temperature" else int(text) for key, text in pairs}
        settings = Settings(**given)
        if settings.temperature < 0 or min(1 if settings.window is None else settings.window, settings.threads) < 1:
            raise ValueError
    except (TypeError, ValueError):
        known = ", ".join(f.name for f in fields(Settings))
        raise InvalidInput(
            f"language model {model!r}: {query!r} are no settings; write NAME?KEY=NUMBER&KEY=NUMBER with {known}"
        ) from None
    return name, settings


def number_from(variable: str, default: float) -> float:
    """A number above 0 from the environment; raises ``InvalidInput``."""
    given = os.environ.get(variable, "").strip()
    try:
        value = float(given) if given else default
    except ValueError:
        value = 0.0
    if not 0 < value < inf:
        raise InvalidInput(f"{variable}={given!r}: must be a number above 0")
    return value
