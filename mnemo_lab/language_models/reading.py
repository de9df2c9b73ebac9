"""What requests and answers of all vendors have in common."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, Final

from mnemo_lab.conversation import Message
from mnemo_lab.language_models.base import Completion
from mnemo_lab.language_models.errors import Declined
from mnemo_lab.tokens.counter import open_counter

_THOUGHT: Final = re.compile(r"<think(?:ing)?>.*?(?:</think(?:ing)?>|\Z)", re.DOTALL | re.IGNORECASE)


def without_thoughts(text: str) -> str:
    """An answer without what a reasoning model thinks aloud before it, finished or not."""
    return _THOUGHT.sub("", text)


def sendable(text: str) -> str:
    """No lone surrogates, which JSON cannot carry."""
    return text.encode("utf-8", "replace").decode()


def text_of(message: Message) -> str:
    """The content; attachments are named, not sent."""
    names = (f"[{file.kind}: {file.name or file.reference or file.media_type}]" for file in message.attachments)
    return sendable("\n".join(filter(None, [message.text, *names])))


def completion(
    text: str, reason: str | None, usage: tuple[Any, Any, Any], messages: Sequence[Message], who: str
) -> Completion:
    """``usage``: tokens read, written, and read from the cache; counted here where the server does not say.

    Raises ``Declined`` where the vendor's filter stopped the answer.
    """
    if reason in ("content_filter", "refusal"):
        raise Declined(f"{who} declined to answer ({reason}); change the request")
    cut = reason in ("length", "max_tokens", "model_context_window_exceeded")
    counter = open_counter("o200k_base")
    read, written, cached = usage
    read = sum(map(counter.message, messages)) if read is None else read
    written = counter.count(text) if written is None else written
    return Completion(text, int(read), int(written), "length" if cut else "stop", int(cached or 0))
