"""From any format to any other: what is selected, changed, refused, written, and what is said of it."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from mnemo_lab.conversation import Attachment, Conversation, DocumentMeta, Message, ToolCall
from mnemo_lab.errors import InvalidInput
from mnemo_lab.formats import portable
from mnemo_lab.formats.convert import Converted, convert, read_all, target_named
from mnemo_lab.formats.detect import writable
from mnemo_lab.formats.preparing import Settings
from mnemo_lab.truncation.recent import Recent

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
META = DocumentMeta("2026-01-01T00:00:00Z", "elsewhere", "a tool", {"kept": 1})


def talk(number: int = 1, **more: Any) -> Conversation:
    messages = (
        Message("user", f"Which port does host {number} use?", "u1", "2026-03-01T08:00:00Z"),
        Message("assistant", None, "a1", tool_calls=(ToolCall("c1", "look_up", f'{{"host":{number}}}'),)),
        Message("tool", "5433", "t1", tool_call_id="c1"),
        Message("assistant", "Port 5433.", "a2"),
    )
    return Conversation(messages, f"id-{number}", f"Ports {number}", "gpt-4", "Be brief.", **more)


def saved(tmp_path: Path, *conversations: Conversation, name: str = "in.json") -> Path:
    texts = [portable.dumps(conversation, META) for conversation in conversations]
    path = tmp_path / name
    path.write_text(texts[0] if len(texts) == 1 else f"[{','.join(texts)}]", encoding="utf-8")
    return path


def run(path: Path, out: Path | str, to: str = "portable", **settings: Any) -> Converted:
    select = settings.pop("select", None)
    return convert(path, out, to, Settings(**settings), now=NOW, select=select)


def written(done: Converted) -> Any:
    return json.loads(done.paths[0].read_text(encoding="utf-8"))


def branched() -> Conversation:
    messages = (
        Message("user", "Which port?", "u1"),
        Message("assistant", "5432.", "a1", parent_id="u1"),
        Message("assistant", "5433.", "a2", parent_id="u1"),
        Message("user", "Thanks", "u2", parent_id="a2"),
    )
    return Conversation(messages, "tree", "Tree", extensions={"active_leaf": "u2"})


def texts(document: dict[str, Any]) -> list[str]:
    return [message["content"] for message in document["conversation"]["messages"]]


# reading and selecting


def test_all_are_read_in_order(tmp_path: Path) -> None:
    path = saved(tmp_path, *map(talk, range(1, 4)))
    readings = list(read_all(path))
    assert [r.conversation for r in readings] == [talk(n) for n in range(1, 4)]
    assert [r.place for r in readings] == [f"{path}#/{n}" for n in range(3)]
    assert list(read_all(path, "mnemosyne")) == readings


@pytest.mark.parametrize(
    ("select", "found"),
    [
        (["2"], [2]),
        (["id-3"], [3]),
        (["ports 1", "3"], [1, 3]),
        (["PORTS*"], [1, 2, 3]),
        (["3", "1"], [1, 3]),
        ([], [1, 2, 3]),
    ],
)
def test_selection(tmp_path: Path, select: list[str], found: list[int]) -> None:
    path = saved(tmp_path, *map(talk, range(1, 4)))
    assert [r.conversation.id for r in read_all(path, select=select) if r.conversation] == [f"id-{n}" for n in found]


def test_a_selection_that_names_nothing(tmp_path: Path) -> None:
    path = saved(tmp_path, talk(1), talk(2))
    with pytest.raises(
        InvalidInput, match=r"no conversation has the number, id or title '3'; it holds 2, see: mnemo list"
    ):
        list(read_all(path, select=["3", "1"]))
    with pytest.raises(InvalidInput, match="'3'"):
        run(path, tmp_path / "out.json", select=["1", "3"])
    assert not (tmp_path / "out.json").exists(), "nothing is written"


def test_a_broken_conversation_costs_itself(tmp_path: Path) -> None:
    one, two = (portable.dumps(talk(n), META) for n in (1, 2))
    (tmp_path / "in.json").write_text(f'[{one}, {{"version": "9.0.0"}}, {two}]')
    done = run(tmp_path / "in.json", tmp_path / "out.json")
    assert [d["conversation"]["id"] for d in written(done)] == ["id-1", "id-2"]
    assert (done.failed, done.counts, done.grave) == (1, {"unreadable_conversation": 1}, 1)
    assert done.losses[0].conversation == f"{tmp_path}/in.json#/1"


def test_a_stream_that_breaks_off_keeps_what_came_before(tmp_path: Path) -> None:
    import zipfile

    with zipfile.ZipFile(tmp_path / "a.zip", "w") as made:
        made.writestr("a.json", portable.dumps(talk(1), META))
        made.writestr("b.json", "x" * 100)
    data = bytearray((tmp_path / "a.zip").read_bytes())
    data[data.index(b"x" * 100) + 50] ^= 1
    (tmp_path / "a.zip").write_bytes(data)
    first, second = read_all(tmp_path / "a.zip")
    assert first.conversation == talk(1)
    assert second.conversation is None and second.losses[0].code == "unreadable_conversation"
    assert "damaged inside the archive" in second.losses[0].sentence()


def test_members_that_were_refused_are_said_with_the_first_reading(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    saved(tmp_path / "folder", talk(1), name="1.json")
    saved(tmp_path / "folder", talk(2), name="2.json")
    (tmp_path / "folder" / "notes.json").write_text('{"questions": []}')
    (tmp_path / "folder" / "link.json").symlink_to(tmp_path)
    first, second = read_all(tmp_path / "folder")
    assert [loss.code for loss in first.losses] == ["member_refused"] and second.losses == ()


# targets


def test_targets() -> None:
    assert target_named("mnemosyne@1.0.0")[::2] == ("portable", "1.0.0")
    assert target_named("portable")[::2] == ("portable", None)
    for name, says in (
        ("portable@2.0.0", "version '2.0.0' cannot be written; allowed: 1.0.0, 1.1.0"),
        ("anthropic@1", "only portable has versions"),
        ("chatgpt", "can be read but not written; writable: "),
        ("antropic", "Did you mean 'anthropic'"),
    ):
        with pytest.raises(InvalidInput, match=says):
            target_named(name)


@pytest.mark.parametrize("to", writable())
def test_every_target_is_written_whole(tmp_path: Path, to: str) -> None:
    done = run(saved(tmp_path, talk()), tmp_path / "out", to)
    assert done.paths == [tmp_path / "out"] and done.failed == 0
    assert "5433" in done.paths[0].read_text(encoding="utf-8")
    assert not [p for p in tmp_path.iterdir() if p.suffix == ".tmp"]


def test_portable_records_how_it_was_made(tmp_path: Path) -> None:
    done = run(saved(tmp_path, talk()), tmp_path / "out.json", max_tokens=30, model="gpt-4", exporter="mnemo-lab 1")
    meta = written(done)["meta"]
    assert (meta["exporter"], meta["exported_at"], meta["source_tool"]) == (
        "mnemo-lab 1",
        "2026-03-01T12:00:00Z",
        "a tool",
    )
    record = meta["extensions"].pop("mnemo_lab")
    assert meta["extensions"] == {"kept": 1}
    assert record.pop("budget") == {"tokens": 30, "encoding": "cl100k_base", "used": 16}
    assert record == {
        "exporter": "mnemo-lab 1",
        "source_format": "portable",
        "strategy": str(Recent()),
        "redacted": False,
        "losses": {"left_out_to_fit": 1},
    }


def test_a_forced_version_lists_what_it_cannot_hold(tmp_path: Path) -> None:
    done = run(saved(tmp_path, talk()), tmp_path / "out.json", "mnemosyne@1.0.0")
    document = written(done)
    assert document["version"] == "1.0.0" and "extensions" not in document["meta"]
    assert texts(document) == [m.content or "" for m in talk().messages]
    assert done.counts == {"content_not_in_version": 1, "field_not_in_version": 2}


def test_the_same_input_gives_the_same_bytes(tmp_path: Path) -> None:
    path = saved(tmp_path, talk(1), talk(2))
    one, two = (run(path, tmp_path / name).paths[0].read_bytes() for name in ("1.json", "2.json"))
    assert one == two


def test_portable_to_portable_keeps_everything(tmp_path: Path) -> None:
    (reading,) = read_all(run(saved(tmp_path, talk(summary="s")), tmp_path / "out.json").paths[0])
    assert reading.conversation == talk(summary="s")


# files and folders


def test_one_file_each_in_a_folder(tmp_path: Path) -> None:
    several = [replace(talk(n), title=title) for n, title in enumerate(["云图/天气", "../up", "云图/天气", None])]
    done = run(saved(tmp_path, *several), f"{tmp_path}/out/", "markdown")
    assert [path.name for path in done.paths] == ["云图-天气.md", "up.md", "云图-天气-2.md", "id-3.md"]
    assert sorted(tmp_path.joinpath("out").iterdir()) == sorted(done.paths)
    again = run(saved(tmp_path, *several), tmp_path / "out", "portable")  # a folder that is there
    assert len(again.paths) == 4


def test_several_where_the_target_holds_one(tmp_path: Path) -> None:
    path = saved(tmp_path, talk(1), talk(2))
    with pytest.raises(InvalidInput, match=r"langchain holds one conversation a file, and there are 2; give a folder"):
        run(path, tmp_path / "out.json", "langchain")
    assert not (tmp_path / "out.json").exists()
    assert run(path, tmp_path / "out.json", "langchain", select=["2"]).paths


def test_the_input_is_never_written_over(tmp_path: Path) -> None:
    path = saved(tmp_path, talk())
    before = path.read_bytes()
    (tmp_path / "link.json").symlink_to(path)
    for out in (path, tmp_path / "link.json"):
        with pytest.raises(InvalidInput, match="is the input; name another output"):
            run(path, out)
    assert path.read_bytes() == before


def test_into_a_folder_that_holds_the_input(tmp_path: Path) -> None:
    """A title may be the name of the input."""
    path = saved(tmp_path, replace(talk(), title="in"))
    before = path.read_bytes()
    with pytest.raises(InvalidInput, match="is the input"):
        run(path, f"{tmp_path}/")
    assert path.read_bytes() == before


@pytest.mark.parametrize("out", ["no/such/out.json", "in.json/x/"])
def test_an_output_that_cannot_be(tmp_path: Path, out: str) -> None:
    with pytest.raises(InvalidInput, match=r"create .* first|cannot be made a folder"):
        run(saved(tmp_path, talk()), f"{tmp_path}/{out}")


# branches and the system prompt


def test_branches(tmp_path: Path) -> None:
    path = saved(tmp_path, branched())
    active = run(path, tmp_path / "active.json")
    assert texts(written(active)) == ["Which port?", "5433.", "Thanks"]
    assert active.counts == {"branch_dropped": 1}
    tree = run(path, tmp_path / "tree.json", branches="all")
    assert texts(written(tree)) == [m.content for m in branched().messages] and not tree.counts
    each = run(path, f"{tmp_path}/each/", "openai-chat", branches="all")
    assert len(each.paths) == 2 and "branch_dropped" not in each.counts
    found = [[m["content"] for m in json.loads(p.read_text())["messages"]] for p in each.paths]
    assert found == [["Which port?", "5433.", "Thanks"], ["Which port?", "5432."]]


def test_the_system_prompt(tmp_path: Path) -> None:
    path = saved(tmp_path, talk())
    assert written(run(path, tmp_path / "1.json"))["conversation"]["system_prompt"] == "Be brief."
    dropped = run(path, tmp_path / "2.json", system="drop")
    assert "system_prompt" not in written(dropped)["conversation"] and dropped.counts == {"system_dropped": 1}
    new = run(path, tmp_path / "3.json", system="replace", system_prompt="答得简短。")
    assert written(new)["conversation"]["system_prompt"] == "答得简短。" and new.counts == {"system_replaced": 1}
    body = written(run(path, tmp_path / "4.json", "openai-chat", system="replace", system_prompt="New."))
    assert [m["content"] for m in body["messages"] if m["role"] == "system"] == ["New."]
    two = Conversation((Message("system", "a"), Message("system", "b"), Message("user", "c")))
    assert texts(written(run(saved(tmp_path, two, name="two.json"), tmp_path / "5.json", system="drop"))) == ["c"]


@pytest.mark.parametrize(
    ("settings", "says"),
    [
        ({"system": "replace"}, "--system-prompt TEXT go together"),
        ({"system_prompt": "x"}, "go together"),
        ({"system": "shout"}, "unknown system 'shout'; known: drop, keep, replace"),
        ({"branches": "some"}, "unknown branches 'some'"),
        ({"repair": "magic"}, "unknown repair 'magic'"),
    ],
)
def test_bad_settings(settings: dict[str, Any], says: str) -> None:
    with pytest.raises(InvalidInput, match=says):
        Settings(**settings)


# what the target would refuse


def torn() -> Conversation:
    """A call that was never answered."""
    return Conversation((*talk().messages[:2], Message("user", "And now?", "u2")), "torn", "Torn")


def test_repair(tmp_path: Path) -> None:
    path = saved(tmp_path, torn())
    filled = run(path, tmp_path / "1.json", "openai-chat")
    assert [m["role"] for m in written(filled)["messages"]] == ["user", "assistant", "tool", "user"]
    assert filled.failed == 0 and filled.counts["result_added"] == 1
    dropped = run(path, tmp_path / "2.json", "openai-chat", repair="drop")
    assert [m["role"] for m in written(dropped)["messages"]] == ["user", "user"]


def test_what_would_be_refused_is_not_written(tmp_path: Path) -> None:
    path = saved(tmp_path, torn(), talk())
    done = run(path, tmp_path / "1.json", "openai-chat", repair="error")
    assert done.failed == 1 and done.contents.conversations == 1 and done.counts["unanswered_tool_call"] == 1
    with pytest.raises(InvalidInput, match="nothing to write: tool call c1 is never answered"):
        run(path, tmp_path / "2.json", "openai-chat", repair="error", select=["1"])
    assert not (tmp_path / "2.json").exists()
    forced = run(path, tmp_path / "2.json", "openai-chat", repair="error", select=["1"], force=True)
    assert forced.failed == 0 and forced.counts["unanswered_tool_call"] >= 1
    assert [m["role"] for m in written(forced)["messages"]] == ["user", "assistant", "user"]


def test_portable_holds_what_no_api_takes(tmp_path: Path) -> None:
    done = run(saved(tmp_path, torn()), tmp_path / "1.json", repair="error")
    assert done.failed == 0 and len(written(done)["conversation"]["messages"]) == 3


def test_what_the_window_does_not_hold(tmp_path: Path) -> None:
    long = Conversation((Message("user", "word " * 9000),), "long")
    path = saved(tmp_path, long)
    with pytest.raises(InvalidInput, match="more than the 8192 that gpt-4 takes"):
        run(path, tmp_path / "1.json", "openai-chat", model="gpt-4")
    cut = run(path, tmp_path / "1.json", "openai-chat", model="gpt-4", strategy="recent()")
    assert cut.failed == 0 and {"elided"} <= cut.counts.keys()


def test_an_attachment_that_is_refused_leaves_a_message_the_target_takes(tmp_path: Path) -> None:
    sound = Attachment("file", "audio/wav", data="UklGRg==")
    picture = Attachment("image", "image/png", data="iVBORw0KGgo=")
    spoken = Message("user", "", "u1", attachments=(sound, picture))
    only = Message("user", "", "u2", attachments=(sound,))
    given = Conversation((spoken, Message("assistant", "Yes."), only, Message("assistant", "No.")), "sound")
    done = run(saved(tmp_path, given), tmp_path / "1.json", "anthropic")
    assert done.failed == 0 and done.counts["audio_dropped"] == 2 and "image_dropped" not in done.counts
    content = [message["content"] for message in written(done)["messages"]]
    assert content[0][0]["type"] == "image"
    assert content[2] and content[2] != [{"type": "text", "text": ""}]


# privacy


def secret() -> Conversation:
    messages = (
        Message("user", "My mail is mei.lin@example.org, call 13800138000. mei.lin@example.org!"),
        Message("assistant", "Noted."),
    )
    return Conversation(messages, "secret", "Secret")


def test_sensitive_things_are_counted_and_on_request_replaced(tmp_path: Path) -> None:
    path = saved(tmp_path, secret())
    plain = run(path, tmp_path / "1.json")
    assert plain.sensitive == {"email": 2, "phone": 1} and not plain.redacted and plain.mapping == {}
    assert "mei.lin@example.org" in plain.paths[0].read_text()
    clean = run(path, tmp_path / "2.json", redact=True)
    assert clean.redacted == {"email": 2, "phone": 1} and not clean.sensitive
    assert texts(written(clean))[0] == "My mail is [EMAIL_1], call [PHONE_1]. [EMAIL_1]!"
    assert clean.mapping == {"[EMAIL_1]": "mei.lin@example.org", "[PHONE_1]": "13800138000"}
    assert written(clean)["meta"]["extensions"]["mnemo_lab"]["redacted"] is True
    assert clean.counts == {"redacted": 2}
