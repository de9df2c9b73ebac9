"""The context builder: layers of pieces under one budget, each with a least and a most share."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from mnemo_lab.context import Piece
from mnemo_lab.errors import InvalidInput
from mnemo_lab.packing.days import Sheet
from mnemo_lab.services import Services

ROUNDING: Final = 1e-9
MIN_PIECE: Final = 2
PATIENCE: Final = 1000
"""Entries in a row that do not fit, after which a layer is through: what lies deeper is not worth the search."""


@dataclass(frozen=True, slots=True)
class Entry:
    """A piece at its place: a message's position, or half before the first message that it stands for."""

    place: float
    day: str
    piece: Piece
    covers: tuple[int, int] | None = None
    """Positions of the messages it stands for without being them (first, one past the last)."""


Tier = Literal["short", "middle", "long"]


@dataclass(frozen=True, slots=True)
class Layer:
    """Entries from most to least wanted. ``least`` is kept free for it (0 to 1 of the room), ``most`` limits it until
    every other layer had its turn. ``entries`` are made anew for every turn, so they may look at what is taken.
    ``tier`` says how far back it reaches: the newest turns, this conversation's checkpoints and messages, or what is
    remembered across conversations."""

    name: str
    entries: Callable[[ContextBuilder], Iterable[Entry]]
    least: float = 0.0
    most: float = 1.0
    tier: Tier = "middle"
    firm: bool = False
    """Whether ``most`` holds for what other layers leave, too."""


class ContextBuilder:
    """Fills layers in their order; what one leaves is offered to the others, in order, until nothing more fits.

    No message is said twice: not by two layers, and a summary is dropped again where all it covers is there.
    Raises ``InvalidInput`` where shares are out of range or the least shares add up to more than 1.
    """

    def __init__(
        self, layers: Sequence[Layer], room: int, services: Services, rank: Mapping[float, int] | None = None
    ) -> None:
        """``room`` in tokens; ``rank`` (0 the best, by place): show the best last instead of in order of time."""
        self.sheet = Sheet(services, rank)
        self.room = room
        self.spent: dict[str, int] = {}
        """Tokens by layer, headings included."""
        self._whole, self._layers = room, layers
        self._covering: dict[float, tuple[str, tuple[int, int]]] = {}
        _check(layers)

    def fill(self) -> ContextBuilder:
        kept = sum(layer.least for layer in self._layers)
        for layer in self._layers:
            kept -= layer.least
            free = self.room - int(self._whole * max(kept, 0.0))
            self._take(layer, min(free, int(self._whole * layer.most)))
        freed = True
        while freed:
            self._drop_told_twice()
            for layer in self._layers:
                self._take(layer, self._left_for(layer))
            freed = self._drop_told_twice()
        return self

    def pieces(self) -> list[Piece]:
        return self.sheet.pieces()

    def _take(self, layer: Layer, limit: int) -> None:
        """Entries that fit the limit, from most wanted on; one that does not fit is skipped."""
        left, misses = min(limit, self.room), 0
        for entry in layer.entries(self):
            if left < MIN_PIECE or misses == PATIENCE:
                return
            if entry.place in self.sheet or (entry.covers and self._told(entry.covers)):
                continue
            tokens = entry.piece.tokens
            cost = self.sheet.cost(entry.place, entry.day, tokens) if tokens <= left else tokens
            if cost > left:
                misses += 1
                continue
            self._put(layer, entry, cost)
            left, misses = left - cost, 0

    def _left_for(self, layer: Layer) -> int:
        """What a layer may still take once all had their turn."""
        return int(self._whole * layer.most) - self.spent.get(layer.name, 0) if layer.firm else self.room

    def _put(self, layer: Layer, entry: Entry, cost: int) -> None:
        self.sheet.put(entry.place, entry.day, entry.piece)
        if entry.covers:
            self._covering[entry.place] = layer.name, entry.covers
        self.room -= cost
        self.spent[layer.name] = self.spent.get(layer.name, 0) + cost

    def fits(self, entries: Sequence[Entry]) -> bool:
        """Whether all of these fit the room that is left, each day's heading and the next one's counted."""
        missing = sorted((entry for entry in entries if entry.place not in self.sheet), key=lambda entry: entry.place)
        tokens = sum(entry.piece.tokens for entry in missing)
        return tokens <= self.room and tokens + self.sheet.headings([entry.day for entry in missing]) <= self.room

    def covered(self, start: int, stop: int) -> int:
        """How many of these messages are there themselves."""
        return sum(position in self.sheet for position in range(start, stop))

    def _told(self, covers: tuple[int, int]) -> bool:
        start, stop = covers
        return self.covered(start, stop) == stop - start

    def _drop_told_twice(self) -> bool:
        """Whether anything was dropped. What is dropped never comes back, so this ends."""
        dropped = [(place, layer) for place, (layer, covers) in self._covering.items() if self._told(covers)]
        for place, layer in dropped:
            freed = self.sheet.drop(place)
            self.room += freed
            self.spent[layer] -= freed
            del self._covering[place]
        return bool(dropped)


def _check(layers: Sequence[Layer]) -> None:
    for layer in layers:
        if not 0 <= layer.least <= layer.most <= 1:
            raise InvalidInput(
                f"layer {layer.name!r}: least={layer.least:g}, most={layer.most:g}; must be 0 <= least <= most <= 1"
            )
    total = sum(layer.least for layer in layers)
    if total > 1 + ROUNDING:
        raise InvalidInput(f"the least shares of the layers add up to {total:g}; at most 1 can be kept free")
