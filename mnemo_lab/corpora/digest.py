"""A digest of recordings that depends on what they say, not on where they lie or what their folder is called."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from typing import Any

from mnemo_lab.conversation import MISSING, Conversation, Message
from mnemo_lab.recording import Probe, Recording


def digest_of(recordings: Iterable[Recording]) -> str:
    """The SHA-256 over all messages and probes; the order of the recordings does not count."""
    parts = sorted(recording_digest(recording) for recording in recordings)
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()


def recording_digest(recording: Recording) -> str:
    """The SHA-256 over one recording's conversations and probes. Its id, split and language are not part of it."""
    value = [[_conversation(c) for c in recording.conversations], [_probe(p) for p in recording.probes]]
    # ASCII, so that lone surrogates have a form too.
    text = json.dumps(value, ensure_ascii=True, sort_keys=True, separators=(",", ":"), default=_plain)
    return hashlib.sha256(text.encode("ascii")).hexdigest()


def _plain(value: Any) -> Any:
    return dict(value) if isinstance(value, Mapping) else repr(value)


def _conversation(c: Conversation) -> list[Any]:
    return [c.id, c.title, c.model, c.system_prompt, c.summary, [_message(m) for m in c.messages]]


def _message(m: Message) -> list[Any]:
    content = {"missing": True} if m.content is MISSING else m.content
    calls = [[c.id, c.name, c.arguments, c.extensions] for c in m.tool_calls]
    files = [[a.kind, a.media_type, a.reference, a.data, a.name, a.extensions] for a in m.attachments]
    return [m.role, content, m.id, m.timestamp, m.name, calls, m.tool_call_id, m.parent_id, files, m.extensions]


def _probe(p: Probe) -> list[Any]:
    spans = [[s.message_id, s.start, s.end] for s in p.spans]
    gold = [p.evidence, spans, p.answer, p.aliases, p.answerable]
    return [p.id, p.question, p.category, p.after, p.asked_at, gold, p.extensions]
