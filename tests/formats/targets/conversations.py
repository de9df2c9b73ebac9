"""Conversations for the targets: short scripts by hand, and hypothesis strategies for broken ones."""

from __future__ import annotations

from itertools import chain

from hypothesis import strategies as st

from mnemo_lab.conversation import MISSING, Attachment, Conversation, Message, ToolCall

PIXEL = "iVBORw0KGgo="


def user(text: str | None = "hi", **more: object) -> Message:
    return Message("user", text, **more)  # type: ignore[arg-type]


def says(text: str | None = "ok", **more: object) -> Message:
    return Message("assistant", text, **more)  # type: ignore[arg-type]


def calls(*ids: str, text: str | None = None, name: str = "f", arguments: str = '{"k":1}') -> Message:
    return Message("assistant", text, tool_calls=tuple(ToolCall(id_, name, arguments) for id_ in ids))


def result(call: str | None, text: str | None = "r", **more: object) -> Message:
    return Message("tool", text, tool_call_id=call, **more)  # type: ignore[arg-type]


def talk(*messages: Message, **more: object) -> Conversation:
    return Conversation(tuple(messages), **more)  # type: ignore[arg-type]


IDS = [
    "c1",
    "c2",
    "dup",
    "dup_2",
    "",
    "functions.Bash:0",
    "functions_Bash_0",
    "tooluse_" + "x" * 60,
    "aB3dE6gH9",
    "号码",
]
NAMES = ["f", "get weather", "查询", "", "9lives", "n" * 200, "a.b", "a_b"]
ARGUMENTS = ["{}", "", " ", '{"a": 1}', "[1]", "null", '{"a": NaN}', "{", '"text"', "9" * 5000, "[" * 3000]
TEXTS = ["", " ", "\n", "hello", "部署方案", "\ud83d", "<|endoftext|>"]

texts = st.sampled_from(TEXTS)
contents = texts | st.sampled_from([None, MISSING])
tool_calls = st.builds(
    ToolCall,
    id=st.sampled_from(IDS),
    name=st.sampled_from(NAMES),
    arguments=st.sampled_from(ARGUMENTS),
    extensions=st.sampled_from([{}, {"original_id": "kept"}, {"gemini": {"thoughtSignature": "s"}}]),
)
attachments = st.builds(
    Attachment,
    kind=st.sampled_from(["image", "file"]),
    media_type=st.sampled_from([None, "image/png", "image/tiff", "application/pdf", "audio/wav", "x"]),
    reference=st.sampled_from(
        [None, "https://example.org/x.png", "file-abc", "/tmp/x", f"data:image/png;base64,{PIXEL}"]
    ),
    data=st.sampled_from([None, PIXEL, "NOT_BASE64!"]),
)
reasoning = st.fixed_dictionaries(
    {},
    optional={
        "text": st.just("because"),
        "signature": st.sampled_from(["sig", "", None, 3]),
        "provider": st.sampled_from(["anthropic", "openai", "google", "gemini", None, 3]),
        "model": st.sampled_from(["claude-sonnet-4", "gpt-4o", None]),
    },
)
extensions = st.one_of(
    st.just({}),
    st.fixed_dictionaries({"reasoning": st.lists(reasoning | st.just("odd"), max_size=3) | st.just("odd")}),
    st.sampled_from(
        [{"refusal": "no"}, {"openai-chat": {"role": "developer"}}, {"openai-chat": 3}, {"is_error": True}]
    ),
)
messages = st.builds(
    Message,
    role=st.sampled_from(["system", "user", "assistant", "assistant", "tool", "tool"]),
    content=contents,
    id=st.sampled_from(["", "", "m1", "m2", "m3"]),
    name=st.sampled_from([None, None, *NAMES]),
    tool_calls=st.just(()) | st.lists(tool_calls, max_size=3).map(tuple),
    tool_call_id=st.none() | st.sampled_from(IDS),
    parent_id=st.sampled_from([None, None, None, "m1", "m2", "gone"]),
    attachments=st.just(()) | st.lists(attachments, max_size=2).map(tuple),
    extensions=extensions,
)
steps = st.lists(tool_calls, min_size=1, max_size=3).map(
    lambda found: [Message("assistant", None, tool_calls=tuple(found)), *(result(call.id) for call in found)]
)
anything = st.lists(messages.map(lambda message: [message]) | steps, max_size=9).map(lambda found: list(chain(*found)))
conversations = st.builds(
    Conversation,
    messages=anything.map(tuple),
    id=st.sampled_from(["", "c"]),
    system_prompt=st.none() | texts,
    extensions=st.sampled_from([{}, {"active_leaf": "m2"}, {"openai-chat": {"system": {"role": "developer"}}}]),
)
