"""The reader of ChatGPT's export: files, tree, system prompt, calls, reasoning."""

from __future__ import annotations

import base64
import json
import zipfile
from pathlib import Path

import pytest

from mnemo_lab.conversation import Message, ToolCall
from mnemo_lab.errors import InvalidInput
from mnemo_lab.formats import chatgpt, deepseek
from mnemo_lab.formats.base import Sample
from mnemo_lab.formats.source import Source
from mnemo_lab.formats.tree import active_path
from tests.formats.exports import PNG, by_id, codes, export, ids, node, one, read_value, readings, sample

ACTIVE = ["u1", "c1", "t1", "w1", "a1b", "u2b", "a2"]


@pytest.mark.parametrize("name", ["chatgpt_export", "chatgpt_export_sharded", "chatgpt_export_sharded.zip"])
def test_the_samples_give_the_same_tree_with_and_without_children(name: str) -> None:
    first = readings(sample(name))[0].conversation
    assert first is not None
    assert first.id == "00000000-1111-4222-8333-000000000001"
    assert first.model == "gpt-5-thinking"
    assert first.system_prompt == "用户住在浙江。\n\n你是一名简洁的气象助手。回答不超过两句。"
    assert ids(first.messages) == ["u1", "c1", "t1", "w1", "a1", "a1b", "u2", "a2x", "u2b", "a2"]
    assert first.extensions["active_leaf"] == "a2"
    linear, losses = active_path(first)
    assert ids(linear.messages) == ACTIVE
    assert [item.sentence() for item in losses] == ["3 messages on other branches were left out"]
    messages = by_id(first)
    assert {key: m.parent_id for key, m in messages.items()} == {
        "u1": None, "c1": "u1", "t1": "c1", "w1": "t1", "a1": "w1",
        "a1b": "w1", "u2": "a1b", "a2x": "u2", "u2b": "a1b", "a2": "u2b",
    }  # fmt: skip
    assert messages["u1"].text == "看看这张云图，再查一下杭州今天的天气 🌦️"
    assert messages["u1"].timestamp == "2026-03-01T08:00:00.123Z"
    assert messages["c1"].text == ""
    (call,) = messages["c1"].tool_calls
    assert (call.id, call.name, call.arguments) == ("call_1", "python", "print('杭州', 18)")
    assert messages["c1"].extensions["reasoning"] == [
        {"text": "看图\n\n东侧有雨带。", "provider": "openai", "model": "gpt-5-thinking"}
    ]
    assert (messages["t1"].role, messages["t1"].name, messages["t1"].tool_call_id) == ("tool", "python", "call_1")
    assert (messages["w1"].text, messages["w1"].tool_call_id) == ("小雨，18°C", None)
    assert messages["w1"].extensions["chatgpt"]["content"]["url"] == "https://example.org/w"
    assert messages["a1b"].extensions["chatgpt"]["reasoning_recap"] == "思考了 3 秒"
    answer = "云图显示东侧有雨带；杭州今天小雨，18°C，出门请带伞。 [示例天气](https://example.org/w)"
    assert messages["a1b"].text == answer
    assert messages["a1b"].extensions["citations"] == [{"url": "https://example.org/w", "title": "示例天气"}]
    assert messages["u2b"].text == "改查“宁波”，用全角标点：（温度？）"


def test_the_losses_of_the_sample_are_these() -> None:
    (reading,) = readings(sample("chatgpt_export"))
    assert [(item.code, item.message_id, item.pointer) for item in reading.losses] == [
        ("system_moved", "ctx", "/0/mapping/ctx"),
        ("missing_asset", "u1", "/0/mapping/u1/message/content"),
        ("parts_reordered", "u1", "/0/mapping/u1/message/content"),
        ("tool_id_made", "c1", "/0/mapping/c1/message"),
        ("bad_arguments", "c1", "/0/mapping/c1/message/content"),
        ("result_without_call_id", "w1", "/0/mapping/w1/message"),
    ]
    assert "personal data" in reading.losses[0].sentence()
    assert reading.place.endswith("conversations.json#/0")


