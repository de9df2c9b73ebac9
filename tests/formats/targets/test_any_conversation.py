"""The promise, over any conversation: a repaired one has no errors left that can be mended, and a valid one stays."""

from __future__ import annotations

from typing import Literal

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mnemo_lab.conversation import Conversation
from mnemo_lab.errors import InvalidInput
from mnemo_lab.formats.targets import BEYOND_REPAIR, TARGETS, Accepts, Identifier, Target, repair, validate_for
from mnemo_lab.formats.targets.rules import TURNS
from mnemo_lab.formats.tree import active_path
from tests.conversations import message_lists
from tests.formats.targets.conversations import conversations

STRICT = Target(
    name="strict",
    title="Strict",
    parallel_calls=False,
    refused_turns=TURNS,
    late_system="refused",
    several_systems="refused",
    developer="refused",
    call_id=Identifier("a-z", 3, 3),
    call_name=Identifier("a-z_", longest=12, first="a-z"),
    speaker=Identifier("a-z", 2, 4),
    empty_refused=("system", "user", "assistant", "tool"),
    blank_is_empty=True,
    arguments="refused",
    provider="anthropic",
    unsigned_reasoning="refused",
    paired_reasoning=True,
    attachments={"user": (Accepts(("image/png",)),)},
)
"""Every rule at once, as a package of its own might bring it."""
LAX = Target(name="lax", title="Lax", pairing="misread", refused_turns=TURNS, takes_null=True, system_after=("user",))
GOALS = [*TARGETS.values(), STRICT, LAX]
POLICIES = ("placeholder", "drop")
MODELS = st.sampled_from([None, "claude-sonnet-4", "gpt-4o", "gemini-3-pro", "no-such-model"])

each_target = pytest.mark.parametrize("target", GOALS, ids=lambda target: target.name)
thorough = settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])


def errors(conversation: Conversation, target: Target, model: str | None = None) -> list[str]:
    found = validate_for(conversation, target, model)
    return [item.code for item in found if item.severity == "error" and item.code not in BEYOND_REPAIR]


@each_target
@pytest.mark.parametrize("policy", POLICIES)
@thorough
@given(conversation=conversations, model=MODELS)
def test_no_error_is_left(
    conversation: Conversation, model: str | None, target: Target, policy: Literal["placeholder", "drop"]
) -> None:
    repaired, losses = repair(conversation, target, policy, model)
    assert errors(repaired, target, model) == []
    assert (repaired, losses) == repair(conversation, target, policy, model)
    assert repair(repaired, target, policy, model) == (repaired, ())
    assert bool(losses) == (repaired is not conversation)
    for item in (*losses, *validate_for(conversation, target, model)):
        assert item.sentence("en") and item.sentence("zh")
        if item.pointer:
            assert int(item.pointer.removeprefix("/messages/")) < len(conversation.messages)


@each_target
@thorough
@given(conversation=conversations | message_lists().map(lambda found: Conversation(tuple(found))))
def test_a_valid_conversation_is_not_touched(conversation: Conversation, target: Target) -> None:
    if not errors(conversation, target):
        for policy in POLICIES:
            assert repair(conversation, target, policy) == (conversation, ())  # type: ignore[arg-type]


@each_target
@thorough
@given(conversation=conversations)
def test_what_is_said_is_kept(conversation: Conversation, target: Target) -> None:
    """With placeholders, no text of a user is lost, in its order; nor any result that answered a call in its place."""
    texts = [m.text for m in active_path(conversation).conversation.messages if m.role == "user" and m.text.strip()]
    repaired = repair(conversation, target, "placeholder").conversation
    said = "\n\n".join(
        message.text for message in active_path(repaired).conversation.messages if message.role == "user"
    )
    position = 0
    for text in texts:
        position = said.index(text, position) + len(text)


@each_target
@thorough
@given(conversation=conversations)
def test_the_policy_error_raises_or_changes_nothing(conversation: Conversation, target: Target) -> None:
    if any(item.severity == "error" for item in validate_for(conversation, target)):
        with pytest.raises(InvalidInput):
            repair(conversation, target, "error")
    else:
        assert repair(conversation, target, "error") == (conversation, ())


@settings(max_examples=60, deadline=None)
@given(found=message_lists())
def test_valid_lists_are_valid_where_nothing_but_pairs_is_asked(found: list) -> None:  # type: ignore[type-arg]
    conversation = Conversation(tuple(found))
    for name in ("openai-chat", "openai-responses", "ollama", "langchain"):
        assert [item for item in validate_for(conversation, name) if item.severity == "error"] == [], name
