"""Prompts that are too long: recognised in every vendor's words, limit and size read, asked once more smaller."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Final, NamedTuple

from mnemo_lab.conversation import Message
from mnemo_lab.language_models.base import Completion
from mnemo_lab.language_models.errors import ContextTooLong

_WORDINGS: Final = (
    "exceed context limit: ASKED [+] MORE > LIMIT",  # Anthropic: prompt and answer
    "prompt is too long: ASKED tokens > LIMIT maximum",  # Anthropic
    r"is too large: MORE\. This model's maximum context length is LIMIT tokens and your request has ASKED",  # vLLM
    r"You passed ASKED input tokens and requested MORE .*context length is only LIMIT",  # vLLM
    r"prompt \(length ASKED\) is longer than the maximum model length of LIMIT",  # vLLM
    r"Input length \(ASKED\) exceeds model's maximum context length \(LIMIT\)",  # vLLM
    # OpenAI, vLLM, DeepSeek, OpenRouter
    r"maximum context length is LIMIT tokens\D*(?:requested|resulted in|has|contains)\D*ASKED",
    "configured limit of LIMIT tokens.*resulted in ASKED",  # OpenAI
    "maximum prompt length is LIMIT but the request contains ASKED",  # xAI
    r"model token limit: LIMIT \(requested: ASKED\)",  # Moonshot
    r"request \(ASKED tokens\) exceeds the available context size \(LIMIT tokens\)",  # llama.cpp, Ollama
    r"n_prompt_tokens\W+ASKED\W+n_ctx\W+LIMIT",  # llama.cpp, older
    r"input token count \(ASKED\) exceeds the maximum number of tokens allowed \(LIMIT\)",  # Gemini
    "Prompt contains ASKED tokens.*too large for model with LIMIT maximum context length",  # Mistral
    r"input \(ASKED tokens\) is longer than the model's context length \(LIMIT tokens\)",  # SGLang, Together
    r"tokens per min \(TPM\): Limit LIMIT, Requested ASKED",  # OpenAI, Groq: more than the allowance of a minute
    r"Range of input length should be \[\d+, ?LIMIT\]",  # Qwen
    r"maximum context length (?:is|of) LIMIT",
    "context_length_exceeded|exceeds? the (?:available )?context (?:window|size|length)|exceeded max context length"
    "|maximum context length|prompt is too long|input is too long|request_too_large"
    "|reduce the length of (?:the|your) (?:messages|prompt|input)",
)
_GROUPS: Final = re.compile("ASKED|MORE|LIMIT")
_PATTERNS: Final = tuple(
    re.compile(_GROUPS.sub(lambda m: rf"(?P<{m[0].lower()}>\d[\d,_]*)", words), re.IGNORECASE | re.DOTALL)
    for words in _WORDINGS
)


class Overflow(NamedTuple):
    """Tokens as the vendor counts them: the most there may be, and what was asked for."""

    limit: int | None = None
    asked: int | None = None


def read_overflow(said: str) -> Overflow | None:
    """What a vendor's error says about a prompt that is too long; ``None`` where it is about something else."""
    said = said.replace("\\'", "'")
    match = next((found for pattern in _PATTERNS if (found := pattern.search(said))), None)
    if match is None:
        return None
    size = {name: int(re.sub(r"\D", "", digits)) for name, digits in match.groupdict().items()}
    asked = size["asked"] + size.get("more", 0) if "asked" in size else None
    return Overflow(size.get("limit"), asked)


def ask_smaller(
    ask: Callable[[Sequence[Message]], Completion],
    messages: Sequence[Message],
    shrink: Callable[[int | None], Sequence[Message]],
) -> Completion:
    """``ask``; where the prompt is too long, once more with what ``shrink`` makes of the limit the vendor named."""
    try:
        return ask(messages)
    except ContextTooLong as error:
        smaller = shrink(error.limit)
    return ask(smaller)
