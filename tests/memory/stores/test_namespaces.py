"""No call with one namespace returns or changes what is in another, whatever was called before."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mnemo_lab.errors import InvalidInput
from mnemo_lab.memory.item import MemoryItem
from mnemo_lab.memory.stores import MemoryStore
from tests.memory.stores.material import ALL, AT, KINDS, decide, ids, item, open_kind

SPACES = ("anna", "bob")
NAMES = ("x", "y", "z")
TEXTS = ("pizza with olives", "我喜欢披萨", "the port is 5433", "olives", "pizza and pizza")
State = dict[str, dict[str, MemoryItem]]

operations = st.lists(
    st.tuples(
        st.sampled_from(("put", "put", "put", "edit", "retire", "touch", "forget", "undo", "fail", "search")),
        st.sampled_from(SPACES),
        st.sampled_from(NAMES),
        st.sampled_from(TEXTS),
    ),
    max_size=14,
)


def everything(store: MemoryStore, namespace: str) -> Any:
    """All that a namespace shows, scores too."""
    with store.write(namespace) as writing:
        inside = [
            [writing.get(name) for name in NAMES],
            writing.slot("user", "note"),
            [writing.same_words(text) for text in TEXTS],
            writing.search("pizza 披萨", 9, "keyword", ALL),
            {hit.item.id: hit.score for hit in writing.search("pizza 披萨", 9, "vector", ALL)},
        ]
    outside = [
        store.items(namespace, ALL),
        store.log(namespace),
        [store.log(namespace, name) for name in NAMES],
        store.search(namespace, "olives port", 9, "keyword", ALL),
        {hit.item.id: hit.score for hit in store.search(namespace, "olives port", 9, "vector", ALL)},
    ]
    return inside, outside


def apply(store: MemoryStore, model: State, what: str, space: str, name: str, text: str) -> None:
    """One call, and what it should have done."""
    mine = model[space]
    old, new = mine.get(name), item(name, text, space)
    if what == "put" and old is None:
        decide(store, after=(new,))
        mine[name] = new
    elif what in ("edit", "retire") and old is not None:
        changed = old.with_(content=text) if what == "edit" else old.with_(status="outdated")
        decide(store, (old,), (changed,), what)  # type: ignore[arg-type]
        mine[name] = changed
    elif what == "touch":
        store.touch(space, NAMES[:2], AT)
        for used in NAMES[:2]:
            if used in mine:
                mine[used] = mine[used].with_(access_count=mine[used].access_count + 1, last_accessed_at=AT)
    elif what == "forget" and old is not None:
        assert store.forget(space, [name]).items == (name,)
        del mine[name]
    elif what == "undo":
        _undo(store, mine, space)
    elif what == "fail":
        with pytest.raises(InvalidInput):
            decide(store, (), (new, new))
    else:
        assert set(ids(store.search(space, text, 9, "vector", ALL))) == set(mine)


def _undo(store: MemoryStore, mine: dict[str, MemoryItem], space: str) -> None:
    """The last decision that holds, with what the log says it was."""
    undoable = [one for one in store.log(space) if one.undone_by is None and one.action != "undo"]
    if undoable:
        store.undo(space, undoable[-1].id, AT)
        for one in undoable[-1].after:
            mine.pop(one.id, None)
        for one in undoable[-1].before:
            now = store.get(space, one.id)
            assert now.with_(access_count=0, last_accessed_at=None) == one.with_(access_count=0, last_accessed_at=None)
            mine[one.id] = now


@pytest.mark.parametrize("kind", KINDS)
def test_no_call_reaches_into_another_namespace(kind: str) -> None:
    @settings(
        max_examples={"memory": 150, "json": 50, "sqlite": 100, "encrypted": 3}[kind],
        deadline=None,
        suppress_health_check=[HealthCheck.too_slow],
    )
    @given(operations)
    def check(calls: list[tuple[str, str, str, str]]) -> None:
        with tempfile.TemporaryDirectory() as folder, open_kind(kind, Path(folder)) as store:
            model: State = {space: {} for space in SPACES}
            for what, space, name, text in calls:
                other = SPACES[space == SPACES[0]]
                before = everything(store, other)
                apply(store, model, what, space, name, text)
                assert everything(store, other) == before
                found = store.items(space, ALL)
                assert {one.id: one for one in found} == model[space]
                assert {one.namespace for one in found} <= {space}
                assert {one.namespace for one in store.log(space)} <= {space}
            assert store.check() == []

    check()


@pytest.mark.parametrize("kind", KINDS)
def test_the_same_ids_and_sentences_in_two_namespaces(kind: str, tmp_path: Path) -> None:
    with open_kind(kind, tmp_path) as store:
        decide(store, after=(item("x", "anna likes pizza", "anna"),))
        alone = [store.search("anna", "pizza", 9, by) for by in ("keyword", "vector")]  # type: ignore[arg-type]
        for number in range(30):
            decide(store, after=(item(f"x{number}" if number else "x", "anna likes pizza", "bob"),))
        assert [store.search("anna", "pizza", 9, by) for by in ("keyword", "vector")] == alone  # type: ignore[arg-type]
        store.forget("bob", ["x"])
        assert store.get("anna", "x").content == "anna likes pizza"
        assert ids(store.search("anna", "pizza", 9, "vector")) == ["x"]
        with pytest.raises(InvalidInput, match=r"unknown decision of namespace 'bob' '1'; known: .*30, 31"):
            store.undo("bob", 1, AT)
