"""Mistral's own request validator, where it is installed: what it refuses we refuse, and it takes what we repaired."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings

from mnemo_lab.conversation import Conversation, Message
from mnemo_lab.formats.targets import repair, validate_for
from mnemo_lab.formats.tree import active_path
from tests.formats.targets.conversations import conversations

validator = pytest.importorskip("mistral_common.protocol.instruct.validator", reason="mistral-common is not installed")
sent = pytest.importorskip("mistral_common.protocol.instruct.messages")
tools = pytest.importorskip("mistral_common.protocol.instruct.tool_calls")
exceptions = pytest.importorskip("mistral_common.exceptions")


class Validator(validator.MistralRequestValidatorV11):  # type: ignore[name-defined,misc]
    """The latest one that still asks for ids of nine letters (from version 13 on any will do)."""


def built(message: Message) -> Any:
    if message.role == "assistant":
        made = [
            tools.ToolCall(id=call.id, function=tools.FunctionCall(name=call.name, arguments=call.arguments or "{}"))
            for call in message.tool_calls
        ]
        return sent.AssistantMessage(content=message.text or None, tool_calls=made or None)
    if message.role == "tool":
        return sent.ToolMessage(content=message.text, tool_call_id=message.tool_call_id)
    return (sent.SystemMessage if message.role == "system" else sent.UserMessage)(content=message.text)


def refusal(conversation: Conversation) -> str | None:
    """What mistral-common says of the conversation with the user's next message behind it."""
    linear = active_path(conversation).conversation
    prompt = [sent.SystemMessage(content=linear.system_prompt)] if linear.system_prompt else []
    request = [*prompt, *map(built, linear.messages), sent.UserMessage(content="next")]
    try:
        Validator(mode=validator.ValidationMode.serving).validate_messages(request)
    except exceptions.MistralCommonException as error:
        return str(error)
    return None


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(conversation=conversations)
def test_what_it_refuses_is_found_and_what_was_repaired_is_taken(conversation: Conversation) -> None:
    errors = [item for item in validate_for(conversation, "mistral") if item.severity == "error"]
    if not errors:
        assert refusal(conversation) is None
    for policy in ("placeholder", "drop"):
        assert refusal(repair(conversation, "mistral", policy).conversation) is None  # type: ignore[arg-type]
