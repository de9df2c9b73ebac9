"""Which probes come out of which conversation."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mnemo_lab.conversation import Conversation, Message, ToolCall
from mnemo_lab.corpora.base import load
from mnemo_lab.errors import InvalidInput
from mnemo_lab.probes import dataset_of, mine
from mnemo_lab.recording import Recording
from mnemo_lab.replay.view import RecordingView
from mnemo_lab.services import ServicesSpec
from tests.conversations import message_lists
from tests.probes.talk import talk

PORT = "Staging is at host-7781.internal, port 54329."


def test_a_thing_that_comes_back() -> None:
    """The whole probe, field by field."""
    conversation = talk(f"By the way. {PORT} Do not lose it.", "Is host-7781.internal down?")
    (probe,) = mine(conversation)
    last = len(conversation.messages) - 2
    assert probe.id == f"mined-m{last:03}"
    assert probe.question == "Is host-7781.internal down?"
    assert probe.category == "mined:identifier"
    assert probe.evidence == ("m000",)
    assert probe.after == f"m{last - 1:03}" and probe.asked_at == conversation.messages[last].timestamp
    assert probe.answer is None and probe.answerable
    assert probe.extensions == {"things": ["host-7781.internal"]}
    (span,) = probe.spans
    assert conversation.messages[0].text[span.start : span.end] == PORT


def test_not_before_the_least_distance() -> None:
    conversation = talk(PORT, "host-7781.internal is down", gap=3)
    assert mine(conversation) == []
    assert len(mine(conversation, min_turns=4)) == 1
    with pytest.raises(InvalidInput, match="min_turns is 0"):
        mine(conversation, min_turns=0)


def test_not_where_it_was_said_in_between() -> None:
    """The second use ends the silence, and only one probe is made of it."""
    conversation = talk(PORT, "host-7781.internal is up", "host-7781.internal is down", gap=7)
    assert [probe.evidence for probe in mine(conversation)] == [("m000",)]
    close = talk(PORT, "host-7781.internal is up", "host-7781.internal is down", gap=3)
    assert mine(close) == []


def test_several_things_have_several_evidence() -> None:
    conversation = talk("Use PS-41377.", "Or /srv/a_b/c.", "Shall it be PS-41377 with /srv/a_b/c?")
    (probe,) = mine(conversation)
    assert probe.evidence == ("m000", "m016") and len(probe.spans) == 2
    assert probe.extensions["things"] == ["ps-41377", "/srv/a_b/c"]


def test_masked_questions_say_what_was_around() -> None:
    """Neither the thing nor any rare word that led to it, in whatever form."""
    conversation = talk(
        f"{PORT} The scheduler dies.", "Is HOST-7781.internal down? Or its schedulers? host-7781.internal!"
    )
    (probe,) = mine(conversation, masked=True)
    assert probe.question == "Is … down? Or its …? …!"
    assert mine(conversation)[0].evidence == probe.evidence
    chinese = talk("前台推冲击波套餐，一共1880，没做。", "那个冲击波套餐1880太贵，理疗师让我别理前台，回家先练两周")
    assert [p.question for p in mine(chinese, masked=True)] == ["那个…太贵，理疗师让我别理…，回家先练两周"]


def test_a_long_question_is_the_passage_that_uses_it() -> None:
    filler = " ".join(f"Sentence {word} says so much more of it." for word in "abcdefghijklmnopqrstuvwxyz" * 2)
    (probe,) = mine(talk(PORT, f"{filler}\n\nIs host-7781.internal down?\n\n{filler}"))
    assert "host-7781.internal" in probe.question and len(probe.question) < 1000


def test_an_assistants_call_may_ask_and_only_text_is_evidence() -> None:
    call = (ToolCall("c1", "get", '{"id":"RSV-88213"}'),)
    asks = talk("My booking is RSV-88213.", Message("assistant", "", tool_calls=call))
    assert [(p.question, p.evidence) for p in mine(asks)] == [('{"id":"RSV-88213"}', ("m000",))]
    answers = (Message("assistant", "", tool_calls=call), Message("tool", "none", tool_call_id="c1"))
    assert mine(talk(*answers, "What of RSV-88213?", gap=7)) == []


def test_a_working_assistants_steps_are_turns() -> None:
    def step(number: int, text: str = "") -> list[Message]:
        call = ToolCall(f"c{number}", "run", f'{{"n": {number}}}')
        return [Message("assistant", text, tool_calls=(call,)), Message("tool", "done", tool_call_id=call.id)]

    steps = [message for number in range(8) for message in step(number)]
    messages = [Message("user", "Find PS-41377."), *steps, *step(9, "Now PS-41377.")]
    (probe,) = mine(Conversation(tuple(messages)))
    assert probe.evidence == ("m0001",), "ids are made as load makes them"


def test_what_repeats_relies_on_nothing() -> None:
    text = "Deploy log for host-7781.internal with nine workers, two queues, one scheduler and no errors at all today"
    assert mine(talk(text, text)) == []


def test_small_talk_and_lectures() -> None:
    """An assistant's habit of speech is no thing, nor are names that a long answer drops."""
    again = talk(Message("assistant", "Try “slow breathing” now."), Message("assistant", "Try slow breathing."), gap=8)
    assert mine(again) == []
    lecture = "We follow Vitruvius here. " + "It is said that many things were built in that way and stood. " * 30
    assert mine(talk(Message("assistant", lecture), "And Vitruvius?")) == []
    assert len(mine(talk("We follow Vitruvius here.", "And Vitruvius?"))) == 1


