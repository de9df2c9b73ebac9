"""``mnemo store``: conversations in, questions, out again."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from pathlib import Path

import pytest

from mnemo_lab.conversation import Conversation, ConversationInfo, Message
from mnemo_lab.formats.portable import write_file
from mnemo_lab.store import ConversationStore
from tests.agent.models import new_agent
from tests.cli.conftest import Mnemo
from tests.store.material import EMBEDDER, OtherEmbedder, checkpoint, every_byte

ACTIONS = ("add", "info", "search", "forget", "rebuild")
TALK = Conversation(
    (
        Message("user", "Staging listens on port 5433, ask maria.lopez@example.org.", "m1"),
        Message("assistant", "发布会定在五月三十号。", "m2"),
        Message("user", "Thanks!", "m3"),
    ),
    "talk",
    "Port",
)
HASHING = ("--embedder", "hashing")


def write(path: Path, talk: Conversation) -> None:
    write_file(talk, path, now=datetime(2026, 1, 1, tzinfo=UTC))


@pytest.fixture
def file(tmp_path: Path) -> Path:
    write(tmp_path / "chat.json", TALK)
    return tmp_path / "chat.json"


@pytest.mark.parametrize("action", ACTIONS)
def test_each_has_help_with_an_example(mnemo: Mnemo, action: str) -> None:
    said = mnemo("store", action, "--help")
    assert said.status == 0 and f"example:\n  mnemo store {action} ~/.mnemo" in said.out


def test_from_a_file_to_an_answer_and_out_again(mnemo: Mnemo, file: Path, tmp_path: Path) -> None:
    said = mnemo("store", "add", "s", str(file), *HASHING)
    assert said.out == "default: 1 conversations, 3 new messages; 3 vectors of hashing\n" and not said.err
    with ConversationStore("s", EMBEDDER) as store:
        store.put_checkpoint("default", checkpoint("k1", "talk"))
        store.index("default")
    info = mnemo("store", "info", "s").out
    assert re.search(r"default +│ 1 +│ 3 +│ 1 +│ 4 +│ 0 +│ hashing +│ message flat, checkpoint flat", info)
    size = sum(path.stat().st_size for path in Path("s").rglob("*") if path.is_file()) / 3
    assert f"a message takes {size:,.0f} bytes, {size - 4 * 256 * 4 / 3:,.0f} beside" in info
    found = mnemo("store", "search", "s", "发布会 port", "-k", "1").out
    for head in ("messages by vector", "messages by keyword", "checkpoints by vector", "checkpoints by keyword"):
        assert re.search(rf"^{head}\n +\d\.\d{{3}}  talk/[mk][12]  \S", found, re.MULTILINE), found
    said = mnemo("store", "forget", "s", "talk")
    assert said.out.startswith("default/talk: 3 messages, 1 checkpoints and 4 vectors are gone from database")
    assert b"5433" not in every_byte(tmp_path / "s")


def test_what_is_forgotten_is_gone_from_a_chat_s_saved_memory_too(mnemo: Mnemo, tmp_path: Path) -> None:
    strategy = "hydrate(trigger='every(n=1)')"
    with new_agent(tmp_path / "s", session="anna", strategy=strategy) as agent:
        for text in ("The password is swordfish.", "Ask for the trumpet.", "Where is it?"):
            agent.chat(text)
            agent.new_conversation()
        said = mnemo("store", "forget", "s", "1")
        assert said.status == 2 and "session 'anna' is open elsewhere" in said.err
    assert b"swordfish" in every_byte(tmp_path / "s")
    assert mnemo("store", "forget", "s", "9").status == 2 and list(tmp_path.glob("s/sessions/*/memory-*"))
    assert mnemo("store", "forget", "s", "1").status == 0
    left = every_byte(tmp_path / "s")
    assert b"swordfish" not in left and b"trumpet" in left
    with new_agent(tmp_path / "s", session="anna", strategy=strategy) as agent:
        assert agent.chat("Which instrument?").sent.history[:2] == ("2u", "2a")


def test_a_file_that_grew_is_added_again(mnemo: Mnemo, file: Path) -> None:
    longer = Conversation((*TALK.messages, Message("user", "And now?", "m4")), "talk", "Port")
    for talk, fresh in ((TALK, 3), (TALK, 0), (longer, 1)):
        write(file, talk)
        assert f" {fresh} new messages; {fresh} vectors" in mnemo("store", "add", "s", str(file), *HASHING).out
    write(file, Conversation(longer.messages[1:], "talk"))
    said = mnemo("store", "add", "s", str(file))
    assert said.status == 2 and "has a message 'm2' already; append only what is new" in said.err


def test_redaction_comes_before_the_file(mnemo: Mnemo, file: Path, tmp_path: Path) -> None:
    assert mnemo("store", "add", "s", str(file), *HASHING, "--redact").status == 0
    assert b"maria" not in every_byte(tmp_path / "s") and b"5433" in every_byte(tmp_path / "s")


def test_another_model_is_named_with_the_way_out(mnemo: Mnemo, file: Path) -> None:
    with ConversationStore("s", OtherEmbedder()) as store:
        store.append("default", ConversationInfo("c"), [Message("user", "hello there", "x")])
        store.index("default")
    said = mnemo("store", "add", "s", str(file), *HASHING)
    assert said.status == 2
    assert "holds vectors of other (other-v2, 256 dimensions) and this embedder is hashing (hashing-256-v1" in said.err
    way_out = re.search(r"mnemo (store rebuild \S+ --embedder hashing)", said.err)
    assert way_out
    assert mnemo(*way_out[1].split()).out == "default: 4 vectors of hashing\n"
    assert "talk/m1" in mnemo("store", "search", "s", "staging").out
    assert mnemo("store", "rebuild", "s", "--variant", "ivf").out == "default: 4 vectors\n"


def test_what_is_wrong_is_named(mnemo: Mnemo, file: Path) -> None:
    for words in (("info", "s"), ("search", "s", "x"), ("forget", "s", "c"), ("rebuild", "s")):
        said = mnemo("store", *words)
        assert said.status == 2 and "s is no store (it has no store.db); make one with: mnemo store add s" in said.err
    assert not Path("s").exists()
    for name in ("anna", "bob"):
        assert mnemo("store", "add", "s", str(file), *HASHING, "--namespace", name).status == 0
    said = mnemo("store", "search", "s", "port")
    assert said.status == 2 and "several namespaces (anna, bob); name one with --namespace" in said.err
    said = mnemo("store", "forget", "s", "tlk", "--namespace", "bob")
    assert said.status == 2 and "'tlk'; known: talk. Did you mean 'talk'?" in said.err
    assert "unknown FAISS variant 'ivg'" in mnemo("store", "rebuild", "s", "--variant", "ivg").err
    assert "unknown embedder 'hsh'" in mnemo("store", "rebuild", "s", "--embedder", "hsh").err
