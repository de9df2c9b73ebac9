from __future__ import annotations

import time
from dataclasses import replace

import pytest

from mnemo_lab.conversation import Conversation, Message, ToolCall
from mnemo_lab.corpora.base import Dataset, load
from mnemo_lab.corpora.stretch import stretch
from mnemo_lab.errors import InvalidInput
from mnemo_lab.history import History
from mnemo_lab.recording import SESSION_KEY, Recording
from mnemo_lab.services import ServicesSpec
from mnemo_lab.units import parse_turns, parse_units, validate_messages
from tests.conversations import office_recording


@pytest.fixture(scope="module")
def data() -> Dataset:
    return load("bilingual")


def size(recording: Recording) -> int:
    return sum(1 for _ in recording.messages())


def donor(*messages: Message, language: str = "en", id: str = "donor") -> Recording:
    return Recording(id, (Conversation(messages, "c"),), language=language)


CHAT = donor(Message("user", "Hm?", "a"), Message("assistant", "Yes.", "b"))


def test_bundled_recordings_stay_valid_whole_and_in_order(data: Dataset) -> None:
    for recording in data:
        long = stretch(recording, data.recordings, 700)
        assert 700 - size(long) in (0, 1)
        assert long.probes == recording.probes
        assert (long.id, long.split, long.language) == (recording.id, recording.split, recording.language)
        assert not [fault for c in long.conversations for fault in validate_messages(c.messages)]
        for before, after in zip(recording.conversations, long.conversations, strict=True):
            own = {message.id for message in before.messages}
            assert tuple(m for m in after.messages if m.id in own) == before.messages
            assert replace(after, messages=()) == replace(before, messages=())


def test_evidence_and_spans_still_say_the_same(data: Dataset) -> None:
    for recording in data:
        long = stretch(recording, data.recordings, 400)
        texts = {message.id: message.text for message in long.messages()}
        for probe in recording.probes:
            for name in probe.evidence:
                assert texts[name] == recording.message(name).text
            for span in probe.spans:
                assert texts[span.message_id][span.start : span.end]


def test_what_was_seen_before_a_probe_is_still_seen_and_no_more_of_the_original(data: Dataset) -> None:
    recording = data.recordings[0]
    long = stretch(recording, data.recordings, 400)
    own = [message.id for message in recording.messages()]
    now = [message.id for message in long.messages()]
    for probe in recording.probes:
        if probe.after:
            seen = now[: now.index(probe.after) + 1]
            assert [name for name in seen if name in set(own)] == own[: own.index(probe.after) + 1]


def test_insertions_are_whole_turns_between_whole_turns(data: Dataset) -> None:
    recording = next(r for r in data if any(m.role == "tool" for m in r.messages()))
    long = stretch(recording, data.recordings, 600)
    own = {message.id for message in recording.messages()}
    for conversation in long.conversations:
        units = parse_units(conversation.messages)
        for turn in parse_turns(units):
            ids = [m.id for m in conversation.messages[units[turn[0]].start : units[turn[-1]].stop]]
            assert len({name in own for name in ids}) == 1


def test_new_ids_are_numbered_in_order_and_no_call_id_repeats(data: Dataset) -> None:
    recording = data.recordings[0]
    long = stretch(recording, data.recordings, 900)
    fresh = [m.id for m in long.messages() if m.id not in {o.id for o in recording.messages()}]
    assert fresh == [f"d{number:05}" for number in range(1, len(fresh) + 1)]
    calls = [call.id for m in long.messages() for call in m.tool_calls]
    assert any(call.startswith("d0") for call in calls)
    assert len(calls) == len(set(calls))


def test_time_never_goes_backwards_and_comes_from_the_message_before(data: Dataset) -> None:
    for recording in data:
        before: Message | None = None
        for message in stretch(recording, data.recordings, 300).messages():
            if message.id.startswith("d0"):
                assert before is not None
                assert message.timestamp == before.timestamp
            before = message


