"""What the rules read in one clause, before it is known when and of whom."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import chain, islice
from typing import Final, NamedTuple

from mnemo_lab.extraction.base import USER
from mnemo_lab.extraction.rules.chinese.days import DATE
from mnemo_lab.extraction.rules.chinese.lexicon import KIN, NOUN, OTHER, PLACE, VALUE, Mention, mood
from mnemo_lab.extraction.rules.chinese.rule import FAMILIES, Rule, compiled, rules
from mnemo_lab.extraction.rules.chinese.slots import slots
from mnemo_lab.extraction.rules.chinese.spans import narrowed, trimmed
from mnemo_lab.text.names_zh import is_name

_EMPTY: Final = mood("empty")
_PASSING: Final = mood("passing")
_NO_VALUE: Final = mood("no_value")
_DAY: Final = re.compile(DATE)
_ASKING: Final = re.compile(r"[?？]|咋|怎么")
_TODAY: Final = re.compile(r"今天(?!起|开始)|昨天|昨晚|今晚|刚才|今早|前天|这次")
_OWN_PLAN: Final = re.compile(r"帮我|帮忙|我(?:可以|会|想)|请你帮")
_MINE: Final = re.compile(r"我(?!们)")
_HEALTH_VERB: Final = re.compile(
    r"有|得了?|患|查出|确诊|诊断|犯|体检|遗传|轻度|中度|重度|老毛病|我|[他她]|医生|多年|从小|先天|天生"
)
_SOFT: Final = frozenset("焦虑 抑郁 失眠 近视 散光 旧伤 感冒 中风 恐高 耳鸣".split())
_ORGANISATION: Final = compiled("<ORG>")
_ADDRESS: Final = re.compile(r"[区路街镇县村市城巷弄]|小区|花园|公寓|宿舍|大厦|附近|校区|号楼")
_WANT: Final = re.compile(r"^value|^typed")
_TOLD: Final = re.compile(r"了|已经?|决定|我们?(?!的)|统一|一律|以后|现在|刚|只好|最终|最后|起|原定|定")
_LENGTH: Final = re.compile(r"简短|简洁|精简|详细|[长短]|[句字段条行页].{0,2}[内下]|展开")
_FORBIDDEN: Final = re.compile(r"(?:别|不要|不用|不是|没)[\w]{0,2}$")
_DENIED: Final = re.compile(r"(?:不|没|没有|不想|不要|不用|别)(?:再|去)?[^过但同错仅只]?$")
_NO_NAME: Final = re.compile(rf"{DATE}|[了我你他她这那它]|^从|[，。]|已经?|以后|现在|打算|决定|准备|user")
_ANSWERING: Final = frozenset("语气 回答格式 回答语言 回答长度".split())
"""What is asked of one answer, unless it is said for all."""


@dataclass(frozen=True, slots=True)
class Draft:
    """A fact as places in its clause."""

    start: int
    end: int
    category: str
    attribute: str
    subject: str = ""
    owner: str = ""
    former: str | None = None
    negative: bool = False
    changes: bool = False
    additive: bool = False
    past: bool = False
    thing: bool = False
    itself: bool = False
    importance: int = 3
    confidence: float = 0.8
    value: str | None = None


def drafts(text: str, known: list[Mention], standing: bool, whole: str) -> Iterator[Draft]:
    """From the surest family to the vaguest; whoever takes them leaves out what overlaps an earlier one.

    The open rules are asked only where no other found anything, and only until one does.
    """
    table, found = _table(), False
    asked = _asked(text, known)
    if standing and not _OWN_PLAN.search(text):
        yield from _by_rules(text, known, [n for n in asked if n < table.answers])
    surer = _by_rules(text, known, [n for n in asked if table.answers <= n < table.opens])
    today, day = _TODAY.search(text), _TODAY.search(whole)
    for draft in chain(_by_slots(text, known, standing), surer):
        if (today and not draft.changes and draft.category == "preference") or (day and draft.attribute == "作品"):
            continue
        found = True
        yield draft
    if not found and not _PASSING.search(text):
        asking = _ASKING.search(whole)
        opened = _by_rules(text, known, [n for n in asked if n >= table.opens])
        yield from islice((draft for draft in opened if not (asking and draft.thing)), 2)


def _by_slots(text: str, known: list[Mention], standing: bool) -> Iterator[Draft]:
    for slot in slots(text, known):
        if not standing and slot.noun.attribute in _ANSWERING:
            continue
        start, end = trimmed(text, slot.start, slot.end)
        if start >= end or _EMPTY.match(text[start:end]) or (end - start > 24 and text[start] != "{"):
            continue
        if slot.noun.attribute in ("住址", "老家") and not _place(text, start, end, "", known):
            continue
        thing = slot.noun.category == "project_fact"
        category = "decision" if thing and slot.moved else slot.noun.category
        owner = _owner(slot.owner) if thing else ""
        yield Draft(
            start, end, category, slot.noun.attribute, owner=owner, former=slot.former,
            negative=slot.negative, changes=slot.moved or slot.negative, thing=thing, importance=3 if thing else 4,
        )  # fmt: skip


class _Table(NamedTuple):
    """All rules in order; where the first family ends and the last begins; those without cues, those that want a known
    word; cues by first sign, with the rules' numbers."""

    rules: tuple[Rule, ...]
    answers: int
    opens: int
    always: frozenset[int]
    typed: frozenset[int]
    cues: dict[str, list[tuple[str, int]]]


