"""What a language model is to this package: text in, text and usage out."""

from __future__ import annotations

from typing import NamedTuple, Protocol


class Completion(NamedTuple):
    """An answer and the tokens it took."""

    text: str
    input_tokens: int
    output_tokens: int


class LanguageModel(Protocol):
    """A model by name; ``complete`` is charged to the ledger by its caller."""

    name: str

    def complete(self, prompt: str, max_tokens: int) -> Completion:
        """Complete a prompt with at most ``max_tokens`` new tokens."""
