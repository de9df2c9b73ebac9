"""How much is taken: by the gap to the best, by the kind of question, and nothing where nothing fits."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from mnemo_lab.context import Candidates, Query
from mnemo_lab.conversation import Message
from mnemo_lab.hydration.adaptive import NEAR, WIDE, enough, near_misses, nothing_fits, scores_at
from tests.hydration.talks import users

NARROW, BROAD = Query("Where does Gina live?"), Query("List all the places that Gina visited")


def scored(*fused: float, positions: Sequence[int] | None = None, **columns: Sequence[float]) -> Candidates:
    where = np.arange(len(fused)) if positions is None else np.array(positions)
    scores = {name: np.array(column, dtype=float) for name, column in columns.items()}
    return Candidates(where, scores, np.array(fused, dtype=float))


def taken(query: Query, *fused: float) -> int:
    found = scored(*fused)
    return enough(found, query, found.ranking.tolist())


def test_what_lies_within_the_width_is_taken() -> None:
    assert taken(NARROW, 9.0, 8.0, 7.0, 5.0, 4.9, 1.0) == 4
    assert taken(BROAD, 9.0, 8.0, 7.0, 5.0, 4.9, 1.0) == 5, "a wide question takes more"
    assert taken(NARROW, *[3.0] * 50) == 50


def test_the_best_is_never_alone_where_there_are_more() -> None:
    assert taken(NARROW, 20.0, 5.0, 4.0, 3.0) == 3
    assert taken(NARROW, 20.0, 5.0) == 2 and taken(NARROW, 20.0) == 1 and taken(NARROW) == 0


def test_only_what_is_ranked_counts() -> None:
    found = scored(9.0, 8.0, 7.0, positions=[4, 7, 2])
    assert enough(found, NARROW, [7, 2]) == 2 and enough(found, NARROW, []) == 0
    assert scores_at(found, [2, 4, 7]).tolist() == [7.0, 9.0, 8.0]
    with pytest.raises(KeyError, match="not among the candidates"):
        scores_at(found, [3])


@pytest.mark.parametrize(
    "text",
    ["How many times did we meet?", "Summarise the project", "What changed between May and June?", "我都去过哪些地方？",
     "把所有的预算列出来", "先后换过几次主键？", "总结一下发布会的安排"],
)  # fmt: skip
def test_wide(text: str) -> None:
    assert WIDE.search(text)


@pytest.mark.parametrize("text", ["When did Gina get her tattoo?", "发布会定在哪天？", "换掉主键的那个迁移叫什么？"])
def test_narrow(text: str) -> None:
    assert not WIDE.search(text)


def test_nothing_fits() -> None:
    past = users("We talked about tea.", "错误码 E-4417 表示锁已过期", "The port is 5433, the column cust_ref_2.")

    def none(text: str, *dense: float, messages: Sequence[Message] = past) -> bool:
        return nothing_fits(scored(*dense, dense=dense), Query(text), messages, 0.25)

    assert none("How tall is Mount Everest?", 0.2, 0.1, 0.0)
    assert none("珠穆朗玛峰有多高？", 0.2, 0.24)
    assert not none("How tall is Mount Everest?", 0.25, 0.1)
    assert not none("What does e-4417 mean?", 0.1) and not none("cust_ref_2 是哪一列？", 0.1)
    assert none("What does E-4418 mean?", 0.1) and none("Is it 54?", 0.1), "another identifier; a number in another one"
    assert not none("How tall is Mount Everest?", messages=[]), "nothing observed: nothing to leave out"
    assert not nothing_fits(scored(1.0, keyword=[1.0]), NARROW, past, 0.25), "no cosine, no telling"


def test_near_misses() -> None:
    """Scores 0, 2, 4, 6 have a standard deviation of the root of 5: a quarter is 0.559."""
    found = scored(0.0, 2.0, 4.0, 6.0)
    assert pytest.approx(0.559, abs=1e-3) == NEAR * 5**0.5
    assert near_misses(found, 4.5) == 1 and near_misses(found, 4.6) == 0
    assert near_misses(found, 4.0) == 0, "what reaches the minimum is no miss"
    assert near_misses(found, 2.1) == near_misses(found, 0.1) == 1 and near_misses(scored(), 1.0) == 0
