"""Forgetting is real: no byte of database, log or index tells of it."""

from __future__ import annotations

import os
import random
import signal
import sqlite3
import struct
from pathlib import Path

import numpy as np
import pytest

from mnemo_lab.conversation import ConversationInfo, Message
from mnemo_lab.storage.database import Database
from mnemo_lab.storage.full_text import _number
from mnemo_lab.store import ConversationStore, Receipt, StoreBusy
from mnemo_lab.store.indexes import Indexes
from mnemo_lab.vectors.variants import VARIANTS
from tests.store.material import EMBEDDER, checkpoint, every_byte, fill, info, note, start

SECRET = "the vault opens with seven turns"
CHINESE = "保险柜要向右转七圈"


def secrets() -> list[Message]:
    """In text, in a call, in a long message that spans pages, in Chinese."""
    return [
        Message("user", SECRET, "s1"),
        Message("user", f"{SECRET} {'x' * 30_000} {CHINESE}", "s2"),
        Message("user", CHINESE, "s3", name="Zelda Qwerty"),
    ]


def traces() -> list[bytes]:
    """The sentences, words of them, and vectors made of them as they stand in the database and in a flat index."""
    found = [SECRET.encode(), CHINESE.encode(), b"Zelda", b"Combination of the vault"]
    found += [struct.pack("<I", _number(word)) for word in ("vault", "险柜")]
    for row in EMBEDDER.encode([f"user: {SECRET}", f"Zelda Qwerty: {CHINESE}"]):
        half = row.astype("<f2")
        found += [half.tobytes(), half.astype(np.float32).tobytes()]
    return found


@pytest.mark.parametrize("variant", VARIANTS)
def test_no_byte_is_left(tmp_path: Path, variant: str) -> None:
    with ConversationStore(tmp_path, EMBEDDER, variant) as store:
        store.append("anna", info("kept"), [note(n, f"entry{n} topic{n % 50}") for n in range(2_100)])
        store.append("anna", ConversationInfo("gone", "Combination of the vault"), secrets())
        store.put_checkpoint("anna", checkpoint("k", "gone", summary=SECRET))
        store.put_checkpoint("anna", checkpoint("k", "kept", summary="entries"))
        store.index("anna")
        store.rebuild("anna")
        before = every_byte(tmp_path)
        flat = variant in ("flat", "hnsw", "ivf", "ivfpq")
        assert all(trace in before for trace in (traces() if flat else traces()[:6]))
        receipt = store.forget("anna", "gone")
        assert not [trace for trace in traces() if trace in every_byte(tmp_path)], "while the store is open"
        assert (receipt.messages, receipt.checkpoints) == (3, 1)
        assert receipt.vectors >= 4 and len(receipt.files) == 2
        assert store.search("anna", SECRET, 3)[0].score < 0.9
        assert {found.conversation for found in store.search("anna", SECRET, 5000)} == {"kept"}
        assert [found.item.id for found in store.search("anna", SECRET, 9, "checkpoint")] == ["k"]
    assert not [trace for trace in traces() if trace in every_byte(tmp_path)]


def test_the_last_conversation_takes_its_namespace_along(tmp_path: Path) -> None:
    with ConversationStore(tmp_path, EMBEDDER) as store:
        fill(store, "anna.smith@example.com")
        store.append("bob", info(), [note(1)])
        for name in ("anna.smith@example.com", "bob"):
            store.index(name)
            store.rebuild(name)
        for conversation in ("c1", "c2"):
            store.forget("anna.smith@example.com", conversation)
        assert store.namespaces() == ["bob"]
        assert b"anna.smith" not in every_byte(tmp_path)
        assert all(path.name.startswith("2-") for path in (tmp_path / "index").iterdir())
        fill(store, "anna.smith@example.com")
        store.index("anna.smith@example.com")
        assert len(store.search("anna.smith@example.com", "x", 99)) == 18


def test_what_is_not_there_is_no_error(tmp_path: Path) -> None:
    with ConversationStore(tmp_path, EMBEDDER) as store:
        assert store.forget("anna", "c") == Receipt("anna", "c", 0, 0, 0, ())
        fill(store)
        assert store.forget("anna", "c9").messages == 0
        assert len(store.read("anna", "c1").messages) == 10


