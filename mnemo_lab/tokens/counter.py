"""``TokenCounter``: text, chat messages, tool calls and attachments, each counted once by its caller."""

from __future__ import annotations

import os
import re
import warnings
from dataclasses import dataclass, field
from functools import cache
from itertools import pairwise
from typing import TYPE_CHECKING, Final

from mnemo_lab.conversation import Message
from mnemo_lab.errors import InvalidInput, UnknownName
from mnemo_lab.tokens.images import attachment_tokens
from mnemo_lab.tokens.models import Vendor, find_model
from mnemo_lab.tokens.tables import provide_tables

if TYPE_CHECKING:
    import tiktoken

ENCODINGS: Final = ("cl100k_base", "o200k_base")
PER_MESSAGE: Final = 3
"""Tokens that frame one chat message (``<|im_start|>``, the separator, ``<|im_end|>``): OpenAI's cookbook."""
PER_NAME: Final = 1
PER_CALL: Final = 7
"""Framing of one tool call. OpenAI does not publish it; measured prompts put it at 6 to 8."""
LONGEST_BLANK: Final = 200_000
"""White space in one stretch that tiktoken can read; about twice as much overflows its stack and ends the process."""
_BLANK: Final = re.compile(rf"(?<!\s)\s{{{LONGEST_BLANK},}}")


@dataclass(frozen=True, slots=True)
class TokenCounter:
    """Counts tokens of one encoding. ``exact`` is false where the encoding stands in for another vendor's.

    Special-token text in content (``<|endoftext|>``) is counted as the plain text it is.
    """

    encoding: str
    exact: bool = True
    vendor: Vendor = "openai"
    _codec: tiktoken.Encoding = field(repr=False, compare=False, kw_only=True)

    def count(self, text: str) -> int:
        """Tokens of ``text``; 0 for the empty text."""
        return len(self.encode(text)) if text else 0

    def message(self, message: Message) -> int:
        """Tokens one chat message takes in a prompt: framing, role, content, name, calls and attachments.

        The sum over a list is the list's cost; the three tokens that prime the reply belong to the reply.
        """
        total = PER_MESSAGE + self.count(message.role) + self.count(message.text)
        if message.name:
            total += PER_NAME + self.count(message.name)
        for call in message.tool_calls:
            total += PER_CALL + self.count(call.name) + self.count(call.arguments)
        return total + sum(attachment_tokens(item, self.vendor).tokens for item in message.attachments)

    def encode(self, text: str) -> list[int]:
        """Token ids, for cutting inside a text."""
        if len(text) <= LONGEST_BLANK:
            return self._codec.encode_ordinary(text)
        cuts = [i for blank in _BLANK.finditer(text) for i in range(blank.start(), blank.end(), LONGEST_BLANK)[1:]]
        return [token for a, b in pairwise([0, *cuts, len(text)]) for token in self._codec.encode_ordinary(text[a:b])]

    def head(self, text: str, tokens: int) -> str:
        """The longest whole-character prefix of ``text`` of at most ``tokens`` tokens."""
        return text[: self._fitting(text, tokens)]

    def _fitting(self, text: str, tokens: int) -> int:
        """Characters of ``text`` whose own recount stays within ``tokens``."""
        if tokens <= 0:
            return 0
        kept = self._codec.decode_bytes(self.encode(text)[:tokens])
        size = len(kept.decode("utf-8", errors="ignore"))
        while size and self.count(text[:size]) > tokens:  # a cut can re-merge into more tokens
            size -= 1
        return size


@cache
def open_counter(encoding: str) -> TokenCounter:
    """The exact counter of one of ``ENCODINGS``; raises ``UnknownName`` otherwise."""
    if encoding not in ENCODINGS:
        raise UnknownName("token encoding", encoding, ENCODINGS)
    return TokenCounter(encoding, _codec=_codec(encoding))


def counter_for_model(model: str) -> TokenCounter:
    """The counter for a model by name. One without a public tokenizer gets a named proxy and a notice."""
    card = find_model(model)
    encoding = card.encoding if card else "o200k_base"
    exact = card is not None and card.exact
    if not exact:
        reason = "has no public tokenizer here" if card else "is not in the model table"
        warnings.warn(f"model {model!r} {reason}; counting with {encoding} as a proxy", stacklevel=2)
    return TokenCounter(encoding, exact, card.vendor if card else "openai", _codec=_codec(encoding))


@cache
def _codec(encoding: str) -> tiktoken.Encoding:
    provide_tables()
    import tiktoken

    try:
        return tiktoken.get_encoding(encoding)
    except OSError as error:  # it looked for the table in the user's folder, then on the network
        folder = os.environ.get("TIKTOKEN_CACHE_DIR") or os.environ.get("DATA_GYM_CACHE_DIR")
        raise InvalidInput(
            f"the table of {encoding} is not in {folder} and could not be fetched ({type(error).__name__}); "
            "unset TIKTOKEN_CACHE_DIR and DATA_GYM_CACHE_DIR to use the one that came with this package"
        ) from None
