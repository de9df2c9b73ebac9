"""A strategy from what you type, and the text by which tables call it."""

from __future__ import annotations

from dataclasses import is_dataclass

from mnemo_lab.errors import InvalidInput
from mnemo_lab.parsing import build, split_call
from mnemo_lab.registry import PRESETS, resolve
from mnemo_lab.strategy import Strategy


def parse_strategy(text: str | Strategy) -> Strategy:
    """A strategy from its text or preset name; raises ``InvalidInput`` naming the fault."""
    if isinstance(text, Strategy):
        return text
    name, settings = split_call(PRESETS.get(text.strip(), text))
    kind = resolve("strategy", name)
    if not (isinstance(kind, type) and issubclass(kind, Strategy) and is_dataclass(kind)):
        raise InvalidInput(f"strategy {name!r}: {kind!r} is not a dataclass derived from mnemo_lab.strategy.Strategy")
    strategy: Strategy = build(kind, name, settings)
    return strategy


def label_of(text: str | Strategy) -> str:
    """What a table calls a strategy: the preset's name where one was asked for, else its full text."""
    if isinstance(text, str) and text.strip() in PRESETS:
        return text.strip()
    return str(parse_strategy(text))
