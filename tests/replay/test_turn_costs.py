"""Costs by turn: a conversation worked out by hand, what must hold for any, and the bundled recordings."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, ClassVar

import polars as pl
import pytest
from hypothesis import given, settings

import mnemo_lab as ml
from mnemo_lab.context import Budget, Context, Query
from mnemo_lab.conversation import Conversation, ConversationInfo, Message
from mnemo_lab.errors import InvalidInput, UnknownName
from mnemo_lab.language_models.base import Completion
from mnemo_lab.recording import Probe, Recording
from mnemo_lab.replay.loop import replay
from mnemo_lab.replay.rows import frame_of
from mnemo_lab.replay.turn_costs import FULL, TurnCosts, break_even, priced, turn_costs
from mnemo_lab.replay.turns import Turn, walk, walk_full
from mnemo_lab.replay.view import RecordingView
from mnemo_lab.services import Services, ServicesSpec
from mnemo_lab.strategy import WorkingMemory
from mnemo_lab.strategy_text import parse_strategy
from mnemo_lab.tokens.counter import TokenCounter
from mnemo_lab.tokens.models import ModelCard
from tests.conversations import message_lists, office_recording
from tests.replay.helpers import dataset
from tests.replay.spies import CALLS, Spy, SpyMemory

WORDS = "red blue green black white pink gold gray dark cold warm soft".split()
ROLES = ("user", "assistant")


def hand_made() -> Recording:
    """Six turns of one user and one assistant message; a system prompt and every message take 10 tokens."""
    messages = [Message(ROLES[i % 2], f"{word} go go go go go", f"m{i}") for i, word in enumerate(WORDS)]  # type: ignore[arg-type]
    conversation = Conversation(tuple(messages), "c", system_prompt="You go go go go go")
    return Recording("hand", (conversation,), (Probe("p", "what?", "c"),))


def view_of(recording: Recording, services: Services) -> RecordingView:
    return RecordingView(replace(recording, probes=()), services)


def turns_of(recording: Recording, text: str, tokens: int, services: Services) -> list[Turn]:
    found = walk(view_of(recording, services), parse_strategy(text), Budget(tokens, services.counter), services)
    return list(found)


def card(**prices: Any) -> ModelCard:
    """A dollar a token."""
    return ModelCard("m", "other", 1000, "o200k_base", True, "2026-01-01", input_price=1e6, **prices)


def test_the_unit_of_the_hand_made_conversation(services: Services) -> None:
    messages = [*hand_made().messages(), Message("system", "You go go go go go")]
    assert {services.message_tokens(message) for message in messages} == {10}


def test_sent_and_cached_by_hand(services: Services) -> None:
    """Full: the system prompt, 2(t-1) messages, the user's. Recent at 50: the same up to four messages of history,
    then the four newest, so that only the system prompt stays where it was."""
    full = [Turn(20, 0), Turn(40, 20), Turn(60, 40), Turn(80, 60), Turn(100, 80), Turn(120, 100)]
    recent = [Turn(20, 0), Turn(40, 20), Turn(60, 40), Turn(60, 10), Turn(60, 10), Turn(60, 10)]
    assert turns_of(hand_made(), "full", 50, services) == full
    assert list(walk_full(view_of(hand_made(), services), services)) == full
    assert turns_of(hand_made(), "recent", 50, services) == recent
    assert [turn.fresh for turn in recent] == [20, 20, 20, 50, 50, 50]


def test_a_transcript_by_hand(services: Services) -> None:
    """One quoted block: its oldest lines stay while everything fits, and every line is ``role: text``."""
    turns = turns_of(hand_made(), "bm25", 10_000, services)
    lines = [services.count(f"{message.role}: {message.text}\n") for message in hand_made().messages()]
    frame, quote = services.message_tokens(Message("user", "<history>\n</history>")), services.count("<history>\n")
    assert [turn.sent for turn in turns] == [20, *(20 + frame + sum(lines[: 2 * t]) for t in range(1, 6))]
    assert [turn.cached for turn in turns] == [0, 10, *(10 + quote + sum(lines[: 2 * t]) for t in range(1, 5))]


@pytest.mark.parametrize(
    ("prices", "full", "recent", "turn"),
    [
        # Without a cache 20t each; recent stays at 60 from turn 3 on: 180 against 200 at turn 4.
        ({}, [20, 60, 120, 200, 300, 420], [20, 60, 120, 180, 240, 300], 4),
        # Half price from the cache: full 20 + 10 + 10 … a turn, recent 50 + 5. Equal at turn 5 is not below.
        ({"cached_price": 5e5}, [20, 50, 90, 140, 200, 270], [20, 50, 90, 145, 200, 255], 6),
        # The vendor caches from 20 tokens on: recent's system prompt is too short, and 270 is not below 270.
        ({"cached_price": 5e5, "cache_min_tokens": 20}, [20, 50, 90, 140, 200, 270], [20, 50, 90, 150, 210, 270], None),
        # Putting into the cache costs double: full 40, then 40 + 10 …; recent 100 + 5 from turn 4 on.
        (
            {"cached_price": 5e5, "cache_write_price": 2e6},
            [40, 90, 150, 220, 300, 390], [40, 90, 150, 255, 360, 465], None,
        ),
    ],
)  # fmt: skip
def test_the_bill_and_break_even_by_hand(
    services: Services, prices: dict[str, float], full: list[int], recent: list[int], turn: int | None
) -> None:
    rows = {
        text: list(priced(turns_of(hand_made(), text, 50, services), card(**prices))) for text in ("full", "recent")
    }
    bills = {text: [row["total_dollars_cached"] for row in found] for text, found in rows.items()}
    assert bills == {"full": pytest.approx(full), "recent": pytest.approx(recent)}
    assert break_even(bills["recent"], bills["full"]) == turn
    assert [row["total_dollars"] for row in rows["full"]] == pytest.approx([20, 60, 120, 200, 300, 420])
    assert [row["total_sent"] for row in rows["recent"]] == [20, 60, 120, 180, 240, 300]


@pytest.mark.parametrize(
    ("bill", "other", "turn"),
    [
        ([1, 2, 3], [2, 3, 4], 1),
        ([1, 3, 3], [2, 3, 4], 3),  # below, equal, below: the first from which it stays
        ([1, 2, 5], [2, 3, 4], None),  # below until the last turn
        ([], [], None),
        ([1.0, None], [2.0, 3.0], None),  # a price that is not known
        ([float("nan")], [1.0], None),
    ],
)
def test_break_even(bill: list[float | None], other: list[float | None], turn: int | None) -> None:
    assert break_even(bill, other) == turn


def test_everything_at_once_by_hand() -> None:
    """Two recordings, the second without its last two turns: 0.15 dollars a million tokens, and no caching below 1,024
    tokens. Recent breaks even at turn 4 in both: the second ends there, with 180 against 200."""
    hand = hand_made()
    short = replace(
        hand, id="short", conversations=(replace(hand.conversations[0], messages=tuple(hand.messages())[:8]),)
    )
    costs = turn_costs(dataset(hand, short), ["recent", "recent(keep_last_n=2)"], 50)
    assert costs.strategies == ["full", "recent", "recent(keep_last_n=2)"]
    assert costs.by_recording().rows() == [
        (name, text, caching, turns, turn)
        for name, turns in (("hand", 6), ("short", 4))
        for text, turn in (("recent", 4), ("recent(keep_last_n=2)", 3))  # 20, 40, 40: 100 against 120
        for caching in (False, True)
    ]
    assert costs.break_even().rows()[0] == ("recent", False, 2, 2, 4, 4, 4)
    found = {row["strategy"]: row for row in costs.summary().iter_rows(named=True)}
    assert found["full"]["turns"] == 10 and found["full"]["sent"] == pytest.approx(62)  # (420 + 200) / 10
    assert found["full"]["cached"] == pytest.approx((300 + 120) / 620)
    assert found["recent"]["sent"] == pytest.approx(48) and found["recent"]["relative"] == pytest.approx(480 / 620)
    assert found["recent"]["dollars"] == pytest.approx(48 * 0.15e-6) == pytest.approx(found["recent"]["dollars_cached"])
    assert found["recent"]["from_cache"] == 0


def test_a_strategy_that_breaks_even_in_some_recordings_only() -> None:
    hand = hand_made()
    short = replace(
        hand, id="short", conversations=(replace(hand.conversations[0], messages=tuple(hand.messages())[:6]),)
    )
    third = replace(short, id="third")
    found = turn_costs(dataset(hand, short, third), ["recent"], 50).break_even().row(0, named=True)
    assert (found["recordings"], found["reached"], found["first"]) == (3, 1, 4)
    assert found["median"] is found["last"] is None


class PaidMemory(SpyMemory):
    """Asks a model with a price: a million tokens read per message observed, a million written per recall."""

    def observe(self, messages: Sequence[Message]) -> None:
        super().observe(messages)
        for _ in messages:
            self._pay(Completion("", 1_000_000, 0))

    def context(self, budget: Budget) -> Context:
        self._pay(Completion("", 0, 1_000_000))
        return super().context(budget)

    def _pay(self, done: Completion) -> None:
        assert isinstance(self.strategy, Paid)
        self.services.ledger.charge(self.strategy.model, "summary", done)


@dataclass(frozen=True)
class Paid(Spy):
    name: ClassVar[str] = "paid"
    model: str = "openai:gpt-4o-mini"

    def start(self, services: Services, namespace: str, budget: Budget | None = None) -> WorkingMemory:
        return PaidMemory(self, services, budget)


def test_what_models_are_paid_is_on_the_bill(services: Services) -> None:
    """0.15 dollars a message observed, two a turn; 0.60 a recall."""
    view = view_of(hand_made(), services)
    turns = list(walk(view, Paid(), Budget(50, services.counter), services))
    assert [turn.write_dollars for turn in turns] == pytest.approx([0.3 * t for t in range(6)])
    assert [turn.read_dollars for turn in turns] == pytest.approx([0.6 * (t + 1) for t in range(6)])
    assert turns[2].write_tokens == 4 * 1_000_001 and turns[2].read_tokens == 3 * 1_000_002
    last = list(priced(turns, card()))[-1]
    # Sent: the newest message (claimed as one token) and the user's.
    assert last["total_dollars"] == pytest.approx(10 + 5 * 11 + 5 * 0.3 + 6 * 0.6)


def test_what_models_are_paid_stands_in_the_rows(services: Services) -> None:
    """Writing is shared among the probes, reading is the probe's own; an unknown price is not nothing."""
    recording = office_recording()
    view = RecordingView(recording, services)
    outcomes = {o.probe.id: o.costs for o in replay(view, Paid(), "paid", [50], services)}
    assert outcomes["q5"].write_dollars == pytest.approx(6 * 0.15 / 6)
    assert outcomes["q0"].write_dollars == pytest.approx(18 * 0.15 / 6)
    assert {round(costs.read_dollars, 9) for costs in outcomes.values()} == {0.6}
    unknown = [o.costs for o in replay(view, Paid(model="openai:nobody-knows"), "paid", [50], services)]
    assert all(costs.write_dollars != costs.write_dollars for costs in unknown)
    rows = frame_of([{"write_dollars": None, "read_dollars": 0.25}, {}])  # the second: from before there was a price
    assert rows.select("write_dollars", "read_dollars").rows() == [(None, 0.25), (0.0, 0.0)]


