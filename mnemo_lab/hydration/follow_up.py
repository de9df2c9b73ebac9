"""Questions that only make sense after what was just said ("what about that budget?", 那预算呢)."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Final

from mnemo_lab.context import Query
from mnemo_lab.conversation import Message
from mnemo_lab.errors import MnemoError
from mnemo_lab.history import History
from mnemo_lab.services import Services
from mnemo_lab.text.language import language_of

_OPENING: Final = re.compile(
    r"^\s*(?:(?:and|so|but|ok(?:ay)?|then)[,\s]+)?(?:what|how) about\b|^\s*(?:and|so|but)\b[^?？]{0,40}[?？]?\s*$"
    r"|^\s*(?:why|how so|since when|which one|like what|what else)\s*\??\s*$"
    r"|^\s*那[^么里边儿]|^\s*(?:它|这个|那个|这些|那些|刚才)|^[^，。；]{1,12}呢\s*[？?]?\s*$",
    re.IGNORECASE,
)
_PRONOUN: Final = r"(?:it|that|this|those|these|them|they|he|she|him|her|the (?:same|other) one)"
_REFERRING: Final = re.compile(
    rf"\b{_PRONOUN}\s*[?.!]*\s*$|^\W*(?:\w+\s+)?(?:is|was|are|were|does|did|do|has|can|could|will|would|should)\s+"
    rf"{_PRONOUN}\b",
    re.IGNORECASE,
)
SHORT: Final = 8
"""Words up to which a question that ends in a pronoun, or asks about one, leans on the turns before."""
REWRITE: Final = {
    "en": "Rewrite the last question so that it can be understood without the conversation. Keep names, dates and "
    "numbers. Reply with the question alone.",
    "zh": "把最后一个问题改写成不看对话也能明白的问题，保留人名、日期和数字。只输出问题本身。",
}
LONGEST: Final = 96
"""Tokens of a rewritten question."""


def is_follow_up(text: str) -> bool:
    """Whether a question needs what was said before it; judged by its opening and by short questions about a pronoun.

    A pronoun that stands for somebody named in the question itself ("when did Gina get her tattoo") is not enough.
    """
    if _OPENING.search(text):
        return True
    return len(text.split()) <= SHORT and _REFERRING.search(text) is not None


def retrieval_query(query: Query, history: History, services: Services, follow_up: bool, rewrite: bool) -> Query:
    """The question as it is searched: with the user's last message where it follows up, or rewritten by the model.

    A model that fails or says nothing leaves the question as it would be searched without one; the ledger says so.
    """
    last = next((m for m in reversed(history.messages) if m.role == "user" and m.text.strip()), None)
    if last is None or not (follow_up or rewrite) or not is_follow_up(query.text):
        return query
    if rewrite:
        said = _rewritten(query, history, services)
        if said:
            return replace(query, text=said)
    return replace(query, text=f"{last.text}\n{query.text}")


def _rewritten(query: Query, history: History, services: Services) -> str:
    turns = [m for m in history.messages[-6:] if m.role in ("user", "assistant") and m.text.strip()]
    task = REWRITE["zh" if language_of([query.text]) == "zh" else "en"]
    asked = [Message("system", task), *(Message(m.role, m.text[:2000]) for m in turns), Message("user", query.text)]
    try:
        return services.ask(asked, LONGEST, "rewrite").text.strip()
    except MnemoError:
        return ""
