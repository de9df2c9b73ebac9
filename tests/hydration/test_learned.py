from __future__ import annotations

import pytest

from mnemo_lab.context import Budget, Query
from mnemo_lab.hydration.strategies.base import WithCheckpoints
from mnemo_lab.hydration.strategies.hydrate import Hydrate
from mnemo_lab.hydration.strategies.learned import FITTED, Learned
from mnemo_lab.retrieval.base import RetrievingMemory
from mnemo_lab.services import Services, ServicesSpec
from mnemo_lab.strategy_text import parse_strategy
from tests.conversations import office_recording

QUESTIONS = ("Which port does the staging database use?", "发布会现在定在哪天？", "What did I say on 3 March?")


@pytest.fixture(scope="module")
def services() -> Services:
    return ServicesSpec(embedder="hashing", cache="").open()


def memory_of(strategy: WithCheckpoints, services: Services) -> RetrievingMemory:
    memory = strategy.start(services, "office")
    assert isinstance(memory, RetrievingMemory)
    for conversation in office_recording().conversations:
        memory.begin(conversation.info)
        memory.observe(conversation.messages)
        memory.end()
    return memory


def test_weights_come_from_the_file_and_print() -> None:
    weights = FITTED["weights"]
    assert {name: weight for name, weight in Learned().weights().items() if weight} == weights
    assert all(f"{name}={weight!r}" in str(Learned()) for name, weight in weights.items())
    assert parse_strategy("learned") == parse_strategy(str(Learned())) == Learned()


def test_every_signal_of_hydrate_is_fitted_on_development_recordings() -> None:
    assert set(FITTED["weights"]) == {name for name, weight in Hydrate().weights().items() if weight}
    locomo = [f"locomo conv-{number}" for number in (26, 30, 41, 42, 43)]
    assert FITTED["fitted_on"] == [*locomo, *(f"beam beam-{number}" for number in range(1, 6))]


@pytest.mark.parametrize("question", QUESTIONS)
def test_the_order_is_the_weighted_sum(question: str, services: Services) -> None:
    found = memory_of(Learned(), services).candidates(Query(question, "2026-03-05T12:00:00Z"))
    totals = []
    for position in range(len(found.positions)):
        total = 0.0
        for name, weight in FITTED["weights"].items():
            mean, spread = found.moments[name]
            total += weight * max((float(found.scores[name][position]) - mean) / max(spread, 1e-6), -3.0)
        totals.append(total)
    assert found.fused.tolist() == pytest.approx(totals)
    assert list(Learned().order(found)) == sorted(range(len(totals)), key=lambda i: (-found.fused[i], i))


def test_with_the_weights_of_hydrate_it_is_hydrate(services: Services) -> None:
    same = Learned(**Hydrate().weights(), summaries=0.3, excerpt=20)  # type: ignore[arg-type]
    hydrate = Hydrate(summaries=0.3, excerpt=20)
    assert same.settings() == hydrate.settings()
    for question in QUESTIONS:
        query, budget = Query(question), Budget(150, services.counter)
        contexts = [memory_of(strategy, services).recall(query, budget) for strategy in (same, hydrate)]
        assert contexts[0].pieces == contexts[1].pieces
