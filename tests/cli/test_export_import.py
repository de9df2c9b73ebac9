"""``mnemo export`` and ``mnemo import``: any file to a portable document, and that to a request for Ollama."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from mnemo_lab.cli.ollama_models import suggested_model
from mnemo_lab.conversation import Conversation, Message
from mnemo_lab.errors import InvalidInput
from mnemo_lab.tokens.models import known_models
from tests.cli.conftest import Mnemo
from tests.cli.conversations import load, save, talk

CSV = """\
role,content,timestamp
system,You are a helpful assistant.,2025-05-01T09:59:00Z
user,"Hello, how do I reset my password?",2025-05-01T10:00:00Z
assistant,"Open ""Settings"", then choose Security.
After that, follow the link.",2025-05-01T10:00:05Z
user,谢谢！,2025-05-01T10:01:00Z
"""


def messages(path: Path) -> list[tuple[str, str]]:
    return [(m["role"], m["content"]) for m in load(path)["conversation"]["messages"]]


def test_a_csv_of_messages(mnemo: Mnemo, tmp_path: Path) -> None:
    (tmp_path / "messages.csv").write_text(CSV, encoding="utf-8")
    said = mnemo("export", "-i", "messages.csv", "--title", "Password", "--model", "gpt-4", "--conv-id", "conv-001")
    assert said.status == 0, said
    assert "written: exported_context.json (portable, from csv)" in said.out
    assert (
        "contents: 1 conversation, 3 messages (user 2, assistant 1), 0 tool calls, 0 attachments, 2025-05-01"
        in said.out
    )
    document = load(tmp_path / "exported_context.json")
    conversation = document["conversation"]
    assert (conversation["id"], conversation["title"], conversation["model"]) == ("conv-001", "Password", "gpt-4")
    assert conversation["system_prompt"] == "You are a helpful assistant."
    assert messages(tmp_path / "exported_context.json") == [
        ("user", "Hello, how do I reset my password?"),
        ("assistant", 'Open "Settings", then choose Security.\nAfter that, follow the link.'),
        ("user", "谢谢！"),
    ]
    assert [m["timestamp"] for m in conversation["messages"]] == [
        "2025-05-01T10:00:00Z",
        "2025-05-01T10:00:05Z",
        "2025-05-01T10:01:00Z",
    ]
    assert document["meta"]["source_tool"] == "csv"


@pytest.mark.parametrize(
    "data",
    [
        b"\xef\xbb\xbfRole,Content\r\nuser,a\r\nassistant,b\r\n",
        b" ROLE ;content;\r\n\r\nUser;a\r\nAssistant;b\r\n",
        "role\tcontent\nuser\ta\nassistant\tb".encode("utf-16"),
        b"content,role\na,human\nb,AI\n",
        b'"role","content"\n"user","a"\n\n"assistant","b"\n',
    ],
    ids=["bom", "semicolons", "utf-16 tabs", "other words", "quoted"],
)
def test_headers_and_separators(mnemo: Mnemo, tmp_path: Path, data: bytes) -> None:
    (tmp_path / "m.csv").write_bytes(data)
    said = mnemo("export", "-i", "m.csv", "-o", "out.json")
    assert said.status == 0, said
    assert messages(tmp_path / "out.json") == [("user", "a"), ("assistant", "b")]


def test_all_columns(mnemo: Mnemo, tmp_path: Path) -> None:
    (tmp_path / "m.csv").write_text(
        "id,role,content,name,timestamp,mood\n7,user,a,Lin,1772352000,glad\n8,user,b,,soon,\n"
    )
    said = mnemo("export", "-i", "m.csv", "-o", "out.json")
    assert said.status == 0 and "unreadable_timestamp" in said.out
    assert load(tmp_path / "out.json")["conversation"]["messages"] == [
        {
            "id": "7",
            "role": "user",
            "content": "a",
            "timestamp": "2026-03-01T08:00:00Z",
            "name": "Lin",
            "extensions": {"csv": {"mood": "glad"}},
        },
        {"id": "8", "role": "user", "content": "b", "timestamp": "soon"},
    ]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "m.csv: empty; expected a header with role and content"),
        ("user,hello\n", "line 1: no column role and content; found \"user, hello\"; needed are role and content"),
        ("role,text\nuser,a\n", "line 1: no column content; found \"role, text\""),
        ("role,content,Content\n", "line 1: column content stands twice"),
        ("role,content\nuser,a\nrobot,b\n", 'line 3: role "robot" is not one of system, user, assistant, tool'),
        ('role,content\nuser,"a\nb"\n,c\n', 'line 4: role "" is not one of'),
        ("role,content\nuser,a, b\n", "line 2: 3 fields, but 2 columns; put text with separators into quotes"),
        ('role,content\nuser,a\nuser,"never closed\nuser,b\n', "line 3: unexpected end of data; check the quotes"),
        ("role,content\nx,a\ny,b\nz,c\n", 'line 4: role "z"'),
    ],
)  # fmt: skip
def test_faults_of_a_csv_by_line(mnemo: Mnemo, tmp_path: Path, text: str, says: str) -> None:
    (tmp_path / "m.csv").write_text(text, encoding="utf-8")
    said = mnemo("export", "-i", "m.csv")
    assert said.status == 2 and said.err.startswith("mnemo export: m.csv: ") and says in said.err
    assert not (tmp_path / "exported_context.json").exists()


def test_a_long_field_and_a_wrong_encoding(mnemo: Mnemo, tmp_path: Path) -> None:
    (tmp_path / "m.csv").write_text(f'role,content\nuser,"{"x" * 1_000_000}"\n')
    assert mnemo("export", "-i", "m.csv").status == 0
    (tmp_path / "m.csv").write_bytes("role,content\nuser,é\n".encode("latin-1"))
    assert "is not UTF-8 text; save the file as UTF-8" in mnemo("export", "-i", "m.csv").err


def test_another_tools_file(mnemo: Mnemo, tmp_path: Path) -> None:
    body: dict[str, Any] = {"model": "gpt-4o", "messages": [
        {"role": "system", "content": "Old."},
        {"role": "user", "content": "Which port?"},
        {"role": "assistant", "content": None,
         "tool_calls": [{"id": "c1", "type": "function", "function": {"name": "look_up", "arguments": "{}"}}]},
        {"role": "tool", "tool_call_id": "c1", "content": "5433"},
    ]}  # fmt: skip
    (tmp_path / "chat.json").write_text(json.dumps(body))
    said = mnemo("export", "-i", "chat.json", "--system-prompt", "答得简短。")
    assert said.status == 0 and "system_replaced" in said.out
    conversation = load(tmp_path / "exported_context.json")["conversation"]
    assert (conversation["system_prompt"], conversation["model"]) == ("答得简短。", "gpt-4o")
    assert [m["role"] for m in conversation["messages"]] == ["user", "assistant", "tool"]


def test_one_of_several(mnemo: Mnemo, tmp_path: Path) -> None:
    save(tmp_path / "in.json", talk(1), talk(2))
    assert mnemo("export", "-i", "in.json", "--conv-id", "id-2", "--title", "New").status == 0
    conversation = load(tmp_path / "exported_context.json")["conversation"]
    assert (conversation["id"], conversation["title"]) == ("id-2", "New")
    assert mnemo("export", "-i", "in.json").status == 0
    assert [d["conversation"]["id"] for d in load(tmp_path / "exported_context.json")] == ["id-1", "id-2"]


# import


def accepted_by_ollama(body: Any) -> None:
    ollama = pytest.importorskip("ollama")
    request = ollama._types.ChatRequest.model_validate(body)
    assert len(request.messages) == len(body["messages"]) and request.stream is False


def test_a_request_for_ollama(mnemo: Mnemo, tmp_path: Path) -> None:
    save(tmp_path / "exported_context.json", talk())
    said = mnemo("import", "-c", "exported_context.json")
    assert said.status == 0
    assert "messages: 5\n" in said.out
    assert "suggested model: llama3.1:8b (get it with: ollama pull llama3.1:8b)\n" in said.out
    body = load(tmp_path / "ollama_ready_prompt.json")
    accepted_by_ollama(body)
    assert list(body) == ["model", "messages", "stream"]
    assert (body["model"], body["stream"]) == ("llama3.1:8b", False)
    assert [(m["role"], m["content"]) for m in body["messages"]] == [
        ("system", "Be brief."),
        ("user", "Which port does host 1 use?"),
        ("assistant", ""),
        ("tool", "5433"),
        ("assistant", "Port 5433."),
    ]
    assert body["messages"][2]["tool_calls"] == [{"function": {"name": "look_up", "arguments": {"host": 1}}}]


def test_the_oldest_go_first_and_the_system_prompt_stays(mnemo: Mnemo, tmp_path: Path) -> None:
    many = tuple(Message("user" if n % 2 == 0 else "assistant", f"message number {n}") for n in range(21))
    save(tmp_path / "c.json", Conversation(many, "c", system_prompt="Be brief."))
    said = mnemo("import", "-c", "c.json", "-o", "out.json", "--max-tokens", "60")
    assert said.status == 0 and "were left out to fit 60 tokens" in said.out
    body = load(tmp_path / "out.json")
    accepted_by_ollama(body)
    first, *rest = body["messages"]
    assert first == {"role": "system", "content": "Be brief."}
    assert [m["content"] for m in rest] == [m.content for m in many[-len(rest) :]] and 2 <= len(rest) < 21
    fits_by_itself = mnemo("import", "-c", "c.json", "-o", "out.json")
    assert "left_out" not in fits_by_itself.out and len(load(tmp_path / "out.json")["messages"]) == 22


def test_without_a_number_the_window_less_room_for_an_answer(mnemo: Mnemo, tmp_path: Path) -> None:
    many = tuple(Message("user", "word " * 700) for _ in range(20))
    save(tmp_path / "c.json", Conversation(many, "c"))
    assert "to fit 7168 tokens" in mnemo("import", "-c", "c.json").out, "gpt-4 by default"
    assert "left_out" not in mnemo("import", "-c", "c.json", "--target-model", "gpt-4o").out


def test_redaction_on_the_way(mnemo: Mnemo, tmp_path: Path) -> None:
    save(tmp_path / "c.json", Conversation((Message("user", "mail mei.lin@example.org"),), "c"))
    assert mnemo("import", "-c", "c.json", "--redact").status == 0
    assert load(tmp_path / "ollama_ready_prompt.json")["messages"][0]["content"] == "mail [EMAIL_1]"


@pytest.mark.parametrize(
    ("target", "suggested"),
    [
        ("gpt-4", "llama3.1:8b"),
        ("gpt-4o-mini-2024-07-18", "llama3.2:3b"),
        ("openai/GPT-3.5-turbo", "llama3.2:3b"),
        ("claude-sonnet-4", "llama3.1:8b"),
        ("qwen3-max", "qwen3:8b"),
        ("gemma3:27b", "gemma3:27b"),
        ("never-heard-of", "llama3.1:8b"),
    ],
)
def test_suggestions(target: str, suggested: str) -> None:
    assert suggested_model(target) == suggested


def test_every_model_of_the_table_has_a_suggestion() -> None:
    assert all(":" in suggested_model(model) for model in known_models())


def test_a_table_of_ones_own(mnemo: Mnemo, tmp_path: Path) -> None:
    save(tmp_path / "c.json", talk())
    (tmp_path / "own.toml").write_text('default = "phi4:14b"\n[models]\n"gpt-4o" = "mixtral:8x7b"\n')
    assert "suggested model: phi4:14b" in mnemo("import", "-c", "c.json", "--models", "own.toml").out
    for text, says in (
        ("default = 1", 'needs default = "…" and a table [models]'),
        ("[models", "not TOML"),
        ('default = "a"\n[models]\ngpt-4.1 = "b"\n', "the name, if it has a dot"),
    ):
        (tmp_path / "own.toml").write_text(text)
        with pytest.raises(InvalidInput, match=r"own\.toml: ") as caught:
            suggested_model("gpt-4", tmp_path / "own.toml")
        assert says in str(caught.value)