def test_a_name_that_goes_on_as_another_is_another() -> None:
    assert mine(talk("We stay at Quarvey then.", "Or ask at Quarvey Library?")) == []
    assert len(mine(talk("We stay at Quarvey then.", "Or ask at Quarvey again?"))) == 1


def test_caps() -> None:
    names = [f"PS-4{n}37{n}" for n in range(10, 30)]
    conversation = talk(*names, *(f"What of {name}?" for name in names), gap=1)
    assert len(mine(conversation)) == 15, "of a kind"
    assert len(mine(conversation, most=4)) == 4
    assert len(mine(conversation, most_of_a_kind=20)) == 20
    many = talk(" ".join(names), *(f"What of {name}?" for name in names), gap=6)
    assert len(mine(many)) == 3, "of one evidence message"


def test_chinese() -> None:
    conversation = talk("前台推冲击波套餐，一共1880，没做。", "那个冲击波套餐1880太贵了")
    (probe,) = mine(conversation)
    assert probe.evidence == ("m000",) and probe.extensions["things"] == ["冲击波套餐", "1880"]


def test_it_is_deterministic_and_ids_do_not_count() -> None:
    data = load("bilingual").select(recordings=["en-home"]).recordings[0]
    assert mine(data) == mine(data)
    (conversation, *_) = data.conversations
    nameless = Conversation(tuple(Message(m.role, m.content, "", m.timestamp) for m in conversation.messages))
    assert [p.question for p in mine(nameless)] == [p.question for p in mine(conversation)]


def test_the_bundled_recordings_give_what_was_read_by_hand() -> None:
    found = {p.id: p.evidence for p in mine(load("bilingual").select(recordings=["en-home"]).recordings[0])}
    assert found["mined-m097"] == ("m005",)  # "he's 1.96. Make that 2.05."
    assert found["mined-m099"] == ("m061",)  # the fronts go to Portobello
    assert 8 <= len(found) <= 40


@given(message_lists(max_units=12), st.integers(1, 3))
@settings(max_examples=60, deadline=None)
def test_any_conversation_gives_probes_that_can_be_replayed(messages: list[Message], min_turns: int) -> None:
    conversation = Conversation(tuple(messages), "any")
    recording = Recording("any", (conversation,), tuple(mine(conversation, min_turns)))
    view = RecordingView(recording, ServicesSpec(embedder="hashing", cache="").open())
    for probe in recording.probes:
        assert probe.question.strip() and probe.evidence
        gold = view.gold(probe)
        assert max(gold.evidence) < gold.horizon <= view.position_of[probe.id.removeprefix("mined-")]


def test_a_data_set_in_memory() -> None:
    good, barren = talk(PORT, "host-7781.internal?"), talk("Hello.", "Bye.")
    data = dataset_of([good, barren, good])
    assert [r.id for r in data] == ["01", "03"] and data.counts["probes"] == 2
    assert data.digest == dataset_of([good, barren, good]).digest
    with pytest.raises(InvalidInput, match="nothing is used again after 6 turns"):
        dataset_of([barren])
