"""Which strategies are held to it: what the registry knows today."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import fields, replace
from typing import Any, Final, Literal, get_args, get_origin, get_type_hints

from mnemo_lab.errors import InvalidInput
from mnemo_lab.registry import names
from mnemo_lab.strategy import Strategy
from mnemo_lab.strategy_text import parse_strategy

EXTRA: Final = (
    "recent(keep_last_n=3)", "recent(low_water=0.5)", "recent(low_water=0.7, note='zh')",
)  # fmt: skip

PEER_EXTRA: Final = (
    "langchain_trim(start_on='human', include_system=True)", "langchain_summary(trigger=0.8, keep=0.3)",
    "llamaindex_memory(chat_history_token_ratio=1.0, token_flush_size=1)",
    "haystack_window(compact_at=1.0, compact_to=0.9)",
)  # fmt: skip
"""Peers set to use the whole budget, or as their documentation recommends."""


def truncations() -> list[Strategy]:
    """Every registered truncation with its defaults."""
    return _registered("mnemo_lab.truncation")


def peers() -> list[Strategy]:
    """Every peer that is installed, with its defaults and as its authors or we would set it."""
    found = _registered("mnemo_peers")
    return [*found, *map(parse_strategy, PEER_EXTRA)] if found else []


def _registered(package: str) -> list[Strategy]:
    found = [parse_strategy(name) for name in names("strategy")]
    return [strategy for strategy in found if type(strategy).__module__.startswith(package)]


def variants(strategies: Iterable[Strategy]) -> list[Strategy]:
    """Each yes or no turned round and each other word chosen, one at a time, and some by hand."""
    found = [one for strategy in strategies for one in _turned(strategy)]
    return [*found, *map(parse_strategy, EXTRA)]


def _turned(strategy: Strategy) -> Iterator[Strategy]:
    hints = get_type_hints(type(strategy))
    for item in fields(strategy):  # type: ignore[arg-type]
        now = getattr(strategy, item.name)
        for value in _others(hints[item.name], now):
            if item.name == "keep_system_prompt":
                continue  # what is not protected cannot be missing
            with suppress(InvalidInput):  # some settings exclude each other
                yield replace(strategy, **{item.name: value})  # type: ignore[type-var]


def _others(hint: Any, now: object) -> Iterator[object]:
    if isinstance(now, bool):
        yield not now
    if get_origin(hint) is Literal:
        yield from (word for word in get_args(hint) if word != now)
