"""What a cut did to a conversation: what is sent of it, what is lost and why, and what that costs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from html import escape
from itertools import takewhile
from math import isnan
from typing import Any, Final

from mnemo_lab.context import CLOSE_QUOTE, OPEN_QUOTE, Context, Piece
from mnemo_lab.conversation import Message
from mnemo_lab.errors import InvalidInput
from mnemo_lab.history import History
from mnemo_lab.ledger import Ledger
from mnemo_lab.losses import Loss, count_by_code, loss
from mnemo_lab.packing.lines import undated_line
from mnemo_lab.tokens.counter import PER_CALL, TokenCounter
from mnemo_lab.units import parse_units

COMPONENTS: Final = tuple("system_prompt system user assistant tool_calls tool_results notes summary other".split())
"""What tokens are spent on: messages by role (calls apart from the assistant's text), and what a strategy adds."""
SUMMARY_TASK: Final = "summary"


@dataclass(frozen=True, slots=True)
class Summarising:
    """What was done for a summary. ``ran``: the context holds one. ``fell_back``: answers that could not be used, and
    ``reasons`` why. ``dollars`` is NaN where a model's price is not known."""

    ran: bool
    models: tuple[str, ...] = ()
    calls: int = 0
    failed: int = 0
    fell_back: int = 0
    reasons: tuple[str, ...] = ()
    input_tokens: int = 0
    output_tokens: int = 0
    dollars: float = 0.0


@dataclass(frozen=True)
class CutReport:
    """Every observed message is in one of ``whole``, ``in_part``, ``represented`` (ids in time order) and ``lost`` (its
    ``message_id`` and why). ``before`` and ``after``: tokens by component. ``cached_prefix``: tokens of the unchanged
    beginning, where a context before was given. ``losses``: whatever else the context lists."""

    whole: tuple[str, ...]
    in_part: tuple[str, ...]
    represented: tuple[str, ...]
    lost: tuple[Loss, ...]
    before: Mapping[str, int]
    after: Mapping[str, int]
    budget: int
    summarising: Summarising
    cached_prefix: int | None = None
    losses: tuple[Loss, ...] = ()

    @property
    def tokens_before(self) -> int:
        return sum(self.before.values())

    @property
    def tokens_after(self) -> int:
        return sum(self.after.values())

    @property
    def over_budget(self) -> bool:
        return self.tokens_after > self.budget

    def as_dict(self) -> dict[str, Any]:
        """JSON values; every lost message and every loss with its sentence in both languages."""
        done = self.summarising
        tokens = {k: {"total": sum(v.values()), **v} for k, v in (("before", self.before), ("after", self.after))}
        return {
            "kept_whole": list(self.whole),
            "kept_in_part": list(self.in_part),
            "represented": list(self.represented),
            "lost": [_row(item) for item in self.lost],
            "tokens": tokens,
            "budget": self.budget,
            "over_budget": self.over_budget,
            "cached_prefix": self.cached_prefix,
            "summarising": {
                **asdict(done),
                "models": list(done.models),
                "reasons": list(done.reasons),
                "dollars": None if isnan(done.dollars) else done.dollars,
            },
            "losses": [_row(item) for item in self.losses],
        }

    def __str__(self) -> str:
        return "\n".join(self._lines())

    def _lines(self) -> Iterator[str]:
        kept, flag = len(self.whole) + len(self.in_part), " (OVER BUDGET)" if self.over_budget else ""
        observed = kept + len(self.represented) + len(self.lost)
        part = f" ({len(self.in_part)} in part)" if self.in_part else ""
        yield f"{kept} of {observed} messages kept{part}, {len(self.represented)} represented, {len(self.lost)} lost"
        for code, count in count_by_code(self.lost).items():
            example = next(item for item in self.lost if item.code == code)
            yield f"  {count} lost: {example.sentence()}"
        yield f"tokens: {self.tokens_before:,} before, {self.tokens_after:,} after, budget {self.budget:,}{flag}"
        for name in COMPONENTS:
            if self.before[name] or self.after[name]:
                yield f"  {name.replace('_', ' ')}: {self.before[name]:,} before, {self.after[name]:,} after"
        if self.cached_prefix is not None:
            yield f"unchanged beginning: {self.cached_prefix:,} tokens"
        done = self.summarising
        if done.ran or done.calls or done.failed:
            cost = "price unknown" if isnan(done.dollars) else f"${done.dollars:.4f}"
            who = ", ".join(done.models) or "no model"
            yield f"summary: {'sent' if done.ran else 'not sent'}; {who}, {done.calls} calls, {cost}"
            yield from (f"  fell back: {reason}" for reason in done.reasons)

    def _repr_html_(self) -> str:
        return f"<pre style='white-space:pre-wrap'>{escape(str(self))}</pre>"


def cut_report(
    observed: Sequence[Message] | History,
    context: Context,
    ledger: Ledger | None = None,
    previous: Context | None = None,
    system_prompt: str | None = None,
) -> CutReport:
    """Compare a context with what was observed.

    ``ledger`` says what summaries cost, ``previous`` is the context sent before this one. ``system_prompt`` is the
    conversation's own; without it that of the history, else the context's. Raises ``InvalidInput`` where messages
    have no ids of their own.
    """
    messages = observed.messages if isinstance(observed, History) else observed
    own_prompt = observed.system_prompt if isinstance(observed, History) else context.system_prompt
    counter = context.budget.counter
    if isinstance(observed, History):
        costs = [observed.chat(position).tokens for position in range(len(observed))]
    else:
        costs = list(map(counter.message, observed))
    tokens = {message.id: cost for message, cost in zip(messages, costs, strict=True)}
    if len(tokens) < len(messages) or "" in tokens:
        raise InvalidInput("a cut report needs messages with ids of their own; give each message another id")
    before = _empty(system_prompt or own_prompt, counter)
    for message in messages:
        before.update(_by_role(message, tokens[message.id], counter))
    kept, represented = _sent(messages, context)
    return CutReport(
        whole=tuple(name for name, whole in kept.items() if whole),
        in_part=tuple(name for name, whole in kept.items() if not whole),
        represented=represented,
        lost=tuple(_lost(messages, {*kept, *represented}, context, tokens)),
        before=dict(before),
        after=_after(messages, context),
        budget=context.budget.tokens,
        summarising=_summarising(context, ledger),
        cached_prefix=None if previous is None else cached_prefix(previous, context),
        losses=context.losses,
    )


def _row(item: Loss) -> dict[str, Any]:
    return {"id": item.message_id, "code": item.code, "en": item.sentence("en"), "zh": item.sentence("zh")}


def _sent(messages: Sequence[Message], context: Context) -> tuple[dict[str, bool], tuple[str, ...]]:
    """In time order: the messages of which something is sent verbatim, and whether that is all; those represented."""
    spans: dict[str, list[tuple[int, int]]] = {}
    cut = {source.message_id for piece in context.pieces if piece.elided for source in piece.sources}
    for source in context.sources:
        spans.setdefault(source.message_id, []).extend(source.spans)
    by_id = {message.id: message for message in messages}
    full = {s.message_id for p in context.pieces for s in p.sources if _complete(p, by_id.get(s.message_id))} - cut
    kept = {m.id: m.id in full and _covers(spans[m.id], len(m.text)) for m in messages if spans.get(m.id)}
    return kept, tuple(m.id for m in messages if m.id in spans and m.id not in kept)


def _complete(piece: Piece, whole: Message | None) -> bool:
    """Whether a piece has all calls and attachments of its message, as a summary may not that quotes all its text."""
    if whole is None or not (whole.tool_calls or whole.attachments):
        return True
    if (sent := piece.message) is not None and sent.id == whole.id:
        return (sent.tool_calls, sent.attachments) == (whole.tool_calls, whole.attachments)
    return not whole.attachments and undated_line(whole).rstrip() in piece.text


def _covers(spans: Sequence[tuple[int, int]], length: int) -> bool:
    reached = 0
    for start, end in sorted(spans):
        if start > reached:
            return False
        reached = max(reached, end)
    return reached >= length


def _lost(messages: Sequence[Message], sent: set[str], context: Context, tokens: Mapping[str, int]) -> Iterator[Loss]:
    """Why each message is not sent: what the context says of it, else what it is, else what its strategy drops."""
    said = {item.message_id: item for item in context.losses}
    head = list(takewhile(lambda message: message.role == "system", messages))
    room = context.budget.tokens - sum(_empty(context.system_prompt, context.budget.counter).values())
    room = max(room - sum(tokens[message.id] for message in head if message.id in sent), 0)
    code = "scored_lower" if context.candidates is not None else context.drop_code
    for unit in parse_units(messages):
        names = [messages[position].id for position in unit.positions]
        cost = sum(tokens[name] for name in names)
        for name in names:
            if name in sent:
                continue
            if name in said:
                yield said[name]
            elif unit.kind == "orphan":
                yield loss("orphan_left_out", message_id=name)
            elif cost > room:
                yield loss("too_long", message_id=name, tokens=cost, room=room)
            else:
                yield loss(code, message_id=name, budget=context.budget.tokens)


def _after(messages: Sequence[Message], context: Context) -> dict[str, int]:
    found, counter = _empty(context.system_prompt, context.budget.counter), context.budget.counter
    by_id = {message.id: message for message in messages}
    for piece in context.pieces:
        message = _native(piece, context, by_id)
        if message is None or context.rendering == "transcript":
            found[_added(piece) if message is None else _component(message)] += piece.tokens
        else:
            found.update(_by_role(message, piece.tokens, counter))
    found["other"] += context.tokens - found.total()  # the marks of a quoted block
    return dict(found)


def _native(piece: Piece, context: Context, by_id: Mapping[str, Message]) -> Message | None:
    """The message a piece is, whole or shortened; ``None`` for what a strategy added."""
    if len(piece.sources) != 1 or piece.sources[0].via != "verbatim":
        return None
    name = piece.sources[0].message_id
    if context.rendering == "chat":
        return piece.message if piece.message is not None and piece.message.id == name else None
    return by_id.get(name)


def _added(piece: Piece) -> str:
    if not piece.sources:
        return "notes"
    return "other" if all(source.via == "memory" for source in piece.sources) else "summary"


def _by_role(message: Message, tokens: int, counter: TokenCounter) -> dict[str, int]:
    calls = sum(PER_CALL + counter.count(call.name) + counter.count(call.arguments) for call in message.tool_calls)
    return {_component(message): tokens - calls, "tool_calls": calls}


def _component(message: Message) -> str:
    return "tool_results" if message.role == "tool" else message.role


def _empty(system_prompt: str | None, counter: TokenCounter) -> Counter[str]:
    prompt = counter.message(Message("system", system_prompt)) if system_prompt else 0
    return Counter({**dict.fromkeys(COMPONENTS, 0), "system_prompt": prompt})


def _summarising(context: Context, ledger: Ledger | None) -> Summarising:
    ran = any(source.via in ("summary", "checkpoint") for source in context.sources)
    rows = [row for row in (ledger.table() if ledger else ()) if row["task"] == SUMMARY_TASK]
    reasons = (dict(item.values)["reason"] for item in context.losses if item.code == "summary_fell_back")
    sums = {
        name: sum(row[name] for row in rows)
        for name in ("calls", "failed", "fell_back", "input_tokens", "output_tokens", "dollars")
    }
    return Summarising(ran, tuple(dict.fromkeys(row["model"] for row in rows)), reasons=tuple(reasons), **sums)


def cached_prefix(previous: Context, now: Context) -> int:
    """Tokens at the beginning of ``now`` that stood there in ``previous``, so that a vendor's prompt cache may hold
    them: whole messages, and inside a transcript's quoted block the lines and tokens before the first that differs."""
    if previous.system_prompt != now.system_prompt or previous.rendering != now.rendering:
        return 0
    counter = now.budget.counter
    pairs = zip(previous.pieces, now.pieces, strict=False)
    same = list(takewhile(lambda pair: _as_sent(pair[0]) == _as_sent(pair[1]), pairs))
    tokens = sum(piece.tokens for _, piece in same)
    tokens += counter.message(Message("system", now.system_prompt)) if now.system_prompt else 0
    if now.rendering == "chat" or not (previous.pieces and now.pieces):
        return tokens
    if len(same) == len(previous.pieces) == len(now.pieces):
        return tokens + counter.message(Message("user", f"{OPEN_QUOTE}{CLOSE_QUOTE}"))
    rest = [
        context.pieces[len(same)].text if len(same) < len(context.pieces) else CLOSE_QUOTE
        for context in (previous, now)
    ]
    codes = zip(*map(counter.encode, rest), strict=False)
    return tokens + counter.count(OPEN_QUOTE) + sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], codes))


def _as_sent(piece: Piece) -> tuple[object, ...]:
    """What a vendor sees of a piece: neither ids of messages nor times."""
    message = piece.message
    if message is None:
        return (piece.text,)
    calls = [(call.id, call.name, call.arguments) for call in message.tool_calls]
    return (message.role, message.text, message.name, calls, message.tool_call_id, message.attachments)
