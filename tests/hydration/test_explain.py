"""Why a message was found: the parts add up, ranks are true, lists are kept apart."""

from __future__ import annotations

from math import isnan

import numpy as np
import pytest

from mnemo_lab.context import Candidates, Query
from mnemo_lab.conversation import ConversationInfo
from mnemo_lab.errors import InvalidInput
from mnemo_lab.hydration.explain import Hit, explain, lists
from mnemo_lab.hydration.strategies.checkpoint import CheckpointRetrieval
from mnemo_lab.hydration.strategies.hydrate import Hydrate
from tests.base.messages import new_services
from tests.conversations import office_recording

ONLY = dict.fromkeys(
    ("context", "dense", "pair", "session", "speaker", "answers", "asks", "asker", "checkpoint", "checkpoint_words",
     "time", "length"), 0.0,
)  # fmt: skip
STRATEGY = Hydrate(**{**ONLY, "keyword": 2.0, "dense": 1.0, "speaker": 3.0})  # type: ignore[arg-type]
BY_HAND = Candidates(
    np.array([4, 7, 9]),
    {
        "keyword": np.array([0.0, 3.0, 6.0]),
        "dense": np.array([0.5, np.nan, 0.1]),
        "speaker": np.array([1.0, 0.0, 0.0]),
    },
    np.array([3.5, -1.0, 2.5]),
    {"keyword": (3.0, 2.0), "dense": (0.3, 0.2), "speaker": (0.0, 1.0)},
)


def test_by_hand() -> None:
    """(0 - 3) / 2 = -1.5 twice, (0.5 - 0.3) / 0.2 = 1 once, and the flag three times: 1."""
    found = explain(STRATEGY, BY_HAND, 4)
    assert [part.signal for part in found.parts] == ["speaker", "dense", "keyword"]
    assert np.array([part[1:] for part in found.parts]) == pytest.approx(
        np.array([(1.0, 1.0, 3.0, 3.0, 1), (0.5, 1.0, 1.0, 1.0, 1), (0.0, -1.5, 2.0, -3.0, 3)])
    )
    assert (found.position, found.score, found.rank) == (4, 3.5, 1) and found.total == pytest.approx(1.0)


def test_what_a_signal_did_not_score_gets_its_least() -> None:
    found = explain(STRATEGY, BY_HAND, 7)
    dense = next(part for part in found.parts if part.signal == "dense")
    assert isnan(dense.raw) and dense.rank == 0 and dense.scaled == pytest.approx((0.1 - 0.3) / 0.2)
    assert found.rank == 3 and "not scored" in str(found)


def test_a_table() -> None:
    assert str(explain(STRATEGY, BY_HAND, 4)).splitlines() == [
        "message 4: rank 1, score 3.500 (moved from 1.000 by mmr)",
        "signal     raw  scaled  weight  contribution  rank",
        "speaker  1.000   1.000       3        +3.000     1",
        "dense    0.500   1.000       1        +1.000     1",
        "keyword  0.000  -1.500       2        -3.000     3",
    ]
    html = explain(STRATEGY, BY_HAND, 9)._repr_html_()
    assert html.startswith("<p>message 9: rank 2, score 2.500") and html.count("<tr>") == 4
    assert "<td>keyword</td><td>6.000</td><td>1.500</td><td>2</td><td>+3.000</td><td>1</td>" in html


def test_lists_are_kept_apart() -> None:
    found = lists(BY_HAND, 2)
    assert found == {
        "keyword": [Hit(9, 6.0), Hit(7, 3.0)],
        "dense": [Hit(4, 0.5), Hit(9, 0.1)],
        "speaker": [Hit(4, 1.0)],
    }
    assert lists(BY_HAND, 0) == {"keyword": [], "dense": [], "speaker": []}
    signed = Candidates(np.array([2, 1]), {"length": np.array([-1.0, 0.0]), "asks": np.zeros(2)}, np.zeros(2))
    assert lists(signed, 5) == {"length": [Hit(1, 0.0), Hit(2, -1.0)], "asks": []}


def test_a_position_that_was_not_searched() -> None:
    with pytest.raises(InvalidInput, match="message 5 is none of the 3 that were searched"):
        explain(STRATEGY, BY_HAND, 5)


@pytest.mark.parametrize(
    "strategy",
    [Hydrate(keyword=0.3, names=0.5, rerank=5), Hydrate(fusion="rrf"), Hydrate(fusion="minmax", rerank=3),
     CheckpointRetrieval(trigger="every(n=2)"), Hydrate(scope=2, trigger="every(n=2)")],
)  # fmt: skip
def test_parts_of_a_recall_add_up_to_its_score(strategy: Hydrate) -> None:
    memory = strategy.start(new_services(), "a")
    for conversation in office_recording().conversations:
        memory.begin(ConversationInfo(conversation.id))
        memory.observe(conversation.messages)
        memory.end()
    candidates = memory.candidates(Query("发布会 budget in the staging database, did Ann say?", "2026-03-04"))  # type: ignore[attr-defined]
    for rank, position in enumerate(candidates.ranking.tolist(), 1):
        found = explain(strategy, candidates, position)
        assert found.total == pytest.approx(found.score) and found.rank == rank
        assert {part.signal for part in found.parts} == {name for name, weight in strategy.weights().items() if weight}
        assert "mmr" not in str(found)
    for name, hits in lists(candidates, 3).items():
        ranks = {
            part.signal: part.rank for hit in hits[:1] for part in explain(strategy, candidates, hit.position).parts
        }
        assert not hits or ranks[name] == 1, "the first of a list has rank 1 in it"
