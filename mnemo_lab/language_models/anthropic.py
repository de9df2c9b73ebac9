"""``anthropic:MODEL``: Claude through the Messages API. ``ANTHROPIC_BASE_URL`` names another endpoint."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

from mnemo_lab.conversation import Message, ToolCall
from mnemo_lab.errors import MissingDependency
from mnemo_lab.language_models.base import Completion
from mnemo_lab.language_models.errors import BrokenAnswer
from mnemo_lab.language_models.reading import completion, sendable, text_of
from mnemo_lab.language_models.remote import Remote, Request

if TYPE_CHECKING:
    import anthropic

OPENING: Final = "(earlier messages are left out)"
"""Said by the user where a conversation would start with the assistant, which the API refuses."""


class Anthropic(Remote):
    kind = "anthropic"
    official = "https://api.anthropic.com"
    key_variable = "ANTHROPIC_API_KEY"
    optional = {"temperature": "temperature"}

    @cached_property
    def _client(self) -> anthropic.Anthropic:
        try:
            import anthropic
        except ImportError:
            raise MissingDependency("anthropic", self.name, "pip install 'anthropic>=2,<3'") from None
        return anthropic.Anthropic(api_key=self.key, base_url=self.url, timeout=self.timeout, max_retries=0)

    def request(self, messages: Sequence[Message], max_tokens: int, stream: bool, unwanted: frozenset[str]) -> Request:
        system = "\n\n".join(text for m in messages if m.role == "system" and (text := text_of(m)).strip())
        request: Request = {"model": self.model, "messages": turns(messages), "max_tokens": max_tokens}
        request["temperature"] = self.settings.temperature
        if system:
            request["system"] = system
        called = {sendable(call.name) for message in messages for call in message.tool_calls}
        if called:  # calls in the history want their tools declared; none is to be called now
            request["tools"] = [{"name": name, "input_schema": {"type": "object"}} for name in sorted(called)]
            request["tool_choice"] = {"type": "none"}
        return request | {"stream": True} if stream else request

    def send(self, request: Request) -> Any:
        # Newer models refuse a temperature and this SDK has no argument for it; older ones take it.
        extra = {"temperature": request.pop("temperature")} if "temperature" in request else {}
        if "stream" in request:
            events: Any = self._client.messages.create(**request, extra_body=extra)
            return (event.to_dict() for event in events)
        return json.loads(
            self._client.messages.with_raw_response.create(**request, extra_body=extra).http_response.text
        )

    def read(self, answer: Any, messages: Sequence[Message]) -> Completion:
        text = "".join(block["text"] for block in answer["content"] if block["type"] == "text")
        return completion(text, answer["stop_reason"], _usage(answer["usage"]), messages, self.who)

    def read_parts(self, events: Iterable[Any], messages: Sequence[Message]) -> Iterator[str | Completion]:
        text: list[str] = []
        reason, usage, ended = None, dict[str, Any](), False
        for event in events:
            ended = ended or event["type"] == "message_stop"
            counts = event.get("message", event).get("usage") or {}
            usage |= {name: count for name, count in counts.items() if count is not None}
            delta = event.get("delta") or {}
            reason = delta.get("stop_reason") or reason
            if delta.get("type") == "text_delta":
                text.append(delta["text"])
                yield delta["text"]
        if not ended:
            raise BrokenAnswer(f"{self.who} broke off after {len(text)} parts of an answer; ask again")
        yield completion("".join(text), reason, _usage(usage), messages, self.who)


def open_model(model: str) -> Anthropic:
    return Anthropic(model, os.environ.get("ANTHROPIC_BASE_URL"), os.environ.get("ANTHROPIC_API_KEY"))


def turns(messages: Sequence[Message]) -> list[dict[str, Any]]:
    """Alternating turns of content blocks, the user first. System messages go elsewhere, blank texts nowhere."""
    found: list[dict[str, Any]] = []
    for message in messages:
        role = "assistant" if message.role == "assistant" else "user"
        blocks = [] if message.role == "system" else _blocks(message)
        if blocks and found and found[-1]["role"] == role:
            found[-1]["content"] += blocks
        elif blocks:
            found.append({"role": role, "content": blocks})
    if found and found[0]["role"] == "assistant":
        found.insert(0, {"role": "user", "content": [{"type": "text", "text": OPENING}]})
    return found


def _blocks(message: Message) -> list[dict[str, Any]]:
    text = text_of(message)
    if message.role == "tool":
        return [{"type": "tool_result", "tool_use_id": sendable(message.tool_call_id or ""), "content": text}]
    said = [{"type": "text", "text": text}] if text.strip() else []
    return [*said, *map(_call, message.tool_calls)]


def _call(call: ToolCall) -> dict[str, Any]:
    try:
        arguments = json.loads(call.arguments)
        # Lone surrogates may stand in it as escapes, in names of fields too.
        arguments = json.loads(sendable(json.dumps(arguments, ensure_ascii=False)))
    except ValueError:
        arguments = sendable(call.arguments)
    given = arguments if isinstance(arguments, dict) else {"arguments": arguments}
    return {"type": "tool_use", "id": sendable(call.id), "name": sendable(call.name), "input": given}


def _usage(usage: Any) -> tuple[Any, Any, Any]:
    """The vendor counts what came from the cache, or went into it, beside its input tokens; here they are part."""
    cached = usage.get("cache_read_input_tokens") or 0
    read = usage.get("input_tokens")
    if read is not None:
        read += cached + (usage.get("cache_creation_input_tokens") or 0)
    return read, usage.get("output_tokens"), cached
