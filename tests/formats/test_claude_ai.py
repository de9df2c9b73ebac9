"""Claude.ai: blocks over flattened text, results out of the assistant's message, branches, attachments, old exports."""

from __future__ import annotations

import base64
import json
import zipfile
from pathlib import Path
from typing import Any

import pytest

from mnemo_lab.conversation import Conversation, Message
from mnemo_lab.errors import InvalidInput
from mnemo_lab.formats import claude_ai
from mnemo_lab.formats.base import Format, Reading, Sample
from mnemo_lab.formats.source import Source
from mnemo_lab.formats.tree import active_path, all_paths
from tests.formats.exports import sample

ROOT = "00000000-0000-4000-8000-000000000000"


def read(path: Path) -> list[Reading]:
    with Source(path) as source:
        return list(claude_ai.read(source))


def one(path: Path) -> tuple[Conversation, list[tuple[str, str | None, str | None]]]:
    (reading,) = read(path)
    assert reading.conversation is not None
    return reading.conversation, [(item.code, item.message_id, item.pointer) for item in reading.losses]


def saved(folder: Path, value: Any, name: str = "conversations.json") -> Path:
    path = folder / name
    path.write_text(json.dumps(value), encoding="utf-8")
    return path


def said(uuid: str, sender: str, content: Any, parent: str | None = None, **more: Any) -> dict[str, Any]:
    found = {"uuid": uuid, "sender": sender, "text": "", "content": content, "created_at": "2026-03-01T08:00:00Z"}
    return found | ({"parent_message_uuid": parent} if parent else {}) | more


def text(words: str) -> dict[str, Any]:
    return {"type": "text", "text": words, "citations": []}


def shape(messages: tuple[Message, ...]) -> list[tuple[str, str, str | None, str | None]]:
    return [(m.id, m.role, m.content if isinstance(m.content, str) else None, m.parent_id) for m in messages]


EXPECTED = [
    ("m1", "user", "看看这张云图，再查一下杭州今天的天气 🌦️", None),
    ("m2", "assistant", "我来查一下。", "m1"),
    ("m2#2", "tool", '{"city":"杭州","temp_c":18,"sky":"小雨"}', "m2"),
    ("m2#3", "assistant", "云图显示东侧有雨带；杭州今天小雨，18°C，出门请带伞。", "m2#2"),
    ("m3", "user", "这条被编辑掉了", "m2#3"),
    ("m4", "assistant", "旧分支回答", "m3"),
    ("m3b", "user", "改查“宁波”，用全角标点：（温度？）", "m2#3"),
    ("m4b", "assistant", "宁波多云，20°C。", "m3b"),
]


def test_the_export_sample() -> None:
    conversation, losses = one(sample("claude_ai_export"))
    assert shape(conversation.messages) == EXPECTED
    assert (conversation.id, conversation.title) == ("00000000-1111-4222-8333-000000000001", "云图与天气")
    assert (conversation.model, conversation.summary, conversation.system_prompt) == (None, None, None)
    assert conversation.extensions["active_leaf"] == "m4b"
    assert losses == [
        ("missing_asset", "m1", "/0/chat_messages/0/files/0"),
        ("leaf_guessed", "m4b", "/0"),
    ]
    first, asks, answers, closes = conversation.messages[:4]
    note, picture = first.attachments
    assert (note.kind, note.name, note.media_type) == ("file", "说明.txt", "text/plain")
    assert base64.b64decode(note.data or "").decode() == "带伞提示：雨量≥5mm。"
    assert (picture.kind, picture.name, picture.data, picture.reference) == ("image", "云图.png", None, None)
    assert picture.extensions == {"claude-ai": {"file_uuid": "f-0001"}}
    assert asks.extensions["reasoning"] == [{"text": "先查天气。", "provider": "anthropic"}]
    (call,) = asks.tool_calls
    assert (call.id, call.name, call.arguments) == ("toolu_01", "get_weather", '{"city":"杭州"}')
    assert (answers.tool_call_id, answers.name, answers.timestamp) == (
        "toolu_01",
        "get_weather",
        "2026-03-01T08:00:02.000Z",
    )
    assert closes.timestamp == "2026-03-01T08:00:04.000Z", "the time its first block began"


def test_the_active_path_of_the_sample_has_the_edited_question() -> None:
    conversation, _ = one(sample("claude_ai_export"))
    linear, losses = active_path(conversation)
    assert [message.id for message in linear.messages] == ["m1", "m2", "m2#2", "m2#3", "m3b", "m4b"]
    assert [dict(item.values)["count"] for item in losses] == ["2"]
    assert [path.messages[-1].id for path in all_paths(conversation)] == ["m4b", "m4"]


