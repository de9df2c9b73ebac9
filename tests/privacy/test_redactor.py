"""Placeholders, the map, whole conversations."""

from __future__ import annotations

import json
import os
import stat
from pathlib import Path

import pytest

from mnemo_lab.conversation import Attachment, Conversation, Message, ToolCall
from mnemo_lab.errors import InvalidInput, UnknownName
from mnemo_lab.privacy import Redactor, find_sensitive, read_mapping, restore, restore_conversation, write_mapping
from tests.privacy.examples import filler

KEY = "sk-" + "proj-" + filler(48)


def test_the_same_value_is_the_same_placeholder_over_calls() -> None:
    redactor = Redactor()
    assert redactor.redact("a@example.org, b@example.org, a@example.org").text == "[EMAIL_1], [EMAIL_2], [EMAIL_1]"
    assert redactor.redact("now b@example.org and 10.0.0.7").text == "now [EMAIL_2] and [IP_1]"
    assert redactor.mapping == {"[EMAIL_1]": "a@example.org", "[EMAIL_2]": "b@example.org", "[IP_1]": "10.0.0.7"}


def test_findings_are_places_in_the_original() -> None:
    text = "密码是abc12345，邮箱 a@example.org"
    redacted = Redactor().redact(text)
    assert redacted.text == "密码是[PASSWORD_1]，邮箱 [EMAIL_1]"
    assert [text[item.start : item.end] for item in redacted.findings] == ["abc12345", "a@example.org"]
    assert redacted.counts == {"email": 1, "password": 1}
    assert list(redacted.findings) == find_sensitive(text)


def test_only_the_secret_part_goes() -> None:
    text = f"curl -H 'Authorization: Bearer {KEY}' postgres://app:hunter2222@db.corp.internal:5432/x"
    assert Redactor().redact(text).text == (
        "curl -H 'Authorization: Bearer [API_KEY_1]' postgres://app:[PASSWORD_1]@[HOST_1]:5432/x"
    )


def test_kinds_and_names_can_be_left_out() -> None:
    text = "My name is Jonathan Whitfield, a@example.org, 10.0.0.7"
    assert Redactor(kinds=["email"]).redact(text).text == "My name is Jonathan Whitfield, [EMAIL_1], 10.0.0.7"
    assert Redactor(names=False).redact(text).text == "My name is Jonathan Whitfield, [EMAIL_1], [IP_1]"


def test_wrong_settings_are_named() -> None:
    with pytest.raises(UnknownName, match=r"unknown kind of sensitive text 'emails'.*Did you mean 'email'"):
        Redactor(kinds=["emails"])
    with pytest.raises(InvalidInput, match="language is 'fr'; use one of auto, en, zh"):
        Redactor(language="fr")  # type: ignore[arg-type]


def test_placeholders_that_were_there_are_never_given_out() -> None:
    text = "[EMAIL_1] stands for mail; write to a@example.org"
    redactor = Redactor()
    assert redactor.redact(text).text == "[EMAIL_1] stands for mail; write to [EMAIL_2]"
    assert restore(redactor.redact(text).text, redactor.mapping) == text


def test_a_map_is_continued() -> None:
    first = Redactor()
    first.redact("a@example.org")
    second = Redactor(mapping=first.mapping)
    assert second.redact("b@example.org, a@example.org").text == "[EMAIL_2], [EMAIL_1]"
    assert second.mapping == {"[EMAIL_1]": "a@example.org", "[EMAIL_2]": "b@example.org"}


def test_restore_looks_once() -> None:
    assert restore("[EMAIL_1] [EMAIL_9]", {"[EMAIL_1]": "[EMAIL_2]", "[EMAIL_2]": "x"}) == "[EMAIL_2] [EMAIL_9]"


def chat() -> Conversation:
    arguments = '{ "password": "hunter2hunter2", "to": "x\\nfoo@example.org", "n": 3, "id": "a@b.example.org" }'
    return Conversation(
        (
            Message("user", "My name is Jonathan Whitfield; pw: Sunflower!42", id="m1", name="Jonathan Whitfield"),
            Message(
                "assistant",
                "Hi Jonathan! Sunflower!42 it is.",
                name="assistant",
                tool_calls=(ToolCall("call_1", "login", arguments, {"note": "for foo@example.org"}),),
            ),
            Message(
                "tool",
                '{"mobile": 13800138000, "ok": true,\n "text": "密码\\u662fabc12345"}',
                name="login",
                tool_call_id="call_1",
                extensions={"cwd": "/home/jwhitfield/shop", "reasoning": [{"text": KEY, "signature": "c2ln" * 20}]},
            ),
            Message("user", None, attachments=(Attachment("file", name="Priya_Ramsden_CV.pdf", data="aGk="),)),
        ),
        id="c1",
        title="Jonathan Whitfield's login",
        system_prompt="You help foo@example.org.",
        summary="Jonathan Whitfield logs in",
        extensions={"source": {"owner_email": "foo@example.org", "session_id": "550e8400-e29b-41d4-a716-446655440000"}},
    )


