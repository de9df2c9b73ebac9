"""Memories as a Markdown page that a person can read and edit."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import quote

from mnemo_lab.conversation import time_of
from mnemo_lab.memory.decision import Decision
from mnemo_lab.memory.guard import SecretFilter
from mnemo_lab.memory.inject import Former
from mnemo_lab.memory.item import CATEGORIES, MemoryItem
from mnemo_lab.review.concerns import concerns_of
from mnemo_lab.review.wording import PAGE

if TYPE_CHECKING:
    from mnemo_lab.memory.stores.base import MemoryStore


class Shown(NamedTuple):
    """What of a memory can be edited, as it stands on the page."""

    category: str
    content: str
    value: str
    importance: int

    @property
    def mark(self) -> str:
        return digest(list(self))


@dataclass(frozen=True, slots=True)
class Page:
    """``concerns``: memories by what is to be checked; ``secrets``: those taken out of the lines, by kind."""

    text: str
    memories: int
    concerns: Mapping[str, int]
    secrets: Mapping[str, int]


def shown_of(item: MemoryItem) -> Shown:
    """Each in one line and without secrets."""
    category, content, value = (one_line(text) for text in (item.category, item.content, item.value))
    return Shown(category, content, value, item.importance)


def review_of(store: MemoryStore, namespace: str, now: str, language: str = "en") -> Page:
    """All that is active, by category, with what it replaced; then what is over."""
    words, moment = PAGE[language], time_of(now) or datetime.now(UTC)
    living = store.items(namespace)
    active = [item for item in living if item.status == "active"]
    before, secrets, concerns = Former(living), SecretFilter(), Counter[str]()
    log = store.log(namespace)
    last = log[-1].id if log else 0
    head = f"<!-- mnemo-memory namespace={quote(namespace, safe='')} decision={last} check={state_of(log, last)} -->"
    lines = [words["title"].format(namespace=one_line(namespace)), head, "", words["note"]]
    categories = dict.fromkeys((*CATEGORIES, *(item.category for item in active)))
    for category in categories:
        chosen = [item for item in active if item.category == category]
        title = f"{words[category]} " if category in CATEGORIES else ""
        lines += ["", f"## {title}`{one_line(category)}`", ""] if chosen else []
        for item in chosen:
            found = concerns_of(item, moment)
            concerns.update(found.keys())
            lines += _block(item, before, found, words)
    nested = {old.id for item in active for old in before.of(item)}
    over = [item for item in living if item.status == "outdated" and item.id not in nested]
    lines += ["", f"## {words['former']}", ""] if over else []
    lines += [
        words["over"].format(content=one_line(item.content), start=_day(item.valid_from), end=_day(item.valid_to))
        + f" <!-- {quote(item.id, safe='')} -->"
        for item in over
    ]
    lines += [] if living else ["", words["empty"]]
    for item in living:
        secrets.clean(f"{item.content}\n{item.value}")
    return Page("\n".join(lines) + "\n", len(active), dict(concerns), dict(secrets.found))


def state_of(log: Sequence[Decision], number: int) -> str:
    """Tells one store's decision from another's of that number."""
    return digest([[decision.at, decision.action] for decision in log if decision.id == number])


def one_line(text: str) -> str:
    """Without secrets, breaks of lines, and halves of characters, which no file can hold."""
    whole = text.encode("utf-8", "replace").decode()
    return " ".join(SecretFilter().clean(whole).split())


def _block(item: MemoryItem, before: Former, concerns: Mapping[str, str], words: Mapping[str, str]) -> list[str]:
    shown = shown_of(item)
    places = ", ".join(f"{source.conversation}/{source.message}" for source in item.sources)
    said = words["said"].format(places=places) if places else words["unsaid"]
    about = words["about"].format(
        subject=item.subject, attribute=item.attribute, day=_day(item.valid_from or item.created_at),
        confidence=item.confidence, said=said,
    )  # fmt: skip
    lines = [
        f"- {shown.content} <!-- {quote(item.id, safe='')} {shown.mark} -->",
        f"  - {words['value']}: {shown.value}",
        f"  - {words['importance']}: {shown.importance}",
        f"  - {one_line(about)}",
    ]
    for old in before.of(item):
        was = words["before"].format(
            value=one_line(old.value or old.content), start=_day(old.valid_from), end=_day(old.valid_to)
        )
        lines.append(f"  - {was} <!-- {quote(old.id, safe='')} -->")
    if concerns:
        told = "; ".join(words[name].format(detail=detail) for name, detail in concerns.items())
        lines.append(f"  - {words['check'].format(concerns=told)}")
    return lines


def digest(value: Any) -> str:
    return hashlib.blake2b(json.dumps(value).encode(), digest_size=5).hexdigest()


def _day(moment: str | None) -> str:
    return (moment or "?")[:10]
