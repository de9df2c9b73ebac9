"""ChatGPT's content types, citations and assets."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from mnemo_lab.conversation import Message
from mnemo_lab.formats.chatgpt.assets import sniff
from mnemo_lab.formats.chatgpt.citations import resolve
from tests.formats.exports import PNG, codes, export, node, one, readings


def message_of(folder: Path, role: str, content: Any, **fields: Any) -> tuple[Message, dict[str, int]]:
    """The second message of a conversation, and the codes of the losses that are not about its pairing."""
    conversation, reading = one(folder, export(node("u", None, "user", "1"), node("m", "u", role, content, **fields)))
    return conversation.messages[1], {k: v for k, v in codes(reading).items() if k != "result_without_call_id"}


KNOWN = {
    "text": ({"parts": ["a", "b"]}, "a\nb"),
    "code": ({"language": "python", "text": "1 + 1"}, "1 + 1"),
    "execution_output": ({"text": "2\n"}, "2\n"),
    "tether_quote": ({"url": "https://e.org", "domain": "e.org", "title": "T", "text": "quoted"}, "quoted"),
    "tether_browsing_display": ({"result": "page", "summary": "short"}, "page\nshort"),
    "sonic_webpage": ({"url": "https://e.org", "title": "T", "text": "web", "snippet": "s"}, "web"),
    "system_error": ({"name": "ToolError", "text": "timed out"}, "ToolError: timed out"),
    "computer_output": (
        {"state": {"title": "Desk", "url": "https://e.org"}, "computer_id": "7"},
        "Desk\nhttps://e.org",
    ),
    "super_widget": ({"widget": {"kind": "weather"}, "text": "18 °C"}, "18 °C"),
}


@pytest.mark.parametrize("kind", KNOWN)
def test_every_known_content_type_gives_its_text_without_a_loss(tmp_path: Path, kind: str) -> None:
    fields, text = KNOWN[kind]
    message, lost = message_of(tmp_path, "tool", {"content_type": kind, **fields})
    assert (message.text, lost) == (text, {})


def test_what_a_type_has_beside_its_text_is_kept(tmp_path: Path) -> None:
    quote, _ = message_of(tmp_path, "tool", {"content_type": "tether_quote", **KNOWN["tether_quote"][0]})
    assert quote.extensions["chatgpt"]["content"] == {"url": "https://e.org", "domain": "e.org", "title": "T"}
    widget, _ = message_of(tmp_path, "assistant", {"content_type": "super_widget", **KNOWN["super_widget"][0]})
    assert widget.extensions["chatgpt"]["content"]["widget"] == {"kind": "weather"}


def test_a_failed_tool_is_marked(tmp_path: Path) -> None:
    error, _ = message_of(tmp_path, "tool", {"content_type": "system_error", "name": "E", "text": "x"})
    output = {"content_type": "execution_output", "text": "Traceback"}
    status = {"aggregate_result": {"status": "failed_with_in_kernel_exception"}}
    failed, _ = message_of(tmp_path, "tool", output, metadata=status)
    fine, _ = message_of(tmp_path, "tool", output, metadata={"aggregate_result": {"status": "success"}})
    assert [m.extensions.get("is_error") for m in (error, failed, fine)] == [True, True, None]


def test_unknown_content_is_kept_whole_and_listed(tmp_path: Path) -> None:
    content = {"content_type": "hologram", "text": "wow", "depth": 3}
    message, lost = message_of(tmp_path, "assistant", content)
    assert (message.text, lost) == ("wow", {"unknown_block": 1})
    assert message.extensions["chatgpt"]["content"] == content


def test_an_unknown_part_is_kept_and_the_others_arrive(tmp_path: Path) -> None:
    parts = ["before", {"content_type": "smell", "notes": ["rose"]}, None, {"text": "after"}, 7]
    message, lost = message_of(tmp_path, "user", {"content_type": "multimodal_text", "parts": parts})
    assert (message.text, lost) == ("before\nafter", {"unknown_block": 2})
    assert message.extensions["chatgpt"]["content"]["parts"] == [parts[1], 7]


@pytest.mark.parametrize("content", [None, "text", 17, [], {}, {"content_type": ["x"]}, {"content_type": "text"}])
def test_content_of_any_shape_is_read(tmp_path: Path, content: Any) -> None:
    conversation, _ = one(tmp_path, export(node("u", None, "user", "1"), {**node("m", "u", "user"), "message": {
        "author": {"role": "user"}, "content": content}}))  # fmt: skip
    assert conversation.messages[1].text == ("text" if content == "text" else "")


def test_voice_becomes_text_and_audio_files(tmp_path: Path) -> None:
    parts = [
        {"content_type": "audio_transcription", "text": "hello", "direction": "in"},
        {"content_type": "real_time_user_audio_video_asset_pointer", "frames_asset_pointers": [],
         "audio_asset_pointer": {"content_type": "audio_asset_pointer", "asset_pointer": "sediment://file_1",
                                 "format": "wav"}},
    ]  # fmt: skip
    message, lost = message_of(tmp_path, "user", {"content_type": "multimodal_text", "parts": parts})
    assert message.text == "hello"
    assert [(a.kind, a.media_type, a.reference) for a in message.attachments] == [
        ("file", "audio/wav", "sediment://file_1")
    ]
    assert lost == {"missing_asset": 1}


def test_what_no_field_holds_is_kept_under_the_format(tmp_path: Path) -> None:
    fields = {"status": "in_progress", "channel": "commentary", "end_turn": False, "recipient": "all", "weight": 1.0}
    metadata = {"request_id": "r", "empty": [], "is_complete": False}
    message, lost = message_of(tmp_path, "assistant", "x", metadata=metadata, **fields)
    assert message.extensions == {
        "chatgpt": {
            "status": "in_progress", "channel": "commentary", "end_turn": False,
            "metadata": {"request_id": "r", "is_complete": False},
        }
    }  # fmt: skip
    assert lost == {}


def test_times_that_are_none(tmp_path: Path) -> None:
    for value, lost in ((None, {}), (0, {}), (-5, {"unreadable_timestamp": 1}), ("soon", {"unreadable_timestamp": 1})):
        message, found = message_of(tmp_path, "user", "x", create_time=value)
        assert (message.timestamp, found) == (None, lost)


@pytest.mark.parametrize(
    ("author", "role", "code"),
    [
        ({"role": "developer"}, "system", "role_mapped"),
        ({"role": "critic"}, "assistant", "role_guessed"),
        ({}, "assistant", "role_guessed"),
        (None, "assistant", "role_guessed"),
    ],
)
def test_other_roles_are_mapped_or_guessed(tmp_path: Path, author: Any, role: str, code: str) -> None:
    second = {"id": "m", "parent": "u", "message": {"author": author, "content": "x"}}
    conversation, reading = one(tmp_path, export(node("u", None, "user", "1"), second))
    assert conversation.messages[1].role == role
    assert codes(reading) == {code: 1}


# Citations -----------------------------------------------------------------------------------------------------------

PAGE = {"title": "示例 [1]", "url": "https://e.org/a (b)"}
LINK = "[示例 \\[1\\]](https://e.org/a%20(b%29)"
MARK = "\ue200cite\ue202turn0search3\ue201"


def reference(matched: str, kind: str = "grouped_webpages", **fields: Any) -> dict[str, Any]:
    return {"matched_text": matched, "start_idx": 0, "end_idx": 1, "type": kind, **fields}


def old(start: int, end: int, title: str) -> dict[str, Any]:
    return {"start_ix": start, "end_ix": end, "metadata": {"title": title, "url": f"https://e.org/{title}"}}


CASES: dict[str, tuple[str, dict[str, Any], str, int]] = {
    "resolved": (f"a {MARK} b", {"content_references": [reference(MARK, items=[PAGE])]}, f"a {LINK} b", 0),
    "own address": (f"a{MARK}", {"content_references": [reference(MARK, "webpage", **PAGE)]}, f"a{LINK}", 0),
    "two sources": (
        f"{MARK}.",
        {"content_references": [reference(MARK, items=[PAGE, {"title": "B", "url": "https://b.org"}])]},
        f"{LINK}, [B](https://b.org).",
        0,
    ),
    "nowhere": (f"a {MARK} b {MARK}", {}, "a  b ", 2),
    "page without address": (f"a {MARK}", {"content_references": [reference(MARK, items=[])]}, "a ", 1),
    "a space replaces nothing": ("a b c", {"content_references": [reference(" ", "hidden", items=[PAGE])]}, "a b c", 0),
    "plain text replaces nothing": ("see a b", {"content_references": [reference("a b", items=[PAGE])]}, "see a b", 0),
    "span": (f"x \ue203inner text\ue204{MARK}", {"content_references": [reference(MARK, items=[PAGE])]},
             f"x inner text{LINK}", 0),
    "span in what was matched": (
        f"x \ue203inner\ue204{MARK}",
        {"content_references": [reference(f"\ue203inner\ue204{MARK}", items=[PAGE])]},
        f"x inner{LINK}",
        0,
    ),
    "span alone": ("\ue203kept\ue204", {}, "kept", 0),
    "entity": ('in \ue200entity\ue202["city","Paris \\u00e9","France"]\ue201.', {}, "in Paris é.", 0),
    "entity of a reference": (
        'in \ue200entity\ue202["city","p"]\ue201',
        {"content_references": [reference('\ue200entity\ue202["city","p"]\ue201', "entity", name="Paris")]},
        "in Paris",
        0,
    ),
    "file": (
        "a \ue200filecite\ue202turn0file0\ue202L1-L3\ue201",
        {"content_references": [reference("\ue200filecite\ue202turn0file0\ue202L1-L3\ue201", "file", name="x.pdf")]},
        "a ",
        0,
    ),
    "pictures": ("a \ue200i\ue202turn0image0\ue201b", {"content_references": [
        reference("\ue200i\ue202turn0image0\ue201", "image_group")]}, "a b", 0),
    "cut off": ("a \ue200cite\ue202turn0search1", {}, "a ", 1),
    "old by place": (
        "早上好【8†source】和【12†来源】。",
        {"citations": [old(12, 18, "B"), old(3, 13, "A")]},
        "早上好[A](https://e.org/A)和【12†来源】。".replace("【12†来源】", ""),
        1,
    ),
    "old by UTF-16": (
        "🌦️早【8†source】",
        {"citations": [old(4, 14, "A"), old(90, 99, "B")]},
        "🌦️早[A](https://e.org/A)",
        0,
    ),
    "old in order": ("x【1†a】【2†b】", {"citations": [old(70, 71, "A"), old(80, 81, "B")]},
                     "x[A](https://e.org/A)[B](https://e.org/B)", 0),
    "old without citations": ("x【1†a】y", {}, "xy", 1),
    "old with a colon": ("x【4:0†source】", {"content_references": [reference("【4:0†source】", "webpage", **PAGE)]},
                         f"x{LINK}", 0),
    "Chinese brackets": ("【注意】【8】【第8条†】见【4:0†source】", {}, "【注意】【8】【第8条†】见【4:0†source】", 0),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_marks_are_resolved_or_taken_out_and_all_else_stays(name: str) -> None:
    text, metadata, expected, unresolved = CASES[name]
    found = resolve(text, metadata)
    assert (found.text if found else text, found.unresolved if found else 0) == (expected, unresolved)


def test_citations_are_listed_once(tmp_path: Path) -> None:
    references = [reference(MARK, items=[PAGE]), reference(MARK, items=[PAGE]), reference(" ", "sources_footnote",
                  sources=[PAGE, {"title": "B", "url": "https://b.org"}])]  # fmt: skip
    message, lost = message_of(tmp_path, "assistant", f"x {MARK}", metadata={"content_references": references})
    assert message.extensions["citations"] == [
        {"url": PAGE["url"], "title": PAGE["title"]}, {"url": "https://b.org", "title": "B"},
    ]  # fmt: skip
    assert lost == {}


def test_marks_of_users_and_tools_stay(tmp_path: Path) -> None:
    for role in ("user", "tool"):
        message, lost = message_of(tmp_path, role, f"【0†link】 {MARK}")
        assert (message.text, lost) == (f"【0†link】 {MARK}", {})
    message, lost = message_of(tmp_path, "assistant", f"【0†link】 {MARK}")
    assert (message.text, lost) == (" ", {"citation_dropped": 1})


@pytest.mark.parametrize(
    "metadata",
    [
        {"content_references": 7, "citations": {"a": 1}},
        {"content_references": [None, {"matched_text": 3}, {"items": {}, "matched_text": MARK}], "citations": [None]},
        {"citations": [{"start_ix": [1], "metadata": []}, {"start_ix": 0, "metadata": {"url": 5}}]},
    ],
)
def test_references_of_any_shape_are_read(metadata: dict[str, Any]) -> None:
    found = resolve(f"x {MARK}", metadata)
    assert found is not None
    assert (found.text, found.unresolved) == ("x ", 0 if len(str(metadata)) > 99 and "items" in str(metadata) else 1)


# Assets --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("head", "media_type"),
    [
        (PNG, "image/png"), (b"\xff\xd8\xff\xe0", "image/jpeg"), (b"GIF89a", "image/gif"),
        (b"RIFF\0\0\0\0WEBPVP8 ", "image/webp"), (b"RIFF\0\0\0\0WAVEfmt ", "audio/wav"),
        (b"%PDF-1.4", "application/pdf"),
        (b"\0\0\0\x18ftypmp42", "video/mp4"), (b"ID3\x03", "audio/mpeg"), (b"plain text", None), (b"", None),
    ],
)  # fmt: skip
def test_the_first_bytes_tell_the_type(head: bytes, media_type: str | None) -> None:
    assert sniff(head) == media_type


def picture_export(folder: Path, *pointers: str) -> Path:
    parts = [{"content_type": "image_asset_pointer", "asset_pointer": pointer} for pointer in pointers]
    value = [export(node("u", None, "user", {"content_type": "multimodal_text", "parts": [*parts, "look"]}))]
    (folder / "conversations-000.json").write_text(json.dumps(value))
    return folder


def test_dat_files_are_found_by_the_index_and_told_by_their_bytes(tmp_path: Path) -> None:
    names = {"file_1.dat": "folder/photo.heic", "9f3c.dat": "file_2-scan.jpg", "file_3.dat": 7}
    (tmp_path / "conversation_asset_file_names.json").write_text(json.dumps(names))
    (tmp_path / "file_1.dat").write_bytes(PNG)
    (tmp_path / "9f3c.dat").write_bytes(b"\xff\xd8\xff\xe0")
    (tmp_path / "file_3.dat").write_bytes(b"?")
    path = picture_export(tmp_path, "sediment://file_1", "sediment://file_2", "sediment://file_3", "sediment://file_4")
    (reading,) = readings(path)
    assert reading.conversation
    assert [(a.name, a.media_type, bool(a.data)) for a in reading.conversation.messages[0].attachments] == [
        ("photo.heic", "image/png", True), ("file_2-scan.jpg", "image/jpeg", True),
        ("file_3.dat", None, True), (None, None, False),
    ]  # fmt: skip
    assert codes(reading) == {"missing_asset": 1, "parts_reordered": 1}


def test_a_broken_index_is_listed_and_names_with_ids_still_work(tmp_path: Path) -> None:
    (tmp_path / "conversation_asset_file_names.json").write_text("{broken")
    (tmp_path / "file_1-x.png").write_bytes(PNG)
    (reading,) = readings(picture_export(tmp_path, "sediment://file_1"))
    assert reading.conversation and reading.conversation.messages[0].attachments[0].data
    assert codes(reading) == {"member_refused": 1, "parts_reordered": 1}


def test_assets_beyond_the_limits_keep_their_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from mnemo_lab.formats.chatgpt import assets

    monkeypatch.setattr(assets, "MAX_ASSET", 40)
    monkeypatch.setattr(assets, "MAX_TOGETHER", 60)
    (tmp_path / "file_1.png").write_bytes(b"\x89PNG\r\n\x1a\n" + b"x" * 50)
    (tmp_path / "file_2.png").write_bytes(b"\x89PNG\r\n\x1a\n" + b"x" * 30)
    (tmp_path / "file_3.png").write_bytes(b"\x89PNG\r\n\x1a\n" + b"x" * 30)
    (reading,) = readings(picture_export(tmp_path, "sediment://file_1", "sediment://file_2", "sediment://file_3"))
    assert reading.conversation
    found = [(a.name, bool(a.data)) for a in reading.conversation.messages[0].attachments]
    assert found == [("file_1.png", False), ("file_2.png", True), ("file_3.png", False)]
    assert codes(reading) == {"image_dropped": 2, "parts_reordered": 1}
