"""A summary as it is sent: one user message, marked, with what it quotes and what it stands for."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from itertools import accumulate
from typing import Final, NamedTuple

from mnemo_lab import context
from mnemo_lab.context import Source
from mnemo_lab.conversation import Message
from mnemo_lab.packing.elide import elide
from mnemo_lab.services import Services
from mnemo_lab.summaries.base import SummaryLine
from mnemo_lab.summaries.pieces import Piece, Stretch, lines_of, stretches_of
from mnemo_lab.text.language import language_of
from mnemo_lab.text.sentences import Place

SHORTEST_CUT: Final = 24
"""Tokens below which no part of a message is quoted: head and tail would say nothing."""
HEAD: Final = 10
"""Tokens of day and speaker before it."""


def block(lines: Sequence[SummaryLine], covered: Iterable[str], services: Services) -> context.Piece:
    """The message. Every id of ``covered`` (in time order) is a source of it: quoted, or represented only."""
    ids, text = list(covered), "\n".join(line.text for line in lines)
    message = Message("user", f"{mark(len(ids), language_of([text]))}\n{text}")
    spans = _spans(lines)
    sources = tuple(Source(i, spans[i]) if i in spans else Source(i, (), "summary") for i in ids)
    return context.Piece(message.text, services.counter.message(message), sources, message)


def mark(count: int, language: str) -> str:
    """What tells a reader that these are not the user's words."""
    if language == "zh":
        return f"[前 {count} 条消息的摘要]"
    return f"[Summary of {count} earlier message{'s' if count != 1 else ''}]"


def fitted_block(
    lines: Sequence[SummaryLine], covered: Sequence[str], room: int, services: Services
) -> context.Piece | None:
    """The message in at most ``room`` tokens, without its oldest lines where need be; ``None`` where nothing fits."""
    left = list(lines)
    while left:
        piece = block(left, covered, services)
        if piece.tokens <= room:
            return piece
        over = piece.tokens - room
        while left and over > 0:
            over -= services.count(f"{left.pop(0).text}\n")
    return None


def apart(lines: Sequence[SummaryLine]) -> tuple[Sequence[SummaryLine], Sequence[SummaryLine]]:
    """The first lines, as far as they quote nothing (a model wrote them), and the rest."""
    first = next((i for i, line in enumerate(lines) if any(source.spans for source in line.sources)), len(lines))
    return lines[:first], lines[first:]


def with_newest(
    lines: Sequence[SummaryLine], messages: Sequence[Message], room: int, place: Mapping[str, int], services: Services
) -> list[SummaryLine]:
    """The lines with as many of the newest ``messages`` word for word, in time order, as ``room`` tokens hold.

    What the lines quote of these is left out there, so that nothing is said twice. The newest message that does not
    fit whole is quoted in part, unless the lines quote it already. ``place``: the position of every id.
    """
    told, quoting = apart(lines)
    quotations = [Quotation(stretch, ((0, len(stretch.text)),)) for stretch in stretches_of(quoting, ())]
    whole = [Quotation(stretch, ((0, len(stretch.text)),)) for stretch in stretches_of((), messages)]

    def written(extra: Sequence[Quotation]) -> list[SummaryLine]:
        ids = {quotation.stretch.message_id for quotation in extra}
        left = [quotation for quotation in quotations if quotation.stretch.message_id not in ids]
        return [*told, *_in_time_order([*left, *extra], place)]

    def cost(extra: Sequence[Quotation]) -> int:
        return services.counter.count("\n".join(line.text for line in written(extra)))

    def newest(count: int) -> Sequence[Quotation]:
        return whole[len(whole) - count :]

    most = bisect_right(list(accumulate(services.count(message.text) for message in reversed(messages))), room)
    fitting = bisect_right(range(1, most + 1), room, key=lambda count: cost(newest(count)))
    kept = newest(fitting)
    if fitting < len(whole):
        part = _part(whole[-fitting - 1], room - cost(kept) - HEAD, services)
        quoted = {quotation.stretch.message_id for quotation in quotations}
        if part and part.stretch.message_id not in quoted and cost([part, *kept]) <= room:
            kept = [part, *kept]
    return written(kept)


class Quotation(NamedTuple):
    """What is quoted of a message, or a line that quotes none."""

    stretch: Stretch
    places: tuple[Place, ...]


def _part(whole: Quotation, room: int, services: Services) -> Quotation | None:
    """Head and tail of a message in ``room`` tokens."""
    short = elide(whole.stretch.text, room, services.counter) if room >= SHORTEST_CUT else None
    return Quotation(whole.stretch, short.spans) if short else None


def _in_time_order(quotations: Iterable[Quotation], place: Mapping[str, int]) -> list[SummaryLine]:
    """As lines; one that quotes nothing stays behind the line before it."""
    placed, last = [], -1
    for quotation in quotations:
        last = place.get(quotation.stretch.message_id, last)
        placed.append((last, quotation))
    placed.sort(key=lambda item: item[0])
    return lines_of(Piece(q.stretch, start, end, (start, end)) for _, q in placed for start, end in q.places)


def _spans(lines: Iterable[SummaryLine]) -> dict[str, tuple[tuple[int, int], ...]]:
    found: dict[str, list[tuple[int, int]]] = {}
    for line in lines:
        for source in line.sources:
            if source.spans:
                found.setdefault(source.message_id, []).extend(source.spans)
    return {name: tuple(sorted(spans)) for name, spans in found.items()}
