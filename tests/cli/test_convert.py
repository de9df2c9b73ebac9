"""``mnemo convert``, ``list``, ``validate`` and ``inspect`` on small files: what is written, said, and how it ends."""

from __future__ import annotations

import json
import stat
import zipfile
from dataclasses import replace
from pathlib import Path

import pytest

from mnemo_lab.conversation import Attachment, Conversation, Message
from mnemo_lab.formats.portable import dumps
from tests.cli.conftest import Mnemo
from tests.cli.conversations import META, load, save, talk


def test_a_clean_conversion(mnemo: Mnemo, tmp_path: Path) -> None:
    save(tmp_path / "in.json", talk())
    said = mnemo("convert", "in.json", "-o", "out.json", "--to", "mnemosyne")
    assert (said.status, said.err) == (0, "")
    assert said.out.splitlines() == [
        "losses: 0 error, 0 warning, 0 info",
        "written: out.json (portable, from portable)",
        "contents: 1 conversation, 4 messages (user 1, assistant 2, tool 1), 1 tool call, 0 attachments, "
        "2026-03-01 to 2026-03-02",
        "sensitive: nothing found",
    ]
    assert load(tmp_path / "out.json")["conversation"]["title"] == "Ports [b]1[/x]"


def test_losses_on_the_terminal_and_as_json(mnemo: Mnemo, tmp_path: Path) -> None:
    save(tmp_path / "in.json", talk())
    said = mnemo("convert", "in.json", "-o", "out.json", "--to", "openai-chat", "--losses", "losses.json")
    assert said.status == 0
    assert "timestamp_dropped" in said.out and "times are not kept by the target" in said.out
    found = load(tmp_path / "losses.json")
    assert found["counts"]["timestamp_dropped"] == 1
    (times,) = [item for item in found["losses"] if item["code"] == "timestamp_dropped"]
    assert times["conversation"] == "Ports [b]1[/x]" and times["severity"] == "info"
    assert times["sentence"] == "times are not kept by the target"
    chinese = mnemo("convert", "in.json", "-o", "out.json", "--to", "openai-chat", "--language", "zh")
    assert "目标格式不保留时间" in chinese.out and "损失：0 错误" in chinese.out
    assert (
        "内容：1 个对话，4 条消息（user 1, assistant 2, tool 1），1 次工具调用，0 个附件，2026-03-01 至" in chinese.out
    )


def test_strict(mnemo: Mnemo, tmp_path: Path) -> None:
    sound = Attachment("file", "audio/wav", data="UklGRg==")
    save(tmp_path / "in.json", Conversation((Message("user", "Listen.", attachments=(sound,)),), "a"))
    words = ("convert", "in.json", "-o", "out.json", "--to", "anthropic")
    assert mnemo(*words).status == 0
    said = mnemo(*words, "--strict")
    assert said.status == 3 and "audio_dropped" in said.out and (tmp_path / "out.json").exists()
    assert mnemo("convert", "in.json", "-o", "p.json", "--to", "portable", "--strict").status == 0


def test_what_could_not_be_written_ends_with_1(mnemo: Mnemo, tmp_path: Path) -> None:
    torn = Conversation(talk().messages[:2], "torn", "Torn")
    save(tmp_path / "in.json", talk(), torn)
    said = mnemo("convert", "in.json", "-o", "out/", "--to", "openai-chat", "--repair", "error")
    assert said.status == 1 and "not written: 1 conversation, see the losses" in said.out
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["Ports-[b]1[-x].json"]
    forced = mnemo("convert", "in.json", "-o", "out/", "--to", "openai-chat", "--repair", "error", "--force")
    assert forced.status == 0 and len(list((tmp_path / "out").iterdir())) == 2


def test_redaction_with_a_map(mnemo: Mnemo, tmp_path: Path) -> None:
    save(tmp_path / "in.json", Conversation((Message("user", "Write to mei.lin@example.org"),), "a"))
    plain = mnemo("convert", "in.json", "-o", "plain.json", "--to", "portable")
    assert "sensitive: 1 email; --redact replaces them" in plain.out
    said = mnemo("convert", "in.json", "-o", "out.json", "--to", "portable", "--redact", "--map", "map.json")
    assert said.status == 0 and "redacted: 1 email" in said.out and "mei.lin" not in said.out
    assert "mei.lin" not in (tmp_path / "out.json").read_text()
    assert load(tmp_path / "map.json") == {"[EMAIL_1]": "mei.lin@example.org"}
    assert stat.S_IMODE((tmp_path / "map.json").stat().st_mode) == 0o600


