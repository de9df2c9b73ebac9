"""Conversations for tests: a hand-made bilingual one with tools, and hypothesis strategies for any other."""

from __future__ import annotations

from hypothesis import strategies as st

from mnemo_lab.conversation import Conversation, Message, ToolCall
from mnemo_lab.recording import Probe, Recording

PLAIN = st.text(st.characters(exclude_categories=("Cs",)), max_size=60)
TEXTS = st.one_of(
    PLAIN,
    st.sampled_from(
        [
            "今天讨论了部署方案，下周三上线。",
            "The staging database listens on port 5433.",
            "👩‍👩‍👧‍👦 e\u0301 🇫🇷 <|endoftext|> <|im_start|>",
            "错误码 E-4417 表示锁已过期；请用 cust_ref_2 这一列。",
            "line one\n\n\nline two  \n",
        ]
    ),
)


def day(number: int) -> str:
    return f"2026-03-{1 + number // 24:02d}T{number % 24:02d}:00:00Z"


@st.composite
def message_lists(draw: st.DrawFn, max_units: int = 8) -> list[Message]:
    """A valid list: users, assistants, steps with one or two parallel calls, all answered."""
    messages: list[Message] = []

    def add(**fields: object) -> None:
        number = len(messages)
        messages.append(Message(id=f"x{number}", timestamp=day(number), **fields))  # type: ignore[arg-type]

    add(role="user", content=draw(TEXTS))
    for unit in range(draw(st.integers(0, max_units))):
        kind = draw(st.sampled_from(["user", "assistant", "step"]))
        calls = ()
        if kind == "step":
            calls = tuple(ToolCall(f"c{unit}_{i}", "run", '{"q": 1}') for i in range(draw(st.integers(1, 2))))
        add(role="user" if kind == "user" else "assistant", content=draw(TEXTS), tool_calls=calls)
        for call in calls:
            add(role="tool", content=draw(TEXTS), tool_call_id=call.id, name="run")
    return messages


def office_recording() -> Recording:
    """Two conversations on different days, English and Chinese, with a tool call; ids m0 to m17."""
    first = [
        Message(
            "user", "We agreed that all ids are UUIDs and the staging database listens on port 5433.", "m0", day(0)
        ),
        Message("assistant", "Noted: UUID primary keys, staging on that port.", "m1", day(1)),
        Message("user", "How many rows does the orders table have?", "m2", day(2)),
        Message("assistant", "", "m3", day(3), tool_calls=(ToolCall("c1", "run_sql", '{"sql": "select count(*)"}'),)),
        Message("tool", "count\n-----\n48211", "m4", day(4), "run_sql", tool_call_id="c1"),
        Message("assistant", "The orders table has 48,211 rows.", "m5", day(5)),
        Message("user", "我们的发布会定在五月三十号，预算是七十二万。", "m6", day(6)),
        Message("assistant", "好的，已记录发布会的时间和预算。", "m7", day(7)),
        Message("user", "I prefer tea to coffee, by the way.", "m8", day(8)),
        Message("assistant", "Tea it is!", "m9", day(9)),
    ]
    second = [
        Message("user", "改一下：发布会改到六月六号，场地还是云海酒店。", "m10", day(50)),
        Message("assistant", "收到，日期已更新。", "m11", day(51)),
        Message("user", "Error E-4417 means the lock is stale; retry after 30 seconds.", "m12", day(52)),
        Message("assistant", "I will remember the retry delay.", "m13", day(53)),
        Message("user", "The vendor quoted 3,900 euros for the banner.", "m14", day(54)),
        Message("assistant", "That is above the 3,500 you planned.", "m15", day(55)),
        Message("user", "Fine, let's keep the smaller banner instead.", "m16", day(56)),
        Message("assistant", "Smaller banner, understood.", "m17", day(57)),
    ]
    probes = (
        Probe("q0", "Which port does the staging database use?", "exact_identifier", ("m0",), answer="5433"),
        Probe("q1", "发布会现在定在哪天？", "changed_fact_now", ("m10",), answer="六月六号"),
        Probe("q2", "发布会原来定在哪天？", "changed_fact_before", ("m6",), answer="五月三十号", after="m9"),
        Probe("q3", "What does E-4417 mean?", "single_fact", ("m12",), answer="the lock is stale"),
        Probe("q4", "What is the phone number of the vendor?", "unanswerable", answerable=False),
        Probe("q5", "How many rows are in orders?", "tool_result", ("m4",), answer="48211", after="m5"),
    )
    return Recording(
        "office",
        (
            Conversation(tuple(first), "c1", "Kick-off", system_prompt="You are a helpful assistant."),
            Conversation(tuple(second), "c2", "Changes", system_prompt="You are a helpful assistant."),
        ),
        probes,
        "dev",
        "en",
    )