@cache
def _table() -> _Table:
    listed = tuple(rule for family in FAMILIES for rule in rules(family))
    cues: dict[str, list[tuple[str, int]]] = {}
    for number, rule in enumerate(listed):
        for cue in rule.cue:
            cues.setdefault(cue[0], []).append((cue, number))
    always = frozenset(number for number, rule in enumerate(listed) if not rule.cue)
    typed = frozenset(number for number, rule in enumerate(listed) if rule.want.startswith("value:"))
    opens = len(listed) - len(rules(FAMILIES[-1]))
    return _Table(listed, len(rules(FAMILIES[0])), opens, always, typed, cues)


def _asked(text: str, known: list[Mention]) -> list[int]:
    """Numbers of the rules of which the clause holds a cue: one look for all of them."""
    table = _table()
    cued = {n for sign in set(text) if sign in table.cues for cue, n in table.cues[sign] if cue in text}
    typed = any(m.kind == VALUE for m in known)
    return [n for n in sorted(cued | table.always) if typed or n not in table.typed]


def _by_rules(text: str, known: list[Mention], numbers: list[int]) -> Iterator[Draft]:
    for number in numbers:
        rule = _table().rules[number]
        match = rule.pattern.search(text)
        if match:
            yield from _of_match(rule, match, text, known)


def _of_match(rule: Rule, match: re.Match[str], text: str, known: list[Mention]) -> Iterator[Draft]:
    groups = match.groupdict()
    start, end = match.span("v")
    owner = (groups.get("s") or "").strip()
    if rule.attribute == "落选" and _DAY.search(text, start, end):
        return
    if not rule.negative and _DENIED.search(text, 0, start):
        return
    if _is_order(rule, text, owner) or (rule.thing and not rule.negative and _FORBIDDEN.search(text[:start])):
        return
    thing = rule.thing
    if rule.want in _OPEN:
        thing = rule.thing or ("s" in groups and not _MINE.search(text))
    for low, high, attribute in _spans(rule, text, start, end, owner, known):
        if low >= high or high - low > max(rule.most, 24 if rule.want else 0) or _EMPTY.match(text[low:high]):
            continue
        yield Draft(
            low, high, rule.category, _attribute(rule, attribute, text[low:high]), owner=_owner(owner),
            former=groups.get("f") or None, negative=rule.negative, changes=rule.changes, additive=rule.additive,
            thing=thing, itself=rule.itself, subject=USER if rule.mine else "",
            importance=rule.importance, confidence=rule.confidence,
        )  # fmt: skip


def _attribute(rule: Rule, typed: str, value: str) -> str:
    """One name for one slot, whatever the wording: of a person the rule's, of an answer by what it limits."""
    if rule.attribute in ("回答格式", "回答风格", "回答长度", "长期要求"):
        if _LENGTH.search(value):
            return "回答长度"
        return {"语言": "回答语言", "排版": "回答格式"}.get(typed, typed or rule.attribute)
    if rule.attribute == "身份" and is_name(value):
        return "名字"
    if typed == "工作地":
        return typed
    return rule.attribute if rule.category == "user_info" and rule.attribute else typed or rule.attribute


def _is_order(rule: Rule, text: str, owner: str) -> bool:
    """Whether a change is asked for now (改成表格), not told of."""
    if rule.category != "decision" or not rule.changes or rule.negative or _TOLD.search(text):
        return False
    return not owner or "把" in text


def _spans(rule: Rule, text: str, start: int, end: int, owner: str, known: list[Mention]) -> list[tuple[int, int, str]]:
    want = rule.want
    if not want:
        return [(*trimmed(text, start, end), "")]
    special = _SPECIAL.get(want)
    if special:
        return special(text, start, end, owner, known)
    return narrowed(text, start, end, want, known)


