"""The dated model table: context window, encoding or proxy, price. Data in ``models.toml``."""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Literal

from mnemo_lab.errors import UnknownName

Vendor = Literal["openai", "anthropic", "google", "other"]


@dataclass(frozen=True, slots=True)
class ModelCard:
    """One model. ``window`` in tokens; prices in US dollars per million tokens, ``None`` where not listed."""

    name: str
    vendor: Vendor
    window: int
    encoding: str
    exact: bool
    as_of: str
    input_price: float | None = None
    output_price: float | None = None


@cache
def _table() -> dict[str, ModelCard]:
    raw = tomllib.loads(files("mnemo_lab.tokens").joinpath("models.toml").read_text(encoding="utf-8"))
    return {entry["name"]: ModelCard(**{"as_of": raw["as_of"], **entry}) for entry in raw["model"]}


def known_models() -> list[str]:
    return sorted(_table())


def find_model(name: str) -> ModelCard | None:
    """The card of a model, also for a dated snapshot (``gpt-4o-2024-08-06``) or a provider prefix; else ``None``."""
    wanted = name.rsplit("/", 1)[-1].lower()
    undated = re.sub(r"[-@](\d{4}-\d{2}-\d{2}|\d{8}|latest)$", "", wanted)
    return _table().get(wanted) or _table().get(undated)


def model_card(name: str) -> ModelCard:
    """The card of a model; raises ``UnknownName``."""
    card = find_model(name)
    if card is None:
        raise UnknownName("model", name, known_models())
    return card
