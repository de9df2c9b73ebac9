"""``extractive`` where a language model is wanted: it answers any request with an extract of what the user sent."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from mnemo_lab.conversation import Message
from mnemo_lab.errors import InvalidInput
from mnemo_lab.language_models.base import Completion
from mnemo_lab.summaries.extractive import NAME, summarise_text
from mnemo_lab.tokens.counter import open_counter

_QUOTED: Final = re.compile(r"<(\w+)>\n?(.*?)\n?</\1>", re.DOTALL)


class ExtractiveModel:
    """Deterministic and free. It reads no instruction: where the user quotes (``<part>…</part>``) the quotes are
    extracted, else the whole last user message."""

    name = NAME
    fingerprint = f"{NAME}-1"
    window = None

    def chat(self, messages: Sequence[Message], max_tokens: int) -> Completion:
        counter = open_counter("o200k_base")
        said = next((message.text for message in reversed(messages) if message.role == "user"), "")
        quoted = "\n".join(match[2] for match in _QUOTED.finditer(said))
        text = summarise_text(quoted or said, max_tokens, counter)
        return Completion(text, sum(map(counter.message, messages)), counter.count(text))

    def stream(self, messages: Sequence[Message], max_tokens: int) -> Iterator[str | Completion]:
        done = self.chat(messages, max_tokens)
        yield from (done.text, done)


def open_model(model: str) -> ExtractiveModel:
    """There is one; raises ``InvalidInput`` for a name after the colon."""
    if model:
        raise InvalidInput(f"language model 'extractive:{model}': extractive takes no name or settings")
    return ExtractiveModel()
