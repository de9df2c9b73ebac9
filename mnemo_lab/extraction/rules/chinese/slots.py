"""What is said by a noun: X 的 NOUN 是 VALUE, NOUN 改成 VALUE, NOUN 用 VALUE."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from mnemo_lab.extraction.rules.chinese.days import DATE
from mnemo_lab.extraction.rules.chinese.lexicon import NOUN, VALUE, Mention, mood
from mnemo_lab.extraction.rules.chinese.rule import compiled
from mnemo_lab.extraction.rules.chinese.spans import with_version

_LINK: Final = compiled("<LINK>")
_CLOSED: Final = re.compile(r"“[^”]{1,16}”|《[^》]{1,24}》|\{[^{}]{1,100}\}")
_PLAIN: Final = re.compile(r"用的?都?是|是用|都?是|为|叫做?|在|：|:|=")
"""How what belongs to a person gets its value: a shop's 公司, 机器, 手机 is often only spoken of."""
_COUNTED: Final = re.compile(r"[一二两三四五几\d]+[个种条]|不|没|一样|什么|怎么")
_FIXED: Final = re.compile(r"默认|统一|一律|固定|主要|全部?|只|锁|定|平时|一般|通常|每天|改")
_MONEY: Final = compiled("<MONEY>")
_TIMES: Final = compiled("<TIMES>")
_DATE: Final = re.compile(DATE)
_NAME: Final = re.compile(r"[A-Z][A-Za-z]+(?: [A-Z][a-z]+)?|[老小阿][\w]|[\w·]{2,4}")
_NUMBER: Final = compiled(r"<N>(?:\.\d+)?[\w%‰°℃/]{0,6}")
_PORT: Final = re.compile(r"(?<![\d.])\d{2,5}(?![\d.])")
_VERSION: Final = re.compile(r"[A-Za-z.]*\s?v?\d+(?:\.\d+)*(?:\s?LTS)?", re.IGNORECASE)
_WORD: Final = re.compile(r"[A-Za-z][\w+#./-]*(?: [A-Z0-9][\w+#./-]*)*")
_PHONE: Final = re.compile(r"[\w@.+-]{5,40}")
_BY_FORM: Final = (
    (_MONEY, "预算 价格 费用 收入"),
    (_DATE, "截止日期 上线时间 日期 生日"),
    (_TIMES, "例会时间 发版节奏 营业时间 作息 提醒时间"),
    (_PORT, "端口"),
    (_NUMBER, "团队规模 参数 超时 限制 覆盖率 年龄 身高 体重 违约金 分页 鞋码 健康"),
    (_NAME, "负责人 领导"),
    (_VERSION, "版本"),
    (_PHONE, "邮箱 电话"),
)
_FORMS: Final = {attribute: form for form, attributes in _BY_FORM for attribute in attributes.split()}
"""What a value must look like, by attribute."""
_BARE: Final = frozenset("预算 价格 费用 截止日期 上线时间 日期 端口 例会时间 生日 团队规模 版本".split())
"""Where a value of the right form may follow its noun with nothing between."""
_WORDY: Final = frozenset(
    """语气 回答格式 主题 目标 名称 地点 主色 字体 材料 客户 命名规范 代码规范 提交规范 分支策略 返回格式 脱敏规则
    错误码 引用格式 教材 金额单位 时间格式 期刊 专业 早餐 午餐 晚餐 老家 住址 爱好 座位 交通 设备 音乐 人格 学历
    药物 公司 部门 宠物 母语 名字 案号""".split()
)
"""Where any words may be the value."""
_OBJECTS: Final = mood("not_owner")


class Slot(NamedTuple):
    """A noun with its value, as places in the clause; ``owner`` is what stands before the noun."""

    noun: Mention
    owner: str
    start: int
    end: int
    former: str | None
    moved: bool
    negative: bool


def slots(text: str, known: list[Mention]) -> Iterator[Slot]:
    """Nouns of the clause that get a value."""
    nouns = [m for m in known if m.kind == NOUN]
    for at, noun in enumerate(nouns):
        if _OBJECTS.search(text[: noun.start]):
            continue
        link = _LINK.match(text, noun.end)
        if link is None:
            continue
        closing = _CLOSED.match(text, link.start("v"))
        if closing:
            yield Slot(
                noun, re.sub(r"的$", "", text[: noun.start]), *closing.span(), link["f"], bool(link["move"]), False
            )
            continue
        if noun.category == "user_info" and not (link["move"] or _PLAIN.fullmatch(link["stand"] or "")):
            continue
        limit = nouns[at + 1].start if at + 1 < len(nouns) and nouns[at + 1].start > link.start("v") else len(text)
        linked = bool(link["move"] or link["stand"] or _FIXED.search(text, noun.end, link.start("v")))
        span = _value(text, link.start("v"), link.end("v"), limit, noun.attribute, known, linked)
        if span:
            owner = re.sub(r"的$", "", text[: noun.start])
            yield Slot(noun, owner, *span, link["f"], bool(link["move"]), bool(link["neg"]))


def _value(
    text: str, start: int, end: int, limit: int, attribute: str, known: list[Mention], linked: bool
) -> tuple[int, int] | None:
    form = _FORMS.get(attribute)
    if form is not None:
        if not linked and attribute not in _BARE:
            return None
        match = form.match(text, start) or (
            form.search(text, start, end) if linked and form in (_DATE, _PORT, _MONEY) else None
        )
        return (match.start(), match.end()) if match and match[0] else None
    for mention in known:
        if (
            mention.kind == VALUE
            and start <= mention.start
            and mention.end <= end
            and (mention.start - start < (8 if linked else 1))
        ):
            return mention.start, with_version(text, mention.end)
    if not linked:
        return None
    word = _WORD.match(text, start)
    if word and word.end() <= end:
        return word.start(), word.end()
    counted = _COUNTED.match(text, start)
    return (start, min(end, limit)) if attribute in _WORDY and not counted else None
