"""The ledger: what models read and wrote, on the write and on the read path, and what that costs."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from math import nan
from typing import TYPE_CHECKING, Any, NamedTuple

from mnemo_lab.tokens.models import find_model

if TYPE_CHECKING:
    from mnemo_lab.language_models.base import Completion


class Work(NamedTuple):
    """Who was asked for what on which path; ``task`` is a word such as ``summary``, ``answer``, ``judge``."""

    path: str
    model: str
    task: str


@dataclass
class Usage:
    """Calls of one model for one task. ``seconds`` is waiting time; ``failed`` calls gave no answer;
    ``fell_back`` counts answers that could not be used, so that something else stood in."""

    calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cached_tokens: int = 0
    seconds: float = 0.0
    failed: int = 0
    fell_back: int = 0


@dataclass
class Ledger:
    """Tokens by path (``write`` or ``read``) and kind of model; calls of language models by task beside them."""

    spent: Counter[tuple[str, str]] = field(default_factory=Counter)
    path: str = "write"
    usage: dict[Work, Usage] = field(default_factory=dict)

    def add(self, kind: str, tokens: int) -> None:
        self.spent[self.path, kind] += tokens

    def charge(self, model: str, task: str, done: Completion, seconds: float = 0.0) -> None:
        """One answered call of a language model."""
        used = self.of(model, task)
        used.calls += 1
        used.input_tokens += done.input_tokens
        used.output_tokens += done.output_tokens
        used.cached_tokens += done.cached_tokens
        used.seconds += seconds
        self.add("language_model", done.input_tokens + done.output_tokens)

    def of(self, model: str, task: str) -> Usage:
        """The usage of a model for a task on the path that is going on; count failures and fallbacks there."""
        return self.usage.setdefault(Work(self.path, model, task), Usage())

    def total(self, path: str) -> int:
        """Tokens of all models on a path."""
        return sum(n for (where, _), n in self.spent.items() if where == path)

    def dollars(self, path: str) -> float:
        """US dollars of a path; 0 where nothing was asked, NaN where a model's price is not in the table."""
        return sum((dollars_of(work.model, used) for work, used in self.usage.items() if work.path == path), 0.0)

    def table(self) -> list[dict[str, Any]]:
        """One row per path, model and task, for reports."""
        return [
            {**work._asdict(), **vars(used), "dollars": dollars_of(work.model, used)}
            for work, used in sorted(self.usage.items())
        ]


def dollars_of(model: str, used: Usage) -> float:
    """What calls cost by the model table; models that run here cost nothing, cached tokens are priced as any."""
    kind, _, name = model.partition("?")[0].partition(":")
    if kind in ("extractive", "local") or not (used.input_tokens or used.output_tokens):
        return 0.0
    card = find_model(name or kind)
    if card is None or card.input_price is None or card.output_price is None:
        return nan
    return (used.input_tokens * card.input_price + used.output_tokens * card.output_price) / 1e6
