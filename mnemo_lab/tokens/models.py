"""The dated model table: context window, encoding or proxy, prices, prompt cache. Data in ``models.toml``."""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from math import nan
from typing import Any, Literal

from mnemo_lab.errors import UnknownName

Vendor = Literal["openai", "anthropic", "google", "other"]


@dataclass(frozen=True, slots=True)
class ModelCard:
    """One model. ``window`` in tokens; prices in US dollars per million tokens, ``None`` where not listed.

    Prompt cache: ``cached_price`` is for input read from it (``None``: the vendor has none for this model),
    ``cache_write_price`` for input put into it (``None``: as any input). Prefixes shorter than ``cache_min_tokens``
    are not cached, longer ones in whole steps of ``cache_step_tokens``. ``cache_source``: where the vendor says so.
    """

    name: str
    vendor: Vendor
    window: int
    encoding: str
    exact: bool
    as_of: str
    input_price: float | None = None
    output_price: float | None = None
    cached_price: float | None = None
    cache_write_price: float | None = None
    cache_min_tokens: int = 1
    cache_step_tokens: int = 1
    cache_source: str | None = None

    def from_cache(self, prefix: int) -> int:
        """Tokens of an unchanged prefix of that many tokens that the vendor reads from its cache."""
        if self.cached_price is None or prefix < self.cache_min_tokens:
            return 0
        return prefix - (prefix - self.cache_min_tokens) % self.cache_step_tokens

    def input_dollars(self, tokens: int, prefix: int | None = None) -> float:
        """US dollars for a prompt; NaN where no price is listed.

        ``prefix``: caching is on, and so many of the tokens are the unchanged beginning of the prompt before; the
        rest is then put into the cache, where the prompt is long enough.
        """
        if self.input_price is None:
            return nan
        if prefix is None or self.cached_price is None:
            return tokens * self.input_price / 1e6
        cached, rest = self.from_cache(prefix), self.input_price
        if tokens >= self.cache_min_tokens and self.cache_write_price is not None:
            rest = self.cache_write_price
        return (cached * self.cached_price + (tokens - cached) * rest) / 1e6


@cache
def _table() -> dict[str, ModelCard]:
    raw = tomllib.loads(files("mnemo_lab.tokens").joinpath("models.toml").read_text(encoding="utf-8"))
    shared: dict[str, dict[str, Any]] = raw["cache"]
    cards = ({"as_of": raw["as_of"], **shared.get(entry["vendor"], {}), **entry} for entry in raw["model"])
    return {card["name"]: ModelCard(**card) for card in cards}


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
