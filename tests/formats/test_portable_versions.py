"""Versions: the lowest that holds everything is written; older are upgraded, newer minors kept, others refused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema  # type: ignore[import-untyped]
import pytest

from mnemo_lab.conversation import MISSING, Attachment, Conversation, DocumentMeta, Message, ToolCall
from mnemo_lab.errors import InvalidInput
from mnemo_lab.formats import portable
from mnemo_lab.formats.portable.schema import SCHEMAS

META = DocumentMeta("2026-03-01T12:00:00Z", "tool")
ORIGINAL = jsonschema.Draft7Validator(json.loads(SCHEMAS["1.0.0"].read_text()))
CALL = ToolCall("c1", "search", "{}")


def document(version: Any = "1.0.0", **message: Any) -> dict[str, Any]:
    only = {"role": "user", "content": "hi"} | message
    return {"version": version, "meta": {"exported_at": "2026-03-01"}, "conversation": {"messages": [only]}}


def read(value: Any) -> tuple[Conversation, DocumentMeta, list[str]]:
    reading = portable.loads(json.dumps(value))
    assert reading.conversation is not None
    assert reading.meta is not None
    return reading.conversation, reading.meta, [item.code for item in reading.losses]


def again(value: Any) -> Any:
    conversation, meta, _ = read(value)
    return json.loads(portable.dumps(conversation, meta))


def test_only_1_0_fields_make_a_1_0_0_document() -> None:
    message = Message("assistant", "", "m", "2026-03-01T12:00:00Z", "n", (CALL,))
    written = json.loads(portable.dumps(Conversation((message,), "i", "t", "m", "s"), META))
    assert written["version"] == "1.0.0"
    ORIGINAL.validate(written)


@pytest.mark.parametrize(
    "conversation",
    [
        Conversation((), summary=""),
        Conversation((), extensions={"a": 1}),
        Conversation((Message("user", None),)),
        Conversation((Message("user", MISSING),)),
        Conversation((Message("tool", "x", tool_call_id="c"),)),
        Conversation((Message("user", "x", parent_id="p"),)),
        Conversation((Message("user", "x", attachments=(Attachment("file", reference="a.txt"),)),)),
        Conversation((Message("user", "x", extensions={"a": 1}),)),
        Conversation((Message("assistant", "x", tool_calls=(ToolCall("c", "f", "", {"a": 1}),)),)),
    ],
)
def test_each_1_1_feature_makes_a_1_1_0_document(conversation: Conversation) -> None:
    assert json.loads(portable.dumps(conversation, META))["version"] == "1.1.0"
    assert json.loads(portable.dumps(Conversation(()), META))["version"] == "1.0.0"


def test_forcing_1_0_0_lists_every_field_left_out(tmp_path: Path) -> None:
    tool = Message("tool", "r", "m1", tool_call_id="c1", extensions={"a": 1, "unknown_fields": {"new": 1}})
    call = ToolCall("c1", "f", "{}", {"b": 1})
    messages = (Message("assistant", None, "m0", tool_calls=(call,)), tool, Message("user", MISSING, parent_id="m1"))
    losses = portable.write_file(Conversation(messages, summary="s"), tmp_path / "a.json", META, "1.0.0")
    assert [(item.code, item.message_id, item.pointer) for item in losses] == [
        ("field_not_in_version", None, "/conversation/summary"),
        ("content_not_in_version", "m0", "/conversation/messages/0/content"),
        ("field_not_in_version", "m0", "/conversation/messages/0/tool_calls/0/extensions"),
        ("field_not_in_version", "m1", "/conversation/messages/1/tool_call_id"),
        ("field_not_in_version", "m1", "/conversation/messages/1/extensions"),
        ("field_not_in_version", None, "/conversation/messages/2/parent_id"),
        ("content_not_in_version", None, "/conversation/messages/2/content"),
    ]
    assert losses[0].sentence() == "field summary does not exist in version 1.0.0; left out"
    assert losses[1].sentence() == "content is null, which version 1.0.0 cannot say; written as an empty string"
    written = json.loads((tmp_path / "a.json").read_text())
    ORIGINAL.validate(written)
    first, second, third = written["conversation"]["messages"]
    assert list(first) == ["id", "role", "content", "tool_calls"]
    # An unknown field put back is no 1.1 feature: additional properties were never forbidden.
    assert second == {"id": "m1", "role": "tool", "content": "r", "new": 1}
    assert third == {"role": "user", "content": ""}


def test_another_version_is_not_written() -> None:
    with pytest.raises(InvalidInput, match=r'version "1\.2\.0" cannot be written; allowed: 1\.0\.0, 1\.1\.0'):
        portable.dumps(Conversation(()), META, version="1.2.0")


def test_absent_stays_absent_and_null_is_absent_but_for_content() -> None:
    conversation, meta, losses = read(document("1.1.0", content=None, id=None, timestamp=None, tool_calls=None))
    assert conversation == Conversation((Message("user", None),))
    assert (meta.exporter, meta.source_tool, losses) == (None, None, [])
    assert again(document()) == document()


def test_content_null_missing_and_empty_are_three_things() -> None:
    value = document("1.1.0")
    value["conversation"]["messages"] = [
        {"role": "user", "content": None},
        {"role": "user"},
        {"role": "user", "content": ""},
    ]
    assert [m.content for m in read(value)[0].messages] == [None, MISSING, ""]
    assert again(value) == value


def test_unknown_fields_are_kept_at_every_level_and_put_back_in_place() -> None:
    call = {"id": "c", "type": "function", "function": {"name": "f", "arguments": "{}", "strict": True}, "index": 0}
    value = document(tool_calls=[call], stars=5)
    value["conversation"]["folder"] = {"a": [1]}
    value["meta"]["host"] = "h"
    value["top"] = None
    conversation, meta, losses = read(value)
    (message,) = conversation.messages
    assert message.extensions == {"unknown_fields": {"stars": 5}}
    assert message.tool_calls[0].extensions == {"unknown_fields": {"index": 0, "function": {"strict": True}}}
    assert conversation.extensions == {"unknown_fields": {"folder": {"a": [1]}}}
    document_level = {"document_extensions": {"unknown_fields": {"top": None}}}
    assert meta.extensions == {"unknown_fields": {"host": "h"}} | document_level
    assert (again(value), losses) == (value, [])


def test_a_1_1_field_in_a_1_0_document_is_read_where_it_fits_and_kept_where_not() -> None:
    value = document(tool_call_id="c1", attachments="a.png", extensions=7)
    ORIGINAL.validate(value)
    (message,) = read(value)[0].messages
    assert message.tool_call_id == "c1"
    assert message.extensions == {"unknown_fields": {"extensions": 7, "attachments": "a.png"}}
    conversation, meta, _ = read(value)
    assert portable.loads(portable.dumps(conversation, meta)).conversation == conversation


def test_a_newer_minor_version_is_read_with_a_warning_and_its_fields_are_kept() -> None:
    value = document("1.2.0", mood="calm", extensions={"a": 1, "unknown_fields": {"old": 2}})
    reading = portable.loads(json.dumps(value))
    assert reading.conversation is not None
    assert reading.conversation.messages[0].extensions == {"a": 1, "unknown_fields": {"old": 2, "mood": "calm"}}
    (lost,) = reading.losses
    assert (lost.code, lost.severity, lost.pointer) == ("newer_minor_version", "warning", "/version")
    expected = "document version 1.2.0 is newer than 1.1.0; unknown fields are kept under extensions"
    assert lost.sentence() == expected
    assert again(value)["conversation"]["messages"][0]["mood"] == "calm"


def test_what_cannot_be_joined_with_the_unknown_fields_is_still_kept() -> None:
    value = document("1.1.0", mood="calm", extensions={"unknown_fields": {"mood": "wild"}})
    (message,) = read(value)[0].messages
    assert message.extensions == {"unknown_fields": {"mood": "calm", "unknown_fields": {"mood": "wild"}}}


@pytest.mark.parametrize("version", ["1.0.1", "1.1.9"])
def test_a_patch_changes_nothing(version: str) -> None:
    assert read(document(version))[2] == []


@pytest.mark.parametrize(
    ("version", "said"),
    [
        ("2.0.0", '"2.0.0" has another major version; readable are 1.0.0, 1.1.0 and newer 1.x.x; update mnemo-lab'),
        ("0.9.0", '"0.9.0" has another major version'),
        ("one", '"one" is not a version such as "1.1.0"'),
        ("1.1", '"1.1" is not a version'),
        ("01.0.0", '"01.0.0" is not a version'),
        ("1.0.0\n", '"1.0.0\\n" is not a version'),
        ("1." + "9" * 5000 + ".0", "is not a version"),
        ("١.٠.٠", "is not a version"),
        ("", '"" is not a version'),
        (1.1, "1.1 is not a version"),
        (None, "null is not a version"),
        (["1.1.0"], "an array of 1 is not a version"),
    ],
)
def test_other_majors_and_garbage_are_refused(version: Any, said: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        portable.loads(json.dumps(document(version)), "a.json")
    assert str(caught.value).startswith("a.json: /version: ")
    assert said in str(caught.value)


def test_a_missing_version_is_refused() -> None:
    value = document()
    del value["version"]
    with pytest.raises(InvalidInput, match=r'^a\.json: /version: missing; .*; add "version": "1\.1\.0"$'):
        portable.loads(json.dumps(value), "a.json")
    with pytest.raises(InvalidInput, match="another tool's format"):
        portable.loads('{"mapping": {}}')


def test_times_ids_and_emptiness_are_listed_not_refused() -> None:
    value = document(id="m", timestamp="last Tuesday")
    value["conversation"]["messages"] += [
        {"role": "user", "content": "b", "id": "m"},
        {"role": "user", "content": "c"},
    ] * 2
    value["meta"]["exported_at"] = "soon"
    reading = portable.loads(json.dumps(value))
    assert [(item.code, item.message_id, item.pointer) for item in reading.losses] == [
        ("unreadable_timestamp", None, "/meta/exported_at"),
        ("unreadable_timestamp", "m", "/conversation/messages/0/timestamp"),
        ("duplicate_message_id", "m", "/conversation/messages/1/id"),
        ("duplicate_message_id", "m", "/conversation/messages/3/id"),
    ]
    assert again(value) == value
    value["conversation"]["messages"] = []
    assert read(value)[2] == ["unreadable_timestamp", "empty_conversation"]