def test_shards_and_assets_of_the_sample() -> None:
    first, second, shell = readings(sample("chatgpt_export_sharded.zip"))
    assert first.conversation and second.conversation and shell.conversation
    (picture,) = by_id(first.conversation)["u1"].attachments
    assert (picture.kind, picture.media_type, picture.name, picture.reference) == (
        "image",
        "image/png",
        "云图.png",
        None,
    )
    assert base64.b64decode(picture.data or "").startswith(b"\x89PNG")
    assert second.conversation.messages == (Message("user", "只有一问", "x", "2026-03-01T08:00:09Z"),)
    assert (second.conversation.title, second.losses) == (None, ())
    assert (shell.conversation.title, shell.conversation.messages, list(codes(shell))) == (
        "空壳", (), ["empty_conversation"],
    )  # fmt: skip


def test_shards_come_by_number_and_one_that_is_broken_costs_itself(tmp_path: Path) -> None:
    for number in (0, 2, 10):
        path = tmp_path / f"conversations-{number}.json"
        path.write_text(json.dumps([export(node("a", None, "user", "x"), id=str(number))]))
    (tmp_path / "conversations-3.json").write_text("no JSON at all")
    (tmp_path / "user.json").write_text("{}")
    found = readings(tmp_path)
    assert [r.conversation.id if r.conversation else None for r in found] == ["0", "2", None, "10"]
    assert found[2].place == f"{tmp_path}:conversations-3.json"
    assert codes(found[2]) == {"unreadable_conversation": 1}


def test_a_wrap_a_single_object_and_an_empty_array(tmp_path: Path) -> None:
    conversation = export(node("a", None, "user", "x"))
    for value in ({"conversations": [conversation]}, {"version": 1, "conversations": [conversation]}, conversation):
        (reading,) = read_value(tmp_path, value)
        assert reading.conversation and reading.conversation.id == "c"
    assert read_value(tmp_path, []) == []


@pytest.mark.parametrize("text", ["", "nonsense", '{"a": 1}', '"text"', "17"])
def test_a_file_of_nonsense_is_refused_with_its_place(tmp_path: Path, text: str) -> None:
    path = tmp_path / "conversations.json"
    path.write_text(text)
    with pytest.raises(InvalidInput, match=r"conversations\.json"):
        readings(path)


def test_a_folder_without_conversations_is_refused(tmp_path: Path) -> None:
    (tmp_path / "user.json").write_text("{}")
    with pytest.raises(InvalidInput, match=r"no conversations\.json .* choose the export"):
        readings(tmp_path)


def test_a_linear_conversation_needs_no_pointers(tmp_path: Path) -> None:
    conversation, reading = one(tmp_path, export(node("a", None, "user", "1"), node("b", "a", "assistant", "2")))
    assert [m.parent_id for m in conversation.messages] == [None, None]
    assert "active_leaf" not in conversation.extensions
    assert reading.losses == ()


def test_a_current_node_in_the_middle_keeps_what_comes_after_it(tmp_path: Path) -> None:
    nodes = [node("a", None, "user", "1"), node("b", "a", "assistant", "2"), node("c", "b", "user", "3")]
    conversation, _ = one(tmp_path, export(*nodes, current_node="b"))
    assert ids(conversation.messages) == ["a", "b", "c"]
    assert ids(active_path(conversation).conversation.messages) == ["a", "b"]


def test_the_latest_leaf_is_taken_where_none_is_marked(tmp_path: Path) -> None:
    nodes = [
        node("a", None, "user", "1"),
        node("new", "a", "assistant", "3", create_time=30.0),
        node("old", "a", "assistant", "2", create_time=20.0),
    ]
    for current in (None, "gone", 7):
        conversation, reading = one(tmp_path, export(*nodes, current_node=current))
        assert ids(conversation.messages) == ["a", "old", "new"], "siblings by time"
        assert conversation.extensions["active_leaf"] == "new"
        assert codes(reading) == {"leaf_guessed": 1}


