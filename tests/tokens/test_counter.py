"""Counts against tiktoken itself, and the chat overhead against OpenAI's cookbook."""

from __future__ import annotations

import warnings

import pytest
import regex
import tiktoken
from hypothesis import given, settings
from hypothesis import strategies as st

from mnemo_lab.conversation import MISSING, Attachment, Message, ToolCall
from mnemo_lab.errors import UnknownName
from mnemo_lab.tokens import ENCODINGS, counter_for_model, open_counter
from mnemo_lab.tokens.counter import LONGEST_BLANK, PER_CALL

HARD = [
    "", " ", "\n", "\r\n\r\n", "\t \t", "a" * 5000, " " * 5000, "!" * 3000, "1234567890" * 50,
    "<|endoftext|><|im_start|>user<|im_end|><|endofprompt|><|fim_prefix|>",
    "今天讨论了部署方案，下周三上线。", "𠮷野家", "한국어와 日本語", "हिन्दी क्षेत्र", "العربية", "ไทยแลนด์",
    "👩‍👩‍👧‍👦🇫🇷e\u0301", "\u200b\u200c\u200d\ufeff", "I'Ll don'T WE'RE", "fooBarBAZ cust_ref_2 E-4417 v2.1.3",
    "def f(x):\n\treturn {'a': [1,2]}  # …\n\n\n", "\x00\x01\x7f", "\ud800 lone \udc00", "Ǆ ǅ ß ŉ",
    "/usr//local/\n/bin",
]  # fmt: skip


@pytest.mark.parametrize("encoding", ENCODINGS)
@pytest.mark.parametrize("text", HARD, ids=range(len(HARD)))
def test_counts_as_tiktoken_does(encoding: str, text: str) -> None:
    counter, peer = open_counter(encoding), tiktoken.get_encoding(encoding)
    assert counter.count(text) == len(peer.encode(text, disallowed_special=()))
    assert counter.encode(text) == peer.encode(text, disallowed_special=())


@settings(max_examples=150, deadline=None)
@given(st.text(max_size=80), st.sampled_from(ENCODINGS))
def test_counts_any_text_as_tiktoken_does(text: str, encoding: str) -> None:
    assert open_counter(encoding).count(text) == len(
        tiktoken.get_encoding(encoding).encode(text, disallowed_special=())
    )


def test_special_token_text_is_text() -> None:
    counter = open_counter("o200k_base")
    assert counter.count("<|endoftext|>") == 7
    assert 199999 not in counter.encode("<|endoftext|>")


@pytest.mark.parametrize(
    ("encoding", "blank"), [("cl100k_base", " "), ("o200k_base", "\t"), ("o200k_base", "\u00a0"), ("o200k_base", "\n")]
)
def test_endless_white_space_does_not_end_the_process(encoding: str, blank: str) -> None:
    """tiktoken overflows its stack on about half a million blanks in a row: a panic no ``except`` catches."""
    counter = open_counter(encoding)
    long = f"x{blank * 1_000_000}y"
    per_part = counter.count(blank * LONGEST_BLANK)
    assert 4 * per_part <= counter.count(long) <= 5 * per_part + 6
    assert tiktoken.get_encoding(encoding).decode(counter.encode(long)) == long


def test_long_text_without_endless_blanks_stays_exact() -> None:
    text = ("word " * 9 + "\n" + " " * 1000) * 300
    peer = tiktoken.get_encoding("o200k_base")
    assert len(text) > LONGEST_BLANK
    assert open_counter("o200k_base").encode(text) == peer.encode_ordinary(text)


def cookbook(messages: list[dict[str, str]], encoding: str) -> int:
    """OpenAI cookbook, num_tokens_from_messages for gpt-3.5-turbo-0125 and later."""
    peer = tiktoken.get_encoding(encoding)
    total = 0
    for message in messages:
        total += 3
        for key, value in message.items():
            total += len(peer.encode(value))
            if key == "name":
                total += 1
    return total + 3


EXAMPLE = [
    {
        "role": "system",
        "content": "You are a helpful, pattern-following assistant that translates "
        "corporate jargon into plain English.",
    },
    {"role": "system", "name": "example_user", "content": "New synergies will help drive top-line growth."},
    {
        "role": "system",
        "name": "example_assistant",
        "content": "Things working well together will increase revenue.",
    },
    {
        "role": "system",
        "name": "example_user",
        "content": "Let's circle back when we have more bandwidth to touch base on "
        "opportunities for increased leverage.",
    },
    {
        "role": "system",
        "name": "example_assistant",
        "content": "Let's talk later when we're less busy about how to do better.",
    },
    {
        "role": "user",
        "content": "This late pivot means we don't have time to boil the ocean for the client deliverable.",
    },
]


