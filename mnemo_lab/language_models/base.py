"""What a language model is to this package: chat messages in, text and usage out."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Literal, NamedTuple, Protocol

from mnemo_lab.conversation import Message


class Completion(NamedTuple):
    """An answer and the tokens it took, as the model's vendor counts them.

    ``finish`` is ``length`` where the answer was cut at ``max_tokens``; ``cached_tokens`` are those of
    ``input_tokens`` that came from the vendor's prompt cache.
    """

    text: str
    input_tokens: int
    output_tokens: int
    finish: Literal["stop", "length"] = "stop"
    cached_tokens: int = 0


class LanguageModel(Protocol):
    """A model by name. Whoever calls it through ``Services.ask`` need not think of the ledger."""

    @property
    def name(self) -> str:
        """As typed: ``openai:gpt-4o-mini``, ``local:smollm2``, ``extractive``."""

    @property
    def fingerprint(self) -> str:
        """What decides its answers (name, endpoint, settings, weights), for keys and manifests; never a secret."""

    @property
    def window(self) -> int | None:
        """Tokens of prompt and answer together; ``None`` where unknown."""

    def chat(self, messages: Sequence[Message], max_tokens: int) -> Completion:
        """Answer with at most ``max_tokens`` new tokens; raises ``LanguageModelError``."""

    def stream(self, messages: Sequence[Message], max_tokens: int) -> Iterator[str | Completion]:
        """The same in parts as they come, and the whole ``Completion`` last; raises ``LanguageModelError``."""
