"""What each target refuses, by hand: from the errors that vendors return and the rules their SDKs state."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings

from mnemo_lab.conversation import MISSING, Attachment, Conversation, Message
from mnemo_lab.formats.targets import TARGETS, validate_for
from mnemo_lab.units import validate_messages
from tests.formats.targets.conversations import PIXEL, calls, conversations, result, says, talk, user

ALL = sorted(TARGETS)
STRICT = [name for name in ALL if TARGETS[name].pairing == "refused"]
BY_ORDER = ["hf-messages", "langchain", "ollama", "vllm"]
PAIRING = (
    "orphan_tool_result",
    "unanswered_tool_call",
    "late_tool_result",
    "duplicate_call_id",
    "result_without_call_id",
)


def codes(conversation: Conversation, target: str, model: str | None = None) -> list[str]:
    return [item.code for item in validate_for(conversation, target, model)]


def refusing(conversation: Conversation, code: str) -> list[str]:
    """The targets that find a code in a conversation."""
    return [name for name in ALL if code in codes(conversation, name)]


def test_the_targets_are_known() -> None:
    assert STRICT == ["anthropic", "bedrock", "gemini", "mistral", "openai-chat", "openai-responses", "sharegpt"]
    assert sorted({*STRICT, *BY_ORDER}) == ALL


@pytest.mark.parametrize("target", ALL)
def test_a_plain_conversation_is_valid_everywhere(target: str) -> None:
    steps = (calls("aB3dE6gH9"), result("aB3dE6gH9"), says())
    assert codes(talk(user(), *steps, user("再见"), says(), system_prompt="be kind"), target) == []


@pytest.mark.parametrize(
    ("messages", "code", "place"),
    [
        ((result("c1", "结果"), says("好了"), user("继续")), "orphan_tool_result", 0),
        ((user(), calls("c1", "c2"), result("c1", "甲"), user("?")), "unanswered_tool_call", 1),
        ((user(), calls("c1"), user("插一句"), result("c1")), "late_tool_result", 3),
        ((user(), calls("dup", "dup"), result("dup"), result("dup")), "duplicate_call_id", 1),
        ((user(), calls("c1"), result(None)), "result_without_call_id", 2),
        ((user(), calls("t9")), "unanswered_tool_call", 1),
    ],
    ids=["orphan", "parallel", "not adjacent", "same id", "no id", "pending at the end"],
)
def test_pairing_is_refused_or_misread(messages: tuple[Message, ...], code: str, place: int) -> None:
    conversation = talk(*messages)
    for name in STRICT:
        assert (code, f"/messages/{place}") in [(item.code, item.pointer) for item in validate_for(conversation, name)]
    assert refusing(conversation, "pair_misread") == BY_ORDER
    for name in BY_ORDER:
        assert not set(codes(conversation, name)) & set(PAIRING)


@settings(max_examples=60, deadline=None)
@given(conversation=conversations)
def test_pairing_is_that_of_validate_messages(conversation: Conversation) -> None:
    """The same faults, and besides the calls that still wait at the end."""
    flat = replace(conversation, messages=tuple(replace(m, parent_id=None) for m in conversation.messages))
    base = [(item.code, item.pointer) for item in validate_messages(flat.messages) if item.code in PAIRING]
    found = [(item.code, item.pointer) for item in validate_for(flat, "anthropic") if item.code in PAIRING]
    assert found[: len(base)] == base
    assert {code for code, _ in found[len(base) :]} <= {"unanswered_tool_call"}


def test_roles_and_their_order() -> None:
    assert refusing(talk(says("您好"), user()), "turn_refused") == ["anthropic", "bedrock", "sharegpt"]
    assert refusing(talk(says("您好"), user()), "turn_doubtful") == ["hf-messages", "vllm"]
    assert refusing(talk(user("一"), user("二")), "turn_refused") == ["bedrock", "sharegpt"]
    assert refusing(talk(user(), says("三"), says("四")), "turn_refused") == ["bedrock", "sharegpt"]
    after_text = talk(user(), says("let me see"), calls("aB3dE6gH9"), result("aB3dE6gH9"))
    assert refusing(after_text, "turn_refused") == ["bedrock", "gemini", "sharegpt"]
    asks_on = talk(user(), calls("aB3dE6gH9"), result("aB3dE6gH9"), user("stop"))
    assert refusing(asks_on, "turn_refused") == ["sharegpt"]
    assert refusing(asks_on, "turn_doubtful") == ["hf-messages", "mistral", "vllm"]
    parallel = talk(user(), calls("aB3dE6gH9", "zB3dE6gH9"), result("aB3dE6gH9"), result("zB3dE6gH9"))
    assert refusing(parallel, "calls_refused") == ["sharegpt"]
    [found] = validate_for(talk(says("您好")), "anthropic")
    assert found.sentence() == "Anthropic Messages takes no assistant message after start"
    assert found.sentence("zh") == "Anthropic Messages 不接受 start 之后的 assistant 消息"


def test_only_the_assistant_calls() -> None:
    by_user = replace(calls("aB3dE6gH9", text="hi"), role="user")
    assert refusing(talk(by_user), "calls_refused") == ALL


def test_system_messages() -> None:
    late = talk(user("a"), says("b"), Message("system", "S2 在中间"), user("c"))
    everywhere_else = ["anthropic", "bedrock", "gemini", "mistral", "sharegpt", "vllm"]
    assert refusing(late, "system_refused") == everywhere_else
    assert refusing(late, "late_system_message") == ["hf-messages"]
    after_user = talk(user("a"), Message("system", "S"), says("b"))
    assert refusing(after_user, "system_refused") == [name for name in everywhere_else if name != "mistral"]
    two = talk(Message("system", "S1"), Message("system", "D1"), user())
    beside_prompt = talk(Message("system", "D1"), user(), system_prompt="S1")
    for conversation in (two, beside_prompt):
        assert refusing(conversation, "system_refused") == ["sharegpt", "vllm"]
        assert refusing(conversation, "turn_doubtful") == ["hf-messages"]


def test_developer_is_a_role_of_openai_alone() -> None:
    """Where OpenAI's writer would write it back: openai-chat keeps it, other servers ignore or refuse it."""
    kept = {"openai-chat": {"role": "developer"}}
    assert refusing(talk(Message("system", "D1", extensions=kept), user()), "refused_by_target") == ["mistral", "vllm"]
    prompt = talk(user(), system_prompt="D1", extensions={"openai-chat": {"system": {"role": "developer"}}})
    assert refusing(prompt, "refused_by_target") == ["mistral", "vllm"]


