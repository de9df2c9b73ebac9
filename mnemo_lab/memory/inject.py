"""Memories as a block of text: who the user is, what they prefer, and what fits the question, under caps.

The first two layers do not depend on the question and stand in the order in which they were recorded, so that the
block's beginning stays the same from turn to turn and a prompt cache keeps it.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from itertools import islice
from typing import Final, Literal, get_args

from mnemo_lab.errors import InvalidInput
from mnemo_lab.extraction.base import USER
from mnemo_lab.extraction.recalled import CLOSE_MEMORY, OPEN_MEMORY
from mnemo_lab.memory.consolidate import LOW_CONFIDENCE
from mnemo_lab.memory.decay import Decay
from mnemo_lab.memory.guard import QUARANTINED, SecretFilter, orders_the_model
from mnemo_lab.memory.item import MemoryItem
from mnemo_lab.memory.ranking import Ranked, Recalled
from mnemo_lab.memory.validity import begins
from mnemo_lab.memory.wording import WORDS
from mnemo_lab.text.language import language_of

Layer = Literal["about", "preference", "related"]
LAYERS: Final[tuple[Layer, ...]] = get_args(Layer)
Position = Literal["start", "middle", "end"]
POSITIONS: Final[tuple[Position, ...]] = get_args(Position)
Language = Literal["auto", "en", "zh"]
LANGUAGES: Final[tuple[Language, ...]] = get_args(Language)
TEMPLATE: Final = "{open}\n{rule}\n{lines}{close}\n"
_FIELDS: Final = ("open", "rule", "lines", "close")
PERSONAL: Final = ("user_info", "preference")
"""Categories of the layers that do not depend on the question."""
LONG: Final = 80
"""Characters of a sentence from which on a line gives its slot instead."""
_SIGNS: Final = str.maketrans({"<": "‹", ">": "›"})


@dataclass(frozen=True)
class Shape:
    """How many memories are shown, where and how.

    ``about`` and ``preferences``: most lines on the user (``user_info``) and of preferences, the strongest.
    ``related``: most lines that fit the question. ``total``: most lines altogether. ``position``: before the
    conversation, between its older and its newest turns, or behind it. ``template`` has the fields ``{open}``,
    ``{rule}``, ``{lines}`` and ``{close}``. ``language``: of headings, ``auto`` for that of the memories.
    """

    about: int = 6
    preferences: int = 6
    related: int = 10
    total: int = 18
    position: Position = "start"
    template: str = TEMPLATE
    language: Language = "auto"

    def __post_init__(self) -> None:
        for name in ("about", "preferences", "related", "total"):
            if getattr(self, name) < 0:
                raise InvalidInput(f"{name}={getattr(self, name)!r}; use a number of lines, 0 for none")
        if self.position not in POSITIONS:
            raise InvalidInput(f"position={self.position!r}; use one of {', '.join(POSITIONS)}")
        if self.language not in LANGUAGES:
            raise InvalidInput(f"language={self.language!r}; use one of {', '.join(LANGUAGES)}")
        try:
            shown = self.template.format(**dict.fromkeys(_FIELDS, "") | {"lines": "\0"})
        except (KeyError, IndexError, ValueError, AttributeError) as error:
            fields = ", ".join(f"{{{name}}}" for name in _FIELDS)
            raise InvalidInput(f"template {self.template!r}: {error!r}; its fields are {fields}") from error
        if "\0" not in shown:
            raise InvalidInput(f"template {self.template!r} has no {{lines}}, so no memory would be shown")


@dataclass(frozen=True, slots=True)
class Line:
    """A line of the block, or a heading (``item`` is ``None``); ends in a newline."""

    text: str
    layer: Layer
    item: MemoryItem | None = None


@dataclass(frozen=True, slots=True)
class Injection:
    """The block and what is in it. ``quarantined``: memories held back as orders to the model; ``hidden``: what decay
    kept from the question; ``left_out``: what found no room; ``secrets``: those filtered out of the lines, by kind."""

    text: str
    tokens: int
    lines: tuple[Line, ...] = ()
    hidden: tuple[Recalled, ...] = ()
    left_out: tuple[MemoryItem, ...] = ()
    quarantined: tuple[MemoryItem, ...] = ()
    secrets: Mapping[str, int] = field(default_factory=dict)

    @property
    def items(self) -> list[MemoryItem]:
        """The memories shown, in order."""
        return [line.item for line in self.lines if line.item is not None]


def injection_of(
    items: Sequence[MemoryItem],
    related: Ranked,
    now: datetime,
    tokens: int,
    count: Callable[[str], int],
    shape: Shape,
    decay: Decay,
    secrets: SecretFilter,
    replaced: Callable[[Collection[str]], Iterable[MemoryItem]],
) -> Injection:
    """``items`` are the living ones of ``PERSONAL``, ``replaced`` gives those whose place some ids took; ``count``
    gives the tokens of a text.

    Where not even the empty block fits ``tokens``, the text is empty.
    """
    barred = {item.id: item for item in (*items, *related.held) if QUARANTINED in item.flags}
    chosen = choose(items, related, now, shape, decay, barred)
    held = tuple(barred.values())
    words = WORDS[_language(chosen, shape)]
    there = [item.id for layer in LAYERS for item in chosen[layer]]
    before, found = Former(item for item in replaced(there) if not is_held(item)), dict(secrets.found)
    lines = _lines(chosen, before, words, secrets)
    frame = shape.template.format(open=OPEN_MEMORY, rule=words["rule"], lines="{lines}", close=CLOSE_MEMORY)
    room = tokens - count(frame.replace("{lines}", ""))
    shown, left_out = _fitting(lines, room, count)
    body = "".join(line.text for line in shown) or f"{words['empty']}\n"
    text = frame.replace("{lines}", body)
    while shown and count(text) > tokens:  # joined, lines may take a token more than one by one
        left_out = [*left_out, *(line.item for line in shown[-1:] if line.item is not None)]
        shown = shown[:-1]
        text = frame.replace("{lines}", "".join(line.text for line in shown) or f"{words['empty']}\n")
    if count(text) > tokens:
        return Injection("", 0, hidden=related.hidden, left_out=tuple(left_out), quarantined=held)
    fresh = {kind: number - found.get(kind, 0) for kind, number in secrets.found.items() if number > found.get(kind, 0)}
    return Injection(text, count(text), tuple(shown), related.hidden, tuple(left_out), held, fresh)


def choose(
    items: Sequence[MemoryItem],
    related: Ranked,
    now: datetime,
    shape: Shape,
    decay: Decay,
    barred: dict[str, MemoryItem],
) -> dict[Layer, list[MemoryItem]]:
    """The memories of each layer. Of a person the strongest, in the order in which they were recorded; related ones
    from the best on, without those that stand already. What would stand there and is an order is ``barred`` too."""
    left = shape.total

    def fits(item: MemoryItem) -> bool:  # asked of few only: among thousands it would take longer than all the rest
        if item.id not in barred and is_held(item):
            barred[item.id] = item
        return item.id not in barred

    chosen: dict[Layer, list[MemoryItem]] = {layer: [] for layer in LAYERS}
    personal: tuple[tuple[Layer, str, int], ...] = (
        ("about", "user_info", shape.about),
        ("preference", "preference", shape.preferences),
    )
    for layer, category, most in personal:
        pool = [
            (place, item) for place, item in enumerate(items) if item.category == category and item.status == "active"
        ]
        pool.sort(key=lambda pair: (-decay.strength(pair[1], now), pair[0]))
        best = islice((pair for pair in pool if fits(pair[1])), min(most, left))
        chosen[layer] = [item for _, item in sorted(best, key=lambda pair: pair[0])]
        left -= len(chosen[layer])
    there = {item.id for layer_items in chosen.values() for item in layer_items}
    behind = (item for item in related.items if item.id not in there and fits(item))
    chosen["related"] = list(islice(behind, min(shape.related, left)))
    return chosen


class Former:
    """What items replaced, by the item that took their place."""

    def __init__(self, items: Iterable[MemoryItem]) -> None:
        self._by: dict[str, list[MemoryItem]] = {}
        for item in items:
            if item.superseded_by is not None:
                self._by.setdefault(item.superseded_by, []).append(item)

    def of(self, item: MemoryItem) -> list[MemoryItem]:
        """The newest two it replaced, oldest first."""
        return sorted(self._by.get(item.id, ()), key=begins)[-2:]


def memory_line(item: MemoryItem, before: Former, words: Mapping[str, str], secrets: SecretFilter) -> str:
    """``- Drinks tea. [2026-04-10, 80% sure; before: coffee, until 2026-04-10]``: one line, marks of markup made
    harmless, secrets out."""
    stamp = [words["stamp"].format(day=(item.valid_from or item.created_at)[:10], confidence=item.confidence)]
    stamp += [words["until"].format(day=item.valid_to[:10])] if item.valid_to else []
    stamp += [words["order"]] if LOW_CONFIDENCE in item.flags else []
    stamp += [
        words["was"].format(value=old.value or old.content, day=(old.valid_to or item.created_at)[:10])
        for old in before.of(item)
    ]
    text = words["line"].format(content=said_in_short(item), stamp=words["and"].join(stamp))
    return secrets.clean(" ".join(text.split())).translate(_SIGNS) + "\n"


def said_in_short(item: MemoryItem) -> str:
    """The sentence as it was said; of a long one, which may hold several facts, subject, attribute and value."""
    if len(item.content) <= LONG or not (item.attribute and item.value):
        return item.content
    denied = {"en": "not ", "zh": "不是"}.get(item.language, "not ") if item.polarity == "negative" else ""
    slot = f"{item.attribute}: {denied}{item.value}"
    return slot if item.subject == USER else f"{item.subject}, {slot}"


def heading(layer: Layer, words: Mapping[str, str]) -> str:
    return f"## {words[layer]}\n"


def _lines(
    chosen: Mapping[Layer, Sequence[MemoryItem]], before: Former, words: Mapping[str, str], secrets: SecretFilter
) -> list[Line]:
    found = []
    for layer in LAYERS:
        if chosen[layer]:
            found.append(Line(heading(layer, words), layer))
        found += [Line(memory_line(item, before, words, secrets), layer, item) for item in chosen[layer]]
    return found


def _fitting(lines: Sequence[Line], room: int, count: Callable[[str], int]) -> tuple[list[Line], list[MemoryItem]]:
    """Lines in order while they fit, a heading only with a line below it; and the memories that did not fit.

    Where room is short, what fits the question has half of it kept free, so that the user's own facts never crowd it
    out; what it leaves goes to them.
    """
    costs = {id(line): count(line.text) for line in lines}
    heads = {line.layer: costs[id(line)] for line in lines if line.item is None}
    taken: set[int] = set()
    opened: set[Layer] = set()
    spent = 0

    def take(layers: Sequence[Layer], limit: int) -> None:
        nonlocal spent
        for line in lines:
            if line.item is None or line.layer not in layers or id(line) in taken:
                continue
            cost = costs[id(line)] + (0 if line.layer in opened else heads[line.layer])
            if cost <= limit - spent:
                taken.add(id(line))
                opened.add(line.layer)
                spent += cost

    wanted = sum(costs[id(line)] for line in lines if line.layer == "related")
    take(("about", "preference"), room - min(wanted, room // 2))
    take(("related",), room)
    take(LAYERS, room)
    shown = [line for line in lines if id(line) in taken or (line.item is None and line.layer in opened)]
    return shown, [line.item for line in lines if line.item is not None and id(line) not in taken]


def _language(chosen: Mapping[Layer, Sequence[MemoryItem]], shape: Shape) -> str:
    """That of the user's own layers, where there are some: headings then stay as they are from question to question."""
    items = [*chosen["about"], *chosen["preference"]] or chosen["related"]
    return shape.language if shape.language != "auto" else language_of(item.content for item in items)


def is_held(item: MemoryItem) -> bool:
    """Whether it is in quarantine, or reads like an order to the model in any part that may be shown."""
    said = (item.content, item.subject, item.attribute, item.value)
    return QUARANTINED in item.flags or orders_the_model("\n".join(said))