def _slot(text: str, start: int, end: int, owner: str, known: list[Mention]) -> list[tuple[int, int, str]]:
    """The value of a choice, its attribute from its own type, else from the noun in what it is about."""
    nouns = [m.attribute for m in known if m.kind == NOUN and m.end <= start]
    typed = narrowed(text, start, end, "typed", known)
    if typed:
        return typed[:2]
    low, high = trimmed(text, start, end)
    day = _DAY.search(text, low, high)
    if day and day.start() - low < 3:
        return [
            (
                day.start(),
                max(day.end(), min(high, day.end() + 4)) if not nouns else day.end(),
                nouns[-1] if nouns else "日期",
            )
        ]
    bare = not nouns and re.fullmatch(r"\d{1,3}|[一二两三]+|.", text[low:high])
    if bare or any(m.kind == NOUN and m.start == low and m.end == high for m in known):
        return []
    if high - low > 14 or (high - low > 10 and not nouns):
        return []
    return [(low, high, nouns[-1] if nouns else _owner(owner)[-6:] or "选择")]


def _health(text: str, start: int, end: int, owner: str, known: list[Mention]) -> list[tuple[int, int, str]]:
    found = [m for m in known if m.kind == VALUE and m.attribute == "疾病"]
    if not found or re.search(r"没有|不是|没得|怕得|预防|药|讲|科普|论文|治疗|病人|患者|关于", text):
        return []
    return [
        (m.start, m.end, "")
        for m in found[:2]
        if _HEALTH_VERB.search(text) or any(k.kind in (KIN, OTHER) for k in known) or m.end - m.start >= 3
        if text[m.start : m.end] not in _SOFT or re.search(r"有|确诊|查出|[他她我].{0,3}$", text[: m.start])
    ]


def _name(text: str, start: int, end: int, owner: str, known: list[Mention]) -> list[tuple[int, int, str]]:
    low, high = trimmed(text, start, end)
    name = text[low:high]
    named = is_name(name) or re.fullmatch(
        r"[A-Z][A-Za-z]+|[老小阿][\u4e00-\u9fff]|[\u4e00-\u9fff]{1,2}[总工姐哥]|[\u4e00-\u9fff]老师", name
    )
    person_word = any(m.kind in (KIN, OTHER) and m.start == low and m.end == high for m in known)
    return [(low, high, "")] if named or person_word else []


def _company(text: str, start: int, end: int, owner: str, known: list[Mention]) -> list[tuple[int, int, str]]:
    found = narrowed(text, start, end, "company", known)
    if found:
        return found
    low, high = trimmed(text, start, end)
    if _ORGANISATION.search(text[low:high]):
        return [(low, high, "")]
    if any(m.kind == PLACE and low <= m.start and m.end <= high for m in known) and high - low <= 6:
        return [(low, high, "工作地")]
    return []


def _employer(text: str, start: int, end: int, owner: str, known: list[Mention]) -> list[tuple[int, int, str]]:
    """As ``_company``, and any other name: the verb says that it is one."""
    low, high = trimmed(text, start, end)
    plain = not re.search(r"家|哪|这|那|线上|一起|[们他她我你]", text[low:high])
    return _company(text, start, end, owner, known) or ([(low, high, "")] if plain else [])


def _place(text: str, start: int, end: int, owner: str, known: list[Mention]) -> list[tuple[int, int, str]]:
    low, high = trimmed(text, start, end)
    placed = any(m.kind == PLACE and low <= m.start and m.end <= high for m in known)
    return [(low, high, "")] if placed or _ADDRESS.search(text[low:high]) else []


def _own(text: str, start: int, end: int, owner: str, known: list[Mention]) -> list[tuple[int, int, str]]:
    """Any words, under the last noun of what they are said of."""
    low, high = trimmed(text, start, end)
    if high - low < 2 or re.search(r"的$|[他她它你]|好看|不错|问题|不对|错|对的", text[low:high]):
        return []
    nouns = [m.attribute for m in known if m.kind == NOUN and m.end <= start]
    return [(low, high, nouns[-1] if nouns else _owner(owner)[-6:])]


def _times(text: str, start: int, end: int, owner: str, known: list[Mention]) -> list[tuple[int, int, str]]:
    """Days of the week or a rhythm, not a day to come."""
    return (
        [(start, end, "")]
        if re.match(r"每个?(?:周|月|星期)|工作日|每.+[\d点]|(?:周|星期).(?:[、和到]|周)", text[start:end])
        else []
    )


