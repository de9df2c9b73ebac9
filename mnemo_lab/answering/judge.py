"""The judge: a language model that says whether an answer means the same as the gold answer."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from hashlib import blake2b
from typing import Final, Literal, NamedTuple

from mnemo_lab.conversation import Message
from mnemo_lab.language_models.base import Completion
from mnemo_lab.language_models.reading import without_thoughts
from mnemo_lab.services import Services
from mnemo_lab.text.language import language_of

Verdict = Literal["correct", "wrong", "unreadable"]
PROMPT_VERSION: Final = 1
TASK: Final = "judge"
SHORTEST: Final = 16
"""Tokens a verdict may take at least, however short the answers are."""
ASK: Final = {
    "en": "You grade an answer to a question about a conversation that you do not see.\n\nQuestion: {question}\n"
    "Right answer: {golds}\nGiven answer: {answer}\n\nIf the given answer says what the right answer says, in whatever "
    "words, reply CORRECT. If it says something else, leaves a part out or does not say, reply WRONG. Reply with that "
    "one word.",
    "zh": "请批改一个关于某段对话的问题的回答，对话本身你看不到。\n\n问题：{question}\n正确答案：{golds}\n"
    "给出的回答：{answer}\n\n"
    "如果给出的回答与正确答案意思相同（说法不同也可以），请回复“正确”。如果意思不同、有遗漏或没有回答，请回复“错误”。"
    "只回复这一个词。",
}
OR: Final = {"en": " (or: {})", "zh": "（或：{}）"}
_WRONG: Final = re.compile(
    r"\b(?:not\s+(?:\w+\s+)?correct|isn['’]t\s+correct|incorrect|wrong)\b|不正确|不对|错误|^错\W*$", re.IGNORECASE
)
_CORRECT: Final = re.compile(r"\bcorrect\b|正确|^对\W*$", re.IGNORECASE)


class Judgement(NamedTuple):
    """A verdict and the completion that it was read from."""

    verdict: Verdict
    completion: Completion


def judge(question: str, golds: Sequence[str], answer: str, services: Services, max_tokens: int) -> Judgement:
    """Ask the services' language model; raises ``LanguageModelError``."""
    language = language_of([question])
    more = OR[language].format("; ".join(golds[1:])) if golds[1:] else ""
    text = ASK[language].format(question=question, golds=f"{golds[0]}{more}", answer=" ".join(answer.split()))
    done = services.ask([Message("user", text)], max(max_tokens, SHORTEST), TASK)
    return Judgement(read_verdict(done.text), done)


def read_verdict(text: str) -> Verdict:
    """The verdict in a judge's reply: of the whole, else of its last line; both or neither is ``unreadable``."""
    bare = without_thoughts(text).strip()
    for part in (bare, *bare.splitlines()[-1:]):
        rest, wrong = _WRONG.subn(" ", part)
        correct = len(_CORRECT.findall(rest))
        if bool(wrong) != bool(correct):
            return "wrong" if wrong else "correct"
    return "unreadable"


def verdict_key(judge_fingerprint: str, max_tokens: int, question: str, golds: Sequence[str], answer: str) -> str:
    """The content address of one verdict: equal answers of two strategies are judged once."""
    parts = [PROMPT_VERSION, judge_fingerprint, max(max_tokens, SHORTEST), question, list(golds), answer]
    return blake2b(json.dumps(parts).encode(), digest_size=16).hexdigest()