def test_the_leaf_is_not_guessed_where_there_is_one(tmp_path: Path) -> None:
    nodes = [node("a", None, "user", "1"), node("b", "a", "assistant", "2")]
    conversation, reading = one(tmp_path, export(*nodes, current_node=None))
    assert (ids(conversation.messages), reading.losses) == (["a", "b"], ())


def test_hidden_messages_are_marked_and_scaffolding_is_left_out(tmp_path: Path) -> None:
    hidden = {"is_visually_hidden_from_conversation": True}
    conversation, reading = one(
        tmp_path,
        export(
            {"id": "root", "parent": None, "message": None},
            node("s", "root", "system", "", weight=0.0, metadata=hidden),
            node("a", "s", "user", "1"),
            node("h", "a", "assistant", "secret", metadata=hidden),
            node("w", "h", "user", "weightless", weight=0),
            node("e", "w", "assistant", "", weight=0),
            node("b", "e", "assistant", "2"),
        ),
    )
    assert ids(conversation.messages) == ["a", "h", "w", "b"]
    assert [m.id for m in conversation.messages if m.extensions.get("hidden")] == ["h", "w"]
    assert codes(reading) == {"hidden_message": 2}


CONTEXT = {"content_type": "user_editable_context", "user_profile": "about me", "user_instructions": "be brief"}


def test_system_text_and_custom_instructions_become_the_prompt(tmp_path: Path) -> None:
    conversation, reading = one(
        tmp_path,
        export(
            node("s", None, "system", "You help."),
            node("ctx", "s", "user", CONTEXT, weight=0),
            node("a", "ctx", "user", "1"),
            node("late", "a", "system", "Now in French."),
        ),
    )
    assert conversation.system_prompt == "You help.\n\nabout me\n\nbe brief"
    assert [(m.role, m.id) for m in conversation.messages] == [("user", "a"), ("system", "late")]
    assert codes(reading) == {"system_moved": 1}


def test_what_the_user_wrote_wins_over_what_the_model_was_told(tmp_path: Path) -> None:
    told = {"content_type": "user_editable_context", "user_profile": "```me```", "user_instructions": "```brief```"}
    data = {"about_user_message": "me", "about_model_message": "brief"}
    metadata = {"is_user_system_message": True, "user_context_message_data": data}
    nodes = [node("ctx", None, "user", told, metadata=metadata), node("a", "ctx", "user", "1")]
    assert one(tmp_path, export(*nodes))[0].system_prompt == "me\n\nbrief"
    plain = [node("ctx", None, "system", "", metadata=metadata), node("a", "ctx", "user", "1")]
    assert one(tmp_path, export(*plain))[0].system_prompt == "me\n\nbrief"


def test_a_context_on_another_branch_is_kept_where_it_differs(tmp_path: Path) -> None:
    other = CONTEXT | {"user_instructions": "be long"}
    nodes = [
        {"id": "root", "parent": None, "message": None},
        node("other", "root", "user", other, weight=0), node("x", "other", "user", "x"),
        node("same", "root", "user", CONTEXT, weight=0), node("y", "same", "user", "y"),
        node("ctx", "root", "user", CONTEXT, weight=0), node("a", "ctx", "user", "1"),
    ]  # fmt: skip
    conversation, _ = one(tmp_path, export(*nodes))
    assert conversation.system_prompt == "about me\n\nbe brief"
    assert [(m.role, m.text, m.parent_id) for m in conversation.messages] == [
        ("system", "about me\n\nbe long", None), ("user", "x", "other"), ("user", "y", None), ("user", "1", None),
    ]  # fmt: skip


def code(text: str, language: str = "unknown") -> dict[str, str]:
    return {"content_type": "code", "language": language, "text": text}


