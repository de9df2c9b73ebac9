"""Markdown for people: a readable transcript, calls and results folded. Written only; what is read again is JSON."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape
from typing import Final

from mnemo_lab.conversation import Conversation
from mnemo_lab.formats.base import WriteOptions, Written
from mnemo_lab.formats.faults import shorten_text
from mnemo_lab.formats.lists.prepare import prepared
from mnemo_lab.formats.transcript.fences import fenced
from mnemo_lab.formats.transcript.neutral import inline, neutral
from mnemo_lab.formats.transcript.shown import Shown
from mnemo_lab.formats.transcript.view import CallView, Entry, Page, page_of
from mnemo_lab.formats.transcript.words import Language, word

name: Final = "markdown"
title: Final = "Markdown transcript"
suffix: Final = ".md"
several: Final = True


def write(conversations: Sequence[Conversation], options: WriteOptions) -> Written:
    """One document with a chapter per conversation, in the language of ``options``."""
    ready = prepared(conversations)
    pages = [page_of(item, options.language) for item in ready]
    for item in ready:
        if any(message.id for message in item.conversation.messages):
            item.tally.add("message_id_dropped")
    text = "\n\n".join("\n\n".join(_page(page, options.language)) for page in pages)
    return Written(f"{text}\n".encode(), tuple(found for item in ready for found in item.tally.losses))


def _page(page: Page, language: Language) -> Iterator[str]:
    yield f"# {inline(page.title)}"
    if page.facts:
        yield "\n".join(f"- {inline(label)}: {inline(value)}" for label, value in page.facts)
    if page.note:
        yield f"> {inline(page.note)}"
    if page.summary:
        yield f"## {word('summary', language)}"
        yield neutral(page.summary)
    if page.system_prompt:
        yield _folded(word("system_prompt", language), neutral(page.system_prompt, breaks=True))
    for entry in page.entries:
        yield from _entry(entry, language)


def _entry(entry: Entry, language: Language) -> Iterator[str]:
    yield _heading(entry, language)
    if entry.reasoning:
        yield _folded(word("reasoning", language), neutral(entry.reasoning))
    is_tool = entry.message.role == "tool"
    if is_tool and entry.text:
        failed = f" ({word('failed', language)})" if entry.failed else ""
        yield _folded(f"{word('result', language)}{failed}", fenced(entry.text), entry.gist)
    elif entry.text.strip():
        yield neutral(entry.text, breaks=entry.message.role != "assistant")
    elif not (entry.calls or entry.shown or entry.refusal):
        yield f"*({word('empty', language)})*"
    if entry.refusal:
        yield f"**{word('refusal', language)}:**\n\n{neutral(entry.refusal, breaks=True)}"
    yield from (_attachment(item) for item in entry.shown)
    yield from (_call(call, language) for call in entry.calls)
    if entry.sources:
        yield f"{word('sources', language)}:"
        yield "\n".join(f"- {_link(item.title, item.link)}" for item in entry.sources)


def _heading(entry: Entry, language: Language) -> str:
    who = word(entry.message.role, language)
    if entry.speaker != who:
        who = f"{who}: {inline(entry.speaker)}"
    parts = [f"{entry.number}. {who}", inline(entry.clock.text) if entry.clock else ""]
    parts += [word("hidden", language) if entry.hidden else ""]
    return "### " + " · ".join(filter(None, parts))


def _call(call: CallView, language: Language) -> str:
    label = f"{word('call', language)}: {call.name}"
    label += "" if call.valid else f" ({word('not_json', language)})"
    return _folded(label, fenced(call.arguments, "json" if call.arguments[:1] == "{" and call.valid else ""), call.gist)


def _folded(label: str, body: str, gist: str = "") -> str:
    """A block that is opened by a click; the blank lines around the body make it Markdown again."""
    more = f" <code>{escape(shorten_text(gist))}</code>" if gist else ""
    return f"<details>\n<summary><b>{escape(shorten_text(label, 200))}</b>{more}</summary>\n\n{body}\n\n</details>"


def _attachment(item: Shown) -> str:
    return f"![{inline(item.label)}]({item.picture})" if item.picture else _link(item.label, item.link)


def _link(label: str, link: str | None) -> str:
    if link is None:
        return inline(label)
    return f"[{inline(label)}]({link.replace('(', '%28').replace(')', '%29')})"