def test_order_of_events(services: Services) -> None:
    """The conversation has begun when its first message is written; nothing later is known."""
    office = office_recording()
    list(walk(view_of(office, services), Spy(), Budget(50, services.counter), services))
    seen = [(call[0], call[3]) for call in CALLS if call[0] == "recall"]
    roles = [message.role for message in office.messages()]
    assert seen == [("recall", position) for position, role in enumerate(roles) if role == "user"]
    first = [call[0] for call in CALLS]
    assert first[:3] == ["start", "begin", "recall"] and first.count("begin") == first.count("end") == 2
    assert first[-2:] == ["end", "close"] and sum(len(c[1]) for c in CALLS if c[0] == "observe") == len(roles)
    asked = [call[1] for call in CALLS if call[0] == "recall"]
    assert asked[0] == Query(next(office.messages()).text, "2026-03-01T00:00:00Z")
    assert next(c[1] for c in CALLS if c[0] == "begin") == ConversationInfo(
        "c0", office.conversations[0].title, office.conversations[0].model, office.conversations[0].system_prompt,
        "2026-03-01T00:00:00Z",
    )  # fmt: skip


def test_a_new_system_prompt_leaves_nothing_unchanged(services: Services) -> None:
    hand = hand_made()
    other = [replace(message, id=f"{message.id}b") for message in hand.messages()]
    second = Conversation(tuple(other[:2]), "d", system_prompt="I go go go go go")
    both = replace(hand, conversations=(*hand.conversations, second))
    turns = turns_of(both, "full", 50, services)
    assert turns == list(walk_full(view_of(both, services), services))
    assert turns[6] == Turn(140, 0)


