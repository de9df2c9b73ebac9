"""Which store a path opens; files of other programs, versions and modes; what ``check`` tells."""

from __future__ import annotations

import json
import os
import sqlite3
import stat
from pathlib import Path
from typing import Any

import pytest

from mnemo_lab.errors import InvalidInput
from mnemo_lab.memory.stores import open_store, sqlite_schema
from mnemo_lab.memory.stores.checks import embedded_text
from mnemo_lab.memory.stores.nearest import MORE, WIDER
from mnemo_lab.memory.stores.sqlite import SqliteStore
from mnemo_lab.vectors.variants import VARIANTS
from tests.memory.stores.material import AT, EMBEDDER, ON_DISK, Counting, add, decide, ids, item, open_kind


class Other(Counting):
    name, fingerprint = "other", "other-v2"


def test_the_path_says_what_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    kinds = {":memory:": "in memory", "~/a/m.JSON": "JSON", "~/b/m.db": "SQLite", "~/c/memories": "SQLite"}
    for path, kind in kinds.items():
        with open_store(path) as store:
            add(store, item("a", "note"))
            assert store.facts().kind == kind
    made = {str(path.relative_to(tmp_path)) for path in tmp_path.rglob("*") if path.is_file()}
    assert made == {"a/m.JSON", "a/m.JSON.lock", "b/m.db", "c/memories"}


@pytest.mark.parametrize("kind", ON_DISK)
def test_files_are_their_owners_alone(kind: str, tmp_path: Path) -> None:
    previous = os.umask(0)
    try:
        folder = tmp_path / "new"
        with open_kind(kind, folder) as store:
            add(store, item("a", "note"))
            store.search("anna", "note", 1, "vector")
            modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in folder.iterdir()}
            assert set(modes.values()) == {0o600} and len(modes) == (2 if kind == "json" else 3)
            assert stat.S_IMODE(folder.stat().st_mode) == 0o700
            name = "m.json" if kind == "json" else f"{next(iter(modes)).removesuffix('-wal').removesuffix('-shm')}"
            (folder / name).chmod(0o644)
            assert store.check() == [f"{name} has mode 644, others may read it; close it to them with: "
                                     f"chmod 600 {folder / name}"]  # fmt: skip
        with open_kind(kind, folder) as store:
            add(store, item("b", "note"))
            assert store.check() == []
    finally:
        os.umask(previous)


def test_a_newer_version_is_refused(tmp_path: Path) -> None:
    for kind in ("sqlite", "json"):
        with open_kind(kind, tmp_path) as store:
            add(store, item("a", "note"))
    with sqlite3.connect(tmp_path / "m.db") as connection:
        connection.execute("PRAGMA user_version = 99")
    whole = json.loads((tmp_path / "m.json").read_text())
    (tmp_path / "m.json").write_text(json.dumps(whole | {"version": 99}))
    for kind, latest in (("sqlite", 2), ("json", 1)):
        with pytest.raises(
            InvalidInput, match=f"has version 99 and this mnemo-lab knows versions up to {latest}; upgrade"
        ):
            open_kind(kind, tmp_path)


def test_what_is_no_store_is_refused(tmp_path: Path) -> None:
    with sqlite3.connect(tmp_path / "m.db") as connection:
        connection.execute("CREATE TABLE recipes (name TEXT)")
    with pytest.raises(InvalidInput, match="is a database of another program; choose another file for memories"):
        open_kind("sqlite", tmp_path)
    for text, message in {
        "[1]": "is no store of memories: it lacks the format",
        '{"format": "other"}': "is no store of memories: it lacks the format",
        '{"format": "mnemo-lab memory", "version": 1, "namespaces": {}}': "is damaged .KeyError: 'decisions_made'",
        '{"format": "mnemo-lab memory", "vers': "is damaged .JSONDecodeError: Unterminated string .* line 1",
        "": "is damaged .JSONDecodeError",
    }.items():
        (tmp_path / "m.json").write_text(text)
        with pytest.raises(InvalidInput, match=message):
            open_kind("json", tmp_path)
    (tmp_path / "m.json").write_bytes(b"\xff\xfe")
    with pytest.raises(InvalidInput, match="is no UTF-8 text"):
        open_kind("json", tmp_path)
    (tmp_path / "file").write_text("x")
    for name in ("m.db", "m.json"):
        with pytest.raises(InvalidInput, match="cannot be opened as a store"):
            open_store(tmp_path / "file" / name)


