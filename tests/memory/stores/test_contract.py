"""One suite over every store of memories: in memory, JSON, SQLite, SQLCipher."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from mnemo_lab.errors import InvalidInput, MnemoError, UnknownName
from mnemo_lab.memory.decision import Decision
from mnemo_lab.memory.item import MessageRef
from mnemo_lab.memory.stores import MemoryStore
from mnemo_lab.memory.stores.checks import embedded_text, searched_text
from mnemo_lab.retrieval.keyword import KeywordRetriever
from tests.memory.stores.material import (
    ALL,
    AT,
    EMBEDDER,
    NOTES,
    ON_DISK,
    Counting,
    add,
    decide,
    ids,
    item,
    open_kind,
)


def test_every_field_comes_back(store: MemoryStore) -> None:
    whole = item(
        "ключ 1", 'say "hi" \\ \x00 \ud83d 部署', category="custom", subject="Billing", attribute="数据库", value="",
        language="zh", importance=5, confidence=0.25, polarity="negative", valid_from="2025-01-01",
        valid_to="2025-06-01", expired_at="2026-02-02", last_accessed_at="2026-02-03T10:00:00+08:00", access_count=7,
        status="outdated", superseded_by="b", sources=(MessageRef("c1", "m1"), MessageRef("c2", "m9")),
        flags=("edited", "low_confidence"),
    )  # fmt: skip
    done = decide(store, after=(whole, item("b", "next")), reason="因为 \ud83d")
    assert store.get("anna", "ключ 1") == whole
    assert store.items("anna") == [whole, item("b", "next")]
    assert store.log("anna") == [done] and done.after == (whole, item("b", "next"))
    assert (done.id, done.reason, done.undone_by) == (1, "因为 \ud83d", None)


def test_items_come_in_the_order_of_their_first_put(store: MemoryStore) -> None:
    a, b, c = (item(name, f"note {name}") for name in "cab")
    add(store, a, b, c)
    decide(store, (a,), (a.with_(content="another note"),), "edit")
    decide(store, (b,), (b.with_(status="outdated"),), "retire")
    decide(store, (c,), (c.with_(status="forgotten"),), "prune")
    assert ids(store.items("anna")) == ["c", "a"] and ids(store.items("anna", ALL)) == ["c", "a", "b"]
    assert ids(store.items("anna", ("forgotten",))) == ["b"] and store.items("anna", ()) == []
    gone = decide(store, (store.get("anna", "c"),), (), "forget")
    assert ids(store.items("anna", ALL)) == ["a", "b"]
    store.undo("anna", gone.id, AT)
    assert ids(store.items("anna", ALL)) == ["c", "a", "b"]


def test_items_of_a_category_and_what_was_replaced(store: MemoryStore) -> None:
    odd = "cat\ud83d'\""
    add(
        store, item("a", "one"), item("b", "two", category="偏好"), item("c", "three", category=odd),
        item("d", "four", status="outdated", superseded_by="b"), item("e", "5", status="forgotten", superseded_by="b"),
        item("f", "six", category="偏好", status="outdated", superseded_by="a"),
    )  # fmt: skip
    assert ids(store.items("anna", category="preference")) == ["a", "d"]
    assert ids(store.items("anna", category="偏好")) == ["b", "f"] and ids(store.items("anna", category=odd)) == ["c"]
    assert ids(store.items("anna", ("active",), "偏好")) == ["b"] and store.items("anna", category="") == []
    assert ids(store.replaced("anna", ["b", "c"])) == ["d"] and ids(store.replaced("anna", ("b", "a"))) == ["d", "f"]
    assert store.replaced("anna", []) == [] == store.replaced("bob", ["b"]) == store.items("bob", category="偏好")


def test_a_writer_sees_what_it_wrote_and_nobody_else_does(filled: MemoryStore) -> None:
    new = item("n", "The office has a new espresso machine", subject="The Office", attribute="Coffee machine")
    with filled.write("anna") as writing:
        writing.put(Decision("anna", "add", "r", AT, after=(new,)))
        assert writing.get("n") == new and writing.get("zz") is None
        assert writing.slot("office", "coffee  MACHINE") == [new] and writing.slot("office", "x") == []
        assert writing.same_words("the office has a NEW espresso-machine!") == [new]
        assert ids(writing.search("espresso", 3, "keyword")) == ["n"]
        best = writing.search(embedded_text(new), 3, "vector")[0]
        assert best.item == new and best.score == pytest.approx(1, abs=1e-3)
        assert "n" not in ids(filled.items("anna"))
        assert filled.search("anna", "espresso", 3, "keyword") == []
    assert ids(filled.search("anna", "espresso", 3, "keyword")) == ["n"]
    assert filled.search("anna", embedded_text(new), 1, "vector")[0].item == new
    with pytest.raises(MnemoError, match="is over"):
        writing.get("n")


def test_an_error_inside_leaves_everything_as_it_was(filled: MemoryStore) -> None:
    before = (filled.items("anna"), filled.log("anna"), filled.search("anna", "port database", 9, "keyword"))
    with pytest.raises(ZeroDivisionError), filled.write("anna") as writing:
        old = writing.get("i0")
        assert old is not None
        new = item("n", "port port port")
        writing.put(Decision("anna", "supersede", "r", AT, (old,), (old.with_(content="port"), new)))
        assert len(writing.search("port", 9, "keyword")) == 4 and len(writing.search("port", 9, "vector")) == 7
        raise ZeroDivisionError
    assert before == (filled.items("anna"), filled.log("anna"), filled.search("anna", "port database", 9, "keyword"))
    (done,) = add(filled, item("other", "something else"))
    assert done.id == len(NOTES) + 1
    assert ids(filled.search("anna", "something else", 9, "keyword")) == ["other"]
    assert ids(filled.search("anna", "something else", 1, "vector")) == ["other"]


def test_keywords_are_bm25(filled: MemoryStore) -> None:
    retriever, items = KeywordRetriever(), filled.items("anna")
    retriever.add(range(len(items)), [searched_text(one) for one in items])
    for query in ("database port 5433", "部署", "note E-4417", "深", "the", ""):
        (hits,) = retriever.search([query], 99)
        expected = {f"i{key}": score for key, score in zip(hits.ids, hits.scores, strict=True) if score > 0}
        found = filled.search("anna", query, 99, "keyword")
        assert {hit.item.id: hit.score for hit in found} == pytest.approx(expected)
        assert [hit.score for hit in found] == sorted(expected.values(), reverse=True) or len(found) < 2


def test_chinese_is_found_by_pairs_and_single_characters(filled: MemoryStore) -> None:
    assert ids(filled.search("anna", "部署", 5, "keyword")) == ["i2"]
    assert ids(filled.search("anna", "署", 5, "keyword")) == ["i2"]
    assert ids(filled.search("anna", "我", 5, "keyword")) == ["i3"]
    assert filled.search("anna", "咖啡", 5, "keyword") == []


def test_a_slot_is_found_by_its_names(store: MemoryStore) -> None:
    """ "user" is everybody and finds nothing."""
    add(store, item("a", "I use Helix", attribute="editor"), item("b", "跑在云上", subject="Billing", attribute="平台"))
    assert ids(store.search("anna", "which editor", 5, "keyword")) == ["a"]
    assert ids(store.search("anna", "billing 平台", 5, "keyword")) == ["b"]
    assert store.search("anna", "user", 5, "keyword") == []


def test_vectors_are_cosines(filled: MemoryStore) -> None:
    query = "which port has the database"
    texts = [f"note: {note.split()[-1]}. {note}" for note in NOTES]
    passages, asked = EMBEDDER.encode(texts).astype(np.float64), EMBEDDER.encode([query], "query")[0]
    expected = {f"i{n}": float(score) for n, score in enumerate(passages @ asked)}
    found = filled.search("anna", query, 99, "vector")
    assert {hit.item.id: hit.score for hit in found} == pytest.approx(expected, abs=1e-3)
    assert [hit.score for hit in found] == sorted((hit.score for hit in found), reverse=True)
    assert set(ids(filled.search("anna", query, 2, "vector"))) == {"i4", "i5"}
    wanted = ["i5", "i0", "i5"]
    assert filled.vector_scores("anna", query, wanted) == pytest.approx([expected[id] for id in wanted], abs=1e-3)
    assert filled.vector_scores("anna", query, []) == []


@pytest.mark.parametrize("by", ["keyword", "vector"])
def test_other_statuses_take_no_place(store: MemoryStore, by: Any) -> None:
    """150 closer ones of another status come before: still ``k`` are found."""
    with store.write("anna") as writing:
        for number in range(150):
            made = item(f"o{number}", "port port", status="outdated")
            writing.put(Decision("anna", "add", "r", AT, after=(made,)))
        for number in range(30):
            made = item(f"a{number}", f"port number{number} of some other machine that I have seen")
            writing.put(Decision("anna", "add", "r", AT, after=(made,)))
        assert {hit.item.status for hit in writing.search("port", 9, by)} == {"outdated"}
        assert {hit.item.status for hit in writing.search("port", 9, by, ("active",))} == {"active"}
    assert len(ids(store.search("anna", "port", 9, by))) == 9
    assert {hit.item.status for hit in store.search("anna", "port", 9, by)} == {"active"}
    assert len(store.search("anna", "port", 999, by, ("active", "outdated"))) == 180
    assert len(store.search("anna", "port", 999, by)) == 30
    assert store.search("anna", "port", 9, by, ("forgotten",)) == [] == store.search("anna", "port", 0, by)


def test_nothing_is_embedded_twice_and_only_when_needed(kind: str, tmp_path: Path) -> None:
    embedder = Counting()
    with open_kind(kind, tmp_path, embedder) as store:
        old = item("a", "Helix")
        add(store, old, item("b", "Vim"))
        store.search("anna", "Helix", 3, "keyword")
        assert embedder.passages == []
        for _ in range(2):
            store.search("anna", "Helix", 3, "vector")
        decide(store, (old,), (old.with_(status="outdated", importance=5),), "retire")
        store.touch("anna", ["a"], AT)
        store.vector_scores("anna", "Helix", ["a"])
        assert embedder.passages == ["note: Helix. Helix", "note: Vim. Vim"]
        now = store.get("anna", "a")
        edited = now.with_(content="Emacs", status="active")
        for changed in (edited, edited.with_(value="Emacs"), edited.with_(value="Emacs", attribute="")):
            decide(store, (store.get("anna", "a"),), (changed,), "edit")
            text = embedded_text(changed)
            assert store.vector_scores("anna", text, ["a"]) == pytest.approx([1], abs=1e-3)
            assert ids(store.search("anna", text, 1, "vector")) == ["a"]
        assert embedder.passages[2:] == ["note: Helix. Emacs", "note: Emacs. Emacs", "Emacs"]
    if kind in ("sqlite", "encrypted"):
        with open_kind(kind, tmp_path, embedder) as store:
            assert ids(store.search("anna", "Emacs", 1, "vector")) == ["a"]
        assert len(embedder.passages) == 5


def test_touch_counts_and_never_goes_back(filled: MemoryStore) -> None:
    for at in ("2026-03-01T10:00:00+00:00", "2026-02-01", "2026-03-01T17:59:00+08:00"):
        filled.touch("anna", ["i0", "i0", "nobody"], at)
    used = filled.get("anna", "i0")
    assert (used.access_count, used.last_accessed_at) == (3, "2026-03-01T10:00:00+00:00")
    filled.touch("anna", ["i0"], "2026-03-02")
    assert filled.get("anna", "i0").last_accessed_at == "2026-03-02"
    assert filled.get("anna", "i1").access_count == 0 and len(filled.log("anna")) == len(NOTES)
    stale = item("i0", NOTES[0])
    decide(filled, (stale,), (stale.with_(importance=5),), "edit")
    changed = filled.get("anna", "i0")
    assert (changed.importance, changed.access_count) == (5, 4)
    with pytest.raises(InvalidInput, match="at='soon' is no date"):
        filled.touch("anna", ["i0"], "soon")


@pytest.mark.parametrize("kind", ON_DISK)
def test_everything_is_there_after_reopening(filled: MemoryStore, kind: str, tmp_path: Path) -> None:
    filled.undo("anna", 6, AT)
    filled.touch("anna", ["i0"], AT)
    filled.forget("anna", ["i3"])

    def seen(store: MemoryStore) -> Any:
        found = [store.search("anna", "database port", 9, by) for by in ("keyword", "vector")]  # type: ignore[arg-type]
        return store.items("anna", ALL), store.log("anna"), found, store.namespaces()

    before = seen(filled)
    filled.close()
    with open_kind(kind, tmp_path) as again:
        assert seen(again) == before and ids(before[0]) == ["i0", "i1", "i2", "i4"]
        assert add(again, item("n", "new"))[0].id == 8
    with pytest.raises(MnemoError, match="closed; open it again"):
        filled.items("anna")


def calls(store: MemoryStore, namespace: str) -> list[Callable[[], object]]:
    return [
        lambda: store.write(namespace).__enter__(),
        lambda: store.get(namespace, "a"),
        lambda: store.items(namespace),
        lambda: store.replaced(namespace, ["a"]),
        lambda: store.search(namespace, "x", 1, "keyword"),
        lambda: store.search(namespace, "x", 1, "vector"),
        lambda: store.vector_scores(namespace, "x", []),
        lambda: store.touch(namespace, [], AT),
        lambda: store.log(namespace),
        lambda: store.undo(namespace, 1, AT),
        lambda: store.forget(namespace, []),
    ]


@pytest.mark.parametrize("namespace", ["", "\ud800"])
def test_a_namespace_must_be_named(filled: MemoryStore, namespace: str) -> None:
    for call in calls(filled, namespace):
        with pytest.raises(InvalidInput, match=r"the namespace is .* at least one character"):
            call()


def test_a_namespace_that_is_not_there_is_empty(filled: MemoryStore) -> None:
    assert filled.items("bob") == [] == filled.log("bob") == filled.search("bob", "port", 9, "keyword")
    assert filled.search("bob", "port", 9, "vector") == []
    filled.touch("bob", ["i0"], AT)
    with filled.write("bob") as writing:
        assert writing.get("i0") is None and writing.slot("user", "note") == [] == writing.same_words(NOTES[0])
        assert writing.search("port", 9, "keyword") == [] == writing.search("port", 9, "vector")
    for call in (lambda: filled.get("bob", "i0"), lambda: filled.forget("bob", ["i0"])):
        with pytest.raises(UnknownName, match="unknown memory of namespace 'bob' 'i0'; known: none"):
            call()
    assert filled.namespaces() == ["anna"]


def test_what_a_decision_may_not_say(filled: MemoryStore) -> None:
    old = filled.get("anna", "i0")
    wrong = {
        "of namespace 'anna', and the decision of 'bob'": Decision("bob", "add", "", AT),
        "and the decision of 'eve'": Decision("anna", "add", "", AT, after=(item("x", "x", "eve"),)),
        "'i0' is there already; name it in before": Decision("anna", "add", "", AT, after=(item("i0", "x"),)),
        "'i0' is not as the decision says it was": Decision("anna", "edit", "", AT, (item("i0", "x"),), (old,)),
        "'zz' is gone; read it inside write": Decision("anna", "edit", "", AT, (item("zz", "x"),)),
        "names a memory twice: x, x": Decision("anna", "add", "", AT, after=(item("x", "x"), item("x", "y"))),
        "at='today' is no date": Decision("anna", "add", "", "today"),
        "unknown action 'delete'; known: add, edit": Decision("anna", "delete", "", AT),  # type: ignore[arg-type]
        "a memory's id is '.ud800'": Decision("anna", "add", "", AT, after=(item("\ud800", "x"),)),
    }
    for message, decision in wrong.items():
        with pytest.raises(InvalidInput, match=message), filled.write("anna") as writing:
            writing.put(decision)
    assert len(filled.log("anna")) == len(NOTES)
    with pytest.raises(UnknownName, match="unknown signal 'bm25'; known: keyword, vector"):
        filled.search("anna", "x", 1, "bm25")  # type: ignore[arg-type]
    for status in (("gone",), "active"):
        with pytest.raises(UnknownName, match="unknown status of memories"):
            filled.items("anna", status)  # type: ignore[arg-type]
    with pytest.raises(UnknownName):
        filled.vector_scores("anna", "x", ["zz"])


def test_without_an_embedder_vectors_ask_for_one(kind: str, tmp_path: Path) -> None:
    with open_kind(kind, tmp_path, None) as store:
        add(store, item("a", "Helix"))
        assert ids(store.search("anna", "helix", 3, "keyword")) == ["a"]
        for call in (
            lambda: store.search("anna", "x", 1, "vector"),
            lambda: store.vector_scores("anna", "x", ["a"]),
            lambda: store.search("nobody", "x", 1, "vector"),
        ):
            with pytest.raises(InvalidInput, match="opened without an embedder; give it one"):
                call()


def test_a_thread_writes_once_at_a_time(filled: MemoryStore) -> None:
    with filled.write("anna"):
        for call in (
            lambda: filled.write("bob").__enter__(),
            lambda: filled.touch("anna", ["i0"], AT),
            lambda: filled.forget("anna", ["i0"]),
            lambda: filled.undo("anna", 1, AT),
        ):
            with pytest.raises(MnemoError, match="inside write"):
                call()
    add(filled, item("n", "after"))


def test_facts_count(filled: MemoryStore) -> None:
    decide(filled, (item("i0", NOTES[0]),), (item("i0", NOTES[0], status="outdated"),), "retire")
    (space,) = filled.facts().namespaces
    assert (space.name, space.items, space.decisions) == ("anna", {"active": 5, "outdated": 1}, 7)
    assert (space.vectors, space.pending) == (0, 6)
    filled.search("anna", "x", 1, "vector", ALL)
    (space,) = filled.facts().namespaces
    assert (space.vectors, space.pending) == (6, 0) and filled.check() == []


def test_a_missing_successor_is_told(store: MemoryStore) -> None:
    add(store, item("a", "Vim", status="outdated", superseded_by="zz"))
    assert store.check() == ["namespace 'anna': memory a is superseded by zz, which is not there"]
