"""Memories as a table in a notebook."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from typing import TYPE_CHECKING, Final

from mnemo_lab.memory.item import MemoryItem

if TYPE_CHECKING:
    from mnemo_lab.memory.ranking import Recalled

MOST: Final = 50
_LEFT: Final = "text-align:left;white-space:pre-wrap"
_HEAD: Final = ("category", "about", "fact", "from", "until", "sure", "status")


def items_html(items: Sequence[MemoryItem], title: str) -> str:
    """The first 50 with what they say, when it is true, and what became of it."""
    more = f"<p>… and {len(items) - MOST} more</p>" if len(items) > MOST else ""
    return f"<b>{escape(title)}</b>{_table(_HEAD, map(_row, items[:MOST]))}{more}"


def ranked_html(hits: Sequence[Recalled], hidden: Sequence[Recalled]) -> str:
    """What fits a question with its score, and what decay hid."""
    head = ("score", "relevance", "left by decay", *_HEAD)
    rows = [[f"{h.score:.2f}", f"{h.relevance:.2f}", f"{h.share:.0%}", *_row(h.item)] for h in hits]
    note = f"<p>hidden by decay: {escape('; '.join(h.item.content for h in hidden))}</p>" if hidden else ""
    return _table(head, rows) + note


def _row(item: MemoryItem) -> list[str]:
    slot = f"{item.subject}: {item.attribute}" if item.attribute else item.subject
    return [
        item.category, slot, item.content, (item.valid_from or item.created_at)[:10], (item.valid_to or "")[:10],
        f"{item.confidence:.0%}", item.status,
    ]  # fmt: skip


def _table(head: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    heads = "".join(f"<th>{escape(name)}</th>" for name in head)
    body = "".join(f"<tr>{''.join(f'<td style={_LEFT!r}>{escape(cell)}</td>' for cell in row)}</tr>" for row in rows)
    return f"<table><tr>{heads}</tr>{body}</table>"
