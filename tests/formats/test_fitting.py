"""Budgets: what any strategy keeps of a conversation are its own messages, whole and in order."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import pytest

from mnemo_lab.conversation import Attachment, Conversation, Message, ToolCall
from mnemo_lab.errors import InvalidInput, UnknownName
from mnemo_lab.formats import fitting
from mnemo_lab.formats.base import Reading
from mnemo_lab.formats.detect import writer_named
from mnemo_lab.formats.fitting import Fit, Fitted
from mnemo_lab.formats.preparing import Preparer, Settings
from mnemo_lab.language_models.base import Completion
from mnemo_lab.ledger import Ledger
from mnemo_lab.services import Services
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
    if tokens == 10_000 and "keep_last_n" not in strategy:
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


def test_what_a_strategy_adds_is_a_message_of_its_own() -> None:
    """Omission notes and summaries are sent in the role they were written in, and count as nobody's message."""
    noted = fit("recent(note='zh')", 100).fit(long_talk())
    first, *rest = noted.conversation.messages
    assert first == Message("user", f"[省略了 {63 - len(rest)} 条消息]")
    assert tuple(rest) == long_talk().messages[-len(rest) :]
    assert dict(noted.losses[0].values)["count"] == str(63 - len(rest))
    summed = fit("summary", 200).fit(long_talk())
    (summary,) = [message for message in summed.conversation.messages if message not in long_talk().messages]
    assert (summary.role, summary.id) == ("user", "") and summary.text.startswith("[Summary of ")
    assert len(summed.report.whole) >= len(summed.conversation.messages) - 1 and summed.tokens <= 200


def test_a_summary_of_one_message_is_not_that_message() -> None:
    """It quotes a sentence of it: what is written is the sentence."""
    long = "The port is 5433. " + "Nothing else of interest was said about this. " * 30
    whole = Conversation((Message("user", long, "a"), *(Message("user", f"Note {n}.", f"n{n}") for n in range(20))))
    found = fit("summary(keep_user=0.0)", 220).fit(whole)
    assert found.tokens <= 220 and long not in [message.text for message in found.conversation.messages]
    assert "a" in {*found.report.in_part, *found.report.represented}


@pytest.mark.parametrize("strategy", ["bm25(k=20)", "random", "hybrid(dense=0.0, fusion='rrf')"])
def test_a_question_with_more_after_it_than_fits(strategy: str) -> None:
    """One question, then a long run of tools: it is cut, the question stays where it can, and so does the newest."""
    messages = [Message("user", f"Note {n}: the garden.", f"n{n}") for n in range(20)]
    messages.append(Message("user", "Which port does the staging database use?", "question"))
    for n in range(30):
        messages.append(Message("assistant", None, f"a{n}", tool_calls=(ToolCall(f"c{n}", "look", "{}"),)))
        text = "the staging database uses port 5433" if n == 11 else "nothing of use here"
        messages.append(Message("tool", text + " and so on" * 9, f"t{n}", tool_call_id=f"c{n}"))
    found = fit(strategy, 300).fit(Conversation(tuple(messages)))
    kept = [message.id for message in found.conversation.messages]
    assert 150 < found.tokens <= 300 and not [item for item in found.losses if item.severity == "error"]
    assert [item for item in validate_messages(found.conversation.messages) if item.severity == "error"] == []
    if strategy != "random":
        assert {"question", "a29", "t29", "a11", "t11"} <= set(kept)
    fits = fit(strategy, 5000).fit(Conversation(tuple(messages)))
    assert fits.conversation.messages == tuple(messages)


def test_the_newest_n_are_the_newest_n_whatever_the_budget() -> None:
    found = fit("recent(keep_last_n=4)", 10_000).fit(long_talk())
    assert found.conversation.messages == long_talk().messages[-4:]
    assert dict(found.losses[0].values)["count"] == "59"
    dropped = fit("recent(keep_system_prompt=False)", 10_000).fit(long_talk())
    assert dropped.conversation == replace(long_talk(), system_prompt=None)
    assert [item.code for item in dropped.losses] == ["system_dropped"]


def test_a_stray_result_stays_where_all_fits() -> None:
    """It is for the target to mend; nothing has to be left out to fit."""
    whole = Conversation((Message("user", "hi"), Message("tool", "stray", tool_call_id="gone"), Message("user", "yo")))
    assert fit("recent", 1000).fit(whole).conversation == whole
    assert [m.text for m in fit("recent", 9).fit(whole).conversation.messages] == ["yo"]


