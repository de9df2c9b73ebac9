"""Repairs by hand: what becomes of each breakage, under both policies, and what is said about it."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from mnemo_lab.conversation import Attachment, Conversation, Message
from mnemo_lab.errors import InvalidInput, UnknownName
from mnemo_lab.formats.targets import repair
from mnemo_lab.formats.targets.draft import Policy
from tests.formats.targets.conversations import PIXEL, calls, result, says, talk, user


def script(conversation: Conversation) -> list[str]:
    """``user: hi``, ``assistant: ok [c1 c2]``, ``tool c1: r``."""
    return [
        f"{m.role}{' ' + str(m.tool_call_id) if m.role == 'tool' else ''}: {m.content}"
        + (f" [{' '.join(call.id for call in m.tool_calls)}]" if m.tool_calls else "")
        for m in conversation.messages
    ]


def repaired(target: str, *messages: Message, policy: Policy = "placeholder") -> tuple[list[str], list[str]]:
    found = repair(talk(*messages), target, policy)
    return script(found.conversation), [item.code for item in found.losses]


def test_01_an_orphan_result_goes() -> None:
    for policy in ("placeholder", "drop"):
        lines, codes = repaired("openai-chat", result("c1", "结果"), says("好了"), user("继续"), policy=policy)  # type: ignore[arg-type]
        assert (lines, codes) == (["assistant: 好了", "user: 继续"], ["result_removed"])


def test_02_a_call_without_its_result() -> None:
    cut = (user("查两地"), calls("c1", "c2"), result("c1", "甲"), user("?"))
    lines, codes = repaired("openai-chat", *cut)
    assert lines == [
        "user: 查两地", "assistant: None [c1 c2]", "tool c1: 甲", "tool c2: (no result)", "user: ?",
    ]  # fmt: skip
    assert codes == ["result_added"]
    lines, codes = repaired("openai-chat", *cut, policy="drop")
    assert lines == ["user: 查两地", "assistant: None [c1]", "tool c1: 甲", "user: ?"]
    assert codes == ["call_removed"]


def test_03_a_late_result_moves_to_its_call() -> None:
    apart = (user("a"), calls("c1"), user("插一句"), result("c1"))
    for policy in ("placeholder", "drop"):
        lines, codes = repaired("anthropic", *apart, policy=policy)  # type: ignore[arg-type]
        assert lines == ["user: a", "assistant: None [c1]", "tool c1: r", "user: 插一句"]
        assert codes == ["result_moved"]


def test_d5_a_call_that_waits_at_the_end() -> None:
    assert repaired("openai-chat", user(), calls("t9"))[0] == [
        "user: hi",
        "assistant: None [t9]",
        "tool t9: (no result)",
    ]
    lines, codes = repaired("openai-chat", user(), calls("t9"), policy="drop")
    assert (lines, codes) == (["user: hi"], ["call_removed", "empty_message"])
    assert repaired("openai-chat", user(), calls("t9", text="wait"), policy="drop")[0] == [
        "user: hi",
        "assistant: wait",
    ]


def test_05_the_same_id_twice_in_one_turn_and_in_another() -> None:
    one, two, three = result("dup", "1"), result("dup", "2"), result("dup", "3")
    given = (user("a"), calls("dup", "dup"), one, two, user("b"), calls("dup"), three)
    found = repair(talk(*given), "anthropic", "drop")
    assert script(found.conversation) == [
        "user: a", "assistant: None [dup dup_2]", "tool dup: 1", "tool dup_2: 2",
        "user: b", "assistant: None [dup_3]", "tool dup_3: 3",
    ]  # fmt: skip
    assert [item.sentence() for item in found.losses] == [
        "id dup was renamed dup_2: duplicate_call_id",
        "id dup was renamed dup_3: duplicate_call_id",
    ]
    assert found.conversation.messages[3].extensions == {"original_id": "dup"}
    assert found.conversation.messages[1].tool_calls[1].extensions == {"original_id": "dup"}


def test_a_second_result_of_one_call_goes() -> None:
    lines, codes = repaired("openai-chat", user(), calls("c1"), result("c1", "1"), result("c1", "2"))
    assert (lines[-1], codes) == ("tool c1: 1", ["result_removed"])


def test_a_result_without_id_is_matched_by_name_then_order() -> None:
    step = replace(calls("c1"), tool_calls=(*calls("c1", name="f").tool_calls, *calls("c2", name="g").tool_calls))
    lines, codes = repaired("openai-chat", user(), step, result(None, "of g", name="g"), result(None, "first"))
    assert lines[2:] == ["tool c2: of g", "tool c1: first"]
    assert codes == ["result_moved", "result_moved"]


def test_07_foreign_reasoning_goes_and_own_stays() -> None:
    own = {"text": "a", "signature": "s", "provider": "anthropic"}
    foreign = {"text": "b", "signature": "t", "provider": "openai"}
    message = says(extensions={"reasoning": [own, foreign, {"text": "unsigned"}], "is_error": False})
    found = repair(talk(user(), message), "anthropic")
    assert found.conversation.messages[1].extensions == {"reasoning": [own], "is_error": False}
    assert [item.sentence() for item in found.losses] == [
        "reasoning was left out: signature = openai",
        "reasoning was left out: signature = none",
    ]
    assert found.losses[0].pointer == "/messages/1"


def test_09_reasoning_without_its_item_goes() -> None:
    alone = says("", extensions={"reasoning": [{"signature": "s", "provider": "openai"}]})
    found = repair(talk(user(), alone, user()), "openai-responses")
    assert found.conversation.messages[1].extensions == {}
    assert [item.code for item in found.losses] == ["reasoning_dropped"]


def test_10_empty_messages() -> None:
    empty = (user("a"), says(""), user("   "), says(None))
    lines, codes = repaired("anthropic", *empty, policy="drop")
    assert (lines, codes) == (["user: a"], ["empty_message"] * 3)
    lines, codes = repaired("anthropic", *empty)
    assert lines == ["user: a", *["assistant: (empty message)", "user: (empty message)", "assistant: (empty message)"]]
    assert codes == ["placeholder_added"] * 3


def test_11_null_becomes_an_empty_string() -> None:
    lines, codes = repaired("ollama", user("a"), says(None))
    assert (lines, codes) == (["user: a", "assistant: "], ["null_replaced"])
    assert repaired("ollama", user("a"), calls("c1"), result("c1"))[1] == [], "with calls null is a writer's choice"


def test_12_roles_in_a_row_are_merged_but_never_results() -> None:
    given = (
        user("一", name="甲"), user("二", name="乙"), says("三"), says("四"), calls("c1", "c2"),
        result("c1"), result("c2"), user("五"), user("六"),
    )  # fmt: skip
    lines, codes = repaired("bedrock", *given)
    assert lines == [
        "user: 一\n\n二", "assistant: 三\n\n四 [c1 c2]", "tool c1: r", "tool c2: r", "user: 五\n\n六",
    ]  # fmt: skip
    assert codes == ["roles_merged", "name_dropped", "name_dropped", "roles_merged", "roles_merged"]
    lines, codes = repaired("gemini", user(), says("三"), says("四"), calls("c1"), result("c1"))
    assert (lines[1], codes) == ("assistant: 三\n\n四 [c1]", ["roles_merged"])
    assert repaired("anthropic", *given)[1] == [], "combined by the API"


def test_13_one_leading_system_message() -> None:
    given = (
        Message("system", "S1"), Message("system", "D1", extensions={"openai-chat": {"role": "developer"}}),
        user("a"), says("b"), Message("system", "S2 在中间"), user("c"),
    )  # fmt: skip
    found = repair(talk(*given), "vllm")
    assert script(found.conversation) == ["system: S1\n\nD1\n\nS2 在中间", "user: a", "assistant: b", "user: c"]
    assert [(item.code, item.pointer) for item in found.losses] == [
        ("system_joined", "/messages/1"),
        ("system_joined", "/messages/4"),
    ]
    found = repair(talk(*given[2:], system_prompt="S0"), "anthropic")
    assert found.conversation.system_prompt == "S0\n\nS2 在中间"
    assert script(found.conversation) == ["user: a", "assistant: b", "user: c"]


def test_developer_becomes_system() -> None:
    kept = {"openai-chat": {"role": "developer", "note": 1}}
    prompt = {"openai-chat": {"system": {"role": "developer"}}, "x": 1}
    found = repair(talk(Message("system", "D1", extensions=kept), user(), extensions=prompt), "mistral")
    assert found.conversation.messages[0].extensions == {"openai-chat": {"note": 1}}
    assert found.conversation.extensions == {"openai-chat": {"system": {}}, "x": 1}
    assert [item.sentence("zh") for item in found.losses] == ["角色 developer 读作 system"] * 2


def test_14_arguments_become_an_object() -> None:
    for policy, kept in (("placeholder", '{"raw": "{\'a\'"}'), ("drop", "{}")):
        found = repair(talk(user(), calls("c1", arguments="{'a'"), result("c1")), "ollama", policy)  # type: ignore[arg-type]
        [call] = found.conversation.messages[1].tool_calls
        assert call.arguments == kept and isinstance(json.loads(call.arguments), dict)
        assert call.extensions == {"original_arguments": "{'a'"}
        assert [item.code for item in found.losses] == ["arguments_replaced"]


def test_15_ids_of_mistral() -> None:
    given = talk(user(), calls("call_1", "call_2"), result("call_1"), result("call_2"), says(), calls("abcDEF123"))
    found = repair(given, "mistral")
    first, second = (call.id for call in found.conversation.messages[1].tool_calls)
    # SHA-256 of the id in base 62, lowest digit first: the same in every run, every process, every window.
    assert (first, second) == (base62("call_1"), base62("call_2"))
    assert [m.tool_call_id for m in found.conversation.messages[2:4]] == [first, second]
    assert found.conversation.messages[5].tool_calls[0].id == "abcDEF123"
    assert found.conversation.messages[2].extensions == {"original_id": "call_1"}
    assert [item.code for item in found.losses] == ["result_added", "id_renamed", "id_renamed"]
    assert dict(found.losses[1].values) == {"id": "call_1", "new": first, "reason": "[a-zA-Z0-9]{9}"}


def base62(text: str) -> str:
    import hashlib
    import string

    value, digits = int(hashlib.sha256(text.encode()).hexdigest(), 16), ""
    while len(digits) < 9:
        value, digit = divmod(value, 62)
        digits += (string.digits + string.ascii_letters)[digit]
    return digits


def test_an_id_is_never_given_twice() -> None:
    """Neither to two ids that clean alike, nor where the hash of one is the id of another."""
    taken = base62("call_1")
    found = repair(talk(user(), calls(taken, "call_1"), result(taken), result("call_1")), "mistral")
    kept, new = (call.id for call in found.conversation.messages[1].tool_calls)
    assert kept == taken and new != taken and new == base62("call_1#1")
    three = ("a:1", "a_1", "a.1")
    found = repair(talk(user(), calls(*three), *map(result, three)), "anthropic")
    ids = [call.id for call in found.conversation.messages[1].tool_calls]
    assert ids[1] == "a_1" and len(set(ids)) == 3 and all(id_.startswith("a_1_") for id_ in (ids[0], ids[2]))
    assert [m.tool_call_id for m in found.conversation.messages[2:]] == ids


def test_names_of_tools_change_on_both_sides() -> None:
    found = repair(talk(user(), calls("c1", name="mcp.get"), result("c1", name="mcp.get")), "openai-chat")
    [call] = found.conversation.messages[1].tool_calls
    assert (call.name, call.extensions, found.conversation.messages[2].name) == (
        "mcp_get",
        {"original_name": "mcp.get"},
        "mcp_get",
    )
    found = repair(talk(user(name="张 三"), says(name="b/c")), "openai-chat")
    assert [message.name for message in found.conversation.messages] == ["张_三", "b_c"]


def test_29_the_first_message_is_the_users() -> None:
    greeting = (says("您好，旅人"), calls("c1"), result("c1"), user("你好"))
    lines, codes = repaired("anthropic", *greeting)
    assert (lines[:2], codes) == (["user: (conversation starts)", "assistant: 您好，旅人"], ["placeholder_added"])
    lines, codes = repaired("anthropic", *greeting, policy="drop")
    assert (lines, codes) == (["user: 你好"], ["turn_removed"] * 3)
    assert repaired("openai-chat", *greeting)[1] == []


def test_sharegpt_has_one_call_a_turn_and_an_answer_after_results() -> None:
    given = (user("q"), calls("a", "b", text="both"), result("b", "2"), result("a", "1"), user("next"))
    lines, codes = repaired("sharegpt", *given)
    assert lines == [
        "user: q", "assistant: both [a]", "tool a: 1", "assistant: None [b]", "tool b: 2",
        "assistant: (no answer)", "user: next",
    ]  # fmt: skip
    assert codes == ["calls_split", "placeholder_added"]
    lines, codes = repaired("sharegpt", *given, policy="drop")
    assert lines == ["user: q", "assistant: both", "user: next"], "the incomplete step goes, its text stays"
    assert codes == ["calls_split", "turn_removed", "call_removed", "turn_removed", "call_removed"]


def test_30_images_and_the_window_are_left_as_they_are() -> None:
    url = Attachment("image", reference="https://e.org/x.png")
    given = talk(user("word " * 9000, attachments=(url,)))
    for policy in ("placeholder", "drop"):
        assert repair(given, "ollama", policy, "gpt-4") == (given, ())  # type: ignore[arg-type]
    given = talk(user(attachments=(url,)), says(None))
    found = repair(given, "ollama")
    assert found.conversation.messages[0] is given.messages[0]
    assert [item.code for item in found.losses] == ["null_replaced"]


def test_calls_of_others_than_the_assistant_go() -> None:
    found = repair(talk(replace(calls("c1", text="hi"), role="user"), result("c1")), "openai-chat")
    assert script(found.conversation) == ["user: hi"]
    assert [item.code for item in found.losses] == ["call_removed", "result_removed"]


def test_what_a_joined_system_message_held_is_listed() -> None:
    picture = Attachment("image", "image/png", data=PIXEL)
    found = repair(talk(user(), Message("system", "S", attachments=(picture,))), "anthropic")
    assert found.conversation.system_prompt == "S"
    assert [item.code for item in found.losses] == ["system_joined", "image_dropped"]


def test_branches_are_left_out_only_where_something_is_repaired() -> None:
    user_message = Message("user", "hi", id="u")
    left, right = Message("assistant", "", id="a", parent_id="u"), Message("assistant", "fine", id="b", parent_id="u")
    tree = talk(user_message, left, right, extensions={"active_leaf": "b"})
    assert repair(tree, "anthropic") == (tree, ())
    found = repair(replace(tree, extensions={"active_leaf": "a"}), "anthropic", "drop")
    assert script(found.conversation) == ["user: hi"]
    assert [(item.code, item.pointer) for item in found.losses] == [
        ("branch_dropped", None),
        ("empty_message", "/messages/1"),
    ]


def test_the_policy_error_names_everything() -> None:
    broken = talk(user(), calls("c1"), user(""), id="chat-7")
    with pytest.raises(InvalidInput) as caught:
        repair(broken, "anthropic", "error")
    assert str(caught.value).splitlines() == [
        "chat-7: /messages/1: tool call c1 is never answered",
        'chat-7: /messages/2: Anthropic Messages refuses a user message whose content is ""',
    ]
    with pytest.raises(UnknownName, match="unknown policy 'guess'; known: drop, error, placeholder"):
        repair(broken, "anthropic", "guess")  # type: ignore[arg-type]


def test_a_long_broken_conversation_takes_linear_time() -> None:
    """20,000 messages of the worst kinds; quadratic work would take minutes."""
    many: list[Message] = []
    for number in range(4000):
        many += [says(f"a{number}"), calls("dup"), user(""), Message("system", "s"), result("dup")]
    for target in ("sharegpt", "bedrock"):
        for policy in ("placeholder", "drop"):
            assert repair(talk(*many), target, policy).losses  # type: ignore[arg-type]
