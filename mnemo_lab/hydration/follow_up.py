"""Questions that only make sense after what was just said ("what about that budget?", 那预算呢)."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Final

from mnemo_lab.context import Query
from mnemo_lab.conversation import Message
from mnemo_lab.history import History
from mnemo_lab.language_models.errors import LanguageModelError
from mnemo_lab.language_models.reading import without_thoughts
from mnemo_lab.services import Services
from mnemo_lab.text.language import language_of

_OPENING: Final = re.compile(
    r"^\s*(?:(?:and|so|but|ok(?:ay)?|then)[,\s]+)?(?:what|how) about\b"
    r"|^\s*(?:and|but)\b[^?？]{0,40}[?？]?\s*$|^\s*so\b(?:\W+\w+){1,3}\W*$"
    r"|^\s*(?:why(?: not)?|how(?: so| come| much| many)?|(?:since )?when|where|who|which one|like what|what else|"
    r"anything else|any others?)\s*\??\s*$",
    re.IGNORECASE,
)
_ASKING: Final = "什么|啥|谁|哪|多少|几[个次天点号年月时]|怎|为何|如何|吗|是不是|有没有"
_THIS: Final = "这(?!种|次|里|边|[个本]?(?:周|月|年|季度|天|星期|礼拜|几|两|三))"
_OPENING_ZH: Final = re.compile(
    rf"^\s*(?:那么?|还有|然后)?(?:[它他她]|{_THIS}|刚才|刚刚|上面|前者|后者)|^\s*那(?!么)"
    rf"|^(?!.*(?:{_ASKING}))[^，。；]{{1,12}}呢\s*[？?]?\s*$"
    r"|^\s*(?:为什么|怎么(?:说|办|样|了)?|什么时候|多少钱?|哪(?:个|里|天|些|位)|谁|还有(?:什么|吗|别的吗)?)呢?\s*[？?]?\s*$"
)
_THING: Final = r"(?:it|that|this|those|these|the (?:same|other) one)"
_PERSON: Final = r"(?:them|they|he|she|him|her)"
_ASKED: Final = r"^\W*(?:[\w’']+\s+){0,2}(?:is|was|are|were|does|did|do|has|have|can|could|will|would|should)\s+"
_REFERRING: Final = re.compile(rf"\b{_THING}\s*[?.!]*\s*$|{_ASKED}{_THING}\b", re.IGNORECASE)
_TO_SOMEBODY: Final = re.compile(rf"\b{_PERSON}\s*[?.!]*\s*$|{_ASKED}{_PERSON}\b", re.IGNORECASE)
_NAME: Final = re.compile(r"(?<=\S\s)[A-Z][a-z]+")
SHORT: Final = 8
"""Words up to which a question that ends in a pronoun, or asks about one, leans on the turns before."""
REWRITE: Final = {
    "en": "Rewrite the last question so that it can be understood without the conversation. Keep names, dates and "
    "numbers. Reply with the question alone.",
    "zh": "把最后一个问题改写成不看对话也能明白的问题，保留人名、日期和数字。只输出问题本身。",
}
TASK: Final = "rewrite"
LONGEST: Final = 96
"""Tokens of a rewritten question."""


def is_follow_up(text: str) -> bool:
    """Whether a question needs what was said before it; judged by its opening and by short questions about a pronoun.

    A pronoun that may stand for somebody the question names ("what did Gina's family give her") is not enough.
    """
    if _OPENING.search(text) or _OPENING_ZH.search(text):
        return True
    if len(text.split()) > SHORT:
        return False
    return bool(_REFERRING.search(text) or (_TO_SOMEBODY.search(text) and not _NAME.search(text)))


def retrieval_query(query: Query, history: History, services: Services, follow_up: bool, rewrite: bool) -> Query:
    """The question as it is searched: with the user's last message where it follows up, or rewritten by the model.

    A model that fails or says nothing leaves the question as it would be searched without one; the ledger counts that
    as fallen back. Raises what is more than one failed request, such as a cassette without this answer.
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
        said = without_thoughts(services.ask(asked, LONGEST, TASK).text).strip()
    except LanguageModelError:
        said = ""
    if not said:
        services.ledger.of(services.language_model.name, TASK).fell_back += 1
    return said
