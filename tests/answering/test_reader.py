"""What the reader is sent, and what happens where that is too long."""

from __future__ import annotations

from dataclasses import replace

import pytest

from mnemo_lab.answering import reader
from mnemo_lab.conversation import Message
from mnemo_lab.language_models.errors import ContextTooLong
from mnemo_lab.recording import Probe
from mnemo_lab.replay.loop import replay
from mnemo_lab.replay.outcome import Outcome
from mnemo_lab.replay.view import RecordingView
from mnemo_lab.services import Services, ServicesSpec
from mnemo_lab.strategy_text import parse_strategy
from mnemo_lab.units import validate_messages
from tests.answering.scripted import Scripted, looks_it_up
from tests.conversations import office_recording


def outcome(
    strategy: str, probe: str, budget: int = 2000, asked_at: str | None = None, after: str | None = None
) -> Outcome:
    spec = ServicesSpec(embedder="hashing", cache="")
    recording = office_recording()
    probes = tuple(replace(p, asked_at=asked_at, after=after or p.after) for p in recording.probes if p.id == probe)
    view = RecordingView(replace(recording, probes=probes), spec.open())
    return next(replay(view, parse_strategy(strategy), strategy, [budget], view.services))


def services(model: Scripted) -> Services:
    return Services(ServicesSpec(), model)


def test_chat_gets_the_question_as_a_message_of_its_own() -> None:
    found = outcome("recent", "q0", asked_at="2026-04-02T08:00:00Z")
    assert found.context is not None
    sent = reader.prompt(found, found.context)
    assert sent[:-1] == found.context.messages()
    asked = sent[-1]
    assert asked.role == "user"
    for part in (reader.INSTRUCTION["en"], "2 April 2026", "Which port does the staging database use?"):
        assert part in asked.text
    assert "I don't know" in reader.INSTRUCTION["en"] and "不知道" in reader.INSTRUCTION["zh"]


@pytest.mark.parametrize(("after", "last"), [("m3", "m2"), ("m4", "m4"), ("m5", "m5")])
def test_no_question_stands_behind_a_call_that_waits(after: str, last: str) -> None:
    """m3 calls a tool, m4 is its result."""
    found = outcome("full", "q0", after=after)
    text_of = {m.id: m.text for m in office_recording().messages()}
    assert found.context is not None and found.context.messages()[-1].text == text_of[after]
    sent = reader.prompt(found, found.context)
    assert sent[-2].text == text_of[last] and "Which port" in sent[-1].text
    assert validate_messages(sent) == []


def test_a_transcript_is_joined_by_the_question_in_its_language_and_dated_by_what_was_seen_last() -> None:
    """q2 is asked after m9, which was said on 1 March 2026 at 9."""
    found = outcome("bm25", "q2")
    assert found.context is not None and found.context.rendering == "transcript"
    sent = reader.prompt(found, found.context)
    assert [m.role for m in sent] == [m.role for m in found.context.messages()]
    assert sent[-1].text.startswith(found.context.messages()[-1].text + "\n\n")
    assert reader.INSTRUCTION["zh"] in sent[-1].text
    assert "发布会原来定在哪天？" in sent[-1].text and "2026年3月1日" in sent[-1].text
    assert validate_messages(sent) == []


def test_an_empty_context_is_still_a_question() -> None:
    found = outcome("bm25", "q0", budget=0)
    assert found.context is not None and not found.context.pieces
    sent = reader.prompt(found, found.context)
    assert sent[-1].role == "user" and "Which port" in sent[-1].text
    said = reader.answer(found, services(Scripted(looks_it_up)), 20)
    assert said.text == "I don't know."


def test_the_ledger_is_charged_for_an_answer() -> None:
    open_ = services(model := Scripted(looks_it_up))
    said = reader.answer(outcome("full", "q0"), open_, 20)
    assert said.text == "5433" and not said.cut
    words = sum(len(m.text.split()) for m in model.asked[0])
    row = open_.ledger.table()
    assert [(r["model"], r["task"], r["input_tokens"], r["output_tokens"], r["dollars"]) for r in row] == [
        ("local:scripted", "answer", words, 1, 0.0)
    ]


@pytest.mark.parametrize("told", ["limit", "window", "nothing"])
@pytest.mark.parametrize("strategy", ["full", "bm25(k=20)"])
def test_a_context_that_is_too_long_loses_its_oldest_part(strategy: str, told: str) -> None:
    """What is left are the last pieces, whole; a call and its result stay together; the question is all there."""
    found = outcome(strategy, "q0")
    assert found.context is not None
    whole = sum(len(m.text.split()) for m in reader.prompt(found, found.context))
    limit = whole - 40
    model = Scripted(looks_it_up, limit=limit, window=limit if told == "window" else None, names_limit=told == "limit")
    said = reader.answer(found, services(model), 20)
    assert said.cut and len(model.asked) == 1
    sent = model.asked[0]
    texts = [piece.text.strip() for piece in found.context.pieces if piece.text.strip()]
    left = [text for text in texts if any(text in m.text for m in sent)]
    assert len(left) < len(texts) and left == texts[len(texts) - len(left) :]
    assert left or told == "window", "a window in words, read as one in tokens, leaves less than could stay"
    assert {e.code for e in validate_messages(sent)} <= {"starts_with_assistant"}
    assert "Which port does the staging database use?" in sent[-1].text


def test_units_are_left_out_whole() -> None:
    """With room for the tool result but not for its call, both go."""
    found = outcome("full", "q0")
    assert found.context is not None
    pieces = found.context.pieces
    call = next(i for i, p in enumerate(pieces) if p.message is not None and p.message.tool_calls)
    room = sum(p.tokens for p in pieces[call + 1 :])
    kept = reader.without_oldest(found.context, room)
    assert kept.pieces == pieces[call + 2 :] and kept.tokens == kept.recount()
    assert reader.without_oldest(found.context, 0).pieces == ()


def test_too_long_even_then_is_an_error() -> None:
    model = Scripted(looks_it_up, limit=30)
    with pytest.raises(ContextTooLong):
        reader.answer(outcome("full", "q0"), services(model), 20)
    with pytest.raises(ContextTooLong):
        reader.answer(outcome("bm25", "q0", budget=0), services(Scripted(looks_it_up, limit=5)), 20)


def test_a_failed_strategy_has_nothing_to_answer_from() -> None:
    found = replace(outcome("full", "q0"), context=None, error="RuntimeError: broken")
    with pytest.raises(ValueError, match="broken"):
        reader.answer(found, services(Scripted(looks_it_up)), 20)


def test_a_question_without_any_date() -> None:
    found = outcome("full", "q0")
    bare = [replace(m, timestamp=None) for m in found.view.messages]
    found.view.messages[:] = bare
    assert found.context is not None
    assert "2026" not in reader.prompt(found, found.context)[-1].text
    assert Message("user", "x").timestamp is None and Probe("q", "?", "c").asked_at is None