def test_the_same_seed_gives_the_same_and_another_seed_another(data: Dataset) -> None:
    first = stretch(data.recordings[0], data.recordings, 300, seed=1)
    assert stretch(data.recordings[0], data.recordings, 300, seed=1) == first
    assert stretch(data.recordings[0], data.recordings, 300, seed=2) != first


def test_chinese_is_stretched_with_chinese(data: Dataset) -> None:
    recording = next(r for r in data if r.language == "zh")
    mine = {m.text for r in data if r.language == "zh" for m in r.messages()}
    assert {m.text for m in stretch(recording, data.recordings, 500).messages()} <= mine


def test_five_thousand_messages_take_less_than_a_second(data: Dataset) -> None:
    start = time.perf_counter()
    long = stretch(data.recordings[0], data.recordings, 5000)
    assert time.perf_counter() - start < 30  # 0.03 s alone; a quadratic one takes minutes
    assert size(long) == 5000  # an even number can be made of turns of two


def test_no_whole_turn_fits_the_last_message() -> None:
    assert size(stretch(office_recording(), [CHAT], 21)) == 20
    assert size(stretch(office_recording(), [CHAT], 18)) == 18


def test_a_stretched_recording_can_be_stretched_again() -> None:
    once = stretch(office_recording(), [CHAT], 40)
    twice = stretch(once, [CHAT], 60)
    assert len({m.id for m in twice.messages()}) == 60
    assert {m.id for m in once.messages()} < {m.id for m in twice.messages()}


def test_pending_calls_at_the_end_stay_at_the_end() -> None:
    waiting = donor(
        Message("user", "Run it.", "u"), Message("assistant", "", "w", tool_calls=(ToolCall("c", "run"),)), id="waits"
    )
    with pytest.raises(InvalidInput, match="no whole turn"):
        stretch(waiting, [CHAT], 10)
    longer = replace(
        waiting, conversations=(Conversation((*CHAT.conversations[0].messages, *waiting.messages()), "c"),)
    )
    long = stretch(longer, [CHAT], 10)
    assert list(long.messages())[-1].id == "w"
    assert not validate_messages(long.conversations[0].messages)


def test_a_donor_turn_with_an_open_call_is_not_used() -> None:
    call = Message("assistant", "", "b", tool_calls=(ToolCall("c", "run"),))
    broken = donor(Message("user", "Run it.", "a"), call, Message("user", "Well?", "d"))
    texts = {m.text for m in stretch(office_recording(), [broken], 30).messages() if m.id.startswith("d")}
    assert texts == {"Well?"}


def test_leading_system_messages_stay_first() -> None:
    led = donor(Message("system", "Be brief.", "s"), *CHAT.conversations[0].messages, id="led")
    for seed in range(10):
        assert not validate_messages(stretch(led, [CHAT], 9, seed).conversations[0].messages)


def test_named_sessions_do_not_fall_apart() -> None:
    messages = [
        Message(role, f"text {n}", f"m{n}", extensions={SESSION_KEY: f"session_{n // 4}"})  # type: ignore[arg-type]
        for n in range(8)
        for role in ["user" if n % 2 == 0 else "assistant"]
    ]
    long = stretch(donor(*messages, id="dated"), [CHAT], 40)
    history = History(ServicesSpec().open())
    history.extend(list(long.messages()))
    assert history.session_of[-1] == 1


@pytest.mark.parametrize(
    ("donors", "messages", "said"),
    [
        ([CHAT], 17, "has 18 messages"),
        ([], 30, "given: none"),
        ([donor(Message("user", "你好", "a"), language="zh")], 30, r"donor \(zh\)"),
        ([office_recording()], 30, "other than itself"),
    ],
)
def test_refusals_name_what_is_wrong(donors: list[Recording], messages: int, said: str) -> None:
    with pytest.raises(InvalidInput, match=said):
        stretch(office_recording(), donors, messages)