def test_calls_are_paired_with_the_tools_that_follow(tmp_path: Path) -> None:
    conversation, reading = one(
        tmp_path,
        export(
            node("u", None, "user", "1"),
            node("c1", "u", "assistant", code('{"q": "杭州"}'), recipient="browser.search"),
            node("t1", "c1", "tool", "found", name="browser"),
            node("t1b", "t1", "tool", "more", name="browser"),
            node("c2", "t1b", "assistant", '{"prompt":"a cat"}', recipient="dalle.text2im"),
            node("t2", "c2", "tool", "drawn", name="dalle.text2im"),
            node("c3", "t2", "assistant", code("1 +"), recipient="python"),
            node("c4", "c3", "assistant", code("[1]"), recipient="container.exec"),
            node("t4", "c4", "tool", "four", name="container.exec"),
            node("t3", "t4", "tool", "three", name="python"),
            node("end", "t3", "assistant", "done"),
            node("lost", "end", "tool", "whose?", name="python"),
        ),
    )
    calls = {m.id: (c.id, c.name, c.arguments) for m in conversation.messages for c in m.tool_calls}
    assert calls == {
        "c1": ("call_1", "browser.search", '{"q": "杭州"}'), "c2": ("call_2", "dalle.text2im", '{"prompt":"a cat"}'),
        "c3": ("call_3", "python", "1 +"), "c4": ("call_4", "container.exec", "[1]"),
    }  # fmt: skip
    answers = {m.id: m.tool_call_id for m in conversation.messages if m.role == "tool"}
    assert answers == {"t1": "call_1", "t1b": "call_1", "t2": "call_2", "t4": "call_4", "t3": "call_3", "lost": None}
    assert codes(reading) == {"tool_id_made": 4, "bad_arguments": 2, "result_without_call_id": 1}


def test_a_tool_under_another_name_answers_its_neighbour(tmp_path: Path) -> None:
    nodes = [
        node("u", None, "user", "1"),
        node("c", "u", "assistant", code(""), recipient="t2uay3k.sj4i4kz"),
        node("t", "c", "tool", "an image", name="imagegen"),
    ]
    conversation, reading = one(tmp_path, export(*nodes))
    assert conversation.messages[1].tool_calls == (ToolCall("call_1", "t2uay3k.sj4i4kz", "{}"),)
    assert conversation.messages[2].tool_call_id == "call_1"
    assert codes(reading) == {"tool_id_made": 1}


def test_branches_of_a_call_are_each_answered(tmp_path: Path) -> None:
    nodes = [
        node("u", None, "user", "1"), node("c", "u", "assistant", code("{}"), recipient="web"),
        node("x", "c", "tool", "first", name="web"), node("y", "c", "tool", "second", name="web"),
    ]  # fmt: skip
    conversation, _ = one(tmp_path, export(*nodes))
    assert [m.tool_call_id for m in conversation.messages[2:]] == ["call_1", "call_1"]


def thoughts(*texts: str) -> dict[str, object]:
    return {"content_type": "thoughts", "thoughts": [{"summary": "", "content": text} for text in texts]}


def test_thoughts_join_every_answer_they_led_to(tmp_path: Path) -> None:
    nodes = [
        node("u", None, "user", "1"),
        node("th", "u", "assistant", thoughts("hm", "aha"), metadata={"model_slug": "o3"}),
        node("re", "th", "assistant", {"content_type": "reasoning_recap", "content": "Thought for 3 seconds"}),
        node("x", "re", "assistant", "first"),
        node("y", "re", "assistant", "second"),
    ]
    conversation, reading = one(tmp_path, export(*nodes))
    assert ids(conversation.messages) == ["u", "x", "y"]
    expected = [{"text": text, "provider": "openai", "model": "o3"} for text in ("hm", "aha")]
    for message in conversation.messages[1:]:
        assert message.extensions["reasoning"] == expected
        assert message.extensions["chatgpt"]["reasoning_recap"] == "Thought for 3 seconds"
        assert message.parent_id == "u"
    assert reading.losses == ()
    assert conversation.model == "o3"


