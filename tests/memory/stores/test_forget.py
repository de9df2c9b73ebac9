"""Forgetting is real: no byte of any file tells of it, while the store is open, afterwards, and after a crash."""

from __future__ import annotations

import os
import random
import signal
import sqlite3
import struct
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from mnemo_lab.memory.stores import MemoryStore
from mnemo_lab.memory.stores.checks import embedded_text
from mnemo_lab.storage import files
from mnemo_lab.storage.database import Database, StoreBusy
from mnemo_lab.storage.full_text import _number
from tests.memory.stores.material import (
    ALL,
    AT,
    EMBEDDER,
    FILES,
    KINDS,
    ON_DISK,
    add,
    decide,
    ids,
    item,
    open_kind,
)
from tests.store.material import every_byte, start

SECRET = "the vault opens with seven turns"
CHINESE = "保险柜要向右转七圈"
GONE = (
    item("gone-1", SECRET, attribute="seventurns"),
    item("gone-2", CHINESE, value="向右转七圈"),
    item("gone-3", "harmless").with_(content=SECRET),
    item("gone-4", CHINESE),
    item("a", SECRET),
)
PLAIN = [kind for kind in FILES if kind not in ("memory", "encrypted")]


def traces() -> list[bytes]:
    """Sentences whole and in pieces, in three encodings; their words as numbers; their vectors."""
    pieces = [SECRET, "vault opens", "seventurns", CHINESE, *(CHINESE[n : n + 3] for n in range(len(CHINESE) - 2))]
    found = [piece.encode(code) for piece in pieces for code in ("utf-8", "utf-16-le", "utf-16-be")]
    found += [CHINESE.encode("unicode_escape"), b"\\u4fdd\\u9669"]
    found += [struct.pack("<I", _number(word)) for word in ("vault", "seventurn", "险柜", "七圈")]
    for row in EMBEDDER.encode([SECRET, CHINESE, *map(embedded_text, GONE)]):
        half = row.astype("<f2")
        found += [half.tobytes(), half.astype(np.float32).tobytes(), row.tobytes()]
    return found


def left(folder: Path) -> list[bytes]:
    there = every_byte(folder)
    return [trace for trace in traces() if trace in there]


def fill(store: MemoryStore, extra: int = 200) -> None:
    """Secrets as items of their own, as versions of one, in reasons, among others that stay."""
    with store.write("anna") as writing:
        for number in range(extra):
            made = item(f"kept{number}", f"entry{number} topic{number % 7} {'x' * (number * 37 % 900)}")
            writing.put(_decision(after=(made,)))
    add(store, *GONE[:2])
    old = item("gone-3", "harmless")
    add(store, old)
    told = old.with_(content=SECRET)
    decide(store, (old,), (told,), "edit", f"now {SECRET}")
    decide(store, (told,), (told.with_(content="harmless again"),), "edit", "back")
    kept = store.get("anna", "kept0")
    undone = decide(
        store, (kept,), (kept.with_(status="outdated", superseded_by="gone-2"), item("gone-4", CHINESE)), "supersede"
    )
    store.undo("anna", undone.id, AT)
    decide(store, after=(item("kept-late", "it is over", status="outdated"),), reason=f"gone-2 ({CHINESE}) came later")
    store.search("anna", SECRET, 9, "vector", ALL)
    store.search("anna", SECRET, 9, "keyword", ALL)


def _decision(**fields: Any) -> Any:
    from mnemo_lab.memory.decision import Decision

    return Decision("anna", "add", "said", AT, **fields)


def forget_all(store: MemoryStore) -> Any:
    return store.forget("anna", ["gone-1", "gone-2", "gone-3"])


@pytest.mark.parametrize("kind", PLAIN)
def test_what_others_say_stays(kind: str, tmp_path: Path) -> None:
    """An item that was undone is in the log alone: until it is forgotten itself, it can come back, without links."""
    with open_kind(kind, tmp_path) as store:
        fill(store)
        receipt = forget_all(store)
        assert receipt.items == ("gone-1", "gone-2", "gone-3") and receipt.files == (FILES[kind],)
        assert receipt.decisions == 8 and receipt.vectors == 3
        undone = store.log("anna")[-2]
        assert undone.action == "undo" and {one.id for one in undone.before} == {"kept0", "gone-4"}
        assert store.log("anna")[-1].reason == "it told of a memory that was forgotten"
        store.undo("anna", undone.id, AT)
        assert store.get("anna", "gone-4").content == CHINESE
        assert store.get("anna", "kept0").superseded_by is None and store.check() == []


