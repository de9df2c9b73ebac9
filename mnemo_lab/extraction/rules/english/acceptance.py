"""A short yes to what the assistant proposed: then the value stands in the message before."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from mnemo_lab.conversation import Message
from mnemo_lab.extraction.rules.english.lexicon import attribute_of, kinds_of
from mnemo_lab.extraction.rules.english.scene import PROJECT, Draft, is_name, slot_of
from mnemo_lab.extraction.rules.english.values import ASIDE, cut, lows, named, single
from mnemo_lab.extraction.rules.english.words import sentences

_YES: Final = re.compile(
    r"(?:(?:yes|yeah|yep|ok|okay|great|perfect|agreed|deal|sure|alright|good|right|fine|sold)\b[\s,.!:–—-]*)*"
    r"(?:(?:let['’]?s (?:go|do|use|take|stick|run)|(?:we|i)['’]ll (?:go|take|use|do)|go)(?: with)? (?:that|it|this)"
    r"(?: one)?|that['’]s decided|decided|it['’]s settled|settled|agreed|deal)\b[^?]{0,40}$",
    re.IGNORECASE,
)
_PROPOSAL: Final = frozenset("suggest recommend use choose pick try go consider propose".split())
_LONGEST_YES: Final = 90


def accepted(text: str, before: Sequence[Message]) -> Iterator[Draft]:
    """The one thing that the assistant's last message proposed, where ``text`` is a short yes to it."""
    if len(text) > _LONGEST_YES or not before or before[-1].role != "assistant" or not _YES.match(text.strip()):
        return
    proposed = [found for found in _proposals(before[-1].text) if found]
    if len(proposed) != 1:
        return
    value, attribute = proposed[0]
    yield Draft("decision", attribute, value, PROJECT, importance=4, changes=True, confidence=0.65)


def _proposals(text: str) -> Iterator[tuple[str, str] | None]:
    for sentence in sentences(text):
        for place, word in enumerate(sentence.words[:-1]):
            if word.low not in _PROPOSAL or sentence.mark == "?":
                continue
            after = sentence.words[place + 1 :]
            after = after[1:] if after[0].low in ("with", "for", "using", "on") else after
            value = single(cut(after, ASIDE))
            if value and len(value) < 6 and (is_name(value[0]) or kinds_of(named(value))):
                kind = next(iter(kinds_of(named(value))), "")
                known = attribute_of(lows(value), False)
                attribute = slot_of(kind) if kind else known[1] if known else "choice"
                yield text[value[0].start : value[-1].end], attribute
            break
