"""Helpers for formats whose conversations are lists of messages: read values and texts, write and read again."""

from __future__ import annotations

import json
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import Any

from hypothesis import strategies as st

from mnemo_lab.conversation import Conversation, Message
from mnemo_lab.formats.base import Reading, WriteOptions, Written
from mnemo_lab.formats.source import Source
from mnemo_lab.losses import Loss
from tests.formats.test_portable_roundtrip import conversations, text, values

KEYS = ["reasoning", "citations", "refusal", "is_error", "hidden", "hf-messages", "sharegpt", "langchain", "tools"]
KEYS += [
    "blocks",
    "type",
    "role",
    "additional_kwargs",
    "response_metadata",
    "usage_metadata",
    "artifact",
    "unread_calls",
]
KEYS += [
    "text",
    "signature",
    "system_message",
    "images",
    "tool_calls",
    "content",
    "function",
    "invalid",
    "from",
    "value",
]
ENTRIES = st.fixed_dictionaries({"text": text}, optional={"signature": text, "provider": text, "model": text})
SPICY = st.dictionaries(
    st.sampled_from(KEYS),
    st.lists(ENTRIES, max_size=2) | st.dictionaries(st.sampled_from(KEYS), values, max_size=4) | values,
    max_size=4,
)
SOME = ["<think>", "</think>", "<image>", '{"a": 1}', '{"a":', "[]", "```", "data:image/png;base64,AAAA", "call_1"]


@st.composite
def spiced(draw: st.DrawFn) -> Conversation:
    """Any conversation, with extensions under the names that formats look for, and texts they take apart."""
    found = draw(conversations)
    texts = st.sampled_from(SOME)
    spice: list[Message] = []
    for message in found.messages:
        calls = tuple(replace(c, arguments=draw(texts), extensions=draw(SPICY)) for c in message.tool_calls)
        content = draw(texts) if draw(st.booleans()) else message.content
        spice.append(replace(message, content=content, extensions=draw(SPICY), tool_calls=calls))
    return replace(found, messages=tuple(spice), extensions=draw(SPICY))


Codes = list[tuple[str, str | None, str | None]]


def read_text(reader: Any, raw: str | bytes, name: str = "a.json") -> list[Reading]:
    data = raw.encode("utf-8", "surrogatepass") if isinstance(raw, str) else raw
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / name
        path.write_bytes(data)
        with Source(path) as source:
            return list(reader.read(source))


def read_value(reader: Any, value: Any) -> list[Reading]:
    return read_text(reader, json.dumps(value, ensure_ascii=False))


def only(readings: list[Reading]) -> tuple[Conversation, tuple[Loss, ...]]:
    (reading,) = readings
    assert reading.conversation is not None, reading.losses
    return reading.conversation, reading.losses


def written(writer: Any, *conversations: Conversation, language: Any = "en") -> Written:
    result: Written = writer.write(conversations, WriteOptions(language=language))
    return result


def again(format_: Any, conversation: Conversation) -> Conversation:
    """Written and read."""
    return only(read_text(format_, written(format_, conversation).data))[0]


def codes(losses: tuple[Loss, ...]) -> Codes:
    return [(item.code, item.message_id, item.pointer) for item in losses]


def names(losses: tuple[Loss, ...]) -> list[str]:
    return sorted({item.code for item in losses})
