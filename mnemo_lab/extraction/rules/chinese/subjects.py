"""Whom or what a clause is about."""

from __future__ import annotations

import re
from typing import Final

from mnemo_lab.extraction.base import USER
from mnemo_lab.extraction.rules.chinese.lexicon import KIN, NOUN, OTHER, VALUE, Mention, mood
from mnemo_lab.text.names_zh import SURNAMES, name_at

_SURNAME: Final = f"[{''.join(sorted(SURNAMES))}]"
_SELF: Final = re.compile(r"我(?!们|国|觉得|想|看|说|记得|家里?的|妈|爸)|本人|咱(?!们)|俺|自己")
_ANYONE: Final = re.compile(
    rf"[我咱俺他她A-Z总师医工姐哥叔姨]|本人|自己|[老小阿]|人家|别人|有人|大家|客户|网友|^{_SURNAME}"
)
_THEY: Final = re.compile(r"[他她](?!们)")
_LATIN_NAME: Final = re.compile(r"(?<![A-Za-z])[A-Z][a-z]{1,10}(?![A-Za-z.])")
_NICK: Final = mood("nick")
_OBJECT_OF: Final = mood("object_of")
_ALLOWED: Final = re.compile(r"(?:让|叫|劝|准|要求|嘱咐|说|建议)我(?!们)|给我(?:减|加|开|查|诊断|换)")
_PASSING: Final = re.compile(r"说|让|叫|劝|建议|帮|给|问|要求|通知")
_THING_HEAD: Final = mood("thing_head")
_THING: Final = mood("thing")
_LEADS: Final = mood("leads")


def subject_of(text: str, before: int, known: list[Mention], inherited: str, they: str = "") -> str | None:
    """``user`` or the person a clause speaks of before a place in it; ``None`` where it is somebody unnamed.

    The last one named before the value counts: in 我妈说我对花生过敏 that is the speaker. ``inherited`` holds where
    the clause names nobody.
    """
    named = [(m.start, m.end, text[m.start : m.end]) for m in known if m.kind in (KIN, OTHER) and m.start < before]
    if not named and not _ANYONE.search(text):
        return inherited
    named += [(m.start(), m.end(), USER) for m in _SELF.finditer(text, 0, before)]
    named += [(m.start(), m.end(), m[0]) for m in _NICK.finditer(text, 0, before)]
    named += [(m.start(), m.end(), "") for m in _THEY.finditer(text, 0, before)]
    named += [(m.start(), m.end(), m[0]) for m in _LATIN_NAME.finditer(text, 0, before) if not _is_known(m, known)]
    if text[:1] and (end := name_at(text, 0, strict=True)) and end <= before:
        named.append((0, end, text[:end]))
    if re.search(r"[他她]们|人家|别人|有人|大家都?说|客户们|网友", text[:before]):
        return None
    if _ALLOWED.search(text, 0, before):
        return USER
    for start, _, who in sorted((n for n in named if not _OBJECT_OF.search(text[: n[0]])), reverse=True):
        return who or they or (inherited if inherited != USER else text[start])
    return inherited


def person_in(text: str, known: list[Mention]) -> str:
    """The last person a clause names in whatever part of it; ``""`` for none."""
    named = [(m.start, text[m.start : m.end]) for m in known if m.kind in (KIN, OTHER)]
    if not named and not _ANYONE.search(text):
        return ""
    named += [(m.start(), m[0]) for m in _NICK.finditer(text)]
    named += [(m.start(), m[0]) for m in _LATIN_NAME.finditer(text) if not _is_known(m, known)]
    return max(named, default=(0, ""))[1]


def _is_known(name: re.Match[str], known: list[Mention]) -> bool:
    return any(m.kind in (VALUE, NOUN) and m.start <= name.start() < m.end for m in known)


def stays(text: str, who: str) -> bool:
    """Whether the next clause, if it names nobody, is still about this person, who is not only quoted."""
    return who == USER or not _PASSING.search(text)


def thing_of(text: str) -> str:
    """The project, shop, class … a text names first; ``""`` for none."""
    if not _THING_HEAD.search(text):
        return ""
    for match in _THING.finditer(text):
        name = _LEADS.sub("", match[0]).strip("“” ")
        if name and "了" not in name:
            return name
    return ""
