"""What holds for any text: it comes back, a second time changes nothing, no input takes long."""

from __future__ import annotations

import json
import time
from typing import Final

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from evals.privacy.snippets import read_snippets
from mnemo_lab.conversation import Attachment, Conversation, Message, ToolCall
from mnemo_lab.privacy import Redactor, find_sensitive, restore, restore_conversation
from mnemo_lab.privacy.finding import KINDS, PLACEHOLDER, placeholder

SNIPPETS: Final = [snippet.text for snippet in read_snippets("dev")]
CUES: Final = [
    *("password: ", "密码：", "token=", "Bearer ", "my name is ", "Dear ", "我叫", "电话", "身份证", "@example.org"),
    *("://a:", "-----BEGIN PRIVATE KEY-----", "a@b.co", "13800138000", "10.0.0.7", "Anna Smith", "1 Main Street"),
    *("[EMAIL_1]", "[NAME_2]", "[", "]", '"', "'", "\\", "\0", "\n", ", ", "。", "=", "：", "/home/", "号", "路1号"),
    *("\ud800", "１３"),
]
PIECES = st.one_of(st.sampled_from(CUES), st.sampled_from(SNIPPETS), st.text(max_size=12))
TEXTS = st.lists(PIECES, max_size=8).map("".join)
KEYS = st.sampled_from(["password", "to", "姓名", "id"]) | TEXTS
JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=3),
    max_leaves=6,
)
ANY = settings(
    max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large]
)


@ANY
@given(TEXTS)
def test_a_text_comes_back_and_a_second_time_changes_nothing(text: str) -> None:
    redactor = Redactor()
    first = redactor.redact(text)
    assert restore(first.text, redactor.mapping) == text
    assert redactor.redact(first.text).text == first.text
    assert find_sensitive(first.text) == []
    assert bool(first.findings) == (first.text != text)


@ANY
@given(TEXTS)
def test_findings_are_in_order_inside_and_apart(text: str) -> None:
    found = find_sensitive(text)
    ends = [0, *(item.end for item in found)]
    assert all(end <= item.start < item.end <= len(text) for end, item in zip(ends, found, strict=False))
    assert all(0 < item.confidence <= 1 and item.kind in KINDS for item in found)
    taken = [match.span() for match in PLACEHOLDER.finditer(text)]
    assert not any(item.start < end and start < item.end for item in found for start, end in taken)


CALLS = st.builds(ToolCall, st.just("c"), st.just("f"), TEXTS | JSON_VALUES.map(json.dumps))
MESSAGES = st.builds(
    Message,
    role=st.sampled_from(["user", "assistant", "tool"]),
    content=st.none() | TEXTS | JSON_VALUES.map(json.dumps),
    name=st.none() | TEXTS,
    tool_calls=st.lists(CALLS, max_size=2).map(tuple),
    attachments=st.lists(st.builds(Attachment, st.just("file"), name=TEXTS, reference=TEXTS), max_size=1).map(tuple),
    extensions=st.dictionaries(TEXTS, JSON_VALUES, max_size=2),
)
CONVERSATIONS = st.builds(
    Conversation, st.lists(MESSAGES, max_size=4).map(tuple), title=st.none() | TEXTS, system_prompt=st.none() | TEXTS
)


CALL = ToolCall("c", "f", '{"password: token=": 100000}')


@ANY
@example(Conversation((Message("user", None, tool_calls=(CALL,)),)))
@given(CONVERSATIONS)
def test_conversations_keep_their_shape_and_are_stable(conversation: Conversation) -> None:
    redactor = Redactor()
    new, losses = redactor.redact_conversation(conversation)
    assert redactor.redact_conversation(new) == (new, ())
    assert [(m.role, m.id, len(m.tool_calls)) for m in new.messages] == [
        (m.role, m.id, len(m.tool_calls)) for m in conversation.messages
    ]
    assert bool(losses) == (new != conversation)
    for before, after in zip(conversation.messages, new.messages, strict=True):
        for old, call in zip(before.tool_calls, after.tool_calls, strict=True):
            assert is_json(old.arguments) == is_json(call.arguments) or not is_json(old.arguments)
    restore_conversation(new, redactor.mapping)


def is_json(text: str) -> bool:
    try:
        json.loads(text)
    except ValueError:
        return False
    return True


@ANY
@given(st.lists(TEXTS, max_size=4))
def test_plain_messages_come_back(texts: list[str]) -> None:
    redactor = Redactor()
    conversation = Conversation(tuple(Message("user", text) for text in texts))
    new, _ = redactor.redact_conversation(conversation)
    assert restore_conversation(new, redactor.mapping) == conversation


@pytest.mark.parametrize("kind", KINDS)
def test_placeholders_are_never_found(kind: str) -> None:
    mark = placeholder(kind, 12)
    for text in (
        mark,
        f"password: {mark}",
        f"my name is {mark}",
        f"我叫{mark}，电话{mark}",
        f"https://a:{mark}@{mark}/",
    ):
        assert find_sensitive(text) == []


BAD: Final = [
    *("a", "1", "@", "a@", "://", "://a:b@", "A ", "Anna ", "Aa ", "a.", "1.1.1.1.", "10.0.0.1 ", "eyJ", "eyJhbGciOi."),
    *("password=", "password: ", "密码", "密码：", "key=", "token ", "curl -u ", "mysql -p", "login('a','", "Cookie: "),
    *("-----BEGIN PRIVATE KEY-----", "-----BEGIN PRIVATE KEY-----" + "A" * 30 + "\n", "-----END PRIVATE KEY-----"),
    *(
        "[EMAIL_1]",
        "张",
        "张伟",
        "我叫",
        "号1",
        "路1号",
        "1 ",
        "1-",
        ":",
        '="',
        "\\",
        '"',
        "sk-",
        "sk-a1",
        "AKIA",
        "Dear ",
    ),
    *(
        "12 A ",
        "1 rue ",
        "2001:",
        "f:",
        "身份证",
        "电话1",
        "?key=",
        "A'",
        "(",
        "0 ",
        "4111 ",
        "\n",
        "\nAnna\n",
        "\ud800",
    ),
    *("a" * 32 + ".", "Anna, ", "signed: Anna, ", "--pass ", "Bearer ", '{"a":', "、张伟", "１", "My name is "),
]


@pytest.mark.parametrize("piece", BAD, ids=repr)
def test_no_input_takes_long(piece: str) -> None:
    text = (piece * (60_000 // len(piece) + 1))[:60_000]
    start = time.process_time()
    find_sensitive(text)
    assert time.process_time() - start < 8, "some 0.4 s on an idle machine; quadratic patterns take minutes"


@pytest.mark.slow
def test_ten_megabytes() -> None:
    text = "Write to a@example.org or call 13800138000 from 10.0.0.7, says the note about bread. " * 120_000
    redactor = Redactor()
    redacted = redactor.redact(text)
    assert len(text) > 10_000_000
    assert redacted.counts == {"email": 120_000, "ip": 120_000, "phone": 120_000}
    assert restore(redacted.text, redactor.mapping) == text
