from __future__ import annotations

from itertools import accumulate
from pathlib import Path

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mnemo_lab.conversation import Attachment, ConversationInfo, Message, ToolCall
from mnemo_lab.history import SESSION_GAP_SECONDS, History
from mnemo_lab.tokens import open_counter
from mnemo_lab.units import parse_units
from tests.base.messages import ANY_TEXT, MAYBE, MESSAGES, new_services
from tests.conversations import day, message_lists, office_recording

SERVICES = new_services()
ANY = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
INFOS = st.builds(ConversationInfo, ANY_TEXT, MAYBE, MAYBE, MAYBE, MAYBE)


def of(*messages: Message) -> History:
    history = History(SERVICES)
    history.extend(messages)
    return history


@ANY
@given(message_lists())
def test_columns_agree_with_a_count_from_scratch(messages: list[Message]) -> None:
    history, counter = of(*messages), open_counter("o200k_base")
    costs = [counter.message(message) for message in messages]
    assert history.chat_sums == [0, *accumulate(costs)]
    assert [history.chat(p).tokens for p in range(len(history))] == costs
    for p, message in enumerate(messages):
        line = history.line(p)
        assert line.tokens == counter.count(line.text)
        assert line.sources[0].spans == history.chat(p).sources[0].spans == ((0, len(message.text)),)
        assert history.position_of[message.id] == p
        assert p in history.units[history.unit_of[p]].positions
    assert history.units == parse_units(messages)


def test_sums_grow_with_the_history() -> None:
    history = of(Message("user", "one"))
    first = list(history.chat_sums)
    history.extend([Message("user", "one two")])
    assert history.chat_sums == [*first, first[-1] + history.chat(1).tokens]


def test_unit_of_points_into_the_units_when_a_stray_result_stands_in_a_step() -> None:
    calls = (ToolCall("1", "f"), ToolCall("2", "f"))
    tools = [Message("tool", "r", tool_call_id=i) for i in ("1", "7", "1", "2")]
    history = of(Message("user", "q"), Message("assistant", None, tool_calls=calls), *tools, Message("user", "thanks"))
    assert history.unit_of == [0, 1, 1, 1, 1, 1, 2]


def sessions(*stamps: str | None) -> list[int]:
    return of(*(Message("user", "x", timestamp=stamp) for stamp in stamps)).session_of


def test_a_silence_starts_a_session() -> None:
    assert SESSION_GAP_SECONDS == 6 * 3600
    assert sessions("2026-03-02T08:00:00Z", "2026-03-02T14:00:00Z", "2026-03-02T20:00:01Z") == [0, 0, 1]
    assert sessions("2026-03-02T08:00:00+08:00", "2026-03-02T05:00:00Z") == [0, 0], "zones are read"
    assert sessions("2026-03-02", None, "2026-04-02", "yesterday") == [0, 0, 0, 0], "no gap without two times"


def test_named_sessions_win_over_silences() -> None:
    def named(*names: str | None) -> list[int]:
        stamps = [f"2026-0{1 + i}-01T00:00:00Z" for i in range(len(names))]
        return of(
            *(
                Message("user", "x", timestamp=s, extensions={"session": n} if n else {})
                for s, n in zip(stamps, names, strict=True)
            )
        ).session_of

    assert named("a", "a", "b", "b", None, None) == [0, 0, 1, 1, 2, 3]


def test_a_conversation_is_a_session_of_its_own() -> None:
    for extensions in ({}, {"session": "1"}):
        history = History(SERVICES)
        for name in ("c1", "c2"):
            history.begin(ConversationInfo(name))
            history.extend([Message("user", "x", timestamp=day(0), extensions=extensions)] * 2)
        assert history.session_of == [0, 0, 1, 1]
        assert history.conversation_of == [0, 0, 1, 1]


def test_the_system_prompt_is_the_one_of_the_conversation_going_on() -> None:
    history = History(SERVICES)
    assert history.system_prompt is None
    history.begin(ConversationInfo("1", system_prompt="first"))
    history.begin(ConversationInfo("2", system_prompt="second"))
    assert history.system_prompt == "second"


@ANY
@given(st.lists(st.tuples(INFOS, st.lists(MESSAGES, max_size=3)), max_size=3), st.lists(MESSAGES, max_size=2))
def test_save_and_restore_any_message(
    tmp_path: Path, talks: list[tuple[ConversationInfo, list[Message]]], early: list[Message]
) -> None:
    history = of(*early)
    for info, messages in talks:
        history.begin(info)
        history.extend(messages)
    history.save(tmp_path)
    again = History.restore(tmp_path, SERVICES)
    for column in ("infos", "messages", "times", "session_of", "conversation_of", "unit_of", "units", "position_of"):
        assert getattr(again, column) == getattr(history, column), column


def test_two_lone_surrogates_side_by_side_stay_two(tmp_path: Path) -> None:
    message = Message("user", "\ud83d" + "\ude00 \u2028 \x85 \r end", attachments=(Attachment("image", data="eA=="),))
    of(message).save(tmp_path)
    assert History.restore(tmp_path, SERVICES).messages == [message]


def test_office_recording_is_restored(tmp_path: Path) -> None:
    history = History(SERVICES)
    for conversation in office_recording().conversations:
        history.begin(conversation.info)
        history.extend(conversation.messages)
    history.save(tmp_path / "deep" / "folder")
    again = History.restore(tmp_path / "deep" / "folder", new_services())
    assert again.chat_sums == history.chat_sums
    assert [again.line(p) for p in range(18)] == [history.line(p) for p in range(18)]
