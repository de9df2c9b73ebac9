"""Conversations as pages of entries, with losses for what a page does not show."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final
from urllib.parse import urlsplit

from mnemo_lab.conversation import Conversation, Message, ToolCall, time_of
from mnemo_lab.formats.faults import shorten_text
from mnemo_lab.formats.lists.prepare import (
    KNOWN,
    Prepared,
    Tally,
    citations_of,
    note_foreign,
    reasoning_of,
    refusal_of,
    signatures_of,
    tool_names,
)
from mnemo_lab.formats.lists.values import object_of
from mnemo_lab.formats.transcript.indented import indented, spelled_out
from mnemo_lab.formats.transcript.shown import Shown, safe_link, shown
from mnemo_lab.formats.transcript.words import Language, branches, word

GIST: Final = 90


@dataclass(frozen=True, slots=True)
class Clock:
    """A time for people, and for machines where it could be read."""

    text: str
    machine: str | None


@dataclass(frozen=True, slots=True)
class CallView:
    """A call: ``gist`` is its arguments on one line, ``arguments`` all of them, made readable."""

    id: str
    name: str
    gist: str
    arguments: str
    valid: bool


@dataclass(frozen=True, slots=True)
class Source:
    """A citation; ``link`` is ``None`` where it has no address that is safe to follow."""

    title: str
    link: str | None


@dataclass(frozen=True, slots=True)
class Entry:
    """One message. A tool's has ``gist`` and its ``text`` indented where that is JSON."""

    number: int
    message: Message
    speaker: str
    clock: Clock | None
    text: str
    gist: str
    calls: tuple[CallView, ...]
    reasoning: str
    refusal: str
    failed: bool
    hidden: bool
    shown: tuple[Shown, ...]
    sources: tuple[Source, ...]


@dataclass(frozen=True, slots=True)
class Page:
    """One conversation."""

    title: str
    facts: tuple[tuple[str, str], ...]
    system_prompt: str | None
    summary: str | None
    note: str | None
    entries: tuple[Entry, ...]


def page_of(ready: Prepared, language: Language) -> Page:
    conversation, tally = ready.conversation, ready.tally
    names = tool_names(conversation.messages)
    entries = tuple(_entry(tally, at, names[at[0]], language) for at in enumerate(conversation.messages))
    note_foreign(tally, conversation.extensions, ())
    left_out = [int(dict(item.values)["count"]) for item in tally.losses if item.code == "branch_dropped"]
    return Page(
        shorten_text(conversation.title or "", 200) or word("untitled", language),
        tuple(_facts(conversation, entries, language)),
        conversation.system_prompt or None,
        conversation.summary or None,
        branches(sum(left_out), language) if left_out else None,
        entries,
    )


def _facts(conversation: Conversation, entries: tuple[Entry, ...], language: Language) -> list[tuple[str, str]]:
    times = [entry.clock.text for entry in entries if entry.clock]
    span = times[0] if times and times[0] == times[-1] else f"{times[0]} – {times[-1]}" if times else None
    found = {"model": conversation.model, "time": span, "messages": str(len(entries)), "id": conversation.id}
    return [(word(key, language), shorten_text(value, 200)) for key, value in found.items() if value]


def _entry(tally: Tally, at: tuple[int, Message], tool: str, language: Language) -> Entry:
    index, message = at
    _note_unkept(tally, at)
    is_tool = message.role == "tool"
    return Entry(
        number=index + 1,
        message=message,
        speaker=_speaker(message, tool, language),
        clock=_clock(message.timestamp),
        text=indented(message.text) if is_tool else message.text,
        gist=shorten_text(message.text[:1000], GIST) if is_tool else "",
        calls=tuple(map(_call, message.tool_calls)),
        reasoning="\n\n".join(str(item["text"]) for item in reasoning_of(message)),
        refusal=refusal_of(message),
        failed=bool(message.extensions.get("is_error")),
        hidden=bool(message.extensions.get("hidden")),
        shown=tuple(shown(item, tally, at, language) for item in message.attachments),
        sources=tuple(map(_source, citations_of(message))),
    )


def _note_unkept(tally: Tally, at: tuple[int, Message]) -> None:
    message = at[1]
    for provider in dict.fromkeys(signatures_of(message)):
        tally.add("signature_dropped", at, provider=provider)
    if message.extensions.get("reasoning") and not reasoning_of(message) and not signatures_of(message):
        tally.add("reasoning_dropped", at, reason="it has no text")
    note_foreign(tally, message.extensions, KNOWN)
    for call in message.tool_calls:
        note_foreign(tally, call.extensions, ())
    for item in message.attachments:
        note_foreign(tally, item.extensions, ())


def _speaker(message: Message, tool: str, language: Language) -> str:
    name = message.name or tool
    return shorten_text(name, 80) if name and name.strip() else word(message.role, language)


def _clock(timestamp: str | None) -> Clock | None:
    if not timestamp or not timestamp.strip():
        return None
    moment = time_of(timestamp)
    if moment is None:
        return Clock(shorten_text(timestamp, 40), None)
    zone = moment.strftime("%z")
    shift = "UTC" if zone in ("+0000", "") else f"{zone[:3]}:{zone[3:5]}"
    return Clock(f"{moment:%Y-%m-%d %H:%M} {shift}", moment.isoformat())


def _call(call: ToolCall) -> CallView:
    gist = shorten_text(call.arguments[:1000], GIST)
    valid = object_of(call.arguments) is not None
    return CallView(call.id, call.name, "" if gist == "{}" else gist, spelled_out(call.arguments), valid)


def _source(citation: Any) -> Source:
    """Whatever a tool calls the title and the address of a citation."""
    box: dict[str, Any] = citation if isinstance(citation, dict) else {"title": str(citation)}
    inner = box.get("url_citation")
    box = inner if isinstance(inner, dict) else box
    address = next((str(box[key]) for key in ("url", "uri", "link", "source") if box.get(key)), "")
    title = next((str(box[key]) for key in ("title", "cited_text", "text", "name") if box.get(key)), "")
    link = safe_link(address)
    host = (urlsplit(link).hostname or "") if link and title else ""
    shown_title = shorten_text(title or address or "…", 160)
    return Source(f"{shown_title} ({host})" if host and host not in shown_title else shown_title, link)
