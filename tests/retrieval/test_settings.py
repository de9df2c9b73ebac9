"""Parameters are checked when a strategy is made, and what a recall costs is metered."""

from __future__ import annotations

import pytest

from mnemo_lab.context import Budget, Query
from mnemo_lab.conversation import ConversationInfo
from mnemo_lab.errors import InvalidInput
from mnemo_lab.retrieval.index_text import index_passages
from mnemo_lab.services import ServicesSpec
from mnemo_lab.strategy_text import parse_strategy
from tests.conversations import office_recording

QUERY = Query("Which port does the staging database use?")
NO_WEIGHT = "hybrid(keyword=0.0, context=0.0, dense=0.0, window=0.0, session=0.0, speaker=0.0)"


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("bm25(k=0)", r"bm25\(k=0\): must be 1 or more, or None"),
        ("dense(k=-3)", r"dense\(k=-3\): must be 1 or more, or None"),
        ("hybrid(k=0)", r"hybrid\(k=0\): must be 1 or more, or None"),
        ("hybrid(neighbours=-1)", r"hybrid\(neighbours=-1\): must be 0 or more"),
        ("hybrid(reach=-1)", r"hybrid\(reach=-1\): must be 0 or more"),
        ("hybrid(decay=1.5)", r"hybrid\(decay=1.5\): must be 0 to 1"),
        ("hybrid(decay=-0.5)", r"hybrid\(decay=-0.5\): must be 0 to 1"),
        ("bm25(k1=-1)", r"bm25\(k1=-1.0\): must be 0 or more"),
        ("bm25(k1=1e999)", "inf is not a finite number"),
        ("bm25(b=2)", r"bm25\(b=2.0\): must be 0 to 1"),
        ("hybrid(b=-0.1)", r"hybrid\(b=-0.1\): must be 0 to 1"),
        ("hybrid(dense=1e999)", "inf is not a finite number"),
        (NO_WEIGHT, "every weight is 0; give at least one"),
        ("hybrid(fusion='borda')", "'borda' is not one of 'zscore', 'minmax', 'rrf'"),
        ("hybrid(role='boss')", "'boss' is not one of 'user', 'assistant', 'tool'"),
        ("hybrid(k='ten')", "'ten' is not of type int or None"),
        ("hybrid(weights=1)", "unknown parameter of hybrid 'weights'; known: "),
        ("hybird", "Did you mean 'hybrid'"),
    ],
)
def test_bad_parameters(text: str, says: str) -> None:
    with pytest.raises(InvalidInput, match=says):
        parse_strategy(text)


@pytest.mark.parametrize(
    "text", ["bm25(k1=0, b=0)", "bm25(b=1)", "hybrid(reach=0, decay=0)", "hybrid(decay=1, dense=-1)"]
)
def test_the_edges_are_allowed(text: str) -> None:
    services = ServicesSpec(embedder="hashing", cache="").open()
    memory = parse_strategy(text).start(services, "a")
    memory.begin(ConversationInfo("c"))
    memory.observe(list(office_recording().messages()))
    context = memory.recall(QUERY, Budget(300, services.counter))
    found = context.candidates
    assert found is not None and (found.fused == found.fused).all()


@pytest.mark.parametrize("text", ["dense", "hybrid", "hybrid(window=1.0)", "hybrid(dense=0.0, window=1.0)"])
def test_every_recall_costs_one_embedded_question(text: str) -> None:
    """Whatever the number of views and of budgets asked before: tokens do not depend on the company they keep."""
    services = ServicesSpec(embedder="hashing", cache="").open()
    memory = parse_strategy(text).start(services, "a")
    memory.begin(ConversationInfo("c"))
    messages = list(office_recording().messages())
    memory.observe(messages)
    written = sum(services.count(part) for message in messages for part in index_passages(message, True))
    assert services.ledger.total("write") == written
    services.ledger.path = "read"
    for times, tokens in enumerate((64, 128, 4096), 1):
        memory.recall(QUERY, Budget(tokens, services.counter))
        assert services.ledger.total("read") == times * services.count(QUERY.text)
    assert services.ledger.total("write") == written


def test_keywords_cost_no_model() -> None:
    services = ServicesSpec(embedder="hashing", cache="").open()
    memory = parse_strategy("bm25").start(services, "a")
    memory.begin(ConversationInfo("c"))
    memory.observe(list(office_recording().messages()))
    memory.recall(QUERY, Budget(64, services.counter))
    assert services.ledger.spent.total() == 0
