"""``extractive``: what is said, taken from the messages themselves."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Final

from mnemo_lab.conversation import Message
from mnemo_lab.hydration.describers.base import Description
from mnemo_lab.services import Services
from mnemo_lab.text.key_terms import key_terms
from mnemo_lab.text.words import words

SUMMARY_TOKENS: Final = 80
KEYWORDS: Final = 12


class ExtractiveDescriber:
    """Needs no model. A placeholder of its final form: opening, keywords by frequency, identifiers."""

    name = "extractive"

    def __init__(self, services: Services) -> None:
        self._services = services

    def describe(self, messages: Sequence[Message]) -> Description:
        opening = next((m.text for m in messages if m.role == "user" and m.text.strip()), "")
        counts = Counter(term for message in messages for term in words(message.text) if len(term) > 1)
        terms = sorted({term for message in messages for term in key_terms(message.text)})
        return Description(
            summary=self._services.counter.head(opening, SUMMARY_TOKENS),
            keywords=tuple(term for term, _ in counts.most_common(KEYWORDS)),
            entities={"identifier": tuple(terms)} if terms else {},
            intent=opening[:200],
            describer=self.name,
        )
