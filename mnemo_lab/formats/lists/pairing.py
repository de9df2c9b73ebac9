"""Which call a result answers, where a format has no ids for that."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from mnemo_lab.losses import Loss, loss


class _Open(NamedTuple):
    id: str
    name: str


class Calls:
    """The calls of one conversation, as they come up; made ids keep clear of those in ``taken``."""

    def __init__(self, taken: Iterable[str] = ()) -> None:
        self._taken = set(taken)
        self._made = 0
        self._open: list[_Open] = []

    def opened(self, id_: str | None, name: str) -> tuple[str, tuple[Loss, ...]]:
        """The id of a call that is now open: its own, else a made one, which is listed."""
        losses: tuple[Loss, ...] = ()
        if not id_:
            id_ = self._make()
            losses = (loss("tool_id_made", name=name, id=id_),)
        self._open.append(_Open(id_, name))
        return id_, losses

    def answered(self, id_: str | None, name: str | None) -> tuple[str | None, str | None]:
        """Id and name of the call that a result answers: by id, else by name, else the one open longest."""
        candidates = [call for call in self._open if id_ in (None, "", call.id)]
        named = [call for call in candidates if call.name == name] if name and not id_ else candidates
        if not named:
            return id_ or None, name
        found = named[0]
        self._open.remove(found)
        return found.id, name or found.name or None

    def closed(self) -> None:
        """A message that is no result stands between; no later one answers what was open."""
        self._open.clear()

    def _make(self) -> str:
        while True:
            self._made += 1
            id_ = f"call_{self._made}"
            if id_ not in self._taken:
                return id_