def test_a_conversation_is_redacted_everywhere() -> None:
    redactor = Redactor()
    new, losses = redactor.redact_conversation(chat())
    first, second, third, fourth = new.messages
    assert (first.content, first.name, first.id) == ("My name is [NAME_1]; pw: [PASSWORD_1]", "[NAME_1]", "m1")
    assert second.text == "Hi [NAME_2]! [PASSWORD_1] it is."
    call = second.tool_calls[0]
    assert json.loads(call.arguments) == {
        "password": "[PASSWORD_2]",
        "to": "x\n[EMAIL_1]",
        "n": 3,
        "id": "a@b.example.org",
    }
    assert call.arguments.startswith('{ "password"') and (call.id, call.name) == ("call_1", "login")
    assert call.extensions == {"note": "for [EMAIL_1]"}
    assert third.content == '{"mobile": "[PHONE_1]", "ok": true,\n "text": "密码是[PASSWORD_3]"}'
    assert third.name == "login"
    assert third.extensions["cwd"] == "/home/[ACCOUNT_1]/shop"
    assert third.extensions["reasoning"] == [{"text": "[API_KEY_1]", "signature": "c2ln" * 20}]
    assert fourth.content is None
    assert (fourth.attachments[0].name, fourth.attachments[0].data) == ("[NAME_3]_CV.pdf", "aGk=")
    assert new.title == "[NAME_1]'s login" and new.summary == "[NAME_1] logs in"
    assert new.system_prompt == "You help [EMAIL_1]."
    assert new.extensions["source"] == {
        "owner_email": "[EMAIL_1]",
        "session_id": "550e8400-e29b-41d4-a716-446655440000",
    }
    counts = {dict(loss.values)["kind"]: dict(loss.values)["count"] for loss in losses}
    assert {loss.code for loss in losses} == {"redacted"}
    assert counts == {"account": "1", "api_key": "1", "email": "4", "name": "6", "password": "4", "phone": "1"}


def test_a_conversation_comes_back() -> None:
    redactor = Redactor()
    new, _ = redactor.redact_conversation(chat())
    back = restore_conversation(new, redactor.mapping)
    third = back.messages[2].text
    assert json.loads(third) == {"mobile": "13800138000", "ok": True, "text": "密码是abc12345"}, "a number is a string"
    assert [m for i, m in enumerate(back.messages) if i != 2] == [m for i, m in enumerate(chat().messages) if i != 2]
    assert (back.title, back.summary, back.extensions) == (chat().title, chat().summary, chat().extensions)


def test_a_second_time_changes_nothing() -> None:
    redactor = Redactor()
    new, _ = redactor.redact_conversation(chat())
    assert redactor.redact_conversation(new) == (new, ())
    assert Redactor().redact_conversation(new) == (new, ())


def test_nothing_found_is_the_same_object() -> None:
    plain = Conversation((Message("user", "How do I bake bread?"), Message("assistant", "With patience.")))
    new, losses = Redactor().redact_conversation(plain)
    assert new is plain and losses == ()


def test_a_name_found_late_is_replaced_early_and_not_in_the_next_conversation() -> None:
    redactor = Redactor()
    talk = Conversation((Message("user", "Wei-Lin Tanaka called"), Message("user", "My name is Wei-Lin Tanaka")))
    new, _ = redactor.redact_conversation(talk)
    assert [m.text for m in new.messages] == ["[NAME_1] called", "My name is [NAME_1]"]


def test_a_secret_is_known_in_later_conversations() -> None:
    redactor = Redactor()
    redactor.redact_conversation(Conversation((Message("user", "password: Sunflower!42"),)))
    new, losses = redactor.redact_conversation(Conversation((Message("user", "try Sunflower!42 there"),)))
    assert new.messages[0].text == "try [PASSWORD_1] there"
    assert losses[0].sentence() == "1 of password were replaced by placeholders"


def test_arguments_that_are_not_json_stay_text() -> None:
    call = ToolCall("c", "f", '{"to": "a@example.org"')
    new, _ = Redactor().redact_conversation(Conversation((Message("assistant", "", tool_calls=(call,)),)))
    assert new.messages[0].tool_calls[0].arguments == '{"to": "[EMAIL_1]"'


def test_the_map_file_is_its_owners_alone(tmp_path: Path) -> None:
    path = tmp_path / "map.json"
    path.write_text("{}")
    path.chmod(0o644)
    old = os.umask(0)
    try:
        write_mapping({"[EMAIL_1]": "a@example.org", "[PASSWORD_1]": "\ud800密"}, path)
    finally:
        os.umask(old)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert read_mapping(path) == {"[EMAIL_1]": "a@example.org", "[PASSWORD_1]": "\ud800密"}
    assert [item.name for item in tmp_path.iterdir()] == ["map.json"]


@pytest.mark.parametrize("content", ["[]", "{", '{"a": "b"}', '{"[EMAIL_1]": 3}', "[" * 100_000])
def test_a_wrong_map_is_refused(tmp_path: Path, content: str) -> None:
    path = tmp_path / "map.json"
    path.write_text(content)
    with pytest.raises(InvalidInput, match=r"map\.json: .*map of placeholders"):
        read_mapping(path)
