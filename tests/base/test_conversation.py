from __future__ import annotations

from dataclasses import FrozenInstanceError
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mnemo_lab.conversation import MISSING, Conversation, Message, time_of


def test_text_of_every_kind_of_content() -> None:
    assert [Message("user", c).text for c in ("x", "", None, MISSING)] == ["x", "", "", ""]
    assert not MISSING


def test_messages_are_frozen() -> None:
    with pytest.raises(FrozenInstanceError):
        Message("user", "x").content = "y"  # type: ignore[misc]


@pytest.mark.parametrize(
    ("text", "moment"),
    [
        ("2026-03-02T08:30:00Z", datetime(2026, 3, 2, 8, 30, tzinfo=UTC)),
        ("2026-03-02T08:30:00+08:00", datetime(2026, 3, 2, 0, 30, tzinfo=UTC)),
        ("2026-03-02 08:30", datetime(2026, 3, 2, 8, 30, tzinfo=UTC)),
        ("2026-03-02", datetime(2026, 3, 2, tzinfo=UTC)),
        ("2026-03-02T08:30:00.250Z", datetime(2026, 3, 2, 8, 30, 0, 250_000, tzinfo=UTC)),
    ],
)
def test_reads_iso_times(text: str, moment: datetime) -> None:
    assert time_of(text) == moment


@pytest.mark.parametrize(
    "text", [None, "", "yesterday", "2026-13-01", "1:56 pm on 8 May, 2023", "2026-02-30T00:00:00Z"]
)
def test_unreadable_times_are_none(text: str | None) -> None:
    assert time_of(text) is None


@given(st.datetimes(timezones=st.timezones()))
def test_any_written_time_is_read_back(moment: datetime) -> None:
    assert abs(time_of(moment.isoformat()) - moment) < timedelta(seconds=1)  # type: ignore[operator]


def test_info_and_html() -> None:
    messages = tuple(
        Message("user", "<b>" + "x" * 300, f"m{i}", None if i < 2 else f"2026-03-0{i}") for i in range(2, 5)
    )
    talk = Conversation((Message("user", "a"), *messages), "c", "A & B", "gpt-4o", "Be kind.")
    assert talk.info.started_at == "2026-03-02"
    assert (talk.info.id, talk.info.title, talk.info.model, talk.info.system_prompt) == (
        "c",
        "A & B",
        "gpt-4o",
        "Be kind.",
    )
    page = talk._repr_html_()
    assert "A &amp; B" in page and "&lt;b&gt;" in page and "<b>x" not in page
    assert "1 more messages" in Conversation(tuple(messages[:1]) * 13)._repr_html_()