STRATEGIES = ("full", "recent", "recent(low_water=0.5)", "random", "bm25", "recent(partial=True, note='zh')")
SERVICES = ServicesSpec(embedder="hashing", cache="").open()


@settings(max_examples=40, deadline=None)
@given(message_lists())
def test_what_holds_for_any_conversation(messages: list[Message]) -> None:
    recording = Recording("any", (Conversation(tuple(messages), "c", system_prompt="Be brief."),))
    for text in STRATEGIES:
        for tokens in (0, 60, 10_000):
            turns = turns_of(recording, text, tokens, SERVICES)
            assert len(turns) == sum(message.role == "user" for message in messages)
            assert turns[0].cached == 0
            assert all(0 <= now.cached <= min(now.sent, before.sent) for before, now in pairwise(turns))
            if text == "full":
                assert [turn.cached for turn in turns[1:]] == [turn.sent for turn in turns[:-1]]
                assert turns == list(walk_full(view_of(recording, SERVICES), SERVICES))


@pytest.fixture(scope="module")
def bilingual() -> TurnCosts:
    return turn_costs("bilingual", ["recent", "recent(low_water=0.5)", "recent(low_water=0.25)"], 2048)


def test_low_water_keeps_prefixes_on_the_bundled_recordings(bilingual: TurnCosts) -> None:
    shares = bilingual.rows.group_by("recording", "strategy").agg(share=pl.col("cached").sum() / pl.col("sent").sum())
    found = {(row["recording"], row["strategy"]): row["share"] for row in shares.iter_rows(named=True)}
    for recording in ml.load("bilingual"):
        assert found[recording.id, "recent(low_water=0.5)"] > found[recording.id, "recent"] + 0.4
    cost = {row["strategy"]: row for row in bilingual.summary().iter_rows(named=True)}
    assert cost["recent(low_water=0.5)"]["dollars_cached"] < 0.7 * cost["recent"]["dollars_cached"]


