"""Conversations and checkpoints come back as they were put, each in its namespace."""

from __future__ import annotations

import os
import sqlite3
import stat
from itertools import product
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mnemo_lab.conversation import MISSING, Attachment, ConversationInfo, Message, ToolCall
from mnemo_lab.errors import InvalidInput, MnemoError, UnknownName
from mnemo_lab.store import ConversationStore, StoreBusy, rows, schema
from tests.conversations import message_lists
from tests.store.material import EMBEDDER, checkpoint, conversations, fill, info, note


@pytest.fixture
def store(tmp_path: Path) -> ConversationStore:
    return ConversationStore(tmp_path / "store", EMBEDDER)


def test_conversations_come_back_in_order(store: ConversationStore, tmp_path: Path) -> None:
    fill(store)
    store.close()
    with ConversationStore(tmp_path / "store") as again:
        for conversation in conversations():
            assert again.read("anna", conversation.id) == conversation
        assert again.conversations("anna") == [conversation.info for conversation in conversations()]


@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(messages=message_lists(), cut=st.integers(0, 12))
def test_any_chunking_gives_the_same(tmp_path: Path, messages: list[Message], cut: int) -> None:
    with ConversationStore(tmp_path / "any") as store:
        store.forget("anna", "c")
        store.append("anna", info(), messages[:cut])
        store.append("anna", info(), messages[cut:])
        assert store.read("anna", "c").messages == tuple(messages)


def test_every_field_and_odd_text_survive(store: ConversationStore) -> None:
    odd = [
        Message(
            "user",
            "\ud83d\ude00 \x00 lone \ud83d",
            "",
            "2026-01-01T00:00:00Z",
            "Ann",
            extensions={"a": [1, {"b": None}]},
        ),
        Message("assistant", None, "", tool_calls=(ToolCall("c", "f", '{"x": 1', {"y": 2}),)),
        Message("tool", MISSING, "t1", tool_call_id="c", parent_id="p"),
        Message("user", "", attachments=(Attachment("image", "image/png", data="aGk="),)),
    ]
    store.append("anna", info(), odd)
    assert list(store.read("anna", "c").messages) == odd


def test_info_is_kept_up_to_date(store: ConversationStore) -> None:
    store.append("anna", ConversationInfo("c"), [note(1)])
    store.append("anna", ConversationInfo("c", "Port", "m", "Be brief.", "2026-01-01"), [note(2)])
    assert store.conversations("anna") == [ConversationInfo("c", "Port", "m", "Be brief.", "2026-01-01")]
    assert store.read("anna", "c").system_prompt == "Be brief."


def test_a_known_message_id_is_refused_and_nothing_is_stored(store: ConversationStore) -> None:
    store.append("anna", info(), [note(1)])
    with pytest.raises(InvalidInput, match="has a message 'm1' already; append only what is new"):
        store.append("anna", ConversationInfo("c", "new title"), [note(2), note(1)])
    assert [message.id for message in store.read("anna", "c").messages] == ["m1"]
    assert store.conversations("anna")[0].title is None
    store.append("anna", info("other"), [note(1)])
    store.append("bob", info(), [note(1)])


def test_checkpoints_come_back_exactly(store: ConversationStore) -> None:
    fill(store)
    vector = tuple(float(x) for x in EMBEDDER.encode(["staging port"])[0])
    first = checkpoint(embedding=vector, embedder=EMBEDDER.fingerprint)
    second = checkpoint("k2", "c2")
    for item in (first, second):
        store.put_checkpoint("anna", item)
    assert store.checkpoints("anna") == [first, second]
    assert store.checkpoints("anna", "c2") == [second]
    changed = checkpoint(summary="another")
    store.put_checkpoint("anna", changed)
    assert store.checkpoints("anna", "c1") == [changed]
    with pytest.raises(UnknownName, match="unknown conversation of namespace 'anna' 'c3'; known: c1, c2"):
        store.put_checkpoint("anna", checkpoint(conversation="c3"))


def test_a_foreign_embedding_is_made_anew(store: ConversationStore) -> None:
    fill(store)
    store.put_checkpoint("anna", checkpoint(embedding=(1.0, 0.0), embedder="other"))
    assert store.checkpoints("anna")[0].embedding is None
    store.index("anna")
    (found,) = store.checkpoints("anna")
    assert found.embedder == EMBEDDER.fingerprint and len(found.embedding or ()) == EMBEDDER.dimension


