from __future__ import annotations

import pytest

from mnemo_lab.registry import PRESETS, names
from mnemo_lab.services import Services, ServicesSpec
from mnemo_lab.strategy import Strategy
from mnemo_lab.strategy_text import parse_strategy
from tests.contract.skeletons import SKELETONS, ScriptedModel

VARIANTS = ("recent(keep_last_n=3)", "recent(cut_oversized=False)", "bm25(k=2)", "hybrid(neighbours=1)",
            "hybrid(fusion='rrf')", "hybrid(window=0.4, answers=0.6, role_weight=1.0)")  # fmt: skip
STRATEGIES: list[Strategy] = [parse_strategy(t) for t in [*names("strategy"), *PRESETS, *VARIANTS]] + list(SKELETONS)
PEER_FAULTS = {
    "langchain_trim": {"stays_valid": "trim_messages starts a list with orphaned tool results (langchain#33245)"},
}
"""Laws that a peer is known to break: recorded, not hidden."""


def short(strategy: Strategy) -> str:
    return str(strategy)[:50]


@pytest.fixture(params=STRATEGIES, ids=short)
def strategy(request: pytest.FixtureRequest) -> Strategy:
    return request.param  # type: ignore[no-any-return]


@pytest.fixture(scope="session")
def services() -> Services:
    return new_services()


def new_services() -> Services:
    return ServicesSpec(embedder="hashing", cache="").open(ScriptedModel())
