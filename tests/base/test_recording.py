from __future__ import annotations

import pytest

from mnemo_lab.recording import Probe
from tests.conversations import office_recording


def test_messages_run_through_all_conversations_in_order() -> None:
    recording = office_recording()
    assert [m.id for m in recording.messages()] == [f"m{i}" for i in range(18)]
    assert recording.message("m12").text.startswith("Error E-4417")
    with pytest.raises(KeyError):
        recording.message("m99")


def test_answers_are_the_gold_one_and_its_aliases() -> None:
    assert Probe("q", "?", "c", answer="5433", aliases=("port 5433",)).answers == ("5433", "port 5433")
    assert Probe("q", "?", "c", aliases=("x",)).answers == ("x",)
    assert Probe("q", "?", "c").answers == ()


def test_html_escapes() -> None:
    assert "18 messages, 6 probes" in office_recording()._repr_html_()
