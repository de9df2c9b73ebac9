"""``openai:MODEL``: OpenAI and every server that speaks its chat API (vLLM, Ollama, llama.cpp, DeepSeek, Qwen …)."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

from mnemo_lab.conversation import Message, ToolCall
from mnemo_lab.errors import MissingDependency
from mnemo_lab.language_models.base import Completion
from mnemo_lab.language_models.errors import BrokenAnswer
from mnemo_lab.language_models.reading import completion, sendable, text_of
from mnemo_lab.language_models.remote import Remote, Request
from mnemo_lab.language_models.translate import judge

if TYPE_CHECKING:
    import openai

_NAME: Final = re.compile(r"[A-Za-z0-9_-]{1,64}")


class OpenAICompatible(Remote):
    kind = "openai"
    official = "https://api.openai.com/v1"
    key_variable = "OPENAI_API_KEY (or MNEMO_LLM_BASE_URL to a server of your own)"
    optional = {
        **{name: name for name in ("temperature", "seed", "stream_options")},
        "max_tokens": "max_completion_tokens",  # "use this instead", say OpenAI's newer models
    }

    @cached_property
    def _client(self) -> openai.OpenAI:
        try:
            import openai
        except ImportError:
            raise MissingDependency("openai", self.name, "pip install 'openai>=3,<4'") from None
        return openai.OpenAI(api_key=self.key, base_url=self.url, timeout=self.timeout, max_retries=0)

    def request(self, messages: Sequence[Message], max_tokens: int, stream: bool, unwanted: frozenset[str]) -> Request:
        # Other servers than OpenAI's may not know the new name of the limit, and would answer without one.
        new = self.url == self.official or "max_tokens" in unwanted
        request: Request = {"model": self.model, "messages": chat_messages(messages)}
        request["max_completion_tokens" if new else "max_tokens"] = max_tokens
        request["temperature"] = self.settings.temperature
        if self.settings.seed is not None:
            request["seed"] = self.settings.seed
        return request | {"stream": True, "stream_options": {"include_usage": True}} if stream else request

    def send(self, request: Request) -> Any:
        completions = self._client.chat.completions
        if "stream" in request:
            events: Any = completions.create(**request)
            return (event.to_dict() for event in events)
        return json.loads(completions.with_raw_response.create(**request).http_response.text)

    def read(self, answer: Any, messages: Sequence[Message]) -> Completion:
        return read_answer(answer, messages, self.who)

    def read_parts(self, events: Iterable[Any], messages: Sequence[Message]) -> Iterator[str | Completion]:
        return read_parts(events, messages, self.who)


def open_model(model: str) -> OpenAICompatible:
    return OpenAICompatible(model, os.environ.get("MNEMO_LLM_BASE_URL"), os.environ.get("OPENAI_API_KEY"))


def chat_messages(messages: Sequence[Message]) -> list[dict[str, Any]]:
    """Our messages as OpenAI's; a name that it would refuse is left out."""
    return [_chat_message(message) for message in messages]


def _chat_message(message: Message) -> dict[str, Any]:
    made: dict[str, Any] = {"role": message.role, "content": text_of(message)}
    if message.name and message.role != "tool" and _NAME.fullmatch(message.name):
        made["name"] = message.name
    if message.tool_calls:
        made["tool_calls"] = [
            {"id": sendable(call.id), "type": "function", "function": _function(call)} for call in message.tool_calls
        ]
    if message.role == "tool":
        made["tool_call_id"] = sendable(message.tool_call_id or "")
    return made


def _function(call: ToolCall) -> dict[str, str]:
    return {"name": sendable(call.name), "arguments": sendable(call.arguments)}


def read_answer(answer: Any, messages: Sequence[Message], who: str) -> Completion:
    """Some servers send an error with status 200."""
    if answer.get("error"):
        raise judge(who, _code(answer["error"]), answer)
    choice = answer["choices"][0]
    return completion(choice["message"]["content"] or "", choice.get("finish_reason"), _usage(answer), messages, who)


def read_parts(events: Iterable[Any], messages: Sequence[Message], who: str) -> Iterator[str | Completion]:
    text: list[str] = []
    reason, usage = None, _usage({})
    for event in events:
        if event.get("error"):
            raise judge(who, _code(event["error"]), event)
        for choice in event.get("choices") or ():
            reason = choice.get("finish_reason") or reason
            if part := (choice.get("delta") or {}).get("content"):
                text.append(part)
                yield part
        usage = _usage(event) if event.get("usage") else usage
    if reason is None:
        raise BrokenAnswer(f"{who} broke off after {len(text)} parts of an answer; ask again")
    yield completion("".join(text), reason, usage, messages, who)


def _code(error: Any) -> Any:
    return error.get("code") if isinstance(error, dict) else None


def _usage(answer: Any) -> tuple[Any, Any, Any]:
    usage = answer.get("usage") or {}
    cached = (usage.get("prompt_tokens_details") or {}).get("cached_tokens")
    return usage.get("prompt_tokens"), usage.get("completion_tokens"), cached
