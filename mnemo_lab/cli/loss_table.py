"""Losses on the terminal: one line a kind, with counts and an example; all of them as JSON."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from rich.console import Console

    from mnemo_lab.formats.convert import Placed
    from mnemo_lab.losses import Language

SEVERITIES: Final = ("error", "warning", "info")
_STYLES: Final = {"error": "red", "warning": "yellow", "info": "dim"}
_SEVERITY: Final = {
    "en": dict(zip(SEVERITIES, SEVERITIES, strict=True)),
    "zh": {"error": "错误", "warning": "警告", "info": "提示"},
}
_COLUMNS: Final = {
    "en": ("severity", "loss", "count", "for example", "where"),
    "zh": ("级别", "损失", "次数", "示例", "位置"),
}


def count_line(losses: Sequence[Placed], language: Language) -> str:
    """``losses: 1 error, 2 warning, 0 info``."""
    counts = [
        f"{sum(item.loss.severity == severity for item in losses)} {_SEVERITY[language][severity]}"
        for severity in SEVERITIES
    ]
    return f"losses: {', '.join(counts)}" if language == "en" else f"损失：{'，'.join(counts)}"


def show_losses(console: Console, losses: Sequence[Placed], language: Language) -> None:
    """The gravest first; nothing where there are none."""
    from rich import box
    from rich.table import Table
    from rich.text import Text

    if not losses:
        return
    groups: dict[str, list[Placed]] = {}
    for item in losses:
        groups.setdefault(item.loss.code, []).append(item)
    table = Table(*_COLUMNS[language], box=box.SIMPLE)
    table.columns[1].no_wrap = True
    for column in table.columns:
        column.overflow = "fold"
    for code, items in sorted(groups.items(), key=lambda group: SEVERITIES.index(group[1][0].loss.severity)):
        first = items[0]
        severity = first.loss.severity
        table.add_row(
            Text(_SEVERITY[language][severity], style=_STYLES[severity]),
            Text(code),
            Text(f"{len(items):,}"),
            Text(shown(first.loss.sentence(language))),
            Text(shown(_where(first))),
        )
    console.print(table)


def shown(text: str) -> str:
    """Text that a terminal can print: no control characters, no halves of characters."""
    safe = text.encode("utf-8", "replace").decode()
    return "".join(mark if mark.isprintable() else " " for mark in safe)


def _where(item: Placed) -> str:
    inside = item.loss.message_id or item.loss.pointer
    return f"{item.conversation}: {inside}" if inside else item.conversation


def write_losses(path: Path, losses: Sequence[Placed], counts: dict[str, int], language: Language) -> None:
    """Every loss with its conversation, place and sentence."""
    import json

    from mnemo_lab.formats.files import write_atomically

    listed: list[dict[str, Any]] = [
        {
            "conversation": item.conversation,
            "code": item.loss.code,
            "severity": item.loss.severity,
            "message_id": item.loss.message_id,
            "pointer": item.loss.pointer,
            "sentence": item.loss.sentence(language),
            "values": dict(item.loss.values),
        }
        for item in losses
    ]
    text = json.dumps({"counts": counts, "losses": listed}, ensure_ascii=False, indent=2, allow_nan=False)
    write_atomically(path, (text + "\n").encode("utf-8", "replace"))
