"""The log, taking a decision back, and forgetting for good: the same in every store."""

from __future__ import annotations

import pytest

from mnemo_lab.errors import InvalidInput, UnknownName
from mnemo_lab.memory.stores import MemoryStore, Receipt
from tests.memory.stores.material import ALL, AT, NOTES, add, decide, ids, item


def test_the_log_tells_of_an_item(filled: MemoryStore) -> None:
    old, new = filled.get("anna", "i4"), item("n", "port 6000")
    retired = old.with_(status="outdated", superseded_by="n")
    done = decide(filled, (old,), (retired, new), "supersede", "5433 -> 6000")
    assert filled.log("anna", "n") == [done] and filled.log("anna", "nobody") == []
    assert [decision.id for decision in filled.log("anna", "i4")] == [5, 7]
    assert [decision.id for decision in filled.log("anna")] == list(range(1, 8))


def test_undo_puts_back_and_takes_out(filled: MemoryStore) -> None:
    before = (filled.items("anna", ALL), filled.search("anna", "database port", 9, "keyword"))
    old, new = filled.get("anna", "i4"), item("n", "The staging database listens on port 6000")
    filled.search("anna", "port", 9, "vector")
    done = decide(filled, (old,), (old.with_(status="outdated", content="port was 5433"), new), "supersede")
    filled.touch("anna", ["i4"], "2026-05-05")
    undone = filled.undo("anna", done.id, "2026-06-01")
    kept = filled.get("anna", "i4")
    assert kept == old.with_(access_count=1, last_accessed_at="2026-05-05")
    assert [one if one.id != "i4" else old for one in filled.items("anna", ALL)] == before[0]
    found = filled.search("anna", "database port", 9, "keyword")
    assert [(hit.score, hit.item.id) for hit in found] == [(hit.score, hit.item.id) for hit in before[1]]
    assert "n" not in ids(filled.search("anna", new.content, 99, "vector"))
    assert (undone.action, undone.at, undone.undone_by) == ("undo", "2026-06-01", None)
    assert {one.id for one in undone.before} == {"i4", "n"} and undone.after == (kept,)
    assert filled.log("anna")[-1] == undone and filled.log("anna")[-2].undone_by == undone.id
    again = filled.undo("anna", undone.id, "2026-06-02")
    assert filled.get("anna", "n") == new and filled.get("anna", "i4").status == "outdated"
    with pytest.raises(InvalidInput, match=f"was undone by decision 8 already; decision {again.id} put it back"):
        filled.undo("anna", done.id, AT)
    filled.undo("anna", again.id, AT)
    with pytest.raises(InvalidInput, match=r"decision 7 was undone by decision 8 already$"):
        filled.undo("anna", done.id, AT)


def test_undo_names_what_was_built_on_it(store: MemoryStore) -> None:
    first, second = item("a", "one"), item("a", "two")
    added, other = add(store, first, item("b", "apart"))
    edited = decide(store, (first,), (second,), "edit")
    with pytest.raises(InvalidInput, match=r"decision 1 cannot be undone: decision 3 \(edit\) changed the same"):
        store.undo("anna", added.id, AT)
    undone = store.undo("anna", edited.id, AT)
    assert store.get("anna", "a") == first
    redone = store.undo("anna", undone.id, AT)
    assert store.get("anna", "a") == second
    with pytest.raises(InvalidInput, match="decision 3 "):
        store.undo("anna", added.id, AT)
    store.undo("anna", redone.id, AT)
    store.undo("anna", added.id, AT)
    with pytest.raises(InvalidInput, match=r"decision 4 cannot be undone|was undone by"):
        store.undo("anna", undone.id, AT)
    store.undo("anna", other.id, AT)
    assert store.items("anna", ALL) == []
    for number in (99, 0):
        with pytest.raises(UnknownName, match=rf"decision of namespace 'anna' '{number}'; known: 1, 2, 3"):
            store.undo("anna", number, AT)
    with pytest.raises(UnknownName, match="known: none"):
        store.undo("bob", 1, AT)


def test_undo_leaves_no_link_to_nothing(store: MemoryStore) -> None:
    now = item("now", "Helix")
    added, _ = add(store, now, item("then", "Vim", status="outdated", superseded_by="now"))
    with pytest.raises(InvalidInput, match="'then' says that 'now' took its place; undo decision 2 first"):
        store.undo("anna", added.id, AT)
    store.undo("anna", 2, AT)
    store.undo("anna", 1, AT)
    assert store.items("anna", ALL) == [] == store.check()


def test_forget_takes_rows_words_vectors_and_log(filled: MemoryStore) -> None:
    old, new = filled.get("anna", "i4"), item("new-1", "The staging database listens on port 6000", value="6000")
    retired = old.with_(status="outdated", superseded_by="new-1")
    decide(filled, (old,), (retired, new), "supersede", "5433 gives way to 6000")
    decide(
        filled,
        after=(item("late", "kept", status="outdated", superseded_by="new-1"),),
        reason="new-1 (port: 6000) is later",
    )
    decide(filled, after=(item("other", "kept too"),), reason="has nothing to do with it")
    filled.search("anna", "port", 9, "vector")
    receipt = filled.forget("anna", ["new-1", "new-1"])
    assert receipt == Receipt("anna", ("new-1",), 2, 1, receipt.files)
    with pytest.raises(UnknownName, match="unknown memory of namespace 'anna' 'new-1'; known: i0, i1"):
        filled.get("anna", "new-1")
    assert filled.get("anna", "i4") == old.with_(status="outdated")
    assert filled.get("anna", "late").superseded_by is None
    mixed, late, other = filled.log("anna")[-3:]
    assert (mixed.before, mixed.after) == ((old,), (old.with_(status="outdated"),))
    reasons = [mixed.reason, late.reason, other.reason]
    assert reasons == ["it told of a memory that was forgotten"] * 2 + ["has nothing to do with it"]
    assert "new-1" not in ids(filled.search("anna", "6000", 99, "vector", ALL))
    assert filled.search("anna", "6000", 9, "keyword", ALL) == [] == filled.log("anna", "new-1") == filled.check()
    with pytest.raises(UnknownName, match="'new-1'"):
        filled.forget("anna", ["i0", "new-1"])
    assert filled.get("anna", "i0").content == NOTES[0]
    assert filled.forget("anna", []) == Receipt("anna", (), 0, 0, ())
    (again,) = add(filled, new)
    assert again.id == 10 and ids(filled.items("anna"))[-1] == "new-1"


def test_forgetting_all_leaves_no_namespace(filled: MemoryStore) -> None:
    add(filled, item("x", "bob's", "bob"))
    filled.search("anna", "x", 1, "vector")
    receipt = filled.forget("anna", [f"i{n}" for n in range(len(NOTES))])
    assert (receipt.decisions, receipt.vectors) == (len(NOTES), len(NOTES))
    assert filled.namespaces() == ["bob"] and filled.items("anna", ALL) == [] == filled.log("anna")
    (new,) = add(filled, item("i0", "again"))
    assert new.id == len(NOTES) + 2 and ids(filled.search("anna", "again", 9, "keyword")) == ["i0"]
    assert ids(filled.search("anna", "again", 9, "vector")) == ["i0"]