def test_json_can_be_read_and_mended_by_hand(tmp_path: Path) -> None:
    path = tmp_path / "m.json"
    with open_kind("json", tmp_path) as store:
        add(store, item("a", "我喜欢深色主题"))
        text = path.read_text(encoding="utf-8")
        assert '"content": "我喜欢深色主题"' in text and text.count("\n") > 30
        path.write_text(text.replace("深色", "浅色"), encoding="utf-8")
        assert store.get("anna", "a").content == "我喜欢浅色主题"
        assert ids(store.search("anna", "浅", 1, "keyword")) == ["a"]
        (changed,) = add(store, item("b", "more"))
        assert changed.id == 2 and len(store.log("anna")) == 2
    whole = json.loads(path.read_text(encoding="utf-8"))
    wrong: list[Any] = [whole["namespaces"]["anna"]["items"][0] | change for change in ({"importance": 9}, {"id": "b"})]
    wrong.append(whole["namespaces"]["anna"]["items"][0] | {"namespace": "bob"})
    for row, message in zip(wrong, ("importance=9; use 1 to 5", "two with one id", "of another one"), strict=True):
        items = [row, whole["namespaces"]["anna"]["items"][1]]
        namespaces = {"anna": whole["namespaces"]["anna"] | {"items": items}}
        path.write_text(json.dumps(whole | {"namespaces": namespaces}), encoding="utf-8")
        with pytest.raises(InvalidInput, match=message):
            open_kind("json", tmp_path)


def test_another_model_is_an_error_that_names_the_next_step(tmp_path: Path) -> None:
    with open_kind("sqlite", tmp_path) as store:
        add(store, item("a", "Helix"))
        store.search("anna", "x", 1, "vector")
    embedder = Other()
    with open_store(tmp_path / "m.db", embedder) as store:
        message = r"namespace 'anna' holds vectors of hashing .* embedder is other .*drop_vectors\(namespace\)"
        for call in (
            lambda: store.search("anna", "x", 1, "vector"),
            lambda: store.vector_scores("anna", "x", ["a"]),
        ):
            with pytest.raises(InvalidInput, match=message):
                call()
        with store.write("anna") as writing, pytest.raises(InvalidInput, match=message):
            writing.search("x", 1, "vector")
        assert isinstance(store, SqliteStore) and embedder.passages == []
        store.drop_vectors("anna")
        text = embedded_text(item("a", "Helix"))
        assert store.search("anna", text, 1, "vector")[0].score == pytest.approx(1, abs=1e-3)
        assert store.facts().namespaces[0].model == "other" and embedder.passages == [text] == ["note: Helix. Helix"]


HARM = {
    "DELETE FROM words WHERE item = 1": ["1 memories without words"],
    "UPDATE vectors SET item = 99 WHERE item = 1": ["1 vectors without a memory", "1 memories that lost their vector"],
    "DELETE FROM vectors WHERE item = 1": ["1 memories that lost their vector"],
    "INSERT INTO vectors (namespace, kind, item, data) VALUES (1, 'item', 1, x'00')": [
        "1 memories with several vectors",
        "1 vectors of another length than their model's",
    ],
    "INSERT INTO words VALUES (99, 1, 'item', x'')": ["1 words without a memory"],
    "DELETE FROM touched WHERE name = 'a'": ["1 memories no decision tells of"],
    "UPDATE decisions SET undone_by = 77 WHERE id = 1": ["1 decisions undone by one that is not there"],
    "UPDATE store SET forgotten = 3": ["bytes of forgotten memories may be left in the file"],
}


