"""The terms of a text that must not be lost: numbers, identifiers and names."""

from __future__ import annotations

import re
from typing import Final

from mnemo_lab.text.language import CJK

_TOKEN: Final = re.compile(rf"[^\W{CJK}]+(?:[._/:@#-][^\W{CJK}]+)*")
_GLUE: Final = rf"[^\W{CJK}]"
_NAME: Final = re.compile(r"(?<![.!?]\s)(?<!^)\b[A-Z][a-z]+(?:\s[A-Z][a-z]+)*")


def key_terms(text: str) -> set[str]:
    """Numbers, identifiers (letters with digits, dots, slashes, underscores, camel case) and capitalised names
    inside sentences, case-folded."""
    found = {token.casefold() for token in _TOKEN.findall(text) if _telling(token)}
    return found | {name.casefold() for name in _NAME.findall(text)}


def stands_in(folded: str, term: str) -> bool:
    """Whether a case-folded text has the term as a whole: ``543`` does not stand in ``5433``, Chinese may adjoin."""
    return re.search(rf"(?<!{_GLUE}){re.escape(term)}(?!{_GLUE})", folded) is not None


def _telling(token: str) -> bool:
    has_digit = any(c.isdigit() for c in token)
    return has_digit or bool(re.search(r"[._/@#]|[a-z][A-Z]", token)) or (len(token) > 1 and token.isupper())
