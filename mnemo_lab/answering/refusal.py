"""Whether an answer says that it does not know, in English and Chinese."""

from __future__ import annotations

import re
from typing import Final

from mnemo_lab.answering.scores import clean

_NOT: Final = r"(?:\s+not|\s+never|n['’]?t)"
_TOLD: Final = (
    "(?:mentioned|specified|stated|provided|given|recorded|known|indicated|disclosed|revealed|discussed|said|found)"
)
_SOURCE: Final = (
    r"(?:it|this|(?:the\s+)?(?:\w+\s+)?(?:conversation|history|context|text|chat|transcript|messages?|information))"
)
_ENGLISH: Final = re.compile(
    rf"""\bi\s+(?:really\s+|just\s+)?(?:do{_NOT}|dont)\s+(?:know\b(?!\s+how\s+to)|have\b|recall|remember|see\b|find)
    |\bi\s*(?:am|['’]?m)\s+(?:not\s+(?:sure|certain|aware)|unable|unsure)
    |\b(?:i|we|it|one)\s+(?:can\s?|could)(?:not|{_NOT})\s+(?:be\s+)?(?:know|answer|say|tell|determin|find|found|see\b)
    |\bcan['’]?t\s+(?:be\s+)?(?:know|answer|say|tell|determin|found)
    |\b(?:is|are|was|were|has\s+been)(?:{_NOT})\s+(?:\w+\s+)?{_TOLD}\b
    |\b{_SOURCE}\s+(?:\w+\s+)?(?:does|do|did)(?:{_NOT})\s+(?:\w+\s+)?(?:mention|specify|state|provide|contain|include|indicate|say|tell|give)
    |^(?:not\s+(?:\w+\s+)?{_TOLD}\b|unknown\W*$|unanswerable|unspecified|n/?a\W*$|none\s+{_TOLD})
    |\b(?:there\s+is|there['’]s|has|have|contains?|provides?|gives?)\s+no\s+(?:\w+\s+)?(?:information|mention|record|detail)
    |^no\s+(?:\w+\s+)?(?:information|mention|record|answer|details?)\b
    |\b(?:insufficient|not\s+enough)\s+information
    """,
    re.IGNORECASE | re.VERBOSE,
)
_CHINESE: Final = re.compile(
    r"""不(?:太)?(?:知道|清楚|确定|了解)|不得而知|^未知\W*$|无从(?:得知|知道)
    |(?:没有?|未|并未|未曾|从未|不曾)(?:明确|具体|直接)?
        (?:提到|提及|提过|说明|说过|说|写明|给出|提供|记录|记载|透露|涉及|找到|告知|交代)
    |(?:无法|不能|难以)(?:确定|得知|知道|回答|判断|确认|找到|获知)
    |(?:没有?|无|缺乏|缺少)(?:任何|足够|相关|有关|这方面|关于)*的?(?:信息|内容|记录|资料|答案|说法)""",
    re.VERBOSE,
)
_SENTENCE: Final = re.compile(r"[.!?](?=\s|$)|[。！？\n]")
_BUT: Final = re.compile(r"\b(?:but|however|though|although)\b|但|不过|可能是|应该是", re.IGNORECASE)


def abstains(answer: str) -> bool:
    """Whether the first sentence is a refusal. An answer without words is one too; a refusal that goes on to guess
    (``…, but``, ``不过``) is not."""
    text = clean(answer)
    if not any(c.isalnum() for c in text):
        return True
    first = _SENTENCE.split(text, maxsplit=1)[0]
    found = _ENGLISH.search(first) or _CHINESE.search(first)
    return found is not None and not _BUT.search(text, found.end())