def test_thoughts_without_an_answer_stay_a_message(tmp_path: Path) -> None:
    nodes = [node("u", None, "user", "1"), node("th", "u", "assistant", thoughts("hm"))]
    alone, _ = one(tmp_path, export(*nodes))
    broken_off, _ = one(tmp_path, export(*nodes, node("v", "th", "user", "stop")))
    for conversation in (alone, broken_off):
        assert conversation.messages[1].id == "th"
        assert conversation.messages[1].extensions["reasoning"] == [{"text": "hm", "provider": "openai"}]


def test_the_model_is_the_last_one_on_the_active_path(tmp_path: Path) -> None:
    nodes = [
        node("u", None, "user", "1"),
        node("x", "u", "assistant", "first", metadata={"model_slug": "gpt-4o"}),
        node("y", "u", "assistant", "second", metadata={"model_slug": "gpt-5"}),
    ]
    fields = {"default_model_slug": "auto"}
    assert one(tmp_path, export(*nodes, current_node="x", **fields))[0].model == "gpt-4o"
    assert one(tmp_path, export(*nodes, current_node="y", **fields))[0].model == "gpt-5"
    assert one(tmp_path, export(nodes[0], **fields))[0].model == "auto"


def test_detection_tells_the_two_apart() -> None:
    own = [{"title": "no mapping"}, export(node("a", None, "user", "x"))]
    theirs = [{"id": "d", "inserted_at": "2026-03-01", "mapping": {}}]
    fragments = [{"mapping": {"1": {"message": {"fragments": []}}}}]

    def scores(value: object, *members: str) -> list[float | None]:
        seen = Sample("x", members or ("conversations.json",), value)
        return [found.score if (found := reader.detect(seen)) else None for reader in (chatgpt, deepseek)]

    assert scores(own) == [0.97, None]
    assert scores({"conversations": own}) == [0.97, None]
    assert scores([{"mapping": {"a": node("a", None, "user", "x")}}]) == [0.9, None]
    assert scores(theirs) == [None, 0.97]
    assert scores(fragments) == [None, 0.9]
    assert scores([], "conversations-000.json", "user.json") == [0.7, None]
    assert scores([], "conversations.json", "users.json") == [None, None]
    assert scores([{"chat_messages": []}]) == [None, None]


def test_a_zip_in_a_folder_of_its_own_with_assets(tmp_path: Path) -> None:
    image = {"content_type": "image_asset_pointer", "asset_pointer": "file-service://file-Ab1", "width": 1}
    parts = {"content_type": "multimodal_text", "parts": ["look", image]}
    files = [{"id": "file-Doc9", "name": "plan.pdf", "mime_type": "application/pdf"}, {"id": "file-Ab1", "name": "p"}]
    value = [export(node("a", None, "user", parts, metadata={"attachments": files}))]
    path = tmp_path / "export.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("mine/conversations.json", json.dumps(value))
        archive.writestr("mine/user-x/file-Ab1-some photo.jpeg", PNG)
        archive.writestr("mine/file-Doc9-plan.pdf", b"%PDF-1.7 x")
        archive.writestr("../file-Evil.png", b"x")
    with Source(path) as source:
        (reading,) = chatgpt.read(source)
    assert reading.conversation and reading.losses == ()
    picture, plan = reading.conversation.messages[0].attachments
    assert (picture.kind, picture.media_type, picture.name) == ("image", "image/png", "p"), "told by its bytes"
    assert (plan.kind, plan.media_type, plan.name) == ("file", "application/pdf", "plan.pdf")
    assert base64.b64decode(plan.data or "") == b"%PDF-1.7 x"
    assert picture.extensions["chatgpt"]["asset_pointer"] == "file-service://file-Ab1"
