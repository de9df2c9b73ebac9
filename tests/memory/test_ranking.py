"""Which memories fit a question, by hand: words, vectors, both; then and now; what is held back."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mnemo_lab.embeddings.hashing import HashingEmbedder
from mnemo_lab.errors import InvalidInput
from mnemo_lab.memory.decay import Decay
from mnemo_lab.memory.ranking import Ranked, Weights, rank
from mnemo_lab.memory.stores import MemoryStore, open_store
from tests.memory.stores.material import EMBEDDER, NOTES, add, ids, item

NOW = datetime(2026, 3, 1, tzinfo=UTC)
EVEN = Decay(floor=1)


def ranked(store: MemoryStore, query: str, k: int = 5, weights: Weights | None = None, **at: Any) -> Ranked:
    return rank(store, "anna", query, NOW, k, EVEN, weights or Weights(), **at)


def moment(day: str) -> datetime:
    return datetime.fromisoformat(day).replace(tzinfo=UTC)


class Near(HashingEmbedder):
    """Cosines with any question: 0.6 for what tells of E-4417, 0.7 to 0.8 for all others, as E5 gives them."""

    def encode(self, texts: Sequence[str], kind: Any = "passage") -> Any:
        rows = np.zeros((len(texts), self.dimension), dtype=np.float32)
        for row, text in zip(rows, texts, strict=True):
            cosine = 1.0 if kind == "query" else 0.6 if "E-4417" in text else 0.7 + len(text) % 97 / 970
            row[0], row[1] = cosine, (1 - cosine**2) ** 0.5
        return rows


@pytest.mark.parametrize("name", ["memory", "sqlite"])
def test_a_hit_by_word_alone_survives_among_nearer_vectors(name: str, tmp_path: Any) -> None:
    """It is in no list of vectors, and is scored by both signals all the same."""
    with open_store(":memory:" if name == "memory" else tmp_path / "m.db", Near()) as store:
        add(store, item("wanted", "error E-4417 means stale lock"))
        add(store, *(item(f"n{n}", f"unrelated {'x' * n}") for n in range(100)))
        found = ranked(store, "E-4417", 5)
    (hit,) = [hit for hit in found.hits if hit.item.id == "wanted"]
    assert found.hits.index(hit) <= 1 and hit.relevance == pytest.approx(0.5)
    assert hit.signals["vector"] == pytest.approx(0.6, abs=1e-3) and hit.signals["keyword"] > 0


def test_without_an_embedder_words_alone_count() -> None:
    with open_store(":memory:") as store:
        add(store, *(item(f"i{n}", text) for n, text in enumerate(NOTES)))
        found = ranked(store, "which port has the staging database")
        bm25 = {
            hit.item.id: hit.score for hit in store.search("anna", "which port has the staging database", 9, "keyword")
        }
        assert ids(list(found.hits))[0] == "i4"
        assert {h.item.id: h.relevance for h in found.hits} == pytest.approx(
            {id: score / max(bm25.values()) for id, score in bm25.items()}
        )
        assert ids(list(ranked(store, "部署").hits)) == ["i2"] and ranked(store, "署").items[0].id == "i2"
        assert ranked(store, "port", weights=Weights(keyword=0)).hits == ()


def test_of_two_alike_the_newer_comes_first() -> None:
    with open_store(":memory:") as store:
        add(store, item("a", "tea"), item("b", "tea", valid_from="2026-02-01"), item("c", "tea"))
        assert ids(list(ranked(store, "tea").hits))[0] == "b"


def test_what_was_true_and_what_was_known_then() -> None:
    """Vim was the editor until June and Helix since; on the 20th of July the change was told."""
    with open_store(":memory:", EMBEDDER) as store:
        old = item(
            "vim", "my editor is Vim", created_at="2025-01-10", valid_from="2025-01-01", valid_to="2025-06-01",
            status="outdated", superseded_by="helix", expired_at="2025-07-20",
        )  # fmt: skip
        add(store, old, item("helix", "my editor is Helix", created_at="2025-07-20", valid_from="2025-06-01"))

        def seen(**at: Any) -> set[str]:
            return set(ids(list(ranked(store, "editor", **at).hits)))

        assert seen() == {"helix"} == seen(as_of=moment("2025-06-01"))
        assert seen(as_of=moment("2025-03-01")) == {"vim"} and seen(as_of=moment("2024-12-31")) == set()
        assert seen(known_at=moment("2025-07-01")) == {"vim"} and seen(known_at=moment("2025-07-20")) == {"helix"}
        assert seen(as_of=moment("2025-06-15"), known_at=moment("2025-07-01")) == set()
        assert seen(as_of=moment("2025-03-01"), known_at=moment("2025-01-09")) == set()


def test_the_minimum_cuts() -> None:
    with open_store(":memory:") as store:
        add(store, item("a", "port 5433"), item("b", "a port of a house by the sea in the south of the country"))
        all_of_them = ranked(store, "port 5433")
        assert ids(list(all_of_them.hits)) == ["a", "b"] and 0 < all_of_them.hits[1].relevance < 0.6
        assert ids(list(ranked(store, "port 5433", weights=Weights(minimum=0.6)).hits)) == ["a"]


def test_what_is_in_quarantine_is_never_shown() -> None:
    with open_store(":memory:", EMBEDDER) as store:
        add(store, item("bad", "port port", flags=("quarantined",)), item("good", "the port"))
        moments: list[dict[str, Any]] = [{}, {"as_of": NOW}, {"known_at": NOW}]
        for at in moments:
            found = ranked(store, "port", **at)
            assert ids(list(found.hits)) == ["good"] and found.hidden == () and ids(list(found.held)) == ["bad"]


def test_nothing_asked_is_nothing_found() -> None:
    with open_store(":memory:", EMBEDDER) as store:
        add(store, item("a", "port"))
        assert ranked(store, "  ") == ranked(store, "port", 0) == Ranked((), ())
        assert rank(store, "bob", "port", NOW, 5, EVEN, Weights()) == Ranked((), ())


@settings(max_examples=60, deadline=None)
@given(st.lists(st.lists(st.sampled_from("tea port lock 茶 部署 sea".split()), min_size=1, max_size=4), max_size=8),
       st.integers(1, 4), st.floats(0, 1))  # fmt: skip
def test_scores_are_shares_in_order_and_nothing_is_lost(texts: list[list[str]], k: int, floor: float) -> None:
    with open_store(":memory:", EMBEDDER) as store:
        add(store, *(item(f"i{n}", " ".join(t), created_at=f"20{25 - n}-01-01") for n, t in enumerate(texts)))
        found = rank(store, "anna", "port 部署", NOW, k, Decay(floor=floor), Weights())
        everything = rank(store, "anna", "port 部署", NOW, 99, Decay(floor=floor), Weights())
    for hit in everything.hits:
        assert 0 <= hit.relevance <= 1 and floor - 1e-9 <= hit.share <= 1
        assert hit.score == pytest.approx(hit.relevance * hit.share)
    assert len(everything.hits) == len(texts) and everything.hidden == () and everything.hits[:k] == found.hits
    best = sorted((hit.relevance for hit in everything.hits), reverse=True)[:k]
    shown = {hit.item.id: hit.relevance for hit in (*found.hits, *found.hidden)}
    assert sorted(shown.values(), reverse=True)[: len(best)] == best


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"keyword": -1}, "keyword=-1"),
        ({"keyword": 0, "vector": 0}, "not both 0"),
        ({"minimum": 2}, "minimum=2; use 0"),
    ],
)
def test_wrong_settings_are_named(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        Weights(**settings)
