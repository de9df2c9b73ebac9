"""Both vendors' answers in their own shapes, and their models asked on loopback without waiting."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from mnemo_lab.conversation import Message
from mnemo_lab.language_models.anthropic import Anthropic
from mnemo_lab.language_models.openai_compatible import OpenAICompatible
from mnemo_lab.language_models.remote import Remote
from mnemo_lab.language_models.retry import Retry
from tests.language_models.scripted import events, typed_events

ASK: Final = [Message("user", "Where is the key?")]
KEY: Final = "sk-not-a-real-key-0123456789"


@dataclass(frozen=True)
class Vendor:
    """One SDK: how its model is made, and the answer "under the mat" whole and in parts."""

    name: str
    made: Callable[..., Remote]
    path: str
    answer: dict[str, Any]
    stream: str
    cut: str
    """A stream that ends after its first part."""

    def model(self, url: str, slept: list[float] | None = None, model: str = "m", key: str | None = KEY) -> Remote:
        pauses = [] if slept is None else slept
        return self.made(model, f"{url}{self.path}", key, Retry(sleep=pauses.append, jitter=lambda: 1.0))


def _chunk(content: str | None = None, reason: str | None = None) -> dict[str, Any]:
    delta = {} if content is None else {"content": content}
    return {
        "id": "c",
        "object": "chat.completion.chunk",
        "choices": [{"index": 0, "delta": delta, "finish_reason": reason}],
    }


_USAGE = {
    "prompt_tokens": 12,
    "completion_tokens": 3,
    "total_tokens": 15,
    "prompt_tokens_details": {"cached_tokens": 8},
}
_CHUNKS = (_chunk("under "), _chunk("the mat"), _chunk(reason="stop"), {"choices": [], "usage": _USAGE})
_STARTED = {
    "usage": {"input_tokens": 4, "cache_read_input_tokens": 8, "output_tokens": 1},
    "content": [],
    "role": "assistant",
}
_TYPED: tuple[dict[str, Any], ...] = (
    {"type": "message_start", "message": _STARTED | {"id": "m", "type": "message", "model": "m"}},
    {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
    {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "under "}},
    {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "the mat"}},
    {"type": "content_block_stop", "index": 0},
    {
        "type": "message_delta",
        "delta": {"stop_reason": "end_turn"},
        "usage": {"output_tokens": 3, "input_tokens": None},
    },
    {"type": "message_stop"},
)

OPENAI = Vendor(
    "openai",
    OpenAICompatible,
    "/v1",
    {
        "id": "c",
        "object": "chat.completion",
        "choices": [
            {"index": 0, "message": {"role": "assistant", "content": "under the mat"}, "finish_reason": "stop"}
        ],
        "usage": _USAGE,
    },
    events(*_CHUNKS),
    events(_CHUNKS[0], done=False),
)
ANTHROPIC = Vendor(
    "anthropic",
    Anthropic,
    "",
    {
        "id": "m",
        "type": "message",
        "role": "assistant",
        "content": [{"type": "text", "text": "under "}, {"type": "text", "text": "the mat"}],
        "stop_reason": "end_turn",
        "usage": {"input_tokens": 4, "output_tokens": 3, "cache_read_input_tokens": 8},
    },
    typed_events(*_TYPED),
    typed_events(*_TYPED[:3]),
)