def test_the_report_is_of_what_is_returned() -> None:
    """Named by their own ids, or by their place where these are absent or stand twice."""
    whole = replace(long_talk(), messages=(*long_talk().messages, Message("user", "Thanks.", "last")))
    for strategy in ("recent(note='en')", "bm25(k=9)", "head_tail", "tool_trim(keep_results=0)"):
        found = fit(strategy, 120).fit(whole)
        kept = [whole.messages[int(name.removeprefix("/messages/"))] for name in found.report.whole if name != "last"]
        assert kept == [m for m in found.conversation.messages if m in whole.messages][:-1]
        assert found.report.whole[-1] == "last"
        assert found.report.tokens_after == found.tokens == fit(strategy, 120).count(found.conversation)
        assert len(found.report.lost) == 64 - len(found.report.whole)
        assert {item.code for item in found.report.lost} <= {"older", "middle", "scored_lower"}


def test_what_is_cleared_is_cleared_in_the_message_itself() -> None:
    image = Attachment("image", "image/png", data="eA==")
    messages = (
        Message("user", "Look.", "u"),
        Message("assistant", None, "a", tool_calls=(ToolCall("c", "look", '{"path": "a/b/c/d/e/f/g.txt"}'),)),
        Message("tool", "row " * 200, "t", tool_call_id="c", name="look", attachments=(image,), extensions={"x": 1}),
        Message("user", "Thanks.", "v"),
    )
    found = fit("tool_trim(keep_results=0, clear_inputs=True)", 150).fit(Conversation(messages))
    by_id = {message.id: message for message in found.conversation.messages}
    assert list(by_id) == ["u", "a", "t", "v"] and by_id["v"] is messages[3]
    assert by_id["t"].text == "[cleared: 286 tokens]" and by_id["t"].attachments == ()
    assert (by_id["t"].tool_call_id, by_id["t"].name, by_id["t"].extensions) == ("c", "look", {"x": 1})
    assert by_id["a"].tool_calls[0].arguments == "{}" and by_id["a"].tool_calls[0].id == "c"
    assert [(item.code, item.message_id) for item in found.losses] == [("elided", "a"), ("cleared", "t")]


class Scribe:
    """Says the same of everything; counts how often it was asked."""

    name, fingerprint, window = "local:scribe", "scribe", 4000

    def __init__(self) -> None:
        self.asked = 0

    def chat(self, messages: Sequence[Message], max_tokens: int) -> Completion:
        self.asked += 1
        return Completion("Notes on trees.", 10, 4)

    def stream(self, messages: Sequence[Message], max_tokens: int) -> Iterator[str | Completion]:
        raise NotImplementedError


def test_the_report_has_what_every_try_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    """Mending answers open calls, so that what fitted is cut again for it."""
    scribe, tries = Scribe(), list[int]()
    monkeypatch.setattr(fitting, "_opened", lambda spec: Services(spec, scribe))
    once = Fit.fit

    def counted(self: Fit, conversation: Conversation, ledger: Ledger | None = None) -> Fitted:
        tries.append(self.tokens)
        return once(self, conversation, ledger)

    monkeypatch.setattr(Fit, "fit", counted)
    messages = []
    for n in range(30):
        call = ToolCall(f"c{n}", "look_up", "{}")
        messages += [
            Message("user", f"Note {n}.", f"u{n}"),
            Message("assistant", None, f"a{n}", tool_calls=(call,)),
        ]
    settings = Settings(max_tokens=300, strategy="summary(writer='model', share=0.1, keep_user=0.0, low_water=1.0)")
    conversation = Conversation(tuple(messages), "x")
    (made,) = Preparer("openai-chat", writer_named("openai-chat"), settings).prepare(
        conversation, Reading(conversation, (), None, "x")
    )
    assert made.cut is not None and made.cut.report is not None and made.cut.tokens is not None
    done = made.cut.report.summarising
    assert len(tries) > 1 and made.cut.tokens <= 300
    assert scribe.asked > 1 and (done.calls, done.input_tokens, done.output_tokens) == (
        scribe.asked, 10 * scribe.asked, 4 * scribe.asked
    )  # fmt: skip
