"""Other people's strategies under the laws every strategy keeps. What a peer breaks is recorded, not hidden."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.util import find_spec
from typing import Final

import pytest

from tests.evals.peers_folder import POINTS

# isort: split
from mnemo_peers.haystack import HaystackSummary, HaystackWindow
from mnemo_peers.langchain import LangChainSummary, LangChainTrim
from mnemo_peers.llamaindex import LlamaIndexMemory, LlamaIndexSummary

from mnemo_lab import registry
from mnemo_lab.services import Services
from mnemo_lab.strategy import Strategy
from tests.contract.conftest import new_services
from tests.contract.test_strategies import *  # noqa: F403  the laws, with the fixtures below

PEERS: Final = {
    "langchain_core": (LangChainTrim(), LangChainTrim("human", True)),
    "langchain": (LangChainSummary(), LangChainSummary(0.8, 0.3)),
    "llama_index": (LlamaIndexMemory(), LlamaIndexMemory(1.0, 1), LlamaIndexSummary()),
    "haystack": (HaystackWindow(), HaystackWindow(1.0, 0.9), HaystackSummary()),
}
CASES: Final = [
    pytest.param(
        peer, id=str(peer), marks=pytest.mark.skipif(find_spec(package) is None, reason=f"{package} is not installed")
    )
    for package, peers in PEERS.items()
    for peer in peers
]
BUDGET, REST = "test_budget_holds_or_is_flagged", "test_everything_is_kept_represented_or_lost"
OVER: Final = {
    "langchain_summary": "keeps so many messages, or at least the newest, whatever they take",
    "llamaindex_memory": "counts no framing of messages and no tool calls (llama_index#21950), keeps at least one turn",
    "llamaindex_summary": "counts no framing of messages and no tool calls, and the summary comes on top",
    "haystack_window": "keeps the newest user message and step whatever they take, and its note comes on top",
    "haystack_summary": "keeps the newest user message and step whatever they take",
}
FAULTS: Final = {(name, law): reason for name, reason in OVER.items() for law in (BUDGET, REST)}
"""Laws that a peer is known to break. ``stays_valid`` of ``langchain_trim`` stands in ``PEER_FAULTS``."""


@pytest.fixture(params=CASES)
def strategy(request: pytest.FixtureRequest) -> Strategy:
    peer: Strategy = request.param
    if reason := FAULTS.get((peer.name, request.node.originalname)):
        request.applymarker(pytest.mark.xfail(reason=reason, strict=False))
    return peer


@pytest.fixture(autouse=True)
def registered(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """As if the package were installed."""
    known = registry.BUILT_IN["strategy"] | POINTS
    monkeypatch.setitem(registry.BUILT_IN, "strategy", known)  # type: ignore[arg-type]
    registry._entries.cache_clear()
    yield
    registry._entries.cache_clear()


@pytest.fixture(scope="session")
def services() -> Services:
    return new_services()
