"""The oracle: what gold knowledge could reach with the same packer bounds every strategy that packs transcripts.

It does not bound ``chat`` rendering, whose messages cost other tokens than dated lines, nor ``full``, which is
flagged for being over budget.
"""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mnemo_lab.context import Budget
from mnemo_lab.conversation import Conversation, Message
from mnemo_lab.history import History
from mnemo_lab.metrics.evidence import evidence_recall
from mnemo_lab.packing.pack import pack_lines
from mnemo_lab.recording import Probe, Recording
from mnemo_lab.replay.loop import replay
from mnemo_lab.replay.reference import replay_oracle
from mnemo_lab.replay.view import RecordingView, kept_of
from mnemo_lab.services import Services, ServicesSpec
from mnemo_lab.strategy_text import parse_strategy
from tests.conversations import TEXTS, office_recording

SERVICES = ServicesSpec(embedder="hashing", cache="").open()
BUDGETS = [0, 20, 40, 60, 80, 120, 200, 500]


@settings(max_examples=60, deadline=None)
@given(texts=st.lists(TEXTS, min_size=1, max_size=8), budget=st.sampled_from(BUDGETS), data=st.data())
def test_no_order_of_packing_beats_it(texts: list[str], budget: int, data: st.DataObject) -> None:
    """Whatever messages in whatever order a strategy packs, it keeps no more of the evidence."""
    messages = tuple(Message("user", text, f"m{i}") for i, text in enumerate(texts))
    evidence = data.draw(st.sets(st.sampled_from([m.id for m in messages]), min_size=1))
    prompt = data.draw(st.sampled_from([None, "Answer in rhyme."]))
    probe = Probe("p", "?", "c", tuple(evidence))
    view = RecordingView(Recording("r", (Conversation(messages, system_prompt=prompt),), (probe,)), SERVICES)
    (oracle,) = replay_oracle(view, [budget], SERVICES)
    history = History(SERVICES)
    history.begin(view.shown_info(0))
    history.extend([view.shown(p) for p in range(len(messages))])
    order = data.draw(st.permutations(range(len(messages))))
    context = pack_lines(order, history, Budget(budget, SERVICES.counter), SERVICES)
    other = replace(oracle, context=context, kept=kept_of(context, view.position_of_opaque))
    assert evidence_recall(other) <= evidence_recall(oracle)
    assert oracle.context is not None
    assert oracle.context.recount() == oracle.context.tokens
    assert not oracle.context.over_budget or prompt


@pytest.mark.parametrize(
    "text", ["bm25", "bm25(k=2)", "dense", "hybrid", "hybrid(neighbours=1)", "hybrid(fusion='rrf')"]
)
def test_it_bounds_every_retriever(text: str, services: Services) -> None:
    view = RecordingView(office_recording(), services)
    best = {(o.probe.id, o.budget_tokens): evidence_recall(o) for o in replay_oracle(view, BUDGETS, services)}
    kept = []
    for outcome in replay(view, parse_strategy(text), text, BUDGETS, services):
        assert outcome.context is not None and outcome.context.rendering == "transcript"
        found, bound = evidence_recall(outcome), best[outcome.probe.id, outcome.budget_tokens]
        assert not found > bound
        kept.append(found)
    assert 1.0 in kept


def test_its_contexts_are_the_evidence(services: Services) -> None:
    """By value: all evidence where it fits, nothing else, and nothing for a probe without any."""
    view = RecordingView(office_recording(), services)
    for outcome in replay_oracle(view, [1000], services):
        assert outcome.context is not None
        names = [view.messages[p].id for p in sorted(outcome.kept.verbatim)]
        assert names == list(outcome.probe.evidence)
        assert outcome.ranking == outcome.gold.evidence
        assert outcome.costs.write_tokens == outcome.costs.read_tokens == 0


def test_cheapest_evidence_first(services: Services) -> None:
    """One short message of three long ones: a budget for the short one alone keeps it."""
    messages = tuple(
        Message("user", t, f"m{i}") for i, t in enumerate(["long words " * 30, "short", "long again " * 30])
    )
    probe = Probe("p", "?", "c", ("m0", "m1", "m2"))
    view = RecordingView(Recording("r", (Conversation(messages),), (probe,)), services)
    (outcome,) = replay_oracle(view, [40], services)
    assert evidence_recall(outcome) == pytest.approx(1 / 3)
    assert outcome.ranking[0] == 1


def test_two_recordings_on_the_same_services(services: Services) -> None:
    """A view may get the address of one that is gone: nothing of the first may be shown for the second."""
    for number in range(40):
        messages = (Message("user", f"number {number}", "m0"), Message("user", "other", "m1"))
        recording = Recording(f"r{number}", (Conversation(messages),), (Probe("p", "?", "c", ("m0",)),))
        view = RecordingView(recording, services)
        (outcome,) = replay_oracle(view, [200], services)
        assert outcome.context is not None and f"number {number}\n" in outcome.context.text
        del view, outcome
