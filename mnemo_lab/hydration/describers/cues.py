"""Words by which sentences ask for something, report something done, leave something open or reject it.

The English patterns are for small letters.
"""

from __future__ import annotations

import re
from typing import Final

_REQUEST: Final = re.compile(
    r"\b(?:please|(?:can|could|would|will) you|(?:can|could|should|may) (?:i|we)|help me|i(?:[’']d"
    r"| would) (?:like|love|prefer)"
    r"|i (?:want|need|wish)|i[’']m (?:trying|looking|working|planning)|we (?:want|need)|how (?:do|can|should|would)"
    r"|(?:show|tell|give) me|explain|remind me|what (?:is|are|would|should)|is there|let[’']s)\b"
    r"|^(?:add|build|change|check|compare|create|design|draft|find|fix|implement|make|move|plan|refactor|remove"
    r"|rename|rewrite|review|run|set up|suggest|summari[sz]e|test|translate|update|use|write)\b|[?？]\W*$"
)
_REQUEST_ZH: Final = re.compile(
    "(?<![没邀申聘宴])请(?![客假教])|帮我|帮忙|帮看|麻烦|我想|想要|我要|需要|能不能|能否|可不可以"
    "|可以.{0,12}吗|怎么|如何|为什么|什么"
    "|哪[个些里]|多少|给我|打算|我们要|要做"
    "|^(?:你?查|写|改|加|做|跑|看|列|算|找|设计|检查|总结|翻译|解释|比较|优化|生成|实现|修)|[吗呢]\\W*$"
)
_DONE: Final = re.compile(
    r"\b(?:done|finished|completed?|fixed|solved|resolved|works? now|working now|created|deployed|released"
    r"|merged|shipped"
    r"|submitted|installed|booked|ordered|paid|signed|sent|bought|arrived|passed|all green|succeeded|added"
    r"|updated|implemented"
    r"|launched|published|delivered|got (?:the|my|our|a|an) (?:new |final )?(?:job|offer|keys?|results?|visa"
    r"|permit|flat|house)"
    r"|confirmed|approved|granted)\b"
)
_DONE_ZH: Final = re.compile(
    "已完成|完成了|[做写搭改跑弄测导装换建]完|搞定|好了|修[好复]了?|解决了|跑通|通过了|全绿|上线了|部署了"
    "|提交了|发布了|合并了"
    "|已经?(?:改|加|发|付|建|修|写|删|更新|提交|部署|合并|到账|安装|配置|创建|上传|下单|预订|预约|确认)|搭好"
    "|装好|付了|签了|订好|买了|到货|批了|确认了"
)
_NOT_DONE: Final = re.compile(
    r"\b(?:not|never|once|when|if|until|before|will|should|would|could|can|want|need|to be|make sure|ensure"
    r"|going to|plan"
    r"|hopefully|let[’']s|have to|must|get it)\b|n[’']t\b|[’']ll\b|没|还没|如果|等.{0,8}再|就会|也会|应该"
    r"|可以|需要|要是|之前|记得|别|不能|不许|以后|再"
)
_FAILED: Final = re.compile(
    r"\b(?:failed|fails|failing|crash(?:es|ed)|timed out)\b|报错了|失败了?|崩了|挂了|超时了|出错了"
)
_IF: Final = re.compile(r"\b(?:if|when|whenever|unless|in case)\b|如果|要是|一旦|万一|假如|怎么")
_TODO: Final = re.compile(
    r"\b(?:to-?do\b|next steps?\b|still (?:need|have) to|still (?:waiting|open|missing|to do|need)"
    r"|remind (?:me|us) (?:to|about|on|in|when"
    r"|tomorrow)|don[’']t (?:let me )?forget|follow up|pending|waiting (?:for|on)|not yet|due (?:by|on|in"
    r"|date)|open question"
    r"|unresolved|(?:has|have|needs) to be (?:done|decided|fixed|ordered|sent|paid)|to be (?:decided"
    r"|confirmed)|tbd|tbc|left to do"
    r"|i(?:[’']ll| will| need to| have to) (?:ask|check|call|send|look into|find out|let you know|get back"
    r"|think about)"
    r"|deadline|by (?:monday|tuesday|wednesday|thursday|friday|saturday|sunday|tomorrow|end of))"
)
_TODO_ZH: Final = re.compile(
    "待办|下一步|还没|尚未|还得|还差|还要(?:去|做|问|改|等|补)|(?<!还)记得(?!了)|别忘|提醒(?:我|一下|他|她)"
    "|等.{1,8}(?:回复|确认|回来|答复|审核)|截止|待定|待确认|未决"
    "|没定|没想好|再说|回头|(?:明天|后天|下周|周[一二三四五六日]|月底).{0,12}(?:要|去做|交|去问|发)|我去问"
    "|我问问|要问|我来问|先放"
)
_REJECTED: Final = re.compile(
    r"\b(?:instead of|rather than|not|no longer|rul(?:ed|ing) out|reject(?:ed)?|dropp(?:ed|ing)|turned down"
    r"|too|against"
    r"|scrapped|cancel(?:l?ed)?|without)\b|n[’']t\b"
)
_REJECTED_ZH: Final = re.compile(
    "不用|不要|不考虑|放弃|排除|否决|否了|没选|不选|而不是|取消|作废|弃用|拉黑|太[贵慢重麻]|不行|别[用给]"
)
_IDLE: Final = re.compile(
    r"let[’']s (?:go (?:through|over|ahead|!)|take a|do (?:it|this)|keep (?:each|push|go|in|mot|it))|(?:i"
    r"|we)[’']ll keep"
    r"|it[’']s a big decision|a big decision|keep going"
)
"""Phrases that sound like a decision and are none."""
_OFFER: Final = re.compile(
    r"would you like|do you want me|shall i|should i|want me to|let me know|anything else|feel free"
    r"|need help|do you have any"
    r"|需要我|要不要我|还有(?:什么|别的)|要我"
)


def requests(sentence: str) -> bool:
    """Whether it asks for something."""
    return _holds(sentence, _REQUEST, _REQUEST_ZH)


def reports(sentence: str) -> bool:
    """Whether it says that something is done or has failed, not that it will be."""
    folded = sentence.lower()
    if _FAILED.search(folded):
        return _IF.search(folded) is None
    return _holds(sentence, _DONE, _DONE_ZH) and not _NOT_DONE.search(folded)


def leaves_open(sentence: str) -> bool:
    """Whether it names something still to be done, in words that hardly mean anything else."""
    return _holds(sentence, _TODO, _TODO_ZH)


def rejects(sentence: str) -> bool:
    """Whether it says what is not taken."""
    return _holds(sentence, _REJECTED, _REJECTED_ZH)


def is_idle(sentence: str) -> bool:
    """Whether it only sounds as if it decided something."""
    return _IDLE.search(sentence.lower()) is not None


def offers(sentence: str) -> bool:
    """Whether it is a question that a model ends on out of politeness."""
    return _OFFER.search(sentence.lower()) is not None


def _holds(sentence: str, english: re.Pattern[str], chinese: re.Pattern[str]) -> bool:
    if english.search(sentence.lower()):
        return True
    return not sentence.isascii() and chinese.search(sentence) is not None