def test_the_shape_of_the_api_has_the_same_messages_and_knows_its_leaf() -> None:
    conversation, losses = one(sample("claude_ai_api_style.json"))
    assert shape(conversation.messages) == EXPECTED
    assert conversation.model == "claude-sonnet-4-5-20250929"
    assert conversation.extensions["active_leaf"] == "m4b"
    assert losses == [("missing_asset", "m1", "/chat_messages/0/files/0")]


def test_text_that_stands_in_blocks_only() -> None:
    conversation, losses = one(sample("breakages/23_claude_text_only_in_blocks.json"))
    assert shape(conversation.messages) == [
        ("1", "user", "只在块里", None),
        ("2", "assistant", "旧", "1"),
        ("3", "assistant", "新", "1"),
    ]
    assert (conversation.title, conversation.extensions["active_leaf"]) == (None, "3")
    assert losses == [("leaf_guessed", "3", "")]


def test_the_leaf_of_the_api_wins_over_a_later_one(tmp_path: Path) -> None:
    value = {
        "uuid": "k",
        "current_leaf_message_uuid": "b",
        "chat_messages": [
            said("a", "human", [text("问")], ROOT),
            said("b", "assistant", [text("一")], "a"),
            said("c", "assistant", [text("二")], "a", created_at="2026-04-01T00:00:00Z"),
        ],
    }
    conversation, losses = one(saved(tmp_path, value))
    assert [message.content for message in active_path(conversation).conversation.messages] == ["问", "一"]
    assert losses == []
    value["current_leaf_message_uuid"] = "gone"
    conversation, losses = one(saved(tmp_path, value))
    assert conversation.extensions["active_leaf"] == "c"
    assert losses == [("leaf_guessed", "c", "/current_leaf_message_uuid")]


def test_an_old_export_is_a_plain_list(tmp_path: Path) -> None:
    value = [
        {
            "uuid": "old",
            "name": "旧",
            "chat_messages": [
                {"uuid": "a", "sender": "human", "text": "问", "created_at": "2023-09-01T00:00:00.123456+00:00"},
                {"sender": "assistant", "text": "答"},
            ],
        }
    ]
    conversation, losses = one(saved(tmp_path, value))
    assert shape(conversation.messages) == [("a", "user", "问", None), ("", "assistant", "答", None)]
    assert [message.timestamp for message in conversation.messages] == ["2023-09-01T00:00:00.123456+00:00", None]
    assert losses == []
    assert "active_leaf" not in conversation.extensions


def test_parallel_calls_and_a_result_behind_text_stand_behind_their_message(tmp_path: Path) -> None:
    content = [
        {"type": "tool_use", "id": "t1", "name": "f", "input": {"甲": 1}},
        {"type": "tool_use", "id": "t2", "name": "g", "input": {}},
        {"type": "tool_result", "tool_use_id": "t2", "name": "g", "content": "二", "is_error": True},
        text("中间"),
        {"type": "tool_result", "tool_use_id": "t1", "name": "f", "content": [text("一"), text("点")]},
        {"type": "tool_use", "id": "t3", "name": "h", "input": None},
        {"type": "tool_result", "tool_use_id": "t3", "content": []},
    ]
    conversation, losses = one(saved(tmp_path, {"uuid": "k", "chat_messages": [said("m", "assistant", content)]}))
    found = [(m.role, m.content, [c.id for c in m.tool_calls], m.tool_call_id) for m in conversation.messages]
    assert found == [
        ("assistant", None, ["t1", "t2"], None),
        ("tool", "二", [], "t2"),
        ("tool", "一\n\n点", [], "t1"),
        ("assistant", "中间", ["t3"], None),
        ("tool", "", [], "t3"),
    ]
    assert conversation.messages[1].extensions == {"is_error": True}
    assert conversation.messages[4].name == "h"
    assert losses == [("pair_repaired", "m", "/chat_messages/0/content/4")]