def test_a_budget(mnemo: Mnemo, tmp_path: Path) -> None:
    save(tmp_path / "in.json", talk())
    words = ("convert", "in.json", "-o", "out.json", "--to", "portable", "--max-tokens", "30")
    said = mnemo(*words, "--target-model", "gpt-4")
    assert said.status == 0 and "3 of 4 messages were left out to fit 30 tokens" in said.out
    assert [m["content"] for m in load(tmp_path / "out.json")["conversation"]["messages"]] == ["Port 5433."]
    said = mnemo(*words, "--target-model", "claude-sonnet-4")
    assert said.err == (
        "mnemo convert: note: model 'claude-sonnet-4' has no public tokenizer here; "
        "counting with o200k_base as a proxy\n"
    )


def test_list_and_select(mnemo: Mnemo, tmp_path: Path) -> None:
    texts = [dumps(talk(1), META), '{"version": "9.0.0"}', dumps(replace(talk(3), title=None), META)]
    with zipfile.ZipFile(tmp_path / "in.zip", "w") as made:
        made.writestr("deep/export.json", f"[{','.join(texts)}]")
    said = mnemo("list", "in.zip")
    assert said.status == 1, "one could not be read"
    rows = [[cell.strip() for cell in line.split("│")[1:-1]] for line in said.out.splitlines() if line.startswith("│")]
    assert rows == [
        ["1", "id-1", "Ports [b]1[/x]", "2026-03-01", "4"],
        ["2", "", "could not be read", "", ""],
        ["3", "id-3", "", "2026-03-01", "4"],
    ]
    one = mnemo("list", "in.zip", "--select", "id-3", "--language", "zh")
    assert one.status == 0 and "序号" in one.out and "id-1" not in one.out
    said = mnemo("convert", "in.zip", "-o", "out.md", "--to", "markdown", "--select", "3")
    assert said.status == 0 and "host 3" in (tmp_path / "out.md").read_text()


def test_validate(mnemo: Mnemo, tmp_path: Path) -> None:
    save(tmp_path / "in.json", talk(), Conversation((*talk().messages[:2], Message("user", "?")), "torn", "Torn"))
    said = mnemo("validate", "in.json", "--target", "openai-chat")
    assert said.status == 1 and "openai-chat takes 1 of 2 conversations" in said.out
    assert "unanswered_tool_call" in said.out and "Torn: a1" in said.out
    assert mnemo("validate", "in.json", "--target", "openai-chat", "--select", "1").status == 0
    long = Conversation((Message("user", "word " * 9000),), "long")
    save(tmp_path / "long.json", long)
    assert mnemo("validate", "long.json", "--target", "openai-chat").status == 0
    said = mnemo("validate", "long.json", "--target", "openai-chat", "--model", "gpt-4", "--language", "zh")
    assert said.status == 1 and "window_exceeded" in said.out and "openai-chat 接受 1 个对话中的 0 个" in said.out
    assert (tmp_path / "long.json").read_text() == dumps(long, META), "nothing is changed"


def test_inspect_any_format(mnemo: Mnemo, tmp_path: Path) -> None:
    body = {
        "model": "gpt-4o",
        "messages": [{"role": "user", "content": "你好，世界"}, {"role": "assistant", "content": "hi"}],
    }
    (tmp_path / "chat.json").write_text(json.dumps(body), encoding="utf-8")
    said = mnemo("inspect", "chat.json", "--from", "openai-chat")
    assert said.status == 0 and "format: openai-chat (named by --from)" in said.out
    assert "messages  2 in 2 units" in said.out and "Chinese   80% of the words" in said.out
    save(tmp_path / "in.json", talk(1), talk(2))
    said = mnemo("inspect", "in.json")
    assert "format: portable (0.95: has version 1.1.0, meta.exported_at and conversation.messages)" in said.out
    assert "in all: 2 conversations, 8 messages" in said.out and said.out.count("look_up x1") == 2


def test_inspect_shows_the_first_of_many(mnemo: Mnemo, tmp_path: Path) -> None:
    save(tmp_path / "in.json", *map(talk, range(25)))
    said = mnemo("inspect", "in.json")
    assert said.out.count("  messages  4 in 3 units") == 20
    assert "in all: 25 conversations, 100 messages" in said.out and "shown are the first 20" in said.out


@pytest.mark.parametrize("command", ["convert", "list", "inspect", "validate"])
def test_text_that_would_play_with_the_terminal(mnemo: Mnemo, tmp_path: Path, command: str) -> None:
    save(tmp_path / "in.json", replace(talk(), title="\x1b[31mred\x07\u202e", id="\x1b]0;x\x07"))
    more = {"convert": ("-o", "out.json", "--to", "openai-chat"), "validate": ("--target", "openai-chat")}
    said = mnemo(command, "in.json", *more.get(command, ()))
    assert said.status == 0 and not {"\x1b", "\x07", "\u202e"} & set(said.out)