def test_namespaces_never_leak(store: ConversationStore) -> None:
    """Two people with conversations, messages and checkpoints of the same ids."""
    store.append("anna", info(), [note(1, "anna keeps bees")])
    store.append("bob", info(), [note(1, "bob keeps goats")])
    store.put_checkpoint("anna", checkpoint(conversation="c", summary="bees"))
    for name in ("anna", "bob"):
        store.index(name)
    assert store.read("anna", "c").messages[0].text == "anna keeps bees"
    assert store.checkpoints("bob") == []
    assert [found.item.text for found in store.search("bob", "anna keeps bees", 9)] == ["bob keeps goats"]
    assert store.search("bob", "bees", 9, "checkpoint") == []
    assert store.search("nobody", "bees", 9) == [] == store.conversations("nobody")
    store.forget("bob", "c")
    assert [found.item.text for found in store.search("anna", "goats", 9)] == ["anna keeps bees"]
    with pytest.raises(UnknownName, match="known: none"):
        store.read("bob", "c")


@pytest.mark.parametrize("name", ["", "\ud800"])
def test_names_must_name(store: ConversationStore, name: str) -> None:
    for call in (
        lambda: store.append(name, info(), []),
        lambda: store.append("anna", ConversationInfo(name), []),
        lambda: store.conversations(name),
        lambda: store.index(name),
        lambda: store.search(name, "x", 1),
        lambda: store.forget(name, "c"),
        lambda: store.read(name, "c"),
    ):
        with pytest.raises(InvalidInput, match="must be a text of at least one character"):
            call()


def test_what_cannot_be_written_is_named(store: ConversationStore) -> None:
    with pytest.raises(InvalidInput, match="message 'm9' cannot be stored as JSON"):
        store.append("anna", info(), [Message("user", "x", "m9", extensions={"a": object()})])


def test_files_are_their_owners_alone(tmp_path: Path) -> None:
    previous = os.umask(0)
    try:
        with ConversationStore(tmp_path / "s", EMBEDDER) as store:
            fill(store)
            store.index("anna")
            store.rebuild("anna")
            modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in (tmp_path / "s").rglob("*")}
            (tmp_path / "s" / "store.db").chmod(0o644)
    finally:
        os.umask(previous)
    assert modes.pop("index") == stat.S_IMODE((tmp_path / "s").stat().st_mode) == 0o700
    assert {"store.db", "store.db-wal", "store.db-shm", "1-message.json"} <= modes.keys() and len(modes) == 7
    assert set(modes.values()) == {0o600}
    ConversationStore(tmp_path / "s").close()
    assert stat.S_IMODE((tmp_path / "s" / "store.db").stat().st_mode) == 0o600


def test_a_newer_file_is_refused(tmp_path: Path) -> None:
    ConversationStore(tmp_path).close()
    with sqlite3.connect(tmp_path / "store.db") as connection:
        connection.execute("PRAGMA user_version = 99")
    with pytest.raises(InvalidInput, match=r"has version 99 and this mnemo-lab knows versions up to 2; upgrade"):
        ConversationStore(tmp_path)


def test_an_older_file_is_brought_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with ConversationStore(tmp_path) as store:
        fill(store)
    step = ("ALTER TABLE conversations ADD COLUMN starred INTEGER NOT NULL DEFAULT 7",)
    monkeypatch.setattr(schema, "STEPS", (*schema.STEPS, step))
    for _ in range(2):
        with ConversationStore(tmp_path) as store:
            assert store.read("anna", "c1") == conversations()[0]
    with sqlite3.connect(tmp_path / "store.db") as connection:
        assert connection.execute("SELECT starred FROM conversations").fetchall() == [(7,), (7,)]
        assert connection.execute("PRAGMA user_version").fetchone() == (len(schema.STEPS),)