def test_calls_without_ids_and_ids_used_twice(tmp_path: Path) -> None:
    """Breakage 05 within one message and across two; results find their calls in order."""
    use, result = {"type": "tool_use", "name": "f"}, {"type": "tool_result", "name": "f"}
    twice = [use | {"id": "dup", "input": {"k": 1}}, use | {"id": "dup", "input": {"k": 2}}]
    answers = [result | {"tool_use_id": "dup", "content": word} for word in "12"]
    later = [use | {"id": "dup", "input": "[1"}, result | {"tool_use_id": "dup", "content": "3"}]
    nameless = [
        use,
        use | {"name": "g"},
        {"type": "tool_result", "name": "g", "content": "g"},
        result | {"content": "f"},
    ]
    messages = [said(str(at), "assistant", content) for at, content in enumerate([twice + answers, later, nameless])]
    conversation, losses = one(saved(tmp_path, {"uuid": "k", "chat_messages": messages}))
    assert [call.id for m in conversation.messages for call in m.tool_calls] == [
        "dup",
        "dup_2",
        "dup_3",
        "call_1",
        "call_2",
    ]
    results = [(m.tool_call_id, m.content) for m in conversation.messages if m.role == "tool"]
    assert results == [("dup", "1"), ("dup_2", "2"), ("dup_3", "3"), ("call_2", "g"), ("call_1", "f")]
    assert conversation.messages[0].tool_calls[1].extensions == {"claude-ai": {"original_id": "dup"}}
    assert conversation.messages[3].tool_calls[0].arguments == "[1"
    codes = [code for code, _, _ in losses]
    assert codes == ["id_renamed", "id_renamed", "bad_arguments", "tool_id_made", "tool_id_made"]


def test_results_without_a_call_are_kept_and_listed(tmp_path: Path) -> None:
    content = [
        {"type": "tool_result", "tool_use_id": "x", "content": {"a": "乙"}},
        {"type": "tool_result", "content": "?"},
    ]
    conversation, losses = one(saved(tmp_path, {"uuid": "k", "chat_messages": [said("m", "assistant", content)]}))
    assert [(m.role, m.content, m.tool_call_id) for m in conversation.messages] == [
        ("tool", '{"a":"乙"}', "x"),
        ("tool", "?", None),
    ]
    assert [code for code, _, _ in losses] == ["orphan_tool_result", "result_without_call_id"]


def test_blocks_that_are_not_known_are_kept(tmp_path: Path) -> None:
    content = [text("甲"), {"type": "hologram", "x": 1}, {"type": "token_budget"}, 7]
    conversation, losses = one(saved(tmp_path, [{"uuid": "k", "chat_messages": [said("m", "human", content)]}]))
    (message,) = conversation.messages
    assert message.content == "甲"
    assert message.extensions == {"claude-ai": {"blocks": [{"type": "hologram", "x": 1}, {"type": "token_budget"}, 7]}}
    assert losses == [
        ("unknown_block", "m", "/0/chat_messages/0/content/1"),
        ("unknown_block", "m", "/0/chat_messages/0/content/3"),
    ]


def test_citations_cut_one_text_and_searches_are_read(tmp_path: Path) -> None:
    cited = {"type": "text", "text": "十八度", "citations": [{"url": "https://a.cn"}]}
    found = {"type": "knowledge", "title": "天气", "url": "https://a.cn", "text": "小雨"}
    content = [
        {"type": "tool_use", "id": "s", "name": "web_search", "input": {"query": "天气"}},
        {"type": "tool_result", "tool_use_id": "s", "content": [found]},
        *(text("今天"), cited, text("。")),
    ]
    conversation, losses = one(saved(tmp_path, {"uuid": "k", "chat_messages": [said("m", "assistant", content)]}))
    _, result, answer = conversation.messages
    assert result.content == "天气\nhttps://a.cn\n小雨"
    assert result.extensions == {"claude-ai": {"blocks": [found]}}
    assert (answer.content, answer.extensions) == ("今天十八度。", {"citations": [{"url": "https://a.cn"}]})
    assert losses == []


