"""Units and turns worked by hand, and D1, D3, D5 of the demands as cases."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from mnemo_lab.conversation import Message, ToolCall
from mnemo_lab.units import Unit, UnitParser, parse_turns, parse_units, validate_messages
from tests.base.messages import MESSAGES
from tests.conversations import message_lists


def listed(script: str) -> list[Message]:
    """``"S U A:1,2 T:1 T:2"``: roles by letter, the calls an assistant makes, the call a tool answers."""
    messages = []
    for number, word in enumerate(script.split()):
        letter, _, ids = word.partition(":")
        role = {"S": "system", "U": "user", "A": "assistant", "T": "tool"}[letter]
        calls = tuple(ToolCall(i, "run") for i in ids.split(",") if i) if letter == "A" else ()
        answers = (ids or None) if letter == "T" else None
        messages.append(Message(role, word, f"m{number}", tool_calls=calls, tool_call_id=answers))  # type: ignore[arg-type]
    return messages


def shown(script: str) -> list[str]:
    messages = listed(script)
    return [f"{u.kind}({' '.join(messages[p].text for p in u.positions)})" for u in parse_units(messages)]


def test_pairs_results_with_their_calls() -> None:
    assert shown("S U A:1 T:1 U A") == ["system(S)", "user(U)", "step(A:1 T:1)", "user(U)", "step(A)"]
    assert shown("U A:1,2 T:2 T:1 A") == ["user(U)", "step(A:1,2 T:2 T:1)", "step(A)"]


def test_a_pending_tail_is_a_step_of_its_own() -> None:
    assert shown("U A:9") == ["user(U)", "step(A:9)"]
    assert shown("U A:1,2 T:1") == ["user(U)", "step(A:1,2 T:1)"]


def test_late_and_foreign_results_are_orphans() -> None:
    assert shown("A:1 U T:1") == ["step(A:1)", "user(U)", "orphan(T:1)"]
    assert shown("T:1 U") == ["orphan(T:1)", "user(U)"]
    assert shown("A:1 T:1 T:7") == ["step(A:1 T:1)", "orphan(T:7)"]
    assert shown("A T") == ["step(A)", "orphan(T)"]


def test_nothing_between_a_call_and_its_result_tears_the_step() -> None:
    """A repeated, foreign or unnamed result must not cost a parallel call its own."""
    assert shown("A:1,2 T:1 T:1 T:2") == ["step(A:1,2 T:1 T:1 T:2)"]
    assert shown("A:1,2 T:1 T:7 T:2") == ["step(A:1,2 T:1 T:7 T:2)"]
    assert shown("A:1 T T:1") == ["step(A:1 T T:1)"]
    assert shown("A:1 T:1 T:1 U") == ["step(A:1 T:1 T:1)", "user(U)"]


def test_turns_start_at_user_messages() -> None:
    units = parse_units(listed("S A U A:1 T:1 A U U"))
    assert parse_turns(units) == [range(2), range(2, 5), range(5, 6), range(6, 7)]
    assert parse_turns(parse_units(listed("U A"))) == [range(2)]
    assert parse_turns([]) == []


@given(st.lists(MESSAGES, max_size=12))
def test_units_cover_any_list_once_and_grow_one_message_at_a_time(messages: list[Message]) -> None:
    parser = UnitParser()
    for number, message in enumerate(messages):
        before = list(parser.units)
        parser.append(message)
        assert parser.units == parse_units(messages[: number + 1])
        assert parser.units[: len(before) - 1] == before[:-1], "only the last unit may grow"
    assert [p for unit in parser.units for p in unit.positions] == list(range(len(messages)))
    for unit in parser.units:
        roles = [messages[p].role for p in unit.positions]
        assert roles[0] == {"step": "assistant", "orphan": "tool"}.get(unit.kind, unit.kind)
        assert set(roles[1:]) <= {"tool"}


@given(message_lists())
def test_a_valid_list_has_no_orphans_and_no_errors(messages: list[Message]) -> None:
    assert all(unit.kind != "orphan" for unit in parse_units(messages))
    assert [item for item in validate_messages(messages) if item.severity == "error"] == []


def codes(script: str) -> list[tuple[str, str | None]]:
    return [(item.code, item.pointer) for item in validate_messages(listed(script))]


def test_validator_names_every_fault_and_its_place() -> None:
    assert codes("S U A:1 T:1 U A") == []
    assert codes("U A:1") == [], "results of the last message may be on their way"
    assert codes("U A:1,2 T:2") == []
    assert codes("T:1 U") == [("orphan_tool_result", "/messages/0")]
    assert codes("U A:1 U T:1") == [("unanswered_tool_call", "/messages/1"), ("late_tool_result", "/messages/3")]
    assert codes("U A:1,2 T:1 A") == [("unanswered_tool_call", "/messages/1")]
    assert codes("U A:1 T:1 T:1") == [("late_tool_result", "/messages/3")]
    assert codes("U A:1 T:1 A:1 T:1") == [("duplicate_call_id", "/messages/3")]
    assert codes("U T") == [("result_without_call_id", "/messages/1")]
    assert codes("U S") == [("late_system_message", "/messages/1")]
    assert codes("A U") == [("starts_with_assistant", "/messages/0")]
    assert codes("S A") == [("starts_with_assistant", "/messages/1")]


def test_cutting_between_units_keeps_pairs() -> None:
    """D1, D3: whatever the number of units kept, no tool result comes first and none is alone."""
    messages = listed("S U A:1,2 T:1 T:2 U A:3 T:3 A")
    units = parse_units(messages)
    for first in range(len(units)):
        rest = messages[units[first].start :]
        assert rest[0].role != "tool"
        assert [item.code for item in validate_messages(rest) if item.severity == "error"] == []


def test_unit_positions() -> None:
    assert list(Unit("step", 2, 5).positions) == [2, 3, 4]