def test_a_reader_that_holds_on_is_named_and_the_call_can_be_repeated(tmp_path: Path) -> None:
    with ConversationStore(tmp_path, EMBEDDER, patience=0.05) as store:
        store.append("anna", info(), secrets())
        reader = sqlite3.connect(tmp_path / "store.db", isolation_level=None)
        reader.execute("BEGIN")
        reader.execute("SELECT count(*) FROM items").fetchone()
        with pytest.raises(StoreBusy, match=r"another reader holds an older view of .*; close it and forget again"):
            store.forget("anna", "c")
        assert store.conversations("anna") == []
        reader.close()
        store.forget("anna", "c")
        assert SECRET.encode() not in every_byte(tmp_path)


def half_forgotten(folder: Path, crash: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A store whose process died while it forgot "gone", before a step."""
    with ConversationStore(folder, EMBEDDER) as store:
        store.append("anna", info("kept"), [note(n) for n in range(5)])
        store.append("anna", info("gone"), secrets())
        store.index("anna")
        store.rebuild("anna")

    def work() -> None:
        monkeypatch.setattr(*{"rewrite": (Indexes, "rewrite", die), "wipe": (Database, "wipe", die)}[crash])
        ConversationStore(folder, EMBEDDER).forget("anna", "gone")

    _, status = os.waitpid(start(work), 0)
    assert status == signal.SIGKILL
    assert [trace for trace in traces() if trace in every_byte(folder)]


def die(*_: object, **__: object) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


@pytest.mark.parametrize("crash", ["rewrite", "wipe"])
@pytest.mark.parametrize("variant", ["auto", "ivf"])
def test_who_opens_next_finishes(tmp_path: Path, crash: str, variant: str, monkeypatch: pytest.MonkeyPatch) -> None:
    half_forgotten(tmp_path, crash, monkeypatch)
    reader = sqlite3.connect(tmp_path / "store.db", isolation_level=None)
    reader.execute("BEGIN")
    reader.execute("SELECT count(*) FROM items").fetchone()
    with ConversationStore(tmp_path, variant=variant) as store:  # must not wait for the reader
        assert len(store.conversations("anna")) == 1
    reader.close()
    with ConversationStore(tmp_path, variant=variant):
        assert not [trace for trace in traces() if trace in every_byte(tmp_path)]
    with ConversationStore(tmp_path, EMBEDDER, variant) as store:
        with sqlite3.connect(tmp_path / "store.db") as connection:
            assert connection.execute("SELECT forgotten, wiped FROM store").fetchall() == [(1, 1)]
        assert len(store.search("anna", SECRET, 99)) == 5


def test_files_of_a_model_that_was_left_go_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Died between dropping the old vectors and making new ones: the old index file must not outlive a forgetting."""
    with ConversationStore(tmp_path, EMBEDDER) as store:
        store.append("anna", info("gone"), secrets())
        store.append("anna", info("kept"), [note(1)])
        store.index("anna")
        store.rebuild("anna")

    def work() -> None:
        monkeypatch.setattr(ConversationStore, "index", die)
        ConversationStore(tmp_path, EMBEDDER).rebuild("anna", embed=True)

    _, status = os.waitpid(start(work), 0)
    assert status == signal.SIGKILL
    with ConversationStore(tmp_path, EMBEDDER) as store:
        store.forget("anna", "gone")
        assert not [trace for trace in traces() if trace in every_byte(tmp_path)]
        assert list((tmp_path / "index").iterdir()) == []


@pytest.mark.parametrize("seed", [0, 8, 24])
def test_moved_rows_leave_nothing_behind(tmp_path: Path, seed: int) -> None:
    """Rows of all sizes come and go; these seeds leave traces where pages are overwritten only (secure_delete)."""
    rng = random.Random(seed)
    alive: list[str] = []
    gone: list[str] = []
    with ConversationStore(tmp_path) as store:
        for number in range(60):
            if alive and rng.random() < 0.35:
                name = alive.pop(rng.randrange(len(alive)))
                store.forget("anna", name)
                gone.append(name)
                continue
            name = f"conversation-{number}-"
            sizes = [rng.choice([10, 100, 500, 3_000, 9_000]) for _ in range(rng.randint(1, 8))]
            messages = [
                Message("user", f"{name}text{n}-" + "x" * size, f"{name}id{n}-") for n, size in enumerate(sizes)
            ]
            store.append("anna", info(name), messages)
            alive.append(name)
        everything = every_byte(tmp_path)
        assert not [name for name in gone if name.encode() in everything]
        assert all(name.encode() in everything for name in alive)
