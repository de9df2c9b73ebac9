"""tau-bench trajectories."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from mnemo_lab.conversation import Message, ToolCall
from mnemo_lab.errors import InvalidInput
from mnemo_lab.formats import tau_bench
from mnemo_lab.formats.base import Sample, Writer
from mnemo_lab.formats.source import Source
from mnemo_lab.units import validate_messages
from tests.formats.list_formats import codes, only, read_text, read_value

CALL = {"function": {"arguments": '{"user_id": "mia"}', "name": "get_user"}, "id": "call_o", "type": "function"}
TRIAL = {
    "task_id": 3,
    "reward": 0.0,
    "info": {"task": {"instruction": "secret"}},
    "traj": [
        {"role": "system", "content": "# Policy"},
        {"role": "user", "content": "Hi"},
        {"content": None, "role": "assistant", "tool_calls": [CALL]},
        {"role": "tool", "tool_call_id": "call_o", "name": "get_user", "content": "{}"},
    ],
    "trial": 1,
}


def test_a_trial_is_read_with_its_gold_apart() -> None:
    conversation, losses = only(read_value(tau_bench, [TRIAL]))
    assert conversation.id == "task-3-trial-1"
    assert conversation.system_prompt == "# Policy"
    assert conversation.messages == (
        Message("user", "Hi"),
        Message("assistant", None, tool_calls=(ToolCall("call_o", "get_user", '{"user_id": "mia"}'),)),
        Message("tool", "{}", name="get_user", tool_call_id="call_o"),
    )
    assert conversation.extensions["tau-bench"] == {
        "task_id": 3,
        "reward": 0.0,
        "info": TRIAL["info"],
        "trial": 1,
    }
    assert losses == ()


def test_broken_trials_cost_only_themselves() -> None:
    broken = {"task_id": 1, "traj": [{"role": "x", "content": "a"}, 5]}
    readings = read_value(tau_bench, [TRIAL, {"task_id": 2}, broken, {"task_id": 4, "traj": []}])
    assert [r.conversation is None for r in readings] == [False, True, False, False]
    assert codes(readings[2].losses) == [("role_guessed", None, "/traj/0"), ("unreadable_record", None, "/traj/1")]
    assert codes(readings[3].losses) == [("empty_conversation", None, "/traj")]
    with pytest.raises(InvalidInput, match="is no trial"):
        read_text(tau_bench, '{"a": 1}')


def test_the_public_trials_arrive_whole() -> None:
    root = os.environ.get("MNEMO_DATA_DIR") or Path(__file__).resolve().parents[3] / "shared" / "data"
    path = Path(root) / "tau_bench" / "gpt-4o-airline-first60.json"
    if not path.exists():
        pytest.skip(f"no public data at {path}; set MNEMO_DATA_DIR")
    with Source(path) as source:
        readings = list(tau_bench.read(source))
    found = [reading.conversation for reading in readings if reading.conversation]
    assert len(found) == 60
    assert all(reading.losses == () for reading in readings)
    messages = [message for conversation in found for message in conversation.messages]
    assert (len(messages), sum(len(m.tool_calls) for m in messages)) == (1640, 361)
    assert all(conversation.system_prompt for conversation in found)
    faults = [item.code for conversation in found for item in validate_messages(conversation.messages)]
    assert faults == ["duplicate_call_id"] * 26  # the recording's own
    assert len({conversation.id for conversation in found}) == 60


def test_detection() -> None:
    found = tau_bench.detect(Sample("a.json", ("a.json",), [TRIAL]))
    assert found and found.score == 0.98
    assert tau_bench.detect(Sample("a.json", ("a.json",), [{"task_id": 1}])) is None
    assert not isinstance(tau_bench, Writer)