@pytest.mark.parametrize(
    ("id_", "refused"),
    [
        ("aB3dE6gH9", []),
        ("call_abc-1", ["mistral"]),
        ("tooluse:1.2", ["anthropic", "mistral"]),
        ("functions.Bash 0", ["anthropic", "bedrock", "mistral"]),
        ("调用一二三四五六七", ["anthropic", "bedrock", "mistral"]),
        ("x" * 41, ["mistral", "openai-chat"]),
        ("x" * 65, ["bedrock", "mistral", "openai-chat", "openai-responses"]),
        ("", ["anthropic", "bedrock", "mistral", "openai-chat", "openai-responses"]),
        ("aB3dE6gH\n", ["anthropic", "bedrock", "mistral"]),
    ],
)
def test_call_ids(id_: str, refused: list[str]) -> None:
    conversation = talk(user(), calls(id_), result(id_), says())
    assert refusing(conversation, "identifier_refused") == refused
    for name in refused:
        assert codes(conversation, name) == ["identifier_refused"] * 2, "the call and its result"


def test_names() -> None:
    def named(name: str) -> list[str]:
        return refusing(talk(user(), calls("aB3dE6gH9", name=name), result("aB3dE6gH9")), "identifier_refused")

    most = ["anthropic", "bedrock", "mistral", "openai-chat", "openai-responses"]
    assert named("get_weather") == []
    assert named("mcp.get") == most
    assert named("9lives") == ["gemini"]
    assert named("查询") == sorted([*most, "gemini"])
    assert named("n" * 65) == [name for name in most if name != "anthropic"]
    assert refusing(talk(user(name="张 三")), "identifier_refused") == ["openai-chat"]
    assert refusing(talk(user(name="张三")), "identifier_refused") == []


