"""The vendors' own words, as seen in public threads, their documentation and their sources."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from mnemo_lab.conversation import Message
from mnemo_lab.language_models.base import Completion
from mnemo_lab.language_models.errors import ContextTooLong, Refused
from mnemo_lab.language_models.overflow import ask_smaller, read_overflow


@pytest.mark.parametrize(
    ("said", "limit", "asked"),
    [
        # OpenAI
        (
            "This model's maximum context length is 4097 tokens. However, your messages resulted in 4111 tokens. "
            "Please reduce the length of the messages.",
            4097,
            4111,
        ),
        (
            "This model's maximum context length is 4097 tokens, however you requested 4231 tokens (3975 in your "
            "prompt; 256 for the completion). Please reduce your prompt; or completion length.",
            4097,
            4231,
        ),
        (
            "Input tokens exceed the configured limit of 272000 tokens. Your messages resulted in 300000 tokens. "
            "Please reduce the length of the messages.",
            272000,
            300000,
        ),
        ("Your input exceeds the context window of this model. Please adjust your input and try again.", None, None),
        ('{"error": {"message": "too long", "code": "context_length_exceeded"}}', None, None),
        (
            "Request too large for gpt-4o in organization org-x on tokens per min (TPM): Limit 30,000, Requested "
            "45,210. The input or output tokens must be reduced in order to run successfully.",
            30000,
            45210,
        ),
        # vLLM
        (
            "This model's maximum context length is 16384 tokens. However, you requested 122946 tokens (112946 in the "
            "messages, 10000 in the completion). Please reduce the length of the messages or completion.",
            16384,
            122946,
        ),
        (
            "This model's maximum context length is 200 tokens. However, your request has 203 input tokens. Please "
            "reduce the length of the input messages.",
            200,
            203,
        ),
        (
            "'max_tokens' or 'max_completion_tokens' is too large: 1000. This model's maximum context length is 1000 "
            "tokens and your request has 203 input tokens (1000 > 1000 - 203).",
            1000,
            1203,
        ),
        (
            "You passed 98305 input tokens and requested 32768 output tokens. However, the model's context length is "
            "only 131072 tokens, resulting in a maximum input length of 98304 tokens. Please reduce the length of the "
            "input prompt. (parameter=input_tokens, value=98305)",
            131072,
            131073,
        ),
        (
            "The decoder prompt (length 5000) is longer than the maximum model length of 4096. Make sure that "
            "`max_model_len` is no smaller than the number of text tokens.",
            4096,
            5000,
        ),
        # llama.cpp, and Ollama, which runs it
        (
            "request (20001 tokens) exceeds the available context size (8192 tokens), try increasing it",
            8192,
            20001,
        ),
        (
            "{'code': 400, 'message': 'the request exceeds the available context size. try increasing the context "
            "size or enable context shift', 'type': 'exceed_context_size_error', 'n_prompt_tokens': 14429, 'n_ctx': "
            "8192}",
            8192,
            14429,
        ),
        ("prompt too long; exceeded max context length by 4021 tokens", None, None),
        ("the input length exceeds the context length", None, None),
        # Anthropic
        ("prompt is too long: 201130 tokens > 200000 maximum", 200000, 201130),
        (
            "input length and `max_tokens` exceed context limit: 188240 + 21333 > 200000, decrease input length or "
            "`max_tokens` and try again",
            200000,
            209573,
        ),
        ("{'type': 'error', 'error': {'type': 'request_too_large', 'message': 'Request too large'}}", None, None),
        # Gemini
        (
            "The input token count (1196265) exceeds the maximum number of tokens allowed (1048575).",
            1048575,
            1196265,
        ),
        # DeepSeek
        (
            "This model's maximum context length is 65536 tokens. However, you requested 70123 tokens (66027 in the "
            "messages, 4096 in the completion). Please reduce the length of the messages or completion.",
            65536,
            70123,
        ),
        # Mistral
        (
            "Prompt contains 40687 tokens and 0 draft tokens, too large for model with 32768 maximum context length",
            32768,
            40687,
        ),
        # OpenRouter
        (
            "This endpoint's maximum context length is 131072 tokens. However, you requested about 132463 tokens (1463 "
            "of text input, 131000 in the output). Please reduce the length of either one.",
            131072,
            132463,
        ),
        # others that speak OpenAI's language
        (
            "This model's maximum prompt length is 131072 but the request contains 537812 tokens.",
            131072,
            537812,
        ),
        ("Your request exceeded model token limit: 262144 (requested: 291351)", 262144, 291351),
        ("Range of input length should be [1, 129024]", 129024, None),
        (
            "The input (85050 tokens) is longer than the model's context length (32768 tokens).",
            32768,
            85050,
        ),
        ("Input is too long for requested model.", None, None),
    ],
)
def test_vendors_wordings(said: str, limit: int | None, asked: int | None) -> None:
    assert read_overflow(said) == (limit, asked)
    assert read_overflow(str({"error": {"message": said}})) == (limit, asked), "inside a body, its quotes escaped"


@pytest.mark.parametrize(
    "said",
    [
        "Rate limit reached for gpt-4o in organization org-x on requests per min (RPM): Limit 500, Used 500.",
        "max_tokens is too large: 100000. This model supports at most 16384 completion tokens.",
        "max_tokens: 40000 > 8192, which is the maximum allowed number of output tokens for this model",
        "Incorrect API key provided.",
        "The model `gpt-9` does not exist",
        "",
    ],
)
def test_other_refusals_are_not_about_length(said: str) -> None:
    assert read_overflow(said) is None


def asking(longest: int) -> tuple[list[int], object]:
    asked: list[int] = []

    def ask(messages: Sequence[Message]) -> Completion:
        asked.append(len(messages))
        if len(messages) > longest:
            raise ContextTooLong("too long", limit=longest, asked=len(messages))
        return Completion("yes", len(messages), 1)

    return asked, ask


def test_what_fits_is_asked_as_it_is() -> None:
    asked, ask = asking(5)
    done = ask_smaller(ask, [Message("user", "x")] * 5, lambda limit: [])  # type: ignore[arg-type]
    assert done.text == "yes" and asked == [5]


def test_what_does_not_fit_is_asked_once_more_with_the_limit_known() -> None:
    asked, ask = asking(3)
    limits: list[int | None] = []

    def shrink(limit: int | None) -> list[Message]:
        limits.append(limit)
        return [Message("user", "x")] * (limit or 1)

    assert ask_smaller(ask, [Message("user", "x")] * 9, shrink).input_tokens == 3  # type: ignore[arg-type]
    assert asked == [9, 3] and limits == [3]


def test_it_is_asked_smaller_exactly_once() -> None:
    asked, ask = asking(3)
    with pytest.raises(ContextTooLong):
        ask_smaller(ask, [Message("user", "x")] * 9, lambda limit: [Message("user", "x")] * 8)  # type: ignore[arg-type]
    assert asked == [9, 8]


def test_other_errors_are_not_met_with_less() -> None:
    def ask(messages: Sequence[Message]) -> Completion:
        raise Refused("no")

    with pytest.raises(Refused):
        ask_smaller(ask, [], lambda limit: pytest.fail("not to be asked"))
