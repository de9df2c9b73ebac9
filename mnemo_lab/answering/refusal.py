"""Whether an answer says that it does not know, in English and Chinese."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from mnemo_lab.answering.scores import clean, contains_answer

_DENIALS: Final = frozenset({"no", "not", "none", "never", "unknown", "不", "没", "没有", "无", "否", "未知"})
"""Gold answers that a refusal holds without giving them."""
_NOT: Final = r"(?:\s+not|\s+never|n['’]?t)"
_TOLD: Final = (
    "(?:mentioned|specified|stated|provided|given|recorded|known|indicated|disclosed|revealed|discussed|said)"
)
_SOURCE: Final = (
    r"(?:it|this|(?:the\s+)?(?:\w+\s+)?(?:conversation|history|context|text|chat|transcript|messages?|information))"
)
_ENDS: Final = (
    r"(?=\W*$|\s*[,;:]|\s+(?:of|about|on|for|in|from|to|that|which|regarding|concerning|given|available|provided|here"
    r")\b)"
)
"""What may follow ``information``, so that ``record label`` is none."""
_DATA: Final = (
    r"(?:(?:[\w'’]+\s+){0,3}?(?:information|info|mention|records?|details?|answers?|context|knowledge|data|memory"
    rf"|access|idea|clue){_ENDS})"
)
_ASKED: Final = (
    rf"(?:(?=\W*$|\s*[,;:])|\s+(?:it|that|this|what|who|whom|whose|when|where|which|why|how|whether|if|from|based"
    rf"|(?:for|with)\s+(?:sure|certain\w*)|(?:the|your)\s+question|{_DATA}))"
)
"""What may follow ``cannot say``, so that ``cannot say no`` is none."""
_ENGLISH: Final = re.compile(
    rf"""\bi\s+(?:really\s+|just\s+)?(?:do{_NOT}|dont)\s+(?:know\b(?!\s+how\s+to)|recall|remember|have\s+{_DATA}|(?:see|find){_ASKED})
    |\bi\s*(?:am|['’]?m)\s+(?:not\s+(?:sure|certain|aware)|unable|unsure)
    |\b(?:i|we|it|one)\s+(?:can\s?|could)(?:not|{_NOT})\s+(?:be\s+(?:known|answered|said|told|determined|found)\b|determine\b|(?:know|answer|say|tell(?:\s+you)?|find|see){_ASKED})
    |\bcan(?:['’]?t|not)\s+(?:be\s+(?:known|answered|said|told|determined|found)\b|determine\b|(?:know|answer|say|tell(?:\s+you)?){_ASKED})
    |\b(?:is|are|was|were|has\s+been)(?:{_NOT})\s+(?:\w+\s+)?{_TOLD}\b
    |\b(?:is|are|was|were)(?:{_NOT})\s+found\s+in\s+{_SOURCE}
    |^(?:{_SOURCE}\s+(?:is|was|could|can)\s*)?not\s+(?:be\s+)?found(?:\W*$|\s+in\b)
    |\b{_SOURCE}\s+(?:\w+\s+)?(?:does|do|did)(?:{_NOT})\s+(?:\w+\s+)?(?:mention|specify|state|provide|contain|include|indicate|say|tell|give)
    |^(?:not\s+(?:\w+\s+)?{_TOLD}\b|unknown\W*$|unanswerable|unspecified|n/?a\W*$|none\s+{_TOLD})
    |(?:\bthere\s+(?:is|are|was|were)|\bthere['’]s|\b(?:i|we|{_SOURCE})\s+(?:has|have|had|contains?|provides?|gives?))\s+no\s+{_DATA}
    |^no\s+{_DATA}
    |\b(?:insufficient|not\s+enough)\s+information
    """,
    re.IGNORECASE | re.VERBOSE,
)
_CHINESE: Final = re.compile(
    r"""不(?:太)?(?:知道|清楚|确定|了解)|不得而知|^未知\W*$|无从(?:得知|知道)
    |(?:没有?|未|并未|未曾|从未|不曾)(?:明确|具体|直接)?
        (?:提到|提及|提过|说明|说过|说|写明|给出|提供|记录|记载|透露|涉及|找到|告知|交代)
    |(?:无法|不能|难以)(?:确定|得知|知道|回答|判断|确认|找到|获知)
    |(?:没有?|无|缺乏|缺少)(?:任何|足够|相关|有关|这方面|关于)*的?(?:信息|内容|记录|资料|答案|说法)(?=\W|$|可|能|显示|表明|说明|提到|提及|涉及|给出|提供)""",
    re.VERBOSE,
)
_SENTENCE: Final = re.compile(r"[.!?](?=\s|$)|[。！？\n]")
_BUT: Final = re.compile(r"\b(?:but|however|though|although)\b|但|不过|可能是|应该是", re.IGNORECASE)


def abstains(answer: str, golds: Sequence[str] = ()) -> bool:
    """Whether the first sentence is a refusal. An answer without words is one too; a refusal that goes on to guess
    (``…, but``, ``不过``) is not, nor is what holds one of ``golds``, the right answers."""
    text = clean(answer)
    if not any(c.isalnum() for c in text):
        return True
    first = _SENTENCE.split(text, maxsplit=1)[0]
    found = _ENGLISH.search(first) or _CHINESE.search(first)
    if found is None or _BUT.search(text, found.end()):
        return False
    return contains_answer(text, [gold for gold in golds if clean(gold).casefold() not in _DENIALS]) != 1