def test_version_1_is_brought_up(tmp_path: Path) -> None:
    """Written by hand as version 1 wrote it: no words, nothing to say what was forgotten."""
    with sqlite3.connect(tmp_path / "store.db") as connection:
        for statement in schema.STEPS[0]:
            connection.execute(str(statement))
        connection.execute(f"PRAGMA application_id = {schema.APPLICATION}")
        connection.execute("PRAGMA user_version = 1")
        connection.execute("INSERT INTO namespaces (name) VALUES ('anna')")
        for number, conversation in enumerate(conversations(), 1):
            body = rows.pack_info(conversation.info)
            connection.execute(
                "INSERT INTO conversations (namespace, name, info) VALUES (1, ?, ?)", (f"c{number}", body)
            )
            values = [(number, "message", message.id, rows.pack_message(message)) for message in conversation.messages]
            values += [
                (number, "checkpoint", f"k{number}", rows.pack_checkpoint(checkpoint(f"k{number}", f"c{number}")))
            ]
            connection.executemany("INSERT INTO items (conversation, kind, name, body) VALUES (?, ?, ?, ?)", values)
    with ConversationStore(tmp_path, EMBEDDER) as old, ConversationStore(tmp_path / "new", EMBEDDER) as new:
        fill(new)
        for number in (1, 2):
            new.put_checkpoint("anna", checkpoint(f"k{number}", f"c{number}"))
        for store in (old, new):
            store.index("anna")
        for kind, by, query in product(
            ("message", "checkpoint"), ("keyword", "vector"), ("staging port", "发布会预算")
        ):
            found, expected = (store.search("anna", query, 9, kind, by) for store in (old, new))  # type: ignore[arg-type]
            assert found == expected and found
        assert old.forget("anna", "c1").messages == 10
        assert [hit.conversation for hit in old.search("anna", "5433", 9, "checkpoint", "keyword")] == ["c2"]


def test_a_step_that_fails_changes_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with ConversationStore(tmp_path) as store:
        fill(store)
    with monkeypatch.context() as patched:
        patched.setattr(schema, "STEPS", (*schema.STEPS, ("ALTER TABLE items ADD COLUMN x", "nonsense")))
        with pytest.raises(MnemoError, match="syntax error"):
            ConversationStore(tmp_path)
    with ConversationStore(tmp_path) as store:
        assert store.read("anna", "c1") == conversations()[0]


def test_what_is_no_store_is_refused(tmp_path: Path) -> None:
    with sqlite3.connect(tmp_path / "store.db") as connection:
        connection.execute("CREATE TABLE recipes (name TEXT)")
    with pytest.raises(InvalidInput, match="is a database of another program"):
        ConversationStore(tmp_path)
    (tmp_path / "b").mkdir()
    (tmp_path / "b" / "store.db").write_bytes(b"no database at all, but long enough" * 99)
    with pytest.raises(InvalidInput, match="is damaged or no store"):
        ConversationStore(tmp_path / "b")
    (tmp_path / "file").write_text("x")
    with pytest.raises(InvalidInput, match="cannot be opened as a store"):
        ConversationStore(tmp_path / "file")


def test_a_closed_store_says_so(store: ConversationStore) -> None:
    store.close()
    store.close()
    with pytest.raises(MnemoError, match="is closed; open it again"):
        store.conversations("anna")


def test_a_fork_opens_its_own(store: ConversationStore) -> None:
    read, write = os.pipe()
    child = os.fork()
    if not child:
        try:
            store.conversations("anna")
        except MnemoError as error:
            os.write(write, str(error).encode())
        finally:
            os._exit(0)
    os.waitpid(child, 0)
    assert b"opened before this process forked; open it here" in os.read(read, 1000)


def test_a_store_opens_while_another_writes(tmp_path: Path) -> None:
    with ConversationStore(tmp_path) as first:
        first.append("anna", info(), [note(1)])
        writer = sqlite3.connect(tmp_path / "store.db", isolation_level=None)
        writer.execute("BEGIN IMMEDIATE")
        with ConversationStore(tmp_path, patience=0.05) as second:
            assert len(second.read("anna", "c").messages) == 1
        writer.close()


def test_who_waits_too_long_is_told(tmp_path: Path) -> None:
    with ConversationStore(tmp_path, patience=0.05) as store:
        store.append("anna", info(), [note(1)])
        other = sqlite3.connect(tmp_path / "store.db", isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(StoreBusy, match=r"was held by another process for 0.05 s; try again"):
            store.append("anna", info(), [note(2)])
        assert len(store.read("anna", "c").messages) == 1, "readers do not wait"
        other.execute("ROLLBACK")
        store.append("anna", info(), [note(2)])
