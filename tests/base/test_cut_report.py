"""The cut report by hand: who is kept, who is lost and why, and where the tokens go; and its law for any cut."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mnemo_lab.context import Budget, Context, Piece, Rendering, Source
from mnemo_lab.conversation import Attachment, Message, ToolCall
from mnemo_lab.cut_report import COMPONENTS, CutReport, cached_prefix, cut_report
from mnemo_lab.errors import InvalidInput
from mnemo_lab.language_models import Completion
from mnemo_lab.ledger import Ledger
from mnemo_lab.losses import loss
from mnemo_lab.packing.pack import close_context
from tests.base.test_units import listed
from tests.conversations import message_lists, office_recording
from tests.truncation.cuts import COUNTER, SERVICES, cut, history_of, sized, tokens_of

WAYS = (
    *("full", "random", "recent", "recent(partial=True, note='en')", "recent(keep_system_prompt=False, note='zh')"),
    *(
        "head_tail(note='en')",
        "tool_trim(keep_results=0, clear_inputs=True)",
        "tool_trim(keep_results=0, mode='elide')",
    ),
    *("summary", "bm25(k=3)", "hybrid"),
)


def report_of(messages: list[Message], tokens: int, strategy: str = "recent", prompt: str | None = None) -> CutReport:
    return cut_report(messages, cut(messages, tokens, strategy, prompt), system_prompt=prompt)


def reasons(report: CutReport) -> dict[str, str]:
    return {str(item.message_id): item.code for item in report.lost}


def test_older_and_whole() -> None:
    report = report_of(sized(10, 10, 10, 10), 25)
    assert (report.whole, report.in_part, report.represented) == (("m2", "m3"), (), ())
    assert reasons(report) == {"m0": "older", "m1": "older"}
    assert report.lost[0].sentence() == "older than what is kept within 25 tokens"
    assert report.lost[0].sentence("zh") == "早于 25 个词元内保留的部分"
    assert (report.tokens_before, report.tokens_after, report.budget, report.over_budget) == (40, 20, 25, False)


def test_every_reason() -> None:
    assert reasons(report_of(sized(10, 10, 10, 10), 25, "head_tail")) == {"m1": "middle", "m2": "middle"}
    stray = [*listed("U A T:9 U"), *sized(40, 10, start=4)]
    assert reasons(report_of(stray, 45)) == {
        "m0": "older", "m1": "older", "m2": "orphan_left_out", "m3": "older", "m4": "older"
    }  # fmt: skip
    assert reasons(report_of(stray, 35))["m4"] == "too_long"
    step = [*listed("A:1 T:1")[:1], replace(listed("A:1 T:1")[1], content="row " * 50), *sized(10, start=2)]
    report = report_of(step, 60, prompt="Be brief.")
    room = 60 - COUNTER.message(Message("system", "Be brief."))
    assert [(item.code, dict(item.values)) for item in report.lost] == [
        ("too_long", {"tokens": str(tokens_of(step[:2])), "room": str(room)})
    ] * 2
    assert (
        report.lost[0].sentence()
        == f"with what belongs to it {tokens_of(step[:2])} tokens, more than the {room} there are"
    )
    assert set(reasons(report_of(sized(10, 10, 10), 25, "random")).values()) == {"left_out"}
    assert set(reasons(report_of(sized(*[20] * 9), 100, "bm25(k=3)")).values()) == {"scored_lower"}
    context = cut(sized(10, 10), 10)
    said = replace(context, losses=(loss("cleared", message_id="m0", total=10),))
    assert reasons(cut_report(sized(10, 10), said)) == {"m0": "cleared"}, "what the context says goes first"


def test_in_part_and_represented() -> None:
    messages = [
        Message("user", "word " * 100, "u"),
        Message("assistant", "", "a", tool_calls=(ToolCall("c", "read", '{"path": "a/b/c/d/e/f"}'),)),
        Message("tool", "row " * 100, "t", tool_call_id="c"),
        Message("user", "thanks", "v"),
    ]
    report = report_of(messages, 100, "tool_trim(keep_results=0, clear_inputs=True, then='head_tail')")
    assert (report.in_part, report.represented, report.whole) == (("u", "a"), ("t",), ("v",))
    assert report.lost == () and [item.code for item in report.losses] == ["elided", "elided", "cleared"]
    summary = Piece("Summary", 9, (Source("u", ((0, 4),)), Source("a", (), "summary")), Message("user", "Summary"))
    context = close_context([summary], "chat", None, Budget(50, COUNTER), SERVICES)
    report = cut_report(messages, context)
    assert (report.in_part, report.represented, list(reasons(report))) == (("u",), ("a",), ["t", "v"])
    assert report.after["summary"] == 9 and report.summarising.ran
    halves = Piece("word", 5, (Source("u", ((0, 250),)), Source("u", ((250, 500),))), Message("user", "word"))
    context = close_context([halves], "chat", None, Budget(50, COUNTER), SERVICES)
    assert cut_report(messages, context).whole == ("u",), "two halves are the whole"


def test_what_is_sent_without_its_calls_or_attachments_is_in_part() -> None:
    call = ToolCall("c", "read", '{"path": "a"}')
    image = Attachment("image", "image/png", data="eA==")
    said = Message("assistant", "Let me look.", "a", tool_calls=(call,))
    seen = Message("user", "Look.", "u", attachments=(image,))
    messages = [seen, said, Message("tool", "row", "t", tool_call_id="c")]

    def whole(*pieces: Piece, rendering: Rendering = "chat") -> tuple[str, ...]:
        context = Context(pieces, rendering, 9, Budget(500, COUNTER))
        return cut_report(messages, context).whole

    quoted = "Look. Let me look. row"
    sources = tuple(Source(m.id, ((0, len(m.text)),), "summary") for m in messages)
    assert whole(Piece(quoted, 9, sources, Message("user", quoted))) == ("t",), "a summary that quotes every word"
    history = history_of(messages)
    assert whole(*map(history.chat, range(3))) == ("u", "a", "t")
    assert whole(*map(history.line, range(3)), rendering="transcript") == ("a", "t"), "a line holds calls, no images"
    without = replace(history.chat(1), message=replace(said, tool_calls=()))
    assert whole(without) == () and whole(replace(history.chat(0), message=replace(seen, attachments=()))) == ()
    line = 'assistant: Let me look. [call read({"path": "a"})]'
    assert whole(Piece(line, 9, sources[1:2], Message("user", line))) == ("a",)


def test_tokens_by_component() -> None:
    call = ToolCall("c", "read", '{"path": "a/b"}')
    messages = [
        Message("system", "Be kind.", "s"), Message("user", "Which port?", "u"),
        Message("assistant", "Let me look.", "a", tool_calls=(call,)), Message("tool", "5433", "t", tool_call_id="c"),
    ]  # fmt: skip
    report = cut_report(messages, cut(messages, 10**4, prompt="Be brief."), system_prompt="Be brief.")
    calls = 7 + COUNTER.count("read") + COUNTER.count('{"path": "a/b"}')
    expected = dict.fromkeys(COMPONENTS, 0) | {
        "system_prompt": COUNTER.message(Message("system", "Be brief.")),
        "system": COUNTER.message(messages[0]),
        "user": COUNTER.message(messages[1]),
        "assistant": COUNTER.message(Message("assistant", "Let me look.")),
        "tool_calls": calls,
        "tool_results": COUNTER.message(messages[3]),
    }
    assert report.before == report.after == expected
    dropped = report_of(messages, 10**4, "recent(keep_system_prompt=False)", prompt="Be brief.")
    assert dropped.before["system_prompt"] == expected["system_prompt"] and dropped.after["system_prompt"] == 0
    noted = report_of(sized(30, 10), 25, "recent(note='en')")
    assert (
        noted.after["notes"] == COUNTER.message(Message("user", "[1 message omitted]")) and noted.before["notes"] == 0
    )
    lines = report_of(messages, 10**4, "bm25")
    assert lines.after["other"] > 0, "the marks of the quoted block"


@pytest.mark.parametrize("strategy", WAYS)
@settings(max_examples=40, deadline=None)
@given(messages=message_lists(), tokens=st.sampled_from([0, 7, 30, 64, 120, 300, 5000]), prompt=st.booleans())
def test_observed_is_kept_represented_or_lost(
    strategy: str, messages: list[Message], tokens: int, prompt: bool
) -> None:
    system = "Be brief." if prompt else None
    observed = [*listed("T:9"), *messages, *listed("U A T:8")[2:]]
    context = cut(observed, tokens, strategy, system)
    report = cut_report(observed, context, system_prompt=system)
    parts = [report.whole, report.in_part, report.represented, tuple(str(item.message_id) for item in report.lost)]
    together = [name for part in parts for name in part]
    assert len(together) == len(set(together)) == len(observed)
    order = [message.id for message in observed]
    assert set(together) == set(order)
    assert all(list(part) == sorted(part, key=order.index) for part in parts)
    assert report.tokens_before == tokens_of(observed) + (COUNTER.message(Message("system", system)) if system else 0)
    assert report.tokens_after == context.tokens == context.recount()
    assert all(report.before[name] >= 0 and report.after[name] >= 0 for name in COMPONENTS)
    assert report.over_budget == context.over_budget
    history = history_of(observed, system)
    assert cut_report(history, context) == report, "a history says the same as its messages"
    native = {m.id for m in context.messages()} if context.rendering == "chat" else set()
    assert set(report.whole) >= {m.id for m in context.messages() if m in observed and m.id}
    assert not native & {str(item.message_id) for item in report.lost}
    assert json.loads(json.dumps(report.as_dict())) == report.as_dict()


def test_as_json() -> None:
    found = report_of(sized(10, 10, 10), 25, "recent").as_dict()
    assert found["lost"] == [
        {
            "id": "m0",
            "code": "older",
            "en": "older than what is kept within 25 tokens",
            "zh": "早于 25 个词元内保留的部分",
        }
    ]
    assert found["kept_whole"] == ["m1", "m2"] and found["kept_in_part"] == found["represented"] == []
    assert found["tokens"]["before"] == {"total": 30, **dict.fromkeys(COMPONENTS, 0), "user": 30}
    assert found["tokens"]["after"]["total"] == 20
    assert (found["budget"], found["over_budget"], found["cached_prefix"]) == (25, False, None)
    assert found["summarising"] == {
        "ran": False, "models": [], "calls": 0, "failed": 0, "fell_back": 0, "reasons": [], "input_tokens": 0,
        "output_tokens": 0, "dollars": 0,
    }  # fmt: skip


def test_as_text() -> None:
    messages = [*sized(10), Message("user", "word " * 100, "m1"), *sized(10, start=2)]
    context = cut(messages, 70, "recent(partial=True)", "Be brief.")
    text = str(cut_report(messages, context, previous=context))
    assert text.splitlines() == [
        "2 of 3 messages kept (1 in part), 0 represented, 1 lost",
        "  1 lost: older than what is kept within 70 tokens",
        f"tokens: {tokens_of(messages) + 7:,} before, {context.tokens} after, budget 70",
        "  system prompt: 7 before, 7 after",
        f"  user: {tokens_of(messages)} before, {context.tokens - 7} after",
        f"unchanged beginning: {context.tokens} tokens",
    ]
    shown = report_of([Message("user", "<b>", "u")], 1, prompt="<i>")._repr_html_()
    assert "<b>" not in shown and "OVER BUDGET" in shown


def test_what_summaries_cost() -> None:
    messages, context, ledger = sized(10, 10), cut(sized(10, 10), 10), Ledger()
    ledger.charge("openai:gpt-4o-mini", "summary", Completion("x", 1000, 200), 1.5)
    ledger.path = "read"
    ledger.charge("openai:gpt-4o-mini", "summary", Completion("x", 500, 100), 0.5)
    ledger.charge("openai:gpt-4o-mini", "answer", Completion("x", 9000, 9000), 0.5)
    ledger.of("openai:gpt-4o-mini", "summary").fell_back += 1
    said = replace(context, losses=(loss("summary_fell_back", writer="model", reason="429, again and again"),))
    done = cut_report(messages, said, ledger).summarising
    assert (done.ran, done.models, done.calls, done.fell_back) == (False, ("openai:gpt-4o-mini",), 2, 1)
    assert (done.input_tokens, done.output_tokens) == (1500, 300)
    assert done.dollars == pytest.approx((1500 * 0.15 + 300 * 0.6) / 1e6), "gpt-4o-mini: $0.15 and $0.60 a million"
    assert done.reasons == ("429, again and again",)
    text = str(cut_report(messages, said, ledger))
    assert "summary: not sent; openai:gpt-4o-mini, 2 calls, $0.0004" in text
    assert "  fell back: 429, again and again" in text
    ledger.charge("openai:unheard-of", "summary", Completion("x", 10, 10))
    report = cut_report(messages, said, ledger)
    assert report.as_dict()["summarising"]["dollars"] is None and "price unknown" in str(report)


def test_ids_must_tell_messages_apart() -> None:
    context = cut(sized(10, 10), 10)
    for messages in ([Message("user", "x")], [*sized(10), *sized(10)]):
        with pytest.raises(InvalidInput, match="ids of their own; give each message another id"):
            cut_report(messages, context)
    assert cut_report([], cut([], 10)).tokens_before == 0


def test_the_unchanged_beginning_by_hand() -> None:
    ten = sized(*[10] * 6)
    before, now = cut(ten[:4], 60, prompt="Be brief."), cut(ten[:5], 60, prompt="Be brief.")
    assert cached_prefix(before, now) == before.tokens == 47
    moved = cut(ten, 60, prompt="Be brief.")
    assert cached_prefix(now, moved) == 7 + 50, "alike to the byte, whatever the ids"
    other = cut([replace(ten[0], content="y x x x x x"), *ten[1:]], 67, prompt="Be brief.")
    assert cached_prefix(now, other) == 7, "message by message, then stop"
    assert cached_prefix(now, cut(ten[:5], 60, prompt="Be kind.")) == 0
    assert cached_prefix(cut([], 60), now) == 0 == cached_prefix(now, cut(ten, 60, "bm25", "Be brief."))
    call = listed("U A:1 T:1")
    changed = [call[0], replace(call[1], tool_calls=(ToolCall("1", "run", '{"a": 1}'),)), call[2]]
    assert cached_prefix(cut(call), cut(changed)) == COUNTER.message(call[0])


def test_the_unchanged_beginning_of_a_transcript() -> None:
    messages = list(office_recording().messages())

    def lines(count: int) -> Context:
        return close_context(
            [history_of(messages).line(p) for p in range(count)], "transcript", None, Budget(900, COUNTER), SERVICES
        )

    before, now = lines(3), lines(5)
    assert cached_prefix(now, now) == now.tokens
    inside = cached_prefix(before, now)
    assert sum(piece.tokens for piece in before.pieces) < inside <= before.tokens
    assert cached_prefix(now, before) == inside