@pytest.mark.parametrize("harm", HARM)
def test_check_tells_what_is_wrong(tmp_path: Path, harm: str) -> None:
    with open_kind("sqlite", tmp_path) as store:
        add(store, item("a", "one"), item("b", "two"))
        store.search("anna", "x", 1, "vector")
        assert store.check() == []
        with sqlite3.connect(tmp_path / "m.db") as connection:
            connection.execute("PRAGMA foreign_keys = OFF")
            connection.execute(harm)
        connection.close()
        found = store.check()
        assert all(any(told.startswith(expected) for told in found) for expected in HARM[harm]), found


def test_an_index_out_of_step_is_told(tmp_path: Path) -> None:
    """A row that went without being counted: the index in memory still has it."""
    with open_kind("sqlite", tmp_path) as store:
        add(store, item("a", "one"), item("b", "two"))
        for by in ("keyword", "vector"):
            store.search("anna", "one", 1, by)  # type: ignore[arg-type]
        with sqlite3.connect(tmp_path / "m.db") as connection:
            connection.execute("PRAGMA foreign_keys = ON")
            connection.execute("DELETE FROM items WHERE name = 'b'")
        connection.close()
        assert store.check() == [
            "namespace 'anna': the index of words has 2, the database 1",
            "namespace 'anna': the index of vectors has 2, the database 1",
        ]
    with open_kind("sqlite", tmp_path) as store:
        assert store.search("anna", "one", 9, "keyword") and store.check() == []


@pytest.mark.parametrize("variant", VARIANTS)
def test_every_variant_finds_what_was_just_written(tmp_path: Path, variant: str) -> None:
    """What is new in a write is compared one by one beside the index, and comes in its place."""
    count = 1_200 if VARIANTS[variant].least < 2_000 else 2_100
    with open_store(tmp_path / "m.db", EMBEDDER, variant=variant) as store:
        with store.write("anna") as writing:
            for number in range(count):
                made = item(f"i{number}", f"entry{number} topic{number % 50}")
                writing.put(_decision(after=(made,)))
        text = embedded_text(item("?", "entry77 topic27"))
        assert ids(store.search("anna", text, 1, "vector")) == ["i77"]
        with store.write("anna") as writing:
            old = writing.get("i77")
            assert old is not None
            far = [item(f"f{n}", f"word{n} other{n}") for n in range(WIDER * 5 + MORE + 5)]
            twin = item("twin", "entry77 topic27 twin", value="topic27")
            writing.put(_decision(before=(old,), after=(old.with_(content="changed"), twin, *far)))
            found = writing.search(text, 5, "vector")
            assert ids(found)[0] == "twin" and "i77" not in ids(found)
            assert all(hit.item.content.endswith("topic27") or hit.item.id == "twin" for hit in found)
        assert ids(store.search("anna", text, 5, "vector")) == ids(found) or variant != "flat"
        assert store.check() == []


def test_reading_a_slot_uses_its_index(tmp_path: Path) -> None:
    with open_kind("sqlite", tmp_path) as store:
        add(store, item("a", "one"))
        decide(store, (item("a", "one"),), (item("a", "one", status="outdated"),), "retire")
    with sqlite3.connect(tmp_path / "m.db") as connection:
        for column in ("slot", "content"):
            plan = connection.execute(
                f"EXPLAIN QUERY PLAN SELECT body FROM items WHERE namespace = 1 AND {column} = 2 "
                "AND status IN (SELECT value FROM json_each('[]')) ORDER BY place"
            ).fetchall()
            assert f"items_of_{column}" in str(plan)
        for where, name in (
            (sqlite_schema.OF_CATEGORY, "category"),
            (f"{sqlite_schema.SUCCESSOR} IN (?)", "successor"),
        ):
            plan = connection.execute(
                f"EXPLAIN QUERY PLAN SELECT body FROM items WHERE namespace = 1 AND {where} "
                "AND +status IN (SELECT value FROM json_each('[]')) ORDER BY place", (b"1",)
            ).fetchall()  # fmt: skip
            assert f"items_of_{name} (namespace=? AND <expr>=?)" in str(plan)


def _decision(**sides: Any) -> Any:
    from mnemo_lab.memory.decision import Decision

    return Decision("anna", "supersede", "r", AT, **sides)
