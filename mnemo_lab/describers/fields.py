"""A description from the JSON object a language model gave: what has the wrong type is read as far as it can be."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from math import isfinite
from typing import Any, Final

from mnemo_lab.describers.base import Description
from mnemo_lab.describers.entities import KINDS
from mnemo_lab.describers.reading import distinct, shortened
from mnemo_lab.language_models.errors import BrokenAnswer
from mnemo_lab.text.key_terms import stands_in
from mnemo_lab.text.language import CJK

KEYS: Final = (
    "summary", "keywords", "entities", "decisions", "outcomes", "open_items", "task_state", "intent",
)  # fmt: skip
SUMMARY: Final = 1200
"""Characters of a summary."""
LINE: Final = 300
"""Characters of any other text."""
ENTRIES: Final = 8
TERMS: Final = 12
"""Keywords, and entities of a kind."""
_TEXT_KEYS: Final = ("text", "name", "item", "decision", "outcome", "question", "value", "内容", "名称")
_FROM_KEYS: Final = ("from", "message", "messages", "ids", "sources")
_IN_LIST: Final = re.compile(r"[,，、;；\n]")
_LISTED: Final = re.compile(r"\n|；|;(?=\s)")
_MARKS: Final = re.compile(r"^\s*(?:[-*•]\s|\d{1,2}[.)]\s|\d{1,2}、)\s*")
_IS_CJK: Final = re.compile(f"[{CJK}]")
_NUMBER: Final = re.compile(r"\d{1,6}")
_ALIASES: Final = {
    "person": "people 人物 人名 人 姓名",
    "organisation": "organization organizations org orgs company companies 组织 机构 公司",
    "place": "location locations gpe 地点 地名 地址",
    "name": "product products misc 名称 产品",
    "date": "日期",
    "time": "时间",
    "number": "money amount amounts 数字 金额",
    "version": "版本",
    "identifier": "id ids 标识 编号",
    "code": "代码",
    "path": "file files 路径 文件",
    "url": "link links 链接",
    "title": "标题",
}
_KINDS: Final = {alias: kind for kind in KINDS for alias in (kind, f"{kind}s", *_ALIASES.get(kind, "").split())}
"""What a kind of entity may be called."""


def description_of(found: Mapping[str, Any], texts: list[str], describer: str) -> Description:
    """What an object says of messages with these texts (with the names of their speakers).

    Entities that do not stand in the texts are dropped: names must be exact. Entries are put in the order of the
    messages they name (1 is the first); numbers of no message are dropped. Raises ``BrokenAnswer`` where there is no
    summary.
    """
    summary = shortened(_line(found.get("summary")), SUMMARY)
    if not summary:
        raise BrokenAnswer('"summary" must be a text that is not empty')
    source = "\n".join(texts).casefold()
    return Description(
        summary=summary,
        keywords=tuple(_terms(found.get("keywords"))),
        entities=_entities(found.get("entities"), source),
        decisions=_entries(found.get("decisions"), len(texts)),
        task_state=shortened(_line(found.get("task_state")), LINE),
        intent=shortened(_line(found.get("intent")), LINE),
        outcomes=_entries(found.get("outcomes"), len(texts)),
        open_items=_entries(found.get("open_items"), len(texts)),
        describer=describer,
    )


def _line(value: Any) -> str:
    """Any value as one line; nothing for one that says nothing."""
    if isinstance(value, str):
        return " ".join(value.split())
    if isinstance(value, bool) or value is None:
        return ""
    if isinstance(value, int | float):
        return f"{value}" if isfinite(value) else ""
    if isinstance(value, list):
        return "; ".join(filter(None, map(_line, value)))
    if isinstance(value, dict):
        said = ((str(key), _line(item)) for key, item in value.items() if key not in _FROM_KEYS)
        return "; ".join(text if key in _TEXT_KEYS else f"{key}: {text}" for key, text in said if text)
    return ""


def _items(value: Any, split: re.Pattern[str]) -> list[Any]:
    """A list, whatever holds its items."""
    if isinstance(value, list):
        return value
    if isinstance(value, str):
        return [_MARKS.sub("", part) for part in split.split(value)]
    if isinstance(value, dict):
        return [value] if any(key in value for key in _TEXT_KEYS) else list(value.values())
    return [] if value is None else [value]


def _terms(value: Any) -> list[str]:
    named = (_line(item) for item in _items(value, _IN_LIST))
    return [term for term in distinct(named) if len(term) <= LINE][:TERMS]


def _stands(term: str, source: str) -> bool:
    return term in source if _IS_CJK.search(term) else stands_in(source, term)


def _entities(value: Any, source: str) -> dict[str, tuple[str, ...]]:
    found: dict[str, list[str]] = {}
    for kind, names in _by_kind(value):
        known = _KINDS.get(kind.strip().casefold(), "name")
        found.setdefault(known, []).extend(name for name in _terms(names) if _stands(name.casefold(), source))
    return {kind: tuple(distinct(found[kind])[:TERMS]) for kind in KINDS if found.get(kind)}


def _by_kind(value: Any) -> Iterator[tuple[str, Any]]:
    """From an object of lists, a list of objects with a kind, or a bare list."""
    if isinstance(value, dict) and not any(key in value for key in ("name", "text")):
        yield from ((str(kind), names) for kind, names in value.items())
        return
    for item in _items(value, _IN_LIST):
        if isinstance(item, dict):
            kind = next((item[key] for key in ("type", "kind", "category", "类别", "类型") if key in item), "name")
            yield _line(kind), next((item[key] for key in _TEXT_KEYS if key in item), None)
        else:
            yield "name", item


def _entries(value: Any, messages: int) -> tuple[str, ...]:
    placed = []
    for item in _items(value, _LISTED):
        text = _line(item)
        places = []
        if isinstance(item, dict):
            said = next((item[key] for key in _FROM_KEYS if key in item), None)
            places = [int(n) for n in _NUMBER.findall(_line(said)) if 1 <= int(n) <= messages]
        placed.append((min(places, default=messages + 1), text))
    placed.sort(key=lambda entry: entry[0])
    return tuple(shortened(text, LINE) for text in distinct(text for _, text in placed)[:ENTRIES])
