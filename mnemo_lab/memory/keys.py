"""What counts as the same subject, attribute or sentence: one function for writing and for asking."""

from __future__ import annotations

import re
import unicodedata
from typing import Final

_GAP: Final = re.compile(r"[\W_]+")
_ARTICLE: Final = re.compile(r"^(?:the|a|an|my|our|your|his|her|their) ")


def normal(text: str) -> str:
    """Full-width forms, case, punctuation and runs of blanks made equal; empty only where there is no letter."""
    plain = unicodedata.normalize("NFKC", text).casefold()
    return _GAP.sub(" ", plain).strip() or plain.strip()


def content_key(content: str) -> str:
    """Equal for sentences that differ in case, punctuation or blanks only."""
    return normal(content)


def slot_key(subject: str, attribute: str) -> str:
    """Equal for "The Billing Service" and "billing service"."""
    return f"{_ARTICLE.sub('', normal(subject))}\x1f{_ARTICLE.sub('', normal(attribute))}"