def test_null_and_empty_content() -> None:
    for nothing in (None, MISSING):
        found = validate_for(talk(user(nothing)), "openai-chat")
        assert [item.code for item in found] == ["empty_refused"]
        assert dict(found[0].values)["found"] == ("null" if nothing is None else "missing")
        assert refusing(talk(user(nothing)), "empty_refused") == ALL
    assert refusing(talk(user(""), says("x")), "empty_refused") == ["anthropic", "bedrock", "gemini"]
    assert refusing(talk(user("x"), says("")), "empty_refused") == ["anthropic", "bedrock", "gemini", "mistral"]
    assert refusing(talk(user("x"), says(" \n")), "empty_refused") == ["anthropic", "bedrock"]
    assert refusing(talk(user("x"), says(None, extensions={"refusal": "no"})), "empty_refused") == []
    with_call = talk(user(), calls("aB3dE6gH9", text=None), result("aB3dE6gH9", ""))
    assert refusing(with_call, "empty_refused") == [], "a writer leaves the text beside calls out"
    picture = Attachment("image", "image/png", data=PIXEL)
    assert refusing(talk(user(None, attachments=(picture,))), "empty_refused") == []


@pytest.mark.parametrize(
    ("arguments", "fine"),
    [("{}", True), ("", True), (' {"a": {"b": [1]}} ', True), ("null", False), ("[1]", False), ('"x"', False),
     ("{", False), ('{"a": NaN}', False), ("{'a': 1}", False), ('{"a": ' + "9" * 5000 + "}", False),
     ("[" * 100_000, False)],
)  # fmt: skip
def test_arguments(arguments: str, fine: bool) -> None:
    conversation = talk(user(), calls("aB3dE6gH9", arguments=arguments), result("aB3dE6gH9"))
    objects = ["anthropic", "bedrock", "gemini", "hf-messages", "ollama", "vllm"]
    assert refusing(conversation, "arguments_refused") == ([] if fine else objects)
    others = [name for name in ALL if name not in objects]
    assert refusing(conversation, "bad_arguments") == ([] if fine else others)


def images(*items: Attachment, role: str = "user") -> list[str]:
    message = result("aB3dE6gH9", attachments=items) if role == "tool" else user(attachments=items)
    if role == "assistant":
        message = says(attachments=items)
    before = (user(), calls("aB3dE6gH9")) if role == "tool" else (user(),)
    return refusing(talk(*before, message), "attachment_refused")


def test_images_and_files() -> None:
    url, inside = Attachment("image", reference="https://e.org/x.png"), Attachment("image", "image/png", data=PIXEL)
    assert images(inside) == []
    assert images(url) == ["bedrock", "ollama"]
    assert images(Attachment("image", reference=f"data:image/png;base64,{PIXEL}")) == []
    assert images(Attachment("image", "image/png", data="NOT_BASE64!")) == ALL
    assert images(Attachment("image", "image/jpg", data=PIXEL)) == []
    tiff = Attachment("image", "image/tiff", data=PIXEL)
    assert images(tiff) == ["anthropic", "bedrock", "openai-chat", "openai-responses"]
    in_results = ["anthropic", "bedrock", "gemini", "langchain", "openai-responses"]
    assert images(inside, role="tool") == [name for name in ALL if name not in in_results]
    assert images(inside, role="assistant") == [name for name in ALL if name not in ("gemini", "langchain")]
    pdf = Attachment("file", "application/pdf", data=PIXEL)
    assert images(pdf) == ["hf-messages", "mistral", "ollama", "sharegpt", "vllm"]
    assert images(Attachment("file", "audio/wav", data=PIXEL)) == ["anthropic", "bedrock", "ollama", "openai-responses"]
    assert images(Attachment("image", "image/png", reference="/tmp/x.png")) == [
        name for name in ALL if name not in ("gemini", "hf-messages", "langchain", "sharegpt")
    ]
    [stub] = validate_for(talk(user(attachments=(Attachment("image", name="云图.png"),))), "anthropic")
    assert (stub.code, stub.severity, dict(stub.values)) == ("missing_asset", "warning", {"name": "云图.png"})
    [refused] = validate_for(talk(user(attachments=(url,))), "ollama")
    assert refused.sentence() == "Ollama refuses image (url) in a user message; it takes image/* (base64)"