def test_full_keeps_everything_sent_before_but_for_a_new_system_prompt(bilingual: TurnCosts) -> None:
    for recording in ml.load("bilingual"):
        rows = bilingual.rows.filter((pl.col("strategy") == FULL) & (pl.col("recording") == recording.id))
        sent, cached = rows["sent"].to_list(), rows["cached"].to_list()
        different = sum(now != before for before, now in zip(sent, cached[1:], strict=False))
        prompts = [conversation.system_prompt for conversation in recording.conversations]
        assert different == sum(one != other for one, other in pairwise(prompts))


class CountingCodec:
    """Counts the characters that are encoded."""

    def __init__(self, codec: Any) -> None:
        self.codec, self.characters = codec, 0

    def encode_ordinary(self, text: str) -> list[int]:
        self.characters += len(text)
        return self.codec.encode_ordinary(text)  # type: ignore[no-any-return]

    def __getattr__(self, name: str) -> Any:
        return getattr(self.codec, name)


def test_nothing_is_counted_again_and_again() -> None:
    """Over 60 turns every text is encoded a few times at most, whatever is sent."""
    recording = ml.load("bilingual").select(recordings=["en-launch"]).recordings[0]
    said = sum(len(message.text) for message in recording.messages())
    prompts = 70 * len(recording.conversations[0].system_prompt or "")
    for text in ("full", "recent", "recent(low_water=0.5)", "bm25"):
        services = ServicesSpec(embedder="hashing", cache="").open()
        codec = CountingCodec(services.counter._codec)
        services.counter = TokenCounter("o200k_base", _codec=codec)  # type: ignore[arg-type]
        turns_of(recording, text, 2048, services)
        assert codec.characters < 3 * said + 4 * prompts, text


def test_faults_are_named() -> None:
    data = dataset(hand_made())
    with pytest.raises(UnknownName, match="unknown model 'gpt-9'"):
        turn_costs(data, ["recent"], price_as="gpt-9")
    with pytest.raises(InvalidInput, match=r"lists no price for 'qwen2\.5'; choose one of: claude"):
        turn_costs(data, ["recent"], price_as="qwen2.5")
    with pytest.raises(UnknownName, match="unknown strategy 'recnet'"):
        turn_costs(data, ["recnet"])
    with pytest.raises(InvalidInput, match="budget -1: must be 0 or more"):
        turn_costs(data, ["recent"], -1)


def test_a_recording_in_which_nobody_asks() -> None:
    silent = Recording("silent", (Conversation((Message("assistant", "Hello?", "m0"),), "c"),))
    costs = turn_costs(dataset(silent), ["recent"])
    assert costs.rows.height == 0 and costs.break_even().height == 0 and "<table" in costs._repr_html_()


def test_it_stands_at_the_front_door() -> None:
    assert ml.turn_costs is turn_costs
