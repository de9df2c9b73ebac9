"""Text cut into blocks where citations stand, as Anthropic wants it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from mnemo_lab.formats.lists.prepare import Tally
from mnemo_lab.formats.openai_chat import give
from mnemo_lab.formats.openai_chat.give import Spot

_ON_DOCUMENT: Final = {"cited_text": str, "document_index": int}
_FIELDS: Final[Mapping[str, Mapping[str, type]]] = {
    "char_location": {**_ON_DOCUMENT, "start_char_index": int, "end_char_index": int},
    "page_location": {**_ON_DOCUMENT, "start_page_number": int, "end_page_number": int},
    "content_block_location": {**_ON_DOCUMENT, "start_block_index": int, "end_block_index": int},
    "web_search_result_location": {"cited_text": str, "encrypted_index": str, "url": str},
    "search_result_location": {
        "cited_text": str,
        "source": str,
        "search_result_index": int,
        "start_block_index": int,
        "end_block_index": int,
    },
}
_TITLES: Final = {
    "char_location": "document_title",
    "page_location": "document_title",
    "content_block_location": "document_title",
    "web_search_result_location": "title",
    "search_result_location": "title",
}


class _Span(NamedTuple):
    start: int
    end: int


def cited(spot: Spot, tally: Tally) -> list[dict[str, Any]]:
    """The text of a message as blocks, each with the citations that stand on it; others are listed as dropped."""
    text = spot[1].text
    spans: dict[_Span, list[dict[str, Any]]] = {}
    found = give.citations_of(spot[1])
    count = 0
    for citation in found:
        span, written = _span(citation, len(text)), _known(citation)
        if span is None or written is None or any(_overlap(span, other) for other in spans if other != span):
            continue
        if text[span.start : span.end].strip():
            spans.setdefault(span, []).append(written)
            count += 1
    if count < len(found):
        tally.add("citation_dropped", spot, count=len(found) - count)
    if not spans:
        return [{"type": "text", "text": text}] if text.strip() else []
    return _cut(text, spans)


def _cut(text: str, spans: Mapping[_Span, list[dict[str, Any]]]) -> list[dict[str, Any]]:
    blocks: list[dict[str, Any]] = []
    at, blank = 0, ""
    for span in [*sorted(spans), _Span(len(text), len(text))]:
        between = text[at : span.start]
        if between.strip():
            blocks.append({"type": "text", "text": between})
        elif blocks:
            blocks[-1]["text"] += between
        else:  # no block may be blank, so that white space goes to a neighbour
            blank = between
        if span in spans:
            said = blank + text[span.start : span.end]
            blocks.append({"type": "text", "text": said, "citations": spans[span]})
            blank = ""
        at = span.end
    return blocks


def _overlap(one: _Span, other: _Span) -> bool:
    return one.start < other.end and other.start < one.end


def _span(citation: Mapping[str, Any], length: int) -> _Span | None:
    start, end = citation.get("start"), citation.get("end")
    if type(start) is not int or type(end) is not int or not 0 <= start < end <= length:
        return None
    return _Span(start, end)


def _known(citation: Mapping[str, Any]) -> dict[str, Any] | None:
    """The citation as Anthropic defines it; ``None`` where it is none of its own."""
    kind = citation.get("type")
    fields = _FIELDS.get(kind) if isinstance(kind, str) else None
    if fields is None or not all(type(citation.get(key)) is type_ for key, type_ in fields.items()):
        return None
    title = citation.get(_TITLES[str(kind)])
    known = {key: citation[key] for key in fields}
    return {"type": kind, **known, _TITLES[str(kind)]: title if isinstance(title, str) else None}