def _soft(text: str, start: int, end: int, owner: str, known: list[Mention]) -> list[tuple[int, int, str]]:
    """What a person does, not what software is made of."""
    low, high = trimmed(text, start, end)
    technical = any(m.kind == VALUE and m.attribute not in _PERSONAL and low <= m.start < high for m in known)
    return [] if technical or high - low < 2 or text[high - 1] in "时后前" else [(low, high, "")]


_PERSONAL: Final = frozenset(
    """饮料 食物 过敏原 饮食 运动 爱好 乐器 语言 宠物 编辑器 笔记软件 浏览器 终端 输入法 设备 车 交通 音乐软件 主题
    剪辑软件 平台""".split()
)


def _tech(text: str, start: int, end: int, owner: str, known: list[Mention]) -> list[tuple[int, int, str]]:
    """Known names, else a word in Latin letters right behind the verb."""
    found = narrowed(text, start, end, "typed", known)
    word = _LATIN_WORD.match(text, start, end)
    if (found and found[0][0] - start <= 10) or not word:
        return found
    nouns = [m.attribute for m in known if m.kind == NOUN and m.end <= start]
    return [(word.start(), word.end(), nouns[-1] if nouns else "技术")]


def _open(text: str, start: int, end: int, owner: str, known: list[Mention]) -> list[tuple[int, int, str]]:
    """Any words that can be a value, under the last noun of what they are said of."""
    low, high = trimmed(text, start, end)
    if high - low > 10 and (head := text.rfind("的", low, high - 2)) >= 0:
        low = head + 1
    value = text[low:high]
    if (len(value) < 2 and not value.isdigit()) or _NO_VALUE.search(value):
        return []
    nouns = [m.attribute for m in known if m.kind == NOUN and m.end <= start]
    return [(low, high, nouns[-1] if nouns else _owner(owner).rpartition("的")[2][-6:])]


def _rule_of(text: str, start: int, end: int, owner: str, known: list[Mention]) -> list[tuple[int, int, str]]:
    low, high = trimmed(text, start, end)
    return [(low, high, "")] if owner and not _MINE.search(owner) else []


def _habit(text: str, start: int, end: int, owner: str, known: list[Mention]) -> list[tuple[int, int, str]]:
    low, high = trimmed(text, start, end)
    return [(low, high, "")] if high - low > 3 and not _NO_VALUE.search(text[low:high]) else []


def _dated(text: str, start: int, end: int, owner: str, known: list[Mention]) -> list[tuple[int, int, str]]:
    nouns = [m.attribute for m in known if m.kind == NOUN and m.end <= start]
    return [] if re.search("今|昨|前天|周末|上", text[start:end]) else [(start, end, nouns[-1] if nouns else "")]


def _town(text: str, start: int, end: int, owner: str, known: list[Mention]) -> list[tuple[int, int, str]]:
    return [(m.start, m.end, "") for m in known if m.kind == PLACE and start <= m.start and m.end <= end][:1]


def _time(text: str, start: int, end: int, owner: str, known: list[Mention]) -> list[tuple[int, int, str]]:
    return [] if _BARE_RHYTHM.fullmatch(text, start, end) else [(start, end, "")]


_BARE_RHYTHM: Final = re.compile(r"每(?:天|周|月|年|个月|晚)|早上|晚上|下午|上午|工作日|周末")
_OPEN: Final = frozenset("open number rule habit dated time".split())
_LATIN_WORD: Final = re.compile(r"[\u4e00-\u9fff]{0,3}?[A-Z][\w+#./-]{2,20}(?: \d[\d.]*)?")
_SPECIAL: Final = {
    "open": _open,
    "number": _open,
    "rule": _rule_of,
    "habit": _habit,
    "dated": _dated,
    "town": _town,
    "time": _time,
    "tech": _tech,
    "soft": _soft,
    "own": _own,
    "times": _times,
    "slot": _slot,
    "health": _health,
    "name": _name,
    "company?": _company,
    "company!": _employer,
    "place?": _place,
}


def _owner(words: str) -> str:
    """What a thing is called, of the words before its noun; ``""`` for none worth naming."""
    name = re.sub(r"^(?:我们?的?|咱们?的?|这个|那个|对了|另外|其实|还有|现在|目前|那|把|的)+", "", words)
    name = re.sub(r"(?:的|现在|目前|这边|里|上)+$", "", name).strip('“”" ')
    return name if 1 < len(name) <= 12 and not _NO_NAME.search(name) else ""
