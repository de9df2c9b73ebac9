"""Late interaction by hand, over real token vectors, and as a signal of ``hydrate``."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from mnemo_lab.context import Query
from mnemo_lab.conversation import ConversationInfo, Message
from mnemo_lab.embeddings import open_embedder
from mnemo_lab.embeddings.cached import REMEMBERED, CachedEmbedder
from mnemo_lab.embeddings.e5 import MultilingualE5
from mnemo_lab.errors import InvalidInput
from mnemo_lab.hydration.rerank import check_tokens, max_sim, max_sims
from mnemo_lab.hydration.strategies.base import HydrationCandidates
from mnemo_lab.hydration.strategies.hydrate import Hydrate
from mnemo_lab.retrieval.index_text import index_passages
from mnemo_lab.services import Services
from tests.base.messages import new_services
from tests.conversations import day, office_recording

MESSAGES = [m for conversation in office_recording().conversations for m in conversation.messages]
QUERY = Query("Which port does the staging database use?")


def rows(*values: tuple[float, ...]) -> np.ndarray:
    return np.array(values, dtype=np.float32).reshape(len(values), 2)


def test_max_sim_by_hand() -> None:
    """Cosines 1 and 0.6 are the best of the first, 0 and 0.8 of the second question token: 0.9 on the mean."""
    assert max_sim(rows((1, 0), (0, 1)), rows((0.6, 0.8), (1, 0))) == pytest.approx((1 + 0.8) / 2)
    assert max_sim(rows((1, 0)), rows((-1, 0))) == -1.0
    assert max_sim(rows(), rows((1, 0))) == max_sim(rows((1, 0)), rows()) == 0.0


def test_a_message_has_what_its_best_passage_has() -> None:
    services = new_services()
    long = Message("user", " ".join(["We talked about tea and the lake."] * 60) + " The port is 5433.", "m")
    assert len(index_passages(long, prefix=False)) > 1
    asked, *parts = services.embedder.tokens([QUERY.text, *index_passages(long, prefix=False)])  # type: ignore[attr-defined]
    before = services.ledger.spent["write", "embedder"]
    (found,) = max_sims(QUERY, [long], services)
    assert found == pytest.approx(max(max_sim(asked, part) for part in parts)) and found > 0
    told = [QUERY.text, *index_passages(long, prefix=False)]
    assert services.ledger.spent["write", "embedder"] - before == sum(services.count(text) for text in told)


def test_words_in_common_are_what_hashed_tokens_share() -> None:
    """Of four terms of the question the first message has two, the second none; nothing collides here."""
    services = new_services()
    messages = [Message("user", "the staging port", "a"), Message("user", "tea", "b"), Message("user", "", "c")]
    query = Query("staging port budget banner")
    best, none, _ = max_sims(query, messages, services)
    assert best == pytest.approx(0.5, abs=0.01) and none == pytest.approx(0.0, abs=0.01)
    assert max_sims(Query("the"), messages, services).tolist() == [0, 0, 0], "a question without a search term"
    assert max_sims(query, [], services).tolist() == []


def recalled(strategy: Hydrate, services: Services | None = None) -> HydrationCandidates:
    memory = strategy.start(services or new_services(), "a")
    memory.begin(ConversationInfo("c"))
    memory.observe(MESSAGES)
    found = memory.candidates(QUERY)  # type: ignore[attr-defined]
    assert isinstance(found, HydrationCandidates)
    return found


def test_the_reranked_are_brought_to_scale_among_themselves() -> None:
    plain, services = recalled(Hydrate()), new_services()
    found = recalled(Hydrate(rerank=4, rerank_weight=0.5), services)
    best = plain.ranking[:4]
    column = found.scores["rerank"]
    assert np.flatnonzero(~np.isnan(column)).tolist() == sorted(best.tolist())
    expected = max_sims(QUERY, [MESSAGES[i] for i in best], services)
    assert column[best] == pytest.approx(expected)
    scaled = (expected - expected.mean()) / expected.std()
    gained = found.fused - plain.fused
    assert gained[best] == pytest.approx(0.5 * scaled), "weight times z-score"
    others = np.setdiff1d(np.arange(len(MESSAGES)), best)
    assert gained[others] == pytest.approx(0.5 * scaled.min()), "what was not reranked gains no more than the least"
    assert {k: v.tolist() for k, v in plain.scores.items()} == {
        k: v.tolist() for k, v in found.scores.items() if k != "rerank"
    }


def test_off_and_out_of_range() -> None:
    assert "rerank" not in recalled(Hydrate()).scores and "rerank" not in Hydrate().weights()
    everything = recalled(Hydrate(rerank=1000))
    assert not np.isnan(everything.scores["rerank"]).any()
    with pytest.raises(InvalidInput, match=r"hydrate\(rerank=-1\): must be 0 or more"):
        Hydrate(rerank=-1)
    with pytest.raises(InvalidInput, match=r"hydrate\(mmr=1.5\): must be 0 to 1"):
        Hydrate(mmr=1.5)


def test_mmr_deals_the_scores_of_the_best_out_anew() -> None:
    twice = [*MESSAGES, replace(MESSAGES[0], id="again", timestamp=day(60))]
    for mmr in (0.0, 0.5):
        memory = Hydrate(mmr=mmr).start(new_services(), "a")
        memory.begin(ConversationInfo("c"))
        memory.observe(twice)
        ranking = memory.candidates(QUERY).ranking.tolist()  # type: ignore[attr-defined]
        first, second = sorted((ranking.index(0), ranking.index(len(twice) - 1)))
        assert (first, second) == (0, 1) if not mmr else (first == 0 and second > 3)


def test_an_embedder_without_tokens_is_refused_before_anything_is_written() -> None:
    services = new_services(embedder="multilingual-e5-small")
    with pytest.raises(
        InvalidInput, match=r"'multilingual-e5-small' gives no vectors of tokens.*those that do: .*MiniLM.*hashing"
    ):
        Hydrate(rerank=5).start(services, "a")
    Hydrate().start(services, "a")
    with pytest.raises(InvalidInput, match="Choose one of them, or rerank=0"):
        check_tokens(MultilingualE5(1))


def test_token_vectors_are_remembered_in_half_precision() -> None:
    embedder = open_embedder("hashing", cache_dir="")
    assert isinstance(embedder, CachedEmbedder)
    (first,), (again, other) = embedder.tokens(["a big port"]), embedder.tokens(["a big port", "tea"])
    assert first.tolist() == again.tolist() and first.dtype == np.float32 and len(first) == 2 and len(other) == 1
    assert np.linalg.norm(first, axis=1) == pytest.approx(1.0, abs=1e-3)
    embedder.tokens([f"text{n}" for n in range(REMEMBERED)])
    assert len(embedder._token_vectors) == REMEMBERED and embedder.tokens(["a big port"])[0].tolist() == first.tolist()


def test_minilm_gives_one_row_for_every_word_piece() -> None:
    """Against the tokenizer itself; the same word in the same sense is closer than another."""
    embedder = open_embedder("all-MiniLM-L6-v2", cache_dir="")
    assert isinstance(embedder, CachedEmbedder)
    river, money, also, empty = embedder.tokens(["the river bank", "money at the bank", "my bank account", ""])
    assert [len(found) for found in (river, money, also, empty)] == [3, 4, 3, 0]
    assert np.linalg.norm(money, axis=1) == pytest.approx(np.ones(4), abs=1e-3)
    assert money[3] @ also[1] > money[3] @ river[2]
    with pytest.raises(InvalidInput, match="reads English only"):
        embedder.tokens(["发布会的预算是多少"])
