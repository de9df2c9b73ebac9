from __future__ import annotations

import json

from hypothesis import given

from mnemo_lab.conversation import MISSING, Attachment, Message, ToolCall
from mnemo_lab.message_rows import from_row, to_row
from tests.base.messages import MESSAGES


@given(MESSAGES)
def test_any_message_comes_back_the_same(message: Message) -> None:
    row = json.loads(json.dumps(to_row(message), ensure_ascii=False))
    assert from_row(row) == message


def test_defaults_are_left_out_and_content_kinds_are_told_apart() -> None:
    assert to_row(Message("user")) == {"role": "user"}
    assert to_row(Message("user", None)) == {"role": "user", "content": None}
    assert to_row(Message("user", MISSING)) == {"role": "user", "content_missing": True}
    parts = Message("assistant", "x", "a", tool_calls=(ToolCall("c", "f"),), attachments=(Attachment("image"),))
    assert to_row(parts) == {
        "role": "assistant", "content": "x", "id": "a",
        "tool_calls": [{"id": "c", "name": "f"}], "attachments": [{"kind": "image"}],
    }  # fmt: skip
