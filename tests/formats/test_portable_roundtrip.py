"""What is written arrives again: any conversation, byte for byte, valid against the schema of its version."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import jsonschema  # type: ignore[import-untyped]
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mnemo_lab.conversation import MISSING, Attachment, Conversation, DocumentMeta, Message, ToolCall
from mnemo_lab.errors import InvalidInput
from mnemo_lab.formats import portable
from mnemo_lab.formats.portable.schema import SCHEMAS

NOW = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)
VALIDATORS = {
    "1.0.0": jsonschema.Draft7Validator(json.loads(SCHEMAS["1.0.0"].read_text())),
    "1.1.0": jsonschema.Draft202012Validator(json.loads(SCHEMAS["1.1.0"].read_text())),
}

SAMPLES = [
    "",
    "hello",
    "部署方案",
    "שלום עולם",
    "नमस्ते",
    "สวัสดี",
    "👩‍👩‍👧 é",
    "a\u2028b\x85c\x00",
    '"\\/\n\t',
    "\ufeff",
    "\ufffd",
]
text = st.sampled_from(SAMPLES) | st.text(max_size=12)
maybe = st.none() | text
scalars = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | text
# Names of real fields and of pydantic's own attributes are the ones that could go to the wrong place.
NAMES = [
    "id",
    "content",
    "name",
    "function",
    "arguments",
    "messages",
    "meta",
    "summary",
    "extensions",
    "unknown_fields",
]
NAMES += ["document_extensions", "model_config", "model_dump", "__class__", "self", "type", "attachments", "a/b~c", ""]
keys = st.sampled_from(NAMES) | st.text(max_size=4)
values = st.recursive(
    scalars, lambda inner: st.lists(inner, max_size=2) | st.dictionaries(keys, inner, max_size=3), max_leaves=4
)
objects = st.dictionaries(keys, values, max_size=3)
unknown = st.fixed_dictionaries({"unknown_fields": objects | st.fixed_dictionaries({"function": objects})})
extensions: st.SearchStrategy[dict[str, Any]] = st.just({}) | objects | unknown
calls = st.builds(ToolCall, id=text, name=text, arguments=text, extensions=extensions)
attachments = st.builds(
    Attachment,
    kind=st.sampled_from(["image", "file"]),
    media_type=maybe,
    reference=maybe,
    data=st.none() | st.just("aGVsbG8="),
    name=maybe,
    extensions=extensions,
)
messages = st.builds(
    Message,
    role=st.sampled_from(["system", "user", "assistant", "tool"]),
    content=st.just(MISSING) | maybe,
    id=text,
    timestamp=st.sampled_from([None, "2026-03-01T12:00:00Z", "2026-03-01T20:00:00.5+08:00", "yesterday"]),
    name=maybe,
    tool_calls=st.lists(calls, max_size=3).map(tuple),
    tool_call_id=maybe,
    parent_id=maybe,
    attachments=st.lists(attachments, max_size=2).map(tuple),
    extensions=extensions,
)
plain_messages = st.builds(
    Message,
    role=st.sampled_from(["user", "assistant"]),
    content=text,
    tool_calls=st.lists(calls, max_size=2).map(tuple),
)
conversations = st.builds(
    Conversation,
    messages=st.lists(messages | plain_messages, max_size=4).map(tuple),
    id=text,
    title=maybe,
    model=maybe,
    system_prompt=maybe,
    summary=maybe,
    extensions=extensions,
)
document = st.fixed_dictionaries({"document_extensions": objects | unknown})
metas = st.builds(DocumentMeta, exported_at=text, exporter=maybe, source_tool=maybe, extensions=extensions | document)
thorough = settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.too_slow])


@thorough
@given(conversations, metas)
def test_any_conversation_arrives_again(conversation: Conversation, meta: DocumentMeta) -> None:
    written = portable.dumps(conversation, meta)
    reading = portable.loads(written.encode())
    assert reading.conversation == conversation
    assert reading.meta == meta
    assert portable.dumps(reading.conversation, reading.meta) == written


@thorough
@given(conversations, metas)
def test_what_is_written_is_valid_for_the_version_it_names(conversation: Conversation, meta: DocumentMeta) -> None:
    written = json.loads(portable.dumps(conversation, meta))
    VALIDATORS[written["version"]].validate(written)


@thorough
@given(conversations, metas)
def test_a_forced_1_0_0_is_valid_and_stays_as_it_is(conversation: Conversation, meta: DocumentMeta) -> None:
    written = portable.dumps(conversation, meta, version="1.0.0")
    VALIDATORS["1.0.0"].validate(json.loads(written))
    reading = portable.loads(written)
    assert reading.conversation is not None
    assert portable.dumps(reading.conversation, reading.meta) == written


def test_the_bytes_of_a_full_document(tmp_path: Path) -> None:
    call = ToolCall("c1", "搜索", '{"q": 1}')
    asks = Message("assistant", None, id="m2", timestamp="2026-03-01T12:00:01Z", name="bot", tool_calls=(call,))
    answer = Message("tool", "好", tool_call_id="c1", attachments=(Attachment("image", "image/png", data="aGk="),))
    conversation = Conversation((asks, answer), "c", "T", "m", "be kind", "short", {"k": 1})
    assert portable.write_file(conversation, tmp_path / "a.json", DocumentMeta("2026-03-01", "x", "y")) == ()
    assert (tmp_path / "a.json").read_bytes().decode() == EXPECTED


EXPECTED = """{
  "version": "1.1.0",
  "meta": {
    "exporter": "x",
    "exported_at": "2026-03-01",
    "source_tool": "y"
  },
  "conversation": {
    "id": "c",
    "title": "T",
    "model": "m",
    "system_prompt": "be kind",
    "messages": [
      {
        "id": "m2",
        "role": "assistant",
        "content": null,
        "timestamp": "2026-03-01T12:00:01Z",
        "tool_calls": [
          {
            "id": "c1",
            "type": "function",
            "function": {
              "name": "搜索",
              "arguments": "{\\"q\\": 1}"
            }
          }
        ],
        "name": "bot"
      },
      {
        "role": "tool",
        "content": "好",
        "tool_call_id": "c1",
        "attachments": [
          {
            "kind": "image",
            "media_type": "image/png",
            "data": "aGk="
          }
        ]
      }
    ],
    "summary": "short",
    "extensions": {
      "k": 1
    }
  }
}
"""


def test_now_is_the_time_of_export_and_nothing_else_is() -> None:
    conversation = Conversation((Message("user", "hi"),))
    meta = {"exporter": "mnemo-lab", "exported_at": "2026-03-01T12:00:00Z"}
    assert json.loads(portable.dumps(conversation, now=NOW))["meta"] == meta
    kept = json.loads(portable.dumps(conversation, DocumentMeta("old", "tool"), now=NOW))["meta"]
    assert kept == {"exporter": "tool", "exported_at": "2026-03-01T12:00:00Z"}
    with pytest.raises(InvalidInput, match="time of export is missing; pass meta"):
        portable.dumps(conversation)
    with pytest.raises(InvalidInput, match="no time zone"):
        portable.dumps(conversation, now=datetime(2026, 3, 1))


def test_lone_surrogates_are_replaced_and_listed_in_both_directions(tmp_path: Path) -> None:
    conversation = Conversation((Message("user", "cut \ud83d here", id="m"), Message("user", "\ud83d\ude00")))
    losses = portable.write_file(conversation, tmp_path / "a.json", now=NOW)
    place = "/conversation/messages/0/content"
    assert [(item.code, item.pointer) for item in losses] == [("unicode_replaced", place)]
    assert [m.text for m in _read_one(tmp_path / "a.json").messages] == ["cut \ufffd here", "😀"]
    escaped = (tmp_path / "a.json").read_text().replace("\ufffd", "\\udc00")
    reading = portable.loads(escaped)
    assert [(item.code, item.pointer) for item in reading.losses] == [("unicode_replaced", place)]


def _read_one(path: Path) -> Conversation:
    (reading,) = portable.read_file(path)
    assert reading.conversation is not None
    return reading.conversation


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32"])
def test_every_unicode_encoding_is_read(encoding: str, tmp_path: Path) -> None:
    conversation = Conversation((Message("user", "部署 😀"),))
    data = portable.dumps(conversation, now=NOW).encode(encoding)
    (tmp_path / "a.json").write_bytes(data)
    assert _read_one(tmp_path / "a.json") == conversation
    assert portable.loads(data).conversation == conversation