@pytest.mark.parametrize(("encoding", "published"), [("cl100k_base", 129), ("o200k_base", 124)])
def test_chat_overhead_is_the_cookbooks(encoding: str, published: int) -> None:
    """The notebook's own example: the API counts 129 (gpt-3.5-turbo, gpt-4) and 124 (gpt-4o) prompt tokens."""
    counter = open_counter(encoding)
    ours = sum(counter.message(Message(m["role"], m["content"], name=m.get("name"))) for m in EXAMPLE) + 3  # type: ignore[arg-type]
    assert ours == cookbook(EXAMPLE, encoding) == published


def test_one_message_by_hand() -> None:
    counter = open_counter("cl100k_base")
    assert counter.message(Message("user", "hello world")) == 3 + 1 + 2
    assert counter.message(Message("user", "hello world", name="Ann")) == 3 + 1 + 2 + 1 + 1
    for empty in ("", None, MISSING):
        assert counter.message(Message("assistant", empty)) == 3 + 1


def test_call_arguments_count() -> None:
    """D6: an assistant message that is nothing but a call with 200 words of arguments is not free."""
    counter = open_counter("o200k_base")
    words = "{" + " ".join(["word"] * 200) + "}"
    call = ToolCall("c1", "run_sql", words)
    message = Message("assistant", None, tool_calls=(call, call))
    each = PER_CALL + counter.count("run_sql") + counter.count(words)
    assert each > 200
    assert counter.message(message) == 3 + 1 + 2 * each


def test_attachments_count() -> None:
    counter = open_counter("o200k_base")
    unread = Attachment("image", data="bm90IGFuIGltYWdl")
    assert counter.message(Message("user", "", attachments=(unread, Attachment("file")))) == 3 + 1 + 85


@settings(max_examples=200, deadline=None)
@given(st.text(max_size=60) | st.sampled_from(HARD[:22]), st.integers(-1, 30), st.sampled_from(ENCODINGS))
def test_head_never_exceeds_and_is_a_prefix(text: str, tokens: int, encoding: str) -> None:
    counter = open_counter(encoding)
    head = counter.head(text, tokens)
    assert text.startswith(head)
    assert counter.count(head) <= max(tokens, 0)
    if counter.count(text) <= tokens:
        assert head == text


def test_head_never_splits_a_character() -> None:
    counter = open_counter("cl100k_base")
    text = "𠮷野家👩今天"
    for tokens in range(30):
        assert counter.head(text, tokens).encode("utf-8").decode("utf-8") in [text[:i] for i in range(len(text) + 1)]
    assert counter.count("𠮷") == 4 and counter.head("𠮷", 3) == ""
    assert regex.fullmatch(r"[^\ufffd]*", counter.head(text, 5))


@pytest.mark.parametrize(
    ("model", "encoding", "exact"),
    [
        ("gpt-4o", "o200k_base", True), ("gpt-4o-2024-08-06", "o200k_base", True),
        ("openai/gpt-4o-mini-2024-07-18", "o200k_base", True), ("gpt-4", "cl100k_base", True),
        ("GPT-3.5-turbo", "cl100k_base", True), ("gpt-4-turbo-2024-04-09", "cl100k_base", True),
    ],
)  # fmt: skip
def test_exact_models_count_silently(model: str, encoding: str, exact: bool) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        counter = counter_for_model(model)
    assert (counter.encoding, counter.exact) == (encoding, exact)
    assert tiktoken.encoding_name_for_model(model.rsplit("/", 1)[-1].lower()) == encoding


@pytest.mark.parametrize(
    ("model", "said", "vendor"),
    [
        ("claude-sonnet-4-20250514", "has no public tokenizer here; counting with o200k_base as a proxy", "anthropic"),
        ("gemini-2.5-pro", "has no public tokenizer here", "google"),
        ("my-own-model", "is not in the model table; counting with o200k_base as a proxy", "openai"),
    ],
)
def test_other_models_get_a_named_proxy_and_a_notice(model: str, said: str, vendor: str) -> None:
    with pytest.warns(UserWarning, match=f"{model!r} {said}"):
        counter = counter_for_model(model)
    assert not counter.exact
    assert (counter.encoding, counter.vendor) == ("o200k_base", vendor)


def test_unknown_encodings_are_refused() -> None:
    with pytest.raises(UnknownName, match="known: cl100k_base, o200k_base"):
        open_counter("p50k_base")
    assert open_counter("o200k_base") is open_counter("o200k_base")
