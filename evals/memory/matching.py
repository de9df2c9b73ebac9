"""When a found fact is a gold fact: said in one of its messages, of the same subject, with the same value."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Collection
from typing import Final

from evals.memory.scenarios import GoldFact
from mnemo_lab.extraction.base import USER
from mnemo_lab.text.language import CJK

ENOUGH: Final = 0.5
"""Least F1 of the words of a found value against the best spelling of the gold one: half of it may be too much."""
PERSONAL: Final = ("preference", "user_info")
_WORD: Final = re.compile(rf"[{CJK}]|[^\W_{CJK}]+")


def closeness(gold: GoldFact, *, messages: Collection[str], subject: str, value: str, polarity: str) -> float:
    """F1 of the values (0 to 1); 0 where message, subject or polarity is another.

    Of what concerns a person it must be told apart whether that is the user.
    """
    if not set(messages) & set(gold.evidence) or polarity != gold.polarity:
        return 0.0
    if gold.category in PERSONAL and (gold.subject == USER) != (subject == USER):
        return 0.0
    best = max(word_f1(value, spelling) for spelling in gold.spellings)
    return best if best >= ENOUGH else 0.0


def word_f1(found: str, gold: str) -> float:
    """F1 over words (Chinese: characters), as in SQuAD."""
    a, b = (Counter(_WORD.findall(unicodedata.normalize("NFKC", text).casefold())) for text in (found, gold))
    common = (a & b).total()
    return 2 * common / (a.total() + b.total()) if common else 0.0
