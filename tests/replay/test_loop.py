"""The loop: what a strategy is told, when, and what it costs."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mnemo_lab.conversation import Conversation, Message
from mnemo_lab.errors import InvalidInput
from mnemo_lab.recording import Probe, Recording, Span
from mnemo_lab.replay.loop import asks, replay
from mnemo_lab.replay.outcome import Outcome
from mnemo_lab.replay.view import RecordingView
from mnemo_lab.services import Services
from mnemo_lab.strategy_text import parse_strategy
from tests.conversations import office_recording
from tests.replay.spies import CALLS, BoundSpy, Liar, Spy


def kinds() -> list[str]:
    return [call[0] for call in CALLS]


def office(services: Services, recording: Recording | None = None) -> RecordingView:
    return RecordingView(recording or office_recording(), services)


def test_probes_in_the_order_they_are_asked(services: Services) -> None:
    outcomes = list(replay(office(services), Spy(), "spy", [10, 50], services))
    assert [(o.probe.id, o.budget_tokens) for o in outcomes] == [
        (probe, budget) for probe in ("q5", "q2", "q0", "q1", "q3", "q4") for budget in (10, 50)
    ]


def test_a_probe_sees_what_was_there(services: Services) -> None:
    """q5 is asked after m5, q2 after m9, the rest at the end; now is when the last seen message was written."""
    list(replay(office(services), Spy(), "spy", [10], services))
    recalls = [(query.text[:12], seen, query.asked_at) for _, query, _, seen in (c for c in CALLS if c[0] == "recall")]
    assert recalls[0] == ("How many row", 6, "2026-03-01T05:00:00Z")
    assert recalls[1] == ("发布会原来定在哪天？", 10, "2026-03-01T09:00:00Z")
    assert {seen for _, seen, _ in recalls[2:]} == {18}


def test_asked_at_is_now_where_it_is_known(services: Services) -> None:
    recording = office_recording()
    probes = tuple(replace(p, asked_at="2026-09-09T00:00:00Z") for p in recording.probes)
    list(replay(office(services, replace(recording, probes=probes)), Spy(), "spy", [10], services))
    assert {call[1].asked_at for call in CALLS if call[0] == "recall"} == {"2026-09-09T00:00:00Z"}


def test_conversations_begin_and_end_in_order(services: Services) -> None:
    """The first ends before the second begins, and the last before the final questions."""
    list(replay(office(services), Spy(), "spy", [10], services))
    assert kinds() == [
        "start", "begin", "observe", "recall", "observe", "recall", "end", "begin", "observe", "end", *["recall"] * 4,
        "close",
    ]  # fmt: skip
    texts = [m.text for call in CALLS if call[0] == "observe" for m in call[1]]
    assert texts == [m.text for m in office_recording().messages()]
    assert [call[1].title for call in CALLS if call[0] == "begin"] == ["Kick-off", "Changes"]
    assert [call[1].system_prompt for call in CALLS if call[0] == "begin"] == ["You are a helpful assistant."] * 2


def test_everything_is_observed_though_the_last_probe_is_early(services: Services) -> None:
    recording = office_recording()
    early = replace(recording, probes=tuple(p for p in recording.probes if p.after))
    list(replay(office(services, early), Spy(), "spy", [10], services))
    assert kinds()[-5:] == ["end", "begin", "observe", "end", "close"]


def test_a_probe_after_the_last_message_is_asked_before_the_end(services: Services) -> None:
    """``after`` the last message means during the conversation; no ``after`` means once it is over."""
    recording = office_recording()
    last = replace(recording, probes=(Probe("a", "?", "c"), Probe("b", "?", "c", after="m17")))
    outcomes = list(replay(office(services, last), Spy(), "spy", [10], services))
    assert [o.probe.id for o in outcomes] == ["b", "a"]
    assert kinds()[-5:] == ["observe", "recall", "end", "recall", "close"]


def test_empty_conversations_and_recordings(services: Services) -> None:
    """A conversation without messages never begins; a recording without any is asked all the same."""
    empty, full = Conversation((), "e"), Conversation((Message("user", "hi", "m0"),), "f")
    probe = Probe("p", "What?", "c")
    list(replay(office(services, Recording("r", (empty, full, empty), (probe,))), Spy(), "spy", [10], services))
    assert kinds() == ["start", "begin", "observe", "end", "recall", "close"]
    for strategy in ("full", "recent", "random", "bm25", "dense", "hybrid(window=0.5, answers=0.5, neighbours=2)"):
        view = office(services, Recording("r", (empty,), (probe,)))
        (outcome,) = replay(view, parse_strategy(strategy), strategy, [10], services)
        assert outcome.context is not None and outcome.context.pieces == ()
    assert asks(office(services, Recording("r", (full,)))) == []


def test_one_memory_for_all_budgets_or_one_each(services: Services) -> None:
    list(replay(office(services), Spy(), "spy", [10, 20, 30], services))
    assert [call[3] for call in CALLS if call[0] == "start"] == [None]
    assert kinds().count("observe") == 3
    CALLS.clear()
    outcomes = list(replay(office(services), BoundSpy(), "bound", [10, 20, 30], services))
    assert [call[3].tokens for call in CALLS if call[0] == "start"] == [10, 20, 30]
    assert {(call[2].tokens) for call in CALLS if call[0] == "recall"} == {10, 20, 30}
    assert kinds().count("observe") == 9 and kinds().count("close") == 3
    assert len(outcomes) == 18


@pytest.mark.parametrize("strategy", [Spy(), BoundSpy()])
def test_costs_are_shared_among_the_questions(services: Services, strategy: Spy) -> None:
    """A token a message and 100 an end, over six probes; a bound strategy is charged per budget, not in sum."""
    outcomes = list(replay(office(services), strategy, "spy", [10, 50], services))
    written = {(o.probe.id, o.budget_tokens): o.costs.write_tokens for o in outcomes}
    for budget in (10, 50):
        assert written["q5", budget] == pytest.approx(6 / 6)
        assert written["q2", budget] == pytest.approx(10 / 6)
        assert written["q0", budget] == written["q4", budget] == pytest.approx((18 + 200) / 6)
    assert {o.costs.read_tokens for o in outcomes} == {2}


@pytest.mark.parametrize("budgets", [[64], [64, 256], [256, 64], [0, 64, 256, 4096]])
def test_costs_do_not_depend_on_the_other_budgets(services: Services, budgets: list[int]) -> None:
    for text in ("dense", "hybrid(window=1.0)"):
        for outcome in replay(office(services), parse_strategy(text), text, budgets, services):
            assert outcome.costs.read_tokens == services.count(outcome.probe.question)


@pytest.mark.parametrize(
    ("how", "says"),
    [
        ("future", "not yet observed at 6"),
        ("unknown", "'m0', which was never observed"),
        ("ranked", "ranked message 6"),
    ],
)
def test_a_strategy_that_lies_is_refused(services: Services, how: str, says: str) -> None:
    with pytest.raises(ValueError, match=says):
        list(replay(office(services), Liar(how=how), "liar", [10], services))


def outcomes_of(services: Services, recording: Recording, text: str) -> dict[tuple[str, int], Outcome]:
    view = RecordingView(recording, services)
    return {(o.probe.id, o.budget_tokens): o for o in replay(view, parse_strategy(text), text, [80, 300], services)}


@settings(max_examples=8, deadline=None)
@given(cut=st.integers(1, 17))
@pytest.mark.parametrize("text", ["bm25", "hybrid(window=0.5, answers=0.5)", "random"])
def test_a_probe_in_the_middle_is_as_if_nothing_followed(text: str, cut: int) -> None:
    """The same contexts and rankings as on a recording that ends there."""
    from mnemo_lab.services import ServicesSpec

    recording = office_recording()
    messages = list(recording.messages())
    probe = Probe("p", "Which port does staging use? 发布会", "c", after=f"m{cut - 1}")
    first, second = recording.conversations
    ended = (
        replace(first, messages=tuple(messages[: min(cut, 10)])),
        replace(second, messages=tuple(messages[10:cut])),
    )
    with_more = outcomes_of(
        ServicesSpec(embedder="hashing", cache="").open(), replace(recording, probes=(probe,)), text
    )
    alone = outcomes_of(
        ServicesSpec(embedder="hashing", cache="").open(),
        Recording("r", ended[: 1 + (cut > 10)], (replace(probe, after=None),)), text,
    )  # fmt: skip
    for key, outcome in with_more.items():
        assert outcome.context is not None and alone[key].context is not None
        assert outcome.context.text == alone[key].context.text
        assert outcome.ranking == alone[key].ranking


def bad(**fields: object) -> Probe:
    return replace(Probe("q", "?", "c"), **fields)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("probes", "says"),
    [
        ((bad(evidence=("m99",)),), "probe 'q': message 'm99' does not exist"),
        ((bad(after="m99"),), "probe 'q': message 'm99' does not exist"),
        ((bad(spans=(Span("m99", 0, 1),)),), "probe 'q': message 'm99' does not exist"),
        ((bad(evidence=("m10",), after="m9"),), "probe 'q': message 'm10' comes after the question is asked"),
        ((bad(), bad()), "probe ids are used twice"),
    ],
)
def test_gold_that_does_not_exist_is_refused(services: Services, probes: tuple[Probe, ...], says: str) -> None:
    with pytest.raises(InvalidInput, match=f"recording 'office'.*{says}"):
        office(services, replace(office_recording(), probes=probes))


def test_message_ids_used_twice_are_refused(services: Services) -> None:
    twice = Conversation((Message("user", "a", "x"), Message("user", "b", "x")))
    with pytest.raises(InvalidInput, match="1 message ids are used twice"):
        office(services, Recording("r", (twice,)))
