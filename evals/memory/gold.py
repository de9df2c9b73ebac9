"""Gold facts as an extractor would hand them over, to measure the steps behind it alone."""

from __future__ import annotations

from dataclasses import replace
from typing import Final, Literal, cast

from evals.memory.scenarios import GoldFact, Scenario
from mnemo_lab.conversation import Message
from mnemo_lab.extraction.base import Fact
from mnemo_lab.memory.keys import slot_key
from mnemo_lab.text.sentences import sentence_at

ALWAYS: Final = "9999-12-31"


def stated(scenario: Scenario, beside: bool = False) -> list[tuple[str, Fact]]:
    """A gold fact's id and a fact for every message that states one, in the order in which they are said.

    Subject, attribute, category and polarity are the label's; the value is the longest accepted spelling that stands in
    the message; the sentence is the message's that holds it. What the label knows of later messages is not given:
    ``changes`` and ``former`` never; ``valid_from`` only where it is another day than that of the message; ``past`` and
    ``valid_to`` only where the label's end is not after the message's day, so that the message itself tells it as over.
    ``additive`` only with ``beside``: where the label lets several values of the slot stand at one time.
    """
    together = _standing_together(scenario) if beside else frozenset()
    found = []
    for talk in scenario.conversations:
        for message in talk.messages:
            said = [gold for gold in scenario.facts if message.id in gold.evidence]
            said.sort(key=lambda gold: message.text.find(spelling_in(gold, message.text)))
            found += [(gold.id, _fact(scenario, gold, message, gold.id in together)) for gold in said]
    return found


def spelling_in(gold: GoldFact, text: str) -> str:
    """The longest accepted spelling that stands in the text, else the label's value."""
    return max((one for one in gold.spellings if one in text), key=len, default=gold.value)


def _fact(scenario: Scenario, gold: GoldFact, message: Message, additive: bool) -> Fact:
    value = spelling_in(gold, message.text)
    at = message.text.find(value)
    low, high = sentence_at(message.text, at, at + len(value)) if at >= 0 else (0, len(message.text))
    day = (message.timestamp or "")[:10]
    fact = Fact(
        gold.category, gold.subject, gold.attribute, value, message.text[low:high], scenario.language, message.id,
        polarity=cast(Literal["positive", "negative"], gold.polarity), additive=additive,
        valid_from=gold.valid_from if gold.valid_from != day and message.id == gold.evidence[0] else None,
    )  # fmt: skip
    if gold.valid_to is not None and gold.valid_to <= day and message.id == gold.evidence[0]:
        return replace(fact, past=True, valid_to=gold.valid_to)
    return fact


def _standing_together(scenario: Scenario) -> frozenset[str]:
    """Facts of one slot and polarity whose times overlap, by the label."""
    found = set()
    for one in scenario.facts:
        for other in scenario.facts:
            same = slot_key(one.subject, one.attribute) == slot_key(other.subject, other.attribute)
            if one.id != other.id and same and one.polarity == other.polarity and _overlap(one, other):
                found.add(one.id)
    return frozenset(found)


def _overlap(one: GoldFact, other: GoldFact) -> bool:
    if other.id == one.replaced_by or one.id == other.replaced_by:
        return False
    return (one.valid_from or "") < (other.valid_to or ALWAYS) and (other.valid_from or "") < (one.valid_to or ALWAYS)
