"""The losses of one conversation while it is being read."""

from __future__ import annotations

from collections.abc import Iterable

from mnemo_lab.losses import Loss, loss


class Ledger:
    """Collects losses; those that would come by the thousand stand once, with their count and first place."""

    def __init__(self) -> None:
        self._losses: list[Loss] = []
        self._places: dict[Loss, int] = {}
        self._counts: dict[int, int] = {}

    def add(self, code: str, *, message_id: str = "", pointer: str | None = None, **values: object) -> None:
        self._losses.append(loss(code, message_id=message_id or None, pointer=pointer, **values))

    def count(self, code: str, *, message_id: str = "", pointer: str | None = None, **values: object) -> None:
        """The same code with the same values is one loss, whose value ``count`` says how often."""
        same = Loss(code, values=tuple((key, str(value)) for key, value in values.items()))
        at = self._places.setdefault(same, len(self._losses))
        if at == len(self._losses):
            self.add(code, message_id=message_id, pointer=pointer, **values)
        self._counts[at] = self._counts.get(at, 0) + 1

    def extend(self, losses: Iterable[Loss]) -> None:
        self._losses += losses

    @property
    def losses(self) -> tuple[Loss, ...]:
        return tuple(map(self._counted, range(len(self._losses))))

    def _counted(self, at: int) -> Loss:
        item = self._losses[at]
        if at not in self._counts:
            return item
        return Loss(item.code, item.message_id, item.pointer, (*item.values, ("count", str(self._counts[at]))))