def test_images_in_blocks_and_broken_base64(tmp_path: Path) -> None:
    def image(data: str) -> dict[str, Any]:
        return {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": data}}

    content = [image("aGk="), image("你好"), {"type": "image", "file_uuid": "f"}]
    conversation, losses = one(saved(tmp_path, {"uuid": "k", "chat_messages": [said("m", "human", content)]}))
    good, named = conversation.messages[0].attachments
    assert (good.kind, good.media_type, good.data) == ("image", "image/png", "aGk=")
    assert (named.data, named.extensions) == (None, {"claude-ai": {"file_uuid": "f"}})
    assert [code for code, _, _ in losses] == ["image_dropped", "missing_asset"]


def test_lone_surrogates_nan_and_empty_messages(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_text(
        '{"uuid":"k","score":NaN,"chat_messages":[{"uuid":"a","sender":"human","content":[{"type":"text",'
        '"text":"半\\ud83d 整\\ud83d\\ude00"}],"parent_message_uuid":null},{"uuid":"e","sender":"assistant","text":"",'
        '"content":[],"parent_message_uuid":"a"},{"uuid":"b","sender":"robot","text":"乙","parent_message_uuid":"e"}]}',
        encoding="utf-8",
    )
    conversation, losses = one(path)
    assert shape(conversation.messages) == [("a", "user", "半\ufffd 整😀", None), ("b", "user", "乙", "a")]
    assert losses == [
        ("unicode_replaced", None, "/chat_messages/0/content/0/text"),
        ("value_nulled", None, "/score"),
        ("empty_message", "e", "/chat_messages/1"),
        ("role_guessed", "b", "/chat_messages/2/sender"),
    ]
    assert (
        "score" not in conversation.extensions.get("claude-ai", {})
        or conversation.extensions["claude-ai"]["score"] is None
    )


def test_trees_that_are_broken(tmp_path: Path) -> None:
    messages = [
        said("a", "human", [text("1")], "c"),
        said("b", "assistant", [text("2")], "a"),
        said("c", "human", [text("3")], "b"),
        said("d", "assistant", [text("4")], "gone"),
        said("d", "assistant", [text("4")], "gone"),
        said("d", "assistant", [text("5")], "c"),
        "no message",
    ]
    conversation, losses = one(saved(tmp_path, {"uuid": "k", "chat_messages": messages}))
    parents = {message.id: message.parent_id for message in conversation.messages}
    assert parents == {"a": None, "b": "a", "c": "b", "d": "c", "d_5": "c"}
    assert sorted(code for code, _, _ in losses) == [
        *("cycle_cut", "duplicate_record", "id_renamed", "leaf_guessed", "parent_missing", "unreadable_record"),
    ]


def test_bad_neighbours_do_not_stop_the_rest(tmp_path: Path) -> None:
    """Breakage 16, in the shape of Claude.ai."""
    good = {"uuid": "好", "chat_messages": [said("a", "human", [text("问")], ROOT)]}
    readings = read(saved(tmp_path, [None, {"uuid": "x", "name": "y"}, good, {"uuid": "e", "chat_messages": []}]))
    assert [reading.place.rpartition("#")[2] for reading in readings] == ["/0", "/1", "/2", "/3"]
    assert [reading.conversation.id if reading.conversation else None for reading in readings] == [
        None,
        None,
        "好",
        "e",
    ]
    assert [item.code for reading in readings for item in reading.losses] == [
        *("unreadable_conversation", "unreadable_conversation", "empty_conversation"),
    ]


def test_zip_folder_wrapper_and_marks_at_the_start(tmp_path: Path) -> None:
    good = {"uuid": "k", "name": "杭州", "chat_messages": [said("a", "human", [text("问")], ROOT)]}
    data = json.dumps([good], ensure_ascii=False)
    with zipfile.ZipFile(tmp_path / "export.zip", "w") as archive:
        archive.writestr("data/conversations.json", data)
        archive.writestr("data/users.json", "[]")
        archive.writestr("data/projects.json", "[]")
    (tmp_path / "bom.json").write_bytes(b"\xef\xbb\xbf" + data.encode())
    (tmp_path / "wide.json").write_bytes(data.encode("utf-16"))
    saved(tmp_path, {"conversations": [good]}, "wrapped.json")
    for name in ("export.zip", "bom.json", "wide.json", "wrapped.json"):
        conversation, losses = one(tmp_path / name)
        assert (conversation.title, losses) == ("杭州", []), name


@pytest.mark.parametrize("data", ["", "plain words", "[1, 2", '{"a": '])
def test_nonsense_is_refused_with_its_place(tmp_path: Path, data: str) -> None:
    path = tmp_path / "conversations.json"
    path.write_text(data)
    if data == "[1, 2":
        assert all(reading.conversation is None for reading in read(path))
        return
    with pytest.raises(InvalidInput, match=r"conversations\.json"):
        read(path)


def test_a_folder_without_conversations_is_refused(tmp_path: Path) -> None:
    (tmp_path / "users.json").write_text("[]")
    with pytest.raises(InvalidInput, match=r"holds no Claude\.ai conversations"):
        read(tmp_path)


def test_detection() -> None:
    assert isinstance(claude_ai, Format)
    good = {"uuid": "k", "chat_messages": [{"sender": "human"}]}
    for value in ([good], good, {"conversations": [good]}):
        found = claude_ai.detect(Sample("a.json", ("a.json",), value))
        assert found is not None and found.score > 0.9
    for value in ([{"mapping": {}}], {"messages": []}, [], None, 5, [{"chat_messages": 3}]):
        assert claude_ai.detect(Sample("a.json", ("a.json",), value)) is None
    beside = claude_ai.detect(Sample("a.zip", ("conversations.json", "users.json", "projects.json"), []))
    assert beside is not None and beside.score < 0.5
