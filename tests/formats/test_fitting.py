"""Budgets: what any strategy keeps of a conversation are its own messages, whole and in order."""

from __future__ import annotations

from dataclasses import replace

import pytest

from mnemo_lab.conversation import Attachment, Conversation, Message, ToolCall
from mnemo_lab.errors import InvalidInput, UnknownName
from mnemo_lab.formats.fitting import Fit
from mnemo_lab.units import validate_messages


def long_talk(turns: int = 30) -> Conversation:
    messages: list[Message] = []
    for n in range(turns):
        fact = (
            "The staging database listens on port 5433." if n == 3 else f"Note {n} is about the garden and its trees."
        )
        messages += [Message("user", fact), Message("assistant", f"Noted, number {n}.")]
    messages += [
        Message("assistant", None, tool_calls=(ToolCall("c", "search", "{}"),)),
        Message("tool", "nothing", tool_call_id="c"),
        Message("user", "On which port does the staging database listen?"),
    ]
    return Conversation(tuple(messages), system_prompt="Be brief.")


def fit(strategy: str | None, tokens: int | None, model: str | None = None) -> Fit:
    found = Fit.of(strategy, tokens, model)
    assert found is not None
    return found


def test_recent_drops_the_oldest() -> None:
    found = fit(None, 100).fit(long_talk())
    kept = found.conversation.messages
    assert kept == long_talk().messages[-len(kept) :] and 0 < len(kept) < 63
    assert found.tokens <= 100 and found.conversation.system_prompt == "Be brief."
    assert [(loss.code, dict(loss.values)) for loss in found.losses] == [
        ("left_out_to_fit", {"count": str(63 - len(kept)), "total": "63", "budget": "100"})
    ]


@pytest.mark.parametrize(
    "strategy", ["bm25(k=5)", "hybrid(dense=0.0, fusion='rrf')", "random()", "full()", "recent(keep_last_n=4)"]
)
@pytest.mark.parametrize("tokens", [1, 40, 150, 10_000])
def test_any_strategy_keeps_its_own_messages_whole_and_in_order(strategy: str, tokens: int) -> None:
    whole = long_talk()
    found = fit(strategy, tokens).fit(whole)
    kept, at = found.conversation.messages, 0
    for message in kept:
        if message in whole.messages[at:]:
            at = whole.messages.index(message, at) + 1
        else:
            assert any(loss.code == "elided" for loss in found.losses)
    assert not [loss for loss in validate_messages(kept) if loss.severity == "error"]
    assert found.tokens <= tokens or any(loss.code == "over_budget" for loss in found.losses)
    if tokens == 10_000:
        assert found.conversation == whole and found.losses == ()


def test_retrieval_keeps_what_the_question_asks_for() -> None:
    found = fit("bm25(k=20)", 120).fit(long_talk())
    said = [message.text for message in found.conversation.messages]
    assert "The staging database listens on port 5433." in said
    assert said[-1] == "On which port does the staging database listen?"


def test_a_budget_needs_a_number_or_a_window() -> None:
    assert Fit.of(None, None, "gpt-4") is None
    assert fit("recent()", None, "gpt-4").tokens == 8192
    with pytest.raises(InvalidInput, match="no target model is named, so give --max-tokens"):
        Fit.of("recent()", None, None)
    with (
        pytest.warns(UserWarning, match="not in the model table"),
        pytest.raises(InvalidInput, match="'gpt-99' is not in"),
    ):
        Fit.of("recent()", None, "gpt-99")
    with pytest.raises(InvalidInput, match="max tokens 0 must be 1 or more"):
        Fit.of(None, 0, None)
    with pytest.raises(UnknownName, match="unknown strategy 'recnet'"):
        Fit.of("recnet()", 10, None)


def test_ids_that_are_absent_or_stand_twice() -> None:
    """Messages are told apart by where they stand."""
    whole = replace(long_talk(), messages=tuple(replace(m, id="same") for m in long_talk().messages))
    found = fit("bm25(k=20)", 120).fit(whole)
    assert "The staging database listens on port 5433." in [message.text for message in found.conversation.messages]
    assert {message.id for message in found.conversation.messages} == {"same"}


@pytest.mark.parametrize("strategy", ["recent()", "bm25(k=5)"])
def test_a_question_that_alone_is_too_long_is_flagged(strategy: str) -> None:
    found = fit(strategy, 20).fit(Conversation((Message("assistant", "hi"), Message("user", "word " * 100))))
    assert [loss.code for loss in found.losses if loss.severity == "error"] or found.tokens <= 20
    assert found.conversation.messages[-1].role == "user"


@pytest.mark.parametrize("strategy", ["recent()", "bm25(k=5)"])
def test_nothing_to_cut(strategy: str) -> None:
    for whole in (
        Conversation(()),
        Conversation((), system_prompt="word " * 50),
        Conversation((Message("tool", "x" * 500),)),
    ):
        found = fit(strategy, 5).fit(whole)
        assert len(found.conversation.messages) <= len(whole.messages)


def test_images_cost_what_the_models_vendor_says() -> None:
    image = Attachment(
        "image",
        "image/png",
        data="iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGNwaDgAAAKEAYEml6crAAAAAElFTkSuQmCC",
    )
    whole = Conversation((Message("user", "x", attachments=(image,)), Message("user", "y")))
    with pytest.warns(UserWarning, match="no public tokenizer"):
        dear = fit("recent()", 100, "gemini-2.5-pro").fit(whole)
    cheap = fit("recent()", 300, "gpt-4o").fit(whole)
    assert len(dear.conversation.messages) == 1, "258 tokens"
    assert cheap.tokens == 2 * 5 + 255 and len(cheap.conversation.messages) == 2
