"""How well statements are merged, and changed facts retired."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from evals.memory.matching import closeness
from evals.memory.scenarios import GoldFact, Scenario
from evals.memory.world import Remembered
from mnemo_lab.conversation import time_of
from mnemo_lab.memory.item import MemoryItem
from mnemo_lab.memory.validity import ends

MANY: Final = 9
"""Messages that state one fact in the longest paraphrase scenarios."""


@dataclass(frozen=True)
class Merged:
    """``right`` of ``merges`` joined statements of one gold fact; of ``again`` statements beyond a fact's first
    ``joined`` were merged with one of it. ``unjudged`` merges joined what is no gold fact with what is none."""

    right: int
    merges: int
    joined: int
    again: int
    unjudged: int


def merging(made: Remembered) -> Merged:
    of_item: dict[str, str | None] = {}
    seen: set[str] = set()
    right = merges = joined = again = unjudged = 0
    for statement in made.statements:
        is_again = statement.gold in seen
        is_right = False
        if statement.decision.action == "merge":
            known = of_item[statement.decision.before[0].id]
            is_right = known is not None and known == statement.gold
            if known is None and statement.gold is None:
                unjudged += 1
            else:
                merges, right = merges + 1, right + is_right
        else:
            of_item[statement.decision.after[-1].id] = statement.gold
        again, joined = again + is_again, joined + (is_again and is_right)
        seen |= {statement.gold} if statement.gold else set()
    return Merged(right, merges, joined, again, unjudged)


@dataclass(frozen=True)
class Paraphrased:
    """A fact stated nine times or more: active items that are it, and whether nothing else was merged into them."""

    scenario: str
    active: int
    apart: bool


def paraphrases(made: Remembered) -> list[Paraphrased]:
    of_item = gold_of_items(made)
    found = []
    for gold in (gold for gold in made.scenario.facts if len(gold.evidence) >= MANY):
        own = {id for id, name in of_item.items() if name == gold.id}
        active = sum(item.id in own and item.status == "active" for item in made.items)
        pairs = [(of_item[s.decision.before[0].id], s.gold) for s in made.statements if s.decision.action == "merge"]
        apart = all(a == b for a, b in pairs if gold.id in (a, b) and a is not None and b is not None)
        found.append(Paraphrased(made.scenario.id, active, apart))
    return found


@dataclass(frozen=True)
class Retired:
    """Items over by the last question: ``right`` of ``over`` matched ones are over by the label, of ``changes`` among
    matched facts ``right`` are over; ``both``: the same where the fact that replaces it was found too (``both_right``
    of ``both``). ``all_over``: unmatched items too, ``all_changes``: facts that were not found too. Items that another
    saying of their own fact replaced are passed over: they are missed merges, and nothing is lost with them."""

    right: int
    over: int
    changes: int
    both_right: int
    both: int
    all_over: int
    all_changes: int


def retiring(made: Remembered) -> Retired:
    scenario = made.scenario
    now = last_question(scenario)
    items = _without_reworded(made)
    pairs = matched(scenario, items)
    found = {gold.id for _, gold in pairs}
    over = [(item, gold) for item, gold in pairs if is_over(item, now)]
    changes = [(item, gold) for item, gold in pairs if has_ended(gold, now)]
    both = [(item, gold) for item, gold in changes if gold.replaced_by is None or gold.replaced_by in found]
    return Retired(
        sum(has_ended(gold, now) for _, gold in over),
        len(over),
        len(changes),
        sum(is_over(item, now) for item, _ in both),
        len(both),
        sum(is_over(item, now) for item in items),
        sum(has_ended(gold, now) for gold in scenario.facts),
    )


def _without_reworded(made: Remembered) -> list[MemoryItem]:
    of_item = gold_of_items(made)

    def is_reworded(item: MemoryItem) -> bool:
        own = of_item.get(item.id)
        return own is not None and item.superseded_by is not None and of_item.get(item.superseded_by) == own

    return [item for item in made.items if not is_reworded(item)]


def gold_of_items(made: Remembered) -> dict[str, str | None]:
    """The gold fact of the statement that made an item, by the item's id."""
    return {s.decision.after[-1].id: s.gold for s in made.statements if s.decision.action != "merge"}


def matched(scenario: Scenario, items: Sequence[MemoryItem]) -> list[tuple[MemoryItem, GoldFact]]:
    """One to one, so that the closeness of all pairs together is greatest."""
    import numpy as np
    from scipy.optimize import linear_sum_assignment

    if not items or not scenario.facts:
        return []
    close = np.array([[_close(gold, item) for gold in scenario.facts] for item in items])
    rows, columns = linear_sum_assignment(close, maximize=True)
    return [(items[r], scenario.facts[c]) for r, c in zip(rows, columns, strict=True) if close[r, c] > 0]


def _close(gold: GoldFact, item: MemoryItem) -> float:
    messages = {source.message for source in item.sources}
    return closeness(gold, messages=messages, subject=item.subject, value=item.value, polarity=item.polarity)


def is_over(item: MemoryItem, now: str) -> bool:
    """Retired, or with an end that has passed."""
    moment = time_of(now)
    return item.status == "outdated" or (moment is not None and ends(item) <= moment)


def has_ended(gold: GoldFact, now: str) -> bool:
    """Replaced, or with an end that has passed."""
    return gold.replaced_by is not None or (gold.valid_to is not None and gold.valid_to <= now[:10])


def last_question(scenario: Scenario) -> str:
    """When the last question is asked, or else the last message written."""
    said = [message.timestamp or "" for talk in scenario.conversations for message in talk.messages]
    return max((probe.asked_at for probe in scenario.probes), default=max(said, default=""))
