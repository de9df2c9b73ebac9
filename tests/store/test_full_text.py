"""Search by keyword equals BM25 over the same texts in memory, namespace by namespace."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from mnemo_lab.conversation import Message
from mnemo_lab.hydration.index import description_text
from mnemo_lab.retrieval.keyword import KeywordRetriever
from mnemo_lab.storage.full_text import LONGEST
from mnemo_lab.store import ConversationStore
from mnemo_lab.store.items import message_text
from tests.store.material import checkpoint, conversations, fill, info, note

QUERIES = ("staging database port 5433", "发布会的预算是多少", "orders orders table", "E-4417", "the", "", "😀")
Scores = dict[str, float]


def in_memory(texts: dict[str, str], query: str) -> Scores:
    """``KeywordRetriever``'s scores (held equal to ``bm25s`` by its own tests), without what shares no word."""
    retriever, names = KeywordRetriever(), list(texts)
    retriever.add(range(len(texts)), list(texts.values()))
    (hits,) = retriever.search([query], len(texts))
    return {names[key]: score for key, score in zip(hits.ids, hits.scores, strict=True) if score > 0}


def by_words(store: ConversationStore, query: str, kind: str = "message", k: int = 99, who: str = "anna") -> Scores:
    hits = store.search(who, query, k, kind, "keyword")  # type: ignore[arg-type]
    assert [hit.score for hit in hits] == sorted((hit.score for hit in hits), reverse=True)
    return {hit.item.id: hit.score for hit in hits}


@pytest.fixture
def store(tmp_path: Path) -> ConversationStore:
    """Without an embedder: none is needed."""
    made = ConversationStore(tmp_path / "s")
    fill(made)
    return made


def texts() -> dict[str, str]:
    return {message.id: message_text(message) for talk in conversations() for message in talk.messages}


@pytest.mark.parametrize("query", QUERIES)
def test_it_equals_bm25_in_memory(store: ConversationStore, query: str) -> None:
    expected = in_memory(texts(), query)
    assert by_words(store, query) == pytest.approx(expected)
    assert list(by_words(store, query, k=2).values()) == pytest.approx(sorted(expected.values(), reverse=True)[:2])
    if query not in ("", "the", "😀"):
        assert expected


def test_the_date_and_the_speaker_count_once_however_long_the_text() -> None:
    said = "Bees like flowers. " * 200
    text = message_text(Message("user", said, "m", "2023-05-08T13:56:00Z", "Caroline"))
    assert text == f"[8 May 2023] Caroline: {said}"


def test_checkpoints_are_found_apart_and_the_last_counts(store: ConversationStore) -> None:
    made = {f"k{n}": checkpoint(f"k{n}", summary=f"topic number{n} of the 发布会", decisions=()) for n in range(5)}
    for item in made.values():
        store.put_checkpoint("anna", item)
    made["k2"] = checkpoint("k2", summary="penguins on the roof, and more penguins")
    store.put_checkpoint("anna", made["k2"])
    expected = {name: description_text(item) for name, item in made.items()}
    for query in ("penguins", "发布会", "number2 topic"):
        assert by_words(store, query, "checkpoint") == pytest.approx(in_memory(expected, query))
    assert by_words(store, "penguins") == {}


def test_what_was_forgotten_counts_no_more(store: ConversationStore, tmp_path: Path) -> None:
    store.append("anna", info("gone"), [note(n, f"staging port number{n}") for n in range(100, 130)])
    store.put_checkpoint("anna", checkpoint("k", "gone"))
    assert by_words(store, QUERIES[0]) != pytest.approx(in_memory(texts(), QUERIES[0]))
    store.forget("anna", "gone")
    for query in QUERIES:
        assert by_words(store, query) == pytest.approx(in_memory(texts(), query))
    with sqlite3.connect(tmp_path / "s" / "store.db") as connection:
        assert connection.execute("SELECT kind, count(*) FROM words").fetchall() == [("message", len(texts()))]


def test_it_follows_as_messages_come(store: ConversationStore, tmp_path: Path) -> None:
    """One by one, through another connection, over several mergers of what is sorted and what is new."""
    known = texts()
    with ConversationStore(tmp_path / "s") as other:
        for number in range(100, 160):
            message = note(number, f"staging number{number % 7} 发布会 {'port ' * (number % 5)}")
            other.append("anna", info("new"), [message])
            known[message.id] = message_text(message)
            if number % 3 == 0:
                assert by_words(store, "port staging number3 会") == pytest.approx(
                    in_memory(known, "port staging number3 会")
                )


def test_another_namespace_changes_no_score(store: ConversationStore) -> None:
    before = by_words(store, QUERIES[0])
    store.append("bob", info(), [note(n, "staging database port 5433") for n in range(50)])
    assert by_words(store, QUERIES[0]) == before
    assert len(by_words(store, QUERIES[0], who="bob")) == 50
    assert by_words(store, QUERIES[0], who="nobody") == {} == by_words(store, QUERIES[0], k=0)


def test_encoded_data_are_no_words(tmp_path: Path) -> None:
    with ConversationStore(tmp_path) as store:
        store.append("anna", info(), [note(1, f"{'q' * (LONGEST + 1)} {'w' * LONGEST}")])
        assert by_words(store, "q" * (LONGEST + 1)) == {}
        assert by_words(store, "w" * LONGEST).keys() == {"m1"}
