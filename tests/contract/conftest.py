from __future__ import annotations

import pytest

from mnemo_lab.registry import PRESETS, names
from mnemo_lab.services import Services, ServicesSpec
from mnemo_lab.strategy import Strategy
from mnemo_lab.strategy_text import parse_strategy
from tests.contract.skeletons import SKELETONS, ScriptedModel

VARIANTS = ("recent(keep_last_n=3)", "recent(cut_oversized=False)", "recent(low_water=0.5)", "recent(note='zh')",
            "recent(partial=True, note='en')", "recent(low_water=0.7, note='en')",
            "head_tail(head=0.3, note='en')", "head_tail(head=0.8, note='zh', cut_oversized=False)",
            "tool_trim(keep_results=0, clear_inputs=True, note='zh')", "tool_trim(keep_results=1, mode='elide')",
            "tool_trim(exclude=('run',), then='head_tail', note='en')",
            "tool_trim(keep_results=1, clear_at_least=20)", "bm25(k=2)", "hybrid(neighbours=1)",
            "hybrid(fusion='rrf')", "hybrid(window=0.4, answers=0.6, role_weight=1.0)",
            "summary(writer='model', share=0.4, keep_user=0.0)",
            "summary(share=0.3, keep_user=0.4, low_water=1.0, note='zh')",
            "summary_tree(leaf=40, node=20, fanout=2)", "summary_tree(writer='model', leaf=60, node=24)",
            "importance(note='zh', recent=0.0, novelty=0.5, referred=1.0)", "importance(length=0.0, recent=1.0)",
            "similarity(mmr=0.5, recent=0.3, note='zh')", "similarity(to='recent', last=2, neighbours=1)",
            "budgeted(head=0.2, recent=0.2, similar=0.3, important=0.2, note='zh')",
            "budgeted(head=0.5, recent=0.0, similar=0.0, important=0.5)",
            "checkpoint(trigger='every(n=2)', expand='summary')",
            "checkpoint(trigger='every(n=2)', expand='range', k=2)",
            "hydrate(trigger='every(n=1)', recent=0.3, summaries=0.3, excerpt=20)",
            "hydrate(neighbours=1, adaptive=True, minimum=0.0, order_by='best_last', describer='model')",
            "hydrate(mmr=0.4, rerank=3, excerpt=15, trigger='every(n=2)')", "hydrate(rewrite=True, rerank=2)",
            "lists(recent=1, similar=5, checkpoints=0, trigger='cue()')",
            "memory(every=1, recent=2, share=0.8, position='end')",
            "memory(position='middle', vector=0.0, signals=False)",
            "hydrate(memory=True, memory_share=0.5, recent=0.2)")  # fmt: skip
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
