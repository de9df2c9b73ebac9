"""What the extractive describer knows by heart, read from ``words.toml``."""

from __future__ import annotations

import tomllib
from functools import cache
from importlib.resources import files


@cache
def _lists() -> dict[str, str]:
    return tomllib.loads(files(__package__).joinpath("words.toml").read_text(encoding="utf-8"))


def listed(name: str) -> frozenset[str]:
    """The words or names of one list."""
    return frozenset(word.replace("_", " ") for word in _lists()[name].split())
