"""Memories and decisions as tables, lines and JSON."""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from mnemo_lab.cli.memory.words import NAMES, WORDS

if TYPE_CHECKING:
    from mnemo_lab.memory.decision import Decision
    from mnemo_lab.memory.item import MemoryItem

WIDE: Final = ("sentence", "in_place_of", "reason")
"""Columns that may be broken into lines."""


class Saying:
    """Says things in the language that was asked for, or collects one JSON document and says that."""

    def __init__(self, options: argparse.Namespace) -> None:
        self.words, self._names = WORDS[options.language], NAMES[options.language]
        self._json = options.json

    def document(self, **parts: Any) -> bool:
        """Print the document where one is wanted; whether it is."""
        if self._json:
            print(json.dumps(parts, ensure_ascii=False, indent=2, default=str))
        return bool(self._json)

    def name(self, word: str) -> str:
        return self._names.get(word, word)

    def say(self, key: str, **values: Any) -> None:
        from mnemo_lab.cli.loss_table import shown

        print(shown(self.words[key].format(**values)))

    def counts(self, found: Mapping[str, int]) -> str:
        return ", ".join(f"{count} {self.name(kind)}" for kind, count in found.items() if count) or self.words["none"]

    def table(self, columns: str, rows: Iterable[Sequence[str]]) -> None:
        """Nothing is cut: an id could not be given to the next command otherwise."""
        from rich import box
        from rich.console import Console
        from rich.table import Table
        from rich.text import Text

        from mnemo_lab.cli.loss_table import shown

        made = Table(*self.words[columns].split("|"), box=box.SIMPLE)
        wide = {self.words[name] for name in WIDE}
        for column in made.columns:
            column.overflow, column.no_wrap = "fold", column.header not in wide
        for row in rows:
            made.add_row(*(Text(shown(cell)) for cell in row))
        if made.row_count:
            Console(highlight=False).print(made)

    def items(self, items: Iterable[MemoryItem]) -> None:
        self.table(
            "items",
            (
                (
                    item.id, self.name(item.status), self.name(item.category), item.content, day(item.valid_from),
                    day(item.valid_to),
                )
                for item in items
            ),
        )  # fmt: skip

    def decisions(self, decisions: Iterable[Decision]) -> None:
        self.table(
            "decisions",
            (
                (
                    str(decision.id), self.name(decision.action), self.name(_main(decision).category),
                    _main(decision).content, "; ".join(_replaced(decision)),
                )
                for decision in decisions
            ),
        )  # fmt: skip

    def asked(self, key: str, yes: bool) -> bool:
        """Whether somebody at the terminal agrees. Raises ``InvalidInput`` where nobody is there to be asked."""
        from mnemo_lab.errors import InvalidInput

        if yes:
            return True
        if self._json or not sys.stdin.isatty():
            raise InvalidInput("nobody can be asked here; say --yes to go ahead")
        try:
            return input(self.words[key]).strip().casefold() in ("y", "yes", "是", "好")
        except EOFError:
            return False


def day(moment: str | None) -> str:
    return (moment or "")[:10]


def told(decision: Decision) -> dict[str, Any]:
    """A decision for JSON."""
    return {
        "id": decision.id, "action": decision.action, "reason": decision.reason, "at": decision.at,
        "undone_by": decision.undone_by, "before": [item.to_json() for item in decision.before],
        "after": [item.to_json() for item in decision.after],
    }  # fmt: skip


def by_action(decisions: Iterable[Decision]) -> Counter[str]:
    return Counter(decision.action for decision in decisions)


def _main(decision: Decision) -> MemoryItem:
    return (decision.after or decision.before)[-1]


def _replaced(decision: Decision) -> list[str]:
    """Values that gave way."""
    main = _main(decision)
    return [old.value or old.content for old in decision.after if old.id != main.id and old.status == "outdated"]
