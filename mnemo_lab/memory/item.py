"""``MemoryItem``: one fact that outlives its conversation, with when it is true, when it was learned, and from what."""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields, replace
from typing import Any, Final, Literal, NamedTuple, get_args

from mnemo_lab.conversation import time_of
from mnemo_lab.errors import InvalidInput

CATEGORIES: Final = ("preference", "project_fact", "decision", "user_info")
"""Built in; any other word is a category of one's own."""
Status = Literal["active", "outdated", "forgotten"]
Polarity = Literal["positive", "negative"]
LEAST_IMPORTANCE, MOST_IMPORTANCE = 1, 5


class MessageRef(NamedTuple):
    """Where a fact was said."""

    conversation: str
    message: str


@dataclass(frozen=True, slots=True)
class MemoryItem:
    """One fact. Times are ISO 8601, days or moments; those of record time come from the conversation's clock.

    ``subject``, ``attribute`` and ``value`` are the slot ("user", "editor", "Helix"), ``content`` is the sentence that
    is shown, in the language it was said in. ``polarity`` is negative where the fact is that something is not so.
    World time: true from ``valid_from`` to ``valid_to`` (exclusive; ``None``: not known, or still true). Record time:
    known from ``created_at``, taken back at ``expired_at``. ``importance`` 1 to 5, ``confidence`` 0 to 1. ``flags``:
    ``low_confidence`` (its order in time is guessed), ``quarantined`` (reads like an instruction to the model: never
    injected), ``edited``.
    """

    namespace: str
    category: str
    subject: str
    attribute: str
    value: str
    content: str
    language: str
    created_at: str
    id: str = ""
    importance: int = 3
    confidence: float = 0.8
    polarity: Polarity = "positive"
    valid_from: str | None = None
    valid_to: str | None = None
    expired_at: str | None = None
    last_accessed_at: str | None = None
    access_count: int = 0
    status: Status = "active"
    superseded_by: str | None = None
    sources: tuple[MessageRef, ...] = ()
    flags: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if not self.id:
            object.__setattr__(self, "id", new_id())
        _check(self)

    def with_(self, **changes: Any) -> MemoryItem:
        """The same item with other values in some fields."""
        return replace(self, **changes)

    def to_json(self) -> dict[str, Any]:
        """Every field, sources as pairs of ids."""
        return asdict(self) | {"sources": [list(source) for source in self.sources], "flags": list(self.flags)}

    @classmethod
    def from_json(cls, given: Mapping[str, Any]) -> MemoryItem:
        """Raises ``InvalidInput`` for what is no item; unknown fields are ignored."""
        row = {name: value for name, value in given.items() if name in _KNOWN}
        try:
            row["sources"] = tuple(MessageRef(*source) for source in row.get("sources", ()))
            row["flags"] = tuple(row.get("flags", ()))
            return cls(**row)
        except TypeError as error:
            raise InvalidInput(f"no memory item: {error}") from error


_KNOWN: Final = frozenset(field.name for field in fields(MemoryItem))


def new_id() -> str:
    """12 hex digits: short enough to type, wide enough for any one store."""
    return uuid.uuid4().hex[:12]


def _check(item: MemoryItem) -> None:
    for name in ("namespace", "category", "content", "created_at"):
        if not getattr(item, name):
            raise InvalidInput(f"a memory item needs a {name}; it is empty")
    if not LEAST_IMPORTANCE <= item.importance <= MOST_IMPORTANCE:
        raise InvalidInput(f"importance={item.importance!r}; use {LEAST_IMPORTANCE} to {MOST_IMPORTANCE}")
    if not 0 <= item.confidence <= 1:
        raise InvalidInput(f"confidence={item.confidence!r}; use 0 to 1")
    for name, allowed in (("status", get_args(Status)), ("polarity", get_args(Polarity))):
        if getattr(item, name) not in allowed:
            raise InvalidInput(f"{name}={getattr(item, name)!r}; use one of {', '.join(allowed)}")
    for name in ("created_at", "valid_from", "valid_to", "expired_at", "last_accessed_at"):
        value = getattr(item, name)
        if value is not None and time_of(value) is None:
            raise InvalidInput(f"{name}={value!r} is no date; write it like 2026-03-31 or 2026-03-31T09:30:00+00:00")
