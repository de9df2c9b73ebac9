"""Chinese names by cues: a surname and one or two characters that names are made of, where something announces one."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Final

from mnemo_lab.privacy.finding import Finding
from mnemo_lab.privacy.view import View
from mnemo_lab.text.names_zh import is_name, name_at

_SURE: Final = re.compile(
    r"(?:我叫|名叫|叫做|名字[叫是]|名为|姓名|收件人|收货人|寄件人|发件人|联系人|申请人|委托人|患者|病人|户主|车主"
    r"|机主|业主|甲方|乙方|丙方|户名|持卡人|开户人"
    r"|法定代表人|法人|负责人|经办人|签名|签字|参会人员|与会人员|参加人员|监护人|紧急联系人|收款人|付款人|本人"
    r"|乘客|旅客|考生|租客|承租人|出租人)"
    r"(?:[\"'”]?\s?[:：是为]\s?[\"'“]?|\s)?"
)
_WEAK: Final = re.compile(
    r"(?:我是|叫|客户|经理|主管|老师|同学|同事|医生|律师|老板|房东|老婆|老公|妻子|丈夫|儿子|女儿|爸爸|妈妈|父亲"
    r"|母亲|弟弟|妹妹|哥哥|姐姐|朋友|领导|班|组长|司机|师傅|候选人|员工|学生"
    r"|家长|联系|致电|转告|通知|name[\"']\s?:\s?[\"'])(?:[:：是叫]|\s)?"
)
_TITLE: Final = re.compile(
    r"([\u4e00-\u9fff]{2,4})(?:先生|女士|小姐|同学|老师|医生|教授|律师|经理|收(?=[，。,；\s]|$))"
)
_ALONE: Final = re.compile(r"(?<![\u4e00-\u9fff])[\u4e00-\u9fff]{2,4}(?![\u4e00-\u9fff])")
_LIST: Final = re.compile(r"[、，,和与及]\s?")
_REACH: Final = 14


def find_chinese_names(view: View) -> Iterator[Finding]:
    """Names in Han characters."""
    text = view.text
    if not view.has_han:
        return
    for match in _SURE.finditer(text):
        yield from _listed(text, match.end(), False, 0.8)
    for match in _WEAK.finditer(text):
        yield from _listed(text, match.end(), True, 0.7)
    for match in _TITLE.finditer(text):
        for start in range(match.start(1), match.end(1) - 1):
            if is_name(text[start : match.end(1)]) and (match.end(1) - start > 2 or start == match.start(1)):
                yield Finding("name", start, match.end(1), 0.68)
                break


def names_beside(view: View, found: Iterable[Finding]) -> Iterator[Finding]:
    """A name on its own within a few characters of another personal finding: a row, a form, ``（周晓东）``."""
    for item in found:
        if item.kind in ("phone", "email", "id_number", "bank_card", "address"):
            for low, high in ((item.start - _REACH, item.start), (item.end, item.end + _REACH)):
                if "\0" not in view.text[max(0, low) : max(0, high)]:
                    yield from _alone(view.text, max(0, low), max(0, high))


def _alone(text: str, low: int, high: int) -> Iterator[Finding]:
    for match in _ALONE.finditer(text, low, high):
        if is_name(match[0]) and _is_bounded(text, *match.span()):
            yield Finding("name", *match.span(), 0.62)


def _is_bounded(text: str, start: int, end: int) -> bool:
    """The window of the search may have cut a longer run."""
    return not any(_is_han(sign) for sign in (text[start - 1 : start], text[end : end + 1]))


def _is_han(sign: str) -> bool:
    return "\u4e00" <= sign <= "\u9fff"


def _listed(text: str, at: int, strict: bool, sure: float) -> Iterator[Finding]:
    """The name at ``at``, and those after it in a list."""
    end = name_at(text, at, strict)
    while end:
        yield Finding("name", at, end, sure)
        joint = _LIST.match(text, end)
        if not joint:
            return
        at = joint.end()
        end = name_at(text, at, True)
