"""``probes.jsonl``: one question with its gold evidence a line. A broken line costs that line."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from pydantic import BaseModel, ConfigDict, ValidationError

from mnemo_lab.corpora.message_ids import MessageIds
from mnemo_lab.formats.faults import shorten
from mnemo_lab.formats.files import read_bytes
from mnemo_lab.formats.json_values import Cleaner
from mnemo_lab.losses import Loss, loss
from mnemo_lab.recording import Probe, Span

UNANSWERABLE: Final = "unanswerable"
"""Category of questions that the recording does not answer."""


class SpanLine(BaseModel):
    """Where the answer stands: the first occurrence of ``text`` in the message."""

    model_config = ConfigDict(extra="forbid", strict=True)

    message: str
    text: str


class ProbeLine(BaseModel):
    """A line as written. Other fields (``derivation`` …) travel in the probe's extensions."""

    model_config = ConfigDict(extra="allow", strict=True)

    id: str
    question: str
    category: str
    evidence: list[str] = []
    spans: list[SpanLine] = []
    answer: str | None = None
    aliases: list[str] = []
    after: str | None = None
    asked_at: str | None = None
    answerable: bool | None = None


class Unreadable(ValueError):
    """Why a line is no probe."""


def read_probes(path: Path, ids: MessageIds, prefix: str) -> tuple[tuple[Probe, ...], tuple[Loss, ...]]:
    """All probes of a file. ``prefix`` heads the places in losses: ``<prefix>/probes.jsonl:3``."""
    probes: dict[str, Probe] = {}
    losses: list[Loss] = []
    for number, line in _lines(path):
        place = f"{prefix}/{path.name}:{number}"
        try:
            probe = _probe(line, ids, place, losses)
            if probe.id in probes:
                raise Unreadable(f"the id {probe.id!r} was used by an earlier line")
        except Unreadable as error:
            losses.append(loss("unreadable_probe", pointer=place, place=place, reason=error))
        else:
            probes[probe.id] = probe
    return tuple(probes.values()), tuple(losses)


def _lines(path: Path) -> Iterator[tuple[int, bytes]]:
    data = read_bytes(path).removeprefix(b"\xef\xbb\xbf")
    for number, line in enumerate(data.split(b"\n"), 1):
        if line.strip():
            yield number, line


def _probe(raw: bytes, ids: MessageIds, place: str, losses: list[Loss]) -> Probe:
    line = _parse(raw, place, losses)
    after = _after(line, ids)
    evidence, found = _evidence(line, ids, after, place)
    spans, unfound = _spans(line, ids, after, place)
    answerable = line.category != UNANSWERABLE if line.answerable is None else line.answerable
    found += unfound
    if answerable and not evidence:
        found.append(loss("probe_without_evidence", pointer=place, probe=line.id))
    losses += found
    return Probe(
        id=line.id,
        question=line.question,
        category=line.category,
        evidence=evidence,
        spans=spans,
        answer=line.answer or None,
        aliases=tuple(alias for alias in line.aliases if alias),
        after=None if after is None else ids.messages[after].id,
        asked_at=line.asked_at,
        answerable=answerable,
        extensions=dict(line.model_extra or {}),
    )


def _parse(raw: bytes, place: str, losses: list[Loss]) -> ProbeLine:
    """The line, with numbers where text belongs as they were written: ``2.50`` stays ``2.50``.

    A lone surrogate becomes U+FFFD, as in documents: no file could hold the row of such a question.
    """
    cleaner = Cleaner()
    try:
        value = cleaner.clean(json.loads(raw))
        if not isinstance(value, dict):
            raise Unreadable(f"{shorten(value)} is not an object with id, question and category")
        written = Cleaner().clean(json.loads(raw, parse_int=str, parse_float=str))
        extra = {key: value[key] for key in value if key not in ProbeLine.model_fields}
        line = ProbeLine.model_validate(written | extra)
    except ValidationError as error:
        faults = (f"{'/'.join(map(str, item['loc']))}: {item['msg']}" for item in error.errors()[:3])
        raise Unreadable("; ".join(faults)) from None
    except RecursionError:
        raise Unreadable("nested too deeply") from None
    except ValueError as error:  # bad JSON, bad UTF-8, or Unreadable itself
        raise Unreadable(str(error)) from None
    if cleaner.losses:
        losses.append(loss("unicode_replaced", pointer=place))
    return line


def _after(line: ProbeLine, ids: MessageIds) -> int | None:
    if line.after is None:
        return None
    position = ids.position(line.after)
    if position is None:
        raise Unreadable(f"after: {ids.fault(line.after)}")
    return position


def _evidence(line: ProbeLine, ids: MessageIds, after: int | None, place: str) -> tuple[tuple[str, ...], list[Loss]]:
    kept: dict[str, None] = {}
    losses: list[Loss] = []
    for written in line.evidence:
        position = ids.position(written)
        if position is None:
            losses.append(loss("unknown_evidence", pointer=place, id=written, probe=line.id))
        elif after is not None and position > after:
            losses.append(loss("late_evidence", pointer=place, id=written, probe=line.id))
        else:
            kept[ids.messages[position].id] = None
    return tuple(kept), losses


def _spans(line: ProbeLine, ids: MessageIds, after: int | None, place: str) -> tuple[tuple[Span, ...], list[Loss]]:
    """Spans by position: the first occurrence of each text. A span in late evidence went with that."""
    kept: list[Span] = []
    losses: list[Loss] = []
    for span in line.spans:
        position = ids.position(span.message)
        start = ids.messages[position].text.find(span.text) if position is not None and span.text else -1
        if position is None or start < 0:
            what = {"text": shorten(span.text), "probe": line.id, "id": span.message}
            losses.append(loss("span_not_found", pointer=place, **what))
        elif after is None or position <= after:
            kept.append(Span(ids.messages[position].id, start, start + len(span.text)))
    return tuple(kept), losses
