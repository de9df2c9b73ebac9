"""Sentences that decide something, give a reason, ask, or leave something open: by their words, in both languages.

The English patterns are for small letters, and apart from the Chinese ones: either makes them several times faster.
"""

from __future__ import annotations

import re
from typing import Final

_DECISION: Final = re.compile(
    r"\b(?:decid(?:ed|e on)|decision|agreed|settled? (?:on|for)|go(?:ing|ne)? with|went (?:with|for)|opt(?:ed|ing)? for"
    r"|cho(?:se|sen|osing)|picked|switch(?:ed|ing)?|swapped|swap (?:the|it|to)|instead of|rather than|rul(?:ed|ing) out"
    r"|reject(?:ed)?|dropp(?:ed|ing)|cancel(?:l?ed)?|scrapped|no longer|stick(?:ing)? (?:with|to)|from now on|approved"
    r"|let[’']s (?:use|go|do|keep|take|make)|(?:we|i)(?:[’']ll| will) (?:use|take|keep|go)|postponed?|turned down"
    r"|we(?:[’']re| are) (?:using|keeping|taking|dropping|moving|having)|(?:we|i) (?:took|ordered|booked|signed)"
    r"|(?:chang|mov)(?:ed|ing) (?:it |that )?(?:to|from)|replac(?:ed|ing)|not .{2,60}\bbecause)\b"
)
_DECISION_ZH: Final = re.compile(
    "决定|定了|定下|定为|敲定|说定|就用|就按|改用|改成|改为|改到|改叫|改走|换成|换到|换回|换用|全换|选了|选定|选用|选的|拍板"
    "|(?:不用|不要)(?=[了，,。；])|先不|放弃|取消|作废|算了|弃用|停用|不再|还是用|还是选|同意|采用|统一|一律|锁到|挪到|推迟|提前到"
    "|否了|否决|不考虑|排除|最终|听你的|就这么|以后叫|从此|没选|不选"
)
_REASON: Final = re.compile(r"\b(?:because|so that|due to|reason|otherwise|that[’']s why)\b")
_REASON_ZH: Final = re.compile("因为|由于|原因|所以|理由|否则|不然")
_OPEN: Final = re.compile(
    r"\b(?:todo|to-do|next steps?|still (?:need|have|to)|need(?:s|ed)? to|have to|must|remind(?:er)?|follow up|pending"
    r"|waiting|not yet|deadline|due|don[’']t forget|open question|plan(?:s|ning)? to)\b"
)
_OPEN_ZH: Final = re.compile(
    "待办|下一步|还没|还要|还得|需要|记得|别忘|提醒|等.{0,6}(?:再|回复|确认)|截止|待定|待确认|打算|准备"
)
_QUESTION: Final = re.compile(r"[?？]\W*$|[吗呢]\W*$")


def decides(sentence: str) -> bool:
    """Whether it says what was chosen, changed or rejected."""
    return _says(sentence, _DECISION, _DECISION_ZH)


def gives_reason(sentence: str) -> bool:
    return _says(sentence, _REASON, _REASON_ZH)


def is_open(sentence: str) -> bool:
    """Whether it names something still to be done."""
    return _says(sentence, _OPEN, _OPEN_ZH)


def asks(sentence: str) -> bool:
    return _QUESTION.search(sentence) is not None


def _says(sentence: str, english: re.Pattern[str], chinese: re.Pattern[str]) -> bool:
    found = english.search(sentence.lower())
    return found is not None or (not sentence.isascii() and chinese.search(sentence) is not None)
