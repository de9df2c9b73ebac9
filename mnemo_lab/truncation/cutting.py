"""Cut inside a unit that is too long: its longest messages keep head and tail."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from mnemo_lab.context import Piece, Source
from mnemo_lab.history import History
from mnemo_lab.packing.elide import Elision, elide
from mnemo_lab.services import Services
from mnemo_lab.units import Unit


def cut_unit(history: History, unit: Unit, room: int, services: Services) -> list[Piece]:
    """The unit with its longest messages elided so that it fits, or nothing where even that does not."""
    if unit.kind == "orphan":
        return []
    return cut_pieces([history.chat(position) for position in unit.positions], room, services)


def cut_pieces(pieces: Sequence[Piece], room: int, services: Services) -> list[Piece]:
    """The same for messages that belong together; those that were shortened before stay as they are."""
    costs = [piece.tokens for piece in pieces]
    texts = [0 if piece.elided else services.count(piece.text) for piece in pieces]
    shares = _shares(texts, room - sum(costs) + sum(texts))
    if shares is None:
        return []
    cut = list(pieces)
    for i, (text, share) in enumerate(zip(texts, shares, strict=True)):
        if share < text:
            short = shortened(pieces[i], share, services)
            if short is None:
                return []
            cut[i] = short
    return cut


def shortened(piece: Piece, tokens: int, services: Services) -> Piece | None:
    """A whole native message with its text elided to at most ``tokens``; ``None`` where nothing fits."""
    if services.count(piece.text) <= tokens:
        return piece
    memo = services.memo("elided")
    if (piece.text, tokens) not in memo:
        memo[piece.text, tokens] = elide(piece.text, tokens, services.counter)
    short: Elision | None = memo[piece.text, tokens]
    if short is None or piece.message is None:
        return None
    message = replace(piece.message, content=short.text)
    cost = piece.tokens - short.total + services.count(short.text)
    return Piece(short.text, cost, (Source(message.id, short.spans),), message, (short.dropped, short.total))


def _shares(costs: Sequence[int], room: int) -> list[int] | None:
    """Room for each: the small ones whole, the rest in equal parts; ``None`` where there is no room at all."""
    if room < 0:
        return None
    shares = list(costs)
    for place, i in enumerate(sorted(range(len(costs)), key=costs.__getitem__)):
        shares[i] = min(costs[i], room // (len(costs) - place))
        room -= shares[i]
    return shares