@pytest.mark.parametrize("kind", PLAIN)
def test_no_byte_is_left(kind: str, tmp_path: Path) -> None:
    with open_kind(kind, tmp_path) as store:
        fill(store)
        there = every_byte(tmp_path)
        assert SECRET.encode() in there and CHINESE.encode() in there
        if kind == "sqlite":
            vectors = EMBEDDER.encode([*map(embedded_text, GONE[:2])]).astype("<f2")
            assert all(vector.tobytes() in there for vector in vectors)
            assert struct.pack("<I", _number("vault")) in there
        taken_back = store.log("anna")[-2]
        store.undo("anna", taken_back.id, AT)
        store.forget("anna", ["gone-1", "gone-2", "gone-3", "gone-4"])
        assert left(tmp_path) == [], "while the store is open"
        for by in ("keyword", "vector"):
            assert not set(ids(store.search("anna", SECRET, 999, by, ALL))) & {"gone-1", "gone-2", "gone-3"}  # type: ignore[arg-type]
        assert store.check() == []
    assert left(tmp_path) == []
    with open_kind(kind, tmp_path) as store:
        assert len(store.items("anna", ALL)) == 201 == len(store.search("anna", SECRET, 999, "vector", ALL))
        assert store.search("anna", "vault 险柜", 999, "keyword", ALL) == []
        add(store, item("new", "something"))
        assert len(store.search("anna", SECRET, 999, "vector", ALL)) == 202
    assert left(tmp_path) == []


@pytest.mark.parametrize("kind", KINDS)
def test_no_ghost_is_found(kind: str, tmp_path: Path) -> None:
    """Forgotten and recorded anew, again and again: what is found is what is there."""
    rng, alive = random.Random(3), dict[str, str]()
    with open_kind(kind, tmp_path) as store:
        for number in range(40):
            if len(alive) > 4 and rng.random() < 0.4:
                gone = rng.sample(sorted(alive), 2)
                assert store.forget("anna", gone).items == tuple(gone)
                for name in gone:
                    del alive[name]
            else:
                name = f"i{rng.randrange(12)}"
                if name not in alive:
                    alive[name] = f"entry number{number}"
                    add(store, item(name, alive[name]))
            for by in ("keyword", "vector"):
                hits = store.search("anna", "entry", 99, by)  # type: ignore[arg-type]
                assert {hit.item.id: hit.item.content for hit in hits} == alive
            assert store.check() == []
        assert {name for one in store.log("anna") for name in one.items} == set(alive)


@pytest.mark.parametrize("step", ["take_out", "wipe"])
def test_who_opens_next_finishes(tmp_path: Path, step: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Died before the commit: nothing was forgotten. Died after it: the next one wipes the file."""
    with open_kind("sqlite", tmp_path) as store:
        fill(store, 20)
        store.forget("anna", ["kept9"])

    def work() -> None:
        from mnemo_lab.memory.stores import sqlite_rows

        monkeypatch.setattr(*{"take_out": (sqlite_rows, "take_out", die), "wipe": (Database, "wipe", die)}[step])
        forget_all(open_kind("sqlite", tmp_path))

    assert os.waitpid(start(work), 0)[1] == signal.SIGKILL
    assert SECRET.encode() in every_byte(tmp_path)
    reader = sqlite3.connect(tmp_path / "m.db", isolation_level=None)
    reader.execute("BEGIN")
    reader.execute("SELECT count(*) FROM items").fetchone()
    with open_kind("sqlite", tmp_path) as store:  # must not wait for the reader
        known = ids(store.items("anna", ALL))
        assert ("gone-1" in known) == (step == "take_out")
        assert bool(store.check()) == (step == "wipe")
        if step == "wipe":
            assert "bytes of forgotten memories may be left" in store.check()[0]
    reader.close()
    with open_kind("sqlite", tmp_path) as store:
        assert (SECRET.encode() in every_byte(tmp_path)) == (step == "take_out")
        assert store.check() == []


def die(*_: object, **__: object) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def test_a_reader_that_holds_on_is_named(tmp_path: Path) -> None:
    with open_kind("sqlite", tmp_path, patience=0.05) as store:
        add(store, item("a", SECRET))
        reader = sqlite3.connect(tmp_path / "m.db", isolation_level=None)
        reader.execute("BEGIN")
        reader.execute("SELECT count(*) FROM items").fetchone()
        with pytest.raises(StoreBusy, match="another reader holds an older view"):
            store.forget("anna", ["a"])
        assert store.items("anna") == []
        reader.close()
    with open_kind("sqlite", tmp_path):
        assert left(tmp_path) == []


def test_a_draft_of_json_is_not_left(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with open_kind("json", tmp_path) as store:
        add(store, item("a", "harmless"))

    def work() -> None:
        monkeypatch.setattr(files, "place", die)
        add(open_kind("json", tmp_path), item("b", SECRET))

    assert os.waitpid(start(work), 0)[1] == signal.SIGKILL
    assert SECRET.encode() in every_byte(tmp_path)
    with open_kind("json", tmp_path) as store:
        assert ids(store.items("anna")) == ["a"] and left(tmp_path) == []


@pytest.mark.parametrize("kind", ON_DISK)
def test_a_forgotten_item_is_not_known_to_another_process(kind: str, tmp_path: Path) -> None:
    with open_kind(kind, tmp_path) as here, open_kind(kind, tmp_path) as there:
        add(here, item("a", SECRET), item("b", "kept"))
        assert (
            ids(there.search("anna", SECRET, 1, "vector")) == ["a"] == ids(there.search("anna", "vault", 1, "keyword"))
        )
        here.forget("anna", ["a"])
        assert ids(there.search("anna", SECRET, 9, "vector")) == ["b"]
        assert there.search("anna", "vault", 9, "keyword") == []
