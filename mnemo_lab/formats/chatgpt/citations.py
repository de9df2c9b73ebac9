"""Citation marks in an answer: resolved to links by the text they matched, else taken out; all else stays.

New marks stand between private-use characters (``U+E200 cite U+E202 turn0search3 U+E201``), and ``U+E203``/``U+E204``
enclose a span whose text stays. Old ones are ``【8†source】``; 【】 is also ordinary Chinese punctuation, so only
``【<digits>†…】`` counts. A reference whose matched text is no mark (often a single space) replaces nothing.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any, Final, NamedTuple

Citation = dict[str, Any]
_HAS_MARK: Final = re.compile("[\ue200-\ue206]|【\\d+†")
_MARK: Final = re.compile(
    "\ue200[^\ue200\ue201]*\ue201"  # a whole mark
    "|\ue200\\w*(?:\ue202[^\ue200-\ue206\\s]*)*"  # one cut off before its end
    "|【\\d+†[^】\\n]*】"
    "|[\ue201-\ue206]"
)
_WHOLE: Final = re.compile("\ue200[^\ue200\ue201]*\ue201")
_OLD_MARK: Final = re.compile("【\\d[^】\\n]*†[^】\\n]*】")
_ENTITY: Final = re.compile("\ue200entity\ue202(.*?)\ue201", re.DOTALL)
_PAGES: Final = ("grouped_webpages", "webpage", "webpage_extended", "file")
_LISTS: Final = ("items", "supporting_websites", "sources")


class Cited(NamedTuple):
    """The text without marks, what it cites, and how many marks led nowhere."""

    text: str
    citations: list[Citation]
    unresolved: int


def resolve(text: str, metadata: dict[str, Any]) -> Cited | None:
    """``None`` where the text has no mark and the metadata no citation."""
    references, old = metadata.get("content_references"), metadata.get("citations")
    marked = not text.isascii() and _HAS_MARK.search(text) is not None
    if not (marked or references or old):
        return None
    return _Resolver(references, old).resolve(text)


class _Resolver:
    def __init__(self, references: Any, old: Any) -> None:
        self.citations: list[Citation] = []
        self.unresolved = 0
        self.links: dict[str, str | None] = {}
        self.old = [item for item in old if isinstance(item, dict)] if isinstance(old, list) else []
        for reference in references if isinstance(references, list) else ():
            if isinstance(reference, dict):
                self._reference(reference)
        for item in self.old:
            self._cite(_facts(item.get("metadata")))

    def _reference(self, reference: dict[str, Any]) -> None:
        found = list(_sources(reference))
        for facts in found:
            self._cite(facts)
        matched = reference.get("matched_text")
        if isinstance(matched, str) and (_WHOLE.search(matched) or _OLD_MARK.search(matched)):
            link = ", ".join(filter(None, map(_link, found))) or _name(matched, reference)
            self._link_mark(matched, link if link or found or reference.get("type") not in _PAGES else None)

    def _link_mark(self, matched: str, link: str | None) -> None:
        """Text around a mark is no part of it: it may be a span that stays."""
        marks = _WHOLE.findall(matched) or [matched]
        for mark in marks[:-1]:
            self.links.setdefault(mark, "")
        self.links[marks[-1]] = link or self.links.get(marks[-1], link)

    def _cite(self, facts: Citation) -> None:
        if facts and facts not in self.citations:
            self.citations.append(facts)

    def resolve(self, text: str) -> Cited:
        for mark in self.links:
            if not _MARK.fullmatch(mark):  # an old mark with more than a number, as 【4:0†source】
                text = text.replace(mark, self.links[mark] or "")
        starts = self._starts(text) if self.old else {}

        def replace(found: re.Match[str]) -> str:
            mark = found[0]
            if "\ue201" <= mark <= "\ue206":
                return ""  # the edge of a span: its text stays
            link = self.links.get(mark)
            if link is None:
                link = starts.get(found.start()) or _entity(mark)
                self.unresolved += not link
            return link

        text = _MARK.sub(replace, text)
        return Cited(text, self.citations, self.unresolved)

    def _starts(self, text: str) -> dict[int, str]:
        """Links of old marks by where they stand: as code points, as UTF-16 units, or, in equal number, in order."""
        marks = list(_MARK.finditer(text))
        links = [(item.get("start_ix"), _link(_facts(item.get("metadata")))) for item in self.old]
        by_start = {start: link for start, link in links if link and isinstance(start, int)}
        found: dict[int, str] = {}
        for unit in (_code_points, _utf16):
            found = {m.start(): by_start[at] for m in marks if (at := unit(text, m.start())) in by_start}
            if found:
                return found
        if len(marks) == len(links):
            return {mark.start(): link for mark, (_, link) in zip(marks, links, strict=True)}
        return found


def _code_points(text: str, position: int) -> int:
    return position


def _utf16(text: str, position: int) -> int:
    return position + sum(character > "\uffff" for character in text[:position])


def _sources(reference: dict[str, Any]) -> Iterator[Citation]:
    """Pages and files of one reference: those of its lists, else itself."""
    found = [facts for name in _LISTS for facts in _listed(reference.get(name))]
    own = _facts(reference)
    yield from found or ([own] if own.get("url") or reference.get("type") == "file" else [])


def _listed(value: Any) -> Iterator[Citation]:
    for item in value if isinstance(value, list) else ():
        facts = _facts(item)
        if facts:
            yield facts
        if isinstance(item, dict):
            yield from _listed(item.get("supporting_websites"))


def _facts(source: Any) -> Citation:
    """Title and address of a source, as far as it has them."""
    if not isinstance(source, dict):
        return {}
    named = {"url": source.get("url"), "title": source.get("title") or source.get("name")}
    return {key: value for key, value in named.items() if isinstance(value, str) and value}


def _link(facts: Citation) -> str:
    url = facts.get("url")
    if not url:
        return ""
    title = str(facts.get("title") or url).replace("[", "\\[").replace("]", "\\]")
    return f"[{' '.join(title.split())}]({url.replace(' ', '%20').replace(')', '%29')})"


def _name(matched: str, reference: dict[str, Any]) -> str:
    """What stands for a reference without an address: the name of an entity, nothing for pictures and the like."""
    if reference.get("type") != "entity":
        return ""
    name = reference.get("name")
    return name if isinstance(name, str) and name else _entity(matched)


def _entity(mark: str) -> str:
    """The name in ``U+E200 entity U+E202 ["city", "Paris", …] U+E201``: it is part of the sentence."""
    found = _ENTITY.fullmatch(mark)
    try:
        said = json.loads(found[1]) if found else None
    except (ValueError, RecursionError):
        return ""
    return said[1] if isinstance(said, list) and len(said) > 1 and isinstance(said[1], str) else ""
