"""Cut inside a unit that is too long: its longest messages keep head and tail."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from mnemo_lab.context import Piece, Source
from mnemo_lab.history import History
from mnemo_lab.packing.elide import elide
from mnemo_lab.services import Services
from mnemo_lab.units import Unit


def cut_unit(history: History, unit: Unit, room: int, services: Services) -> list[Piece]:
    """The unit with its longest messages elided so that it fits, or nothing where even that does not."""
    if unit.kind == "orphan":
        return []
    pieces = [history.chat(position) for position in unit.positions]
    if sum(piece.tokens for piece in pieces) <= room:
        return pieces
    messages = [history.messages[position] for position in unit.positions]
    frames = [services.counter.message(replace(message, content="")) for message in messages]
    if sum(frames) > room:
        return []
    texts = [piece.tokens - frame for piece, frame in zip(pieces, frames, strict=True)]
    for i, share in enumerate(_shares(texts, room - sum(frames))):
        if share < texts[i]:
            short = elide(messages[i].text, share, services.counter)
            if short is None:
                return []
            cut = replace(messages[i], content=short.text)
            sources, cost = (Source(cut.id, short.spans),), services.message_tokens(cut)
            pieces[i] = Piece(short.text, cost, sources, cut, (short.dropped, short.total))
    return pieces


def _shares(costs: Sequence[int], room: int) -> list[int]:
    """Room for each: the small ones whole, the rest in equal parts."""
    shares = list(costs)
    for place, i in enumerate(sorted(range(len(costs)), key=costs.__getitem__)):
        shares[i] = min(costs[i], max(room, 0) // (len(costs) - place))
        room -= shares[i]
    return shares