def thinks(**entry: object) -> Conversation:
    return talk(user(), says(extensions={"reasoning": [{"text": "嗯", **entry}]}))


def test_reasoning_is_signed_where_it_was_made() -> None:
    signed = "signature_refused"
    assert refusing(thinks(signature="s", provider="anthropic"), signed) == ["gemini", "openai-responses"]
    assert refusing(thinks(signature="s", provider="openai"), signed) == ["anthropic", "bedrock", "gemini"]
    assert refusing(thinks(signature="s", provider="gemini"), signed) == ["anthropic", "bedrock", "openai-responses"]
    assert refusing(thinks(), signed) == ["anthropic"], "thinking needs a signature there"
    assert refusing(thinks(signature="s"), signed) == [], "nobody can tell whose it is"
    mine = thinks(signature="s", provider="anthropic", model="claude-sonnet-4-20250514")
    assert codes(mine, "anthropic", "claude-sonnet-4") == []
    assert codes(mine, "anthropic", "claude-opus-4") == [signed]


def test_reasoning_of_responses_needs_what_followed_it() -> None:
    alone = says("", extensions={"reasoning": [{"signature": "s", "provider": "openai"}]})
    assert refusing(talk(user(), alone, user()), "reasoning_unpaired") == ["openai-responses"]
    assert refusing(talk(user(), alone, says("so")), "reasoning_unpaired") == []


def test_calls_without_thought_signature() -> None:
    unsigned = talk(user(), calls("c1"), result("c1"))
    assert codes(unsigned, "gemini") == codes(unsigned, "gemini", "gemini-2.5-pro") == []
    assert "call_unsigned" in codes(unsigned, "gemini", "gemini-3-pro-preview")
    first, *rest = calls("c1").tool_calls
    signed = replace(calls("c1"), tool_calls=(replace(first, extensions={"gemini": {"thoughtSignature": "s"}}), *rest))
    assert "call_unsigned" not in codes(talk(user(), signed, result("c1")), "gemini", "gemini-3-pro-preview")


def test_the_window() -> None:
    long = talk(user("word " * 9000))
    [found] = validate_for(long, "openai-chat", "gpt-4")
    assert (found.code, found.severity) == ("window_exceeded", "error")
    values = dict(found.values)
    assert (values["window"], values["model"]) == ("8192", "gpt-4") and 9000 < int(values["tokens"]) < 9020
    assert codes(long, "openai-chat", "gpt-4o") == []
    by_arguments = talk(user(), calls("aB3dE6gH9", arguments='{"a": "' + "word " * 9000 + '"}'), result("aB3dE6gH9"))
    assert codes(by_arguments, "openai-chat", "gpt-4") == ["window_exceeded"]
    assert codes(talk(user(), system_prompt="word " * 9000), "openai-chat", "gpt-4") == ["window_exceeded"]
    assert codes(long, "openai-chat", "my-own-model") == ["window_unknown"]


def test_an_empty_conversation_is_no_error() -> None:
    assert [(item.code, item.severity) for item in validate_for(talk(), "anthropic")] == [
        ("empty_conversation", "warning")
    ]


def test_of_branches_the_active_path_is_judged() -> None:
    left = Message("assistant", "", id="a", parent_id="u")
    right = Message("assistant", "fine", id="b", parent_id="u")
    tree = talk(Message("user", "hi", id="u"), left, right, extensions={"active_leaf": "b"})
    assert codes(tree, "anthropic") == []
    [found] = validate_for(replace(tree, extensions={"active_leaf": "a"}), "anthropic")
    assert (found.message_id, found.pointer) == ("a", "/messages/1")
    swapped = talk(left, Message("user", "hi", id="u"), right, extensions={"active_leaf": "a"})
    [found] = validate_for(swapped, "anthropic")
    assert (found.message_id, found.pointer) == ("a", "/messages/0"), "where it stands in the list that was given"
