"""``mnemo chat`` through a pipe, in this process and in one that is interrupted."""

from __future__ import annotations

import io
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from mnemo_lab.agent import list_sessions
from mnemo_lab.cli.chat import printable
from mnemo_lab.store import ConversationStore
from tests.cli.conftest import Mnemo, Said
from tests.language_models.scripted import Reply, scripted
from tests.language_models.vendors import OPENAI

STREAM = Reply(OPENAI.stream, kind="text/event-stream")


@pytest.fixture
def chat(mnemo: Mnemo, monkeypatch: pytest.MonkeyPatch) -> Mnemo:
    """``mnemo chat`` over ``bm25`` with these lines as its input; the store is ``chats``."""
    monkeypatch.delenv("MNEMO_LLM", raising=False)
    monkeypatch.setenv("OPENAI_API_KEY", "sk-not-a-real-key")

    def call(text: str, *words: str) -> Said:
        monkeypatch.setattr(sys, "stdin", io.StringIO(text))
        strategy = () if "--strategy" in words else ("--strategy", "bm25")
        return mnemo("chat", "--store", "chats", *strategy, *words)

    return call


def test_a_chat_over_http(chat: Mnemo, monkeypatch: pytest.MonkeyPatch) -> None:
    with scripted(STREAM) as server:
        monkeypatch.setenv("MNEMO_LLM_BASE_URL", f"{server.url}/v1")
        monkeypatch.setenv("MNEMO_LLM", "openai:gpt-4o-mini")
        said = chat("Where is the key?\n\n钥匙在哪里？\n/context\n/report\n/quit\nnever\n", "--system", "Be brief.")
        again = chat("And now?")
    assert (said.status, said.err) == (0, "")
    assert said.out.startswith("under the mat\nunder the mat\nsent ")
    assert "[system] Be brief.\n[user] Where is the key?\n[assistant] under the mat\n[user] 钥匙在哪里？\n" in said.out
    assert "history shows none; of checkpoints none; recent 1u, 1a" in said.out
    assert "turn 2: 12 tokens read (8 cached), 3 written, $0.000004" in said.out
    assert "read openai:gpt-4o-mini answer: 2 calls, 24 read, 6 written" in said.out
    assert again.out == "under the mat\n" and len(server.requests) == 3, "nothing is asked after /quit"
    last = server.requests[2]["messages"]
    assert [one["role"] for one in last] == ["system", *["user", "assistant"] * 2, "user"], "the session goes on"
    assert server.requests[0]["stream"] is True and last[0]["content"] == "Be brief."


def test_without_a_model_it_says_how_to_name_one(chat: Mnemo) -> None:
    said = chat("hello\n")
    assert said.status == 2 and "set MNEMO_LLM" in said.err and "openai:gpt-4o-mini" in said.err
    assert "'extractive' answers with passages" in said.err and not Path("chats").exists()


def test_without_a_key_it_says_so_and_keeps_nothing(chat: Mnemo, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY")
    monkeypatch.delenv("MNEMO_LLM_BASE_URL", raising=False)
    said = chat("hello\n/context\n", "--model", "openai:gpt-4o-mini")
    assert said.status == 2 and "set OPENAI_API_KEY" in said.err and said.out == "nothing was sent yet\n"
    assert list_sessions("chats") == []


def test_sessions_checkpoints_new_and_forget_without_a_model(chat: Mnemo) -> None:
    words = ("--model", "extractive", "--strategy", "checkpoint(trigger='every(n=1)')")
    one = chat("预算是八十万元。\n/new\n目标受众是白领。\n/checkpoints\n预算是多少？\n", *words, "--session", "发布会")
    assert one.status == 0 and "1-0  1u-1a  end  " in one.out and "八十万元" in one.out.splitlines()[-2]
    two = chat("/sessions\n/forget\n/forget 发布会\n/sessions\n/checkpoints\n/nothing\n/help\n", *words)
    assert "\n" not in two.err and "  发布会  2  20" in two.out.splitlines()[0]
    assert "say which: /forget default; it is deleted for good" in two.out
    assert "forgotten: 6 messages, 2 checkpoints\nnone yet" in two.out
    assert "unknown command /nothing; /help lists them\n/context " in two.out
    assert list_sessions("chats") == []


def test_in_chinese(chat: Mnemo) -> None:
    said = chat("你好\n/report\n/context\n/new\n", "--model", "extractive", "--language", "zh")
    assert "第 1 轮：读 " in said.out and "发送 " in said.out and said.out.endswith("之前说过的仍然记得\n")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--strategy", "hydrat"), "Did you mean 'hydrate'?"),
        (("--max-tokens", "0"), "max_tokens=0: must be 1 or more"),
        (("--model", "gpt-4o"), "unknown kind of language model 'gpt-4o'"),
        (("--session", "a\tb"), "must be 1 to 200 printable characters"),
        (("--store", "/dev/null"), "name another store"),
    ],
)
def test_what_cannot_be(chat: Mnemo, words: tuple[str, ...], message: str) -> None:
    said = chat("hello\n", *(() if "--model" in words else ("--model", "extractive")), *words)
    assert said.status == 2 and message in said.err and said.err.count("\n") == 1


def test_an_answer_cannot_steer_the_terminal() -> None:
    assert printable("a\x1b[31mb\r\x07\u3000预算\u200d\n\t\ud83d") == "a[31mb\u3000预算\u200d\n\t"


def test_an_interrupt_ends_the_answer_and_the_store_is_consistent(tmp_path: Path) -> None:
    """A real process, a real signal: the first answer comes, the second is interrupted, the third comes."""
    slow = Reply(OPENAI.stream, kind="text/event-stream", wait=30)
    code = "import sys; from mnemo_lab.cli.main import run; sys.exit(run(sys.argv[1:]))"
    words = ["chat", "--store", str(tmp_path / "chats"), "--strategy", "bm25", "--model", "openai:m"]
    with scripted(STREAM, slow, STREAM) as server:
        setting = {"MNEMO_LLM_BASE_URL": f"{server.url}/v1", "PYTHONUTF8": "1", "MNEMO_CACHE_DIR": str(tmp_path)}
        with subprocess.Popen(
            [sys.executable, "-c", code, *words],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=os.environ | setting,
            encoding="utf-8",
        ) as process:
            assert process.stdin and process.stdout and process.stderr
            process.stdin.write("一\n二\n三\n")
            process.stdin.flush()
            deadline = time.monotonic() + 60
            while len(server.requests) < 2 and time.monotonic() < deadline:
                time.sleep(0.02)
            process.send_signal(signal.SIGINT)
            process.stdin.close()
            out, err = process.stdout.read(), process.stderr.read()
        assert process.returncode == 0, err
    assert out == "under the mat\n\nstopped; this turn is not kept\nunder the mat\n" and err == ""
    with ConversationStore(tmp_path / "chats") as store:
        assert [message.text for message in store.read("default", "1").messages] == [
            *("一", "under the mat", "三", "under the mat")
        ]
