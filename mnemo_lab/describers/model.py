"""``model``: a language model describes, and where it cannot, extraction does."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from mnemo_lab.conversation import Message
from mnemo_lab.describers.base import Description
from mnemo_lab.describers.extractive import ExtractiveDescriber
from mnemo_lab.describers.fields import KEYS, description_of
from mnemo_lab.describers.prompts import again, request
from mnemo_lab.describers.reading import shortened
from mnemo_lab.language_models.answers import read_object
from mnemo_lab.language_models.errors import BrokenAnswer, ContextTooLong, LanguageModelError, Refused
from mnemo_lab.packing.elide import elide
from mnemo_lab.packing.lines import speaker_of, transcript_line
from mnemo_lab.services import Services
from mnemo_lab.summaries.model_written import ASSUMED_WINDOW
from mnemo_lab.text.language import language_of

TASK: Final = "describe"
"""What the ledger calls it."""
ANSWER: Final = 800
"""Tokens of an answer."""
_SLACK: Final = 64
"""Tokens that prime the reply, number the lines, and that counting in parts may be off by."""
_LEAST: Final = 16
"""Tokens of a message below which it is not cut."""


class ModelDescriber:
    """Asks once for one JSON object, once more where the answer cannot be used, and then falls back to extraction.

    What does not fit the model's window is cut inside its longest messages.
    """

    name = "model"

    def __init__(self, services: Services) -> None:
        self._services, self._extract = services, ExtractiveDescriber(services)
        self._window: int | None = None

    def describe(self, messages: Sequence[Message]) -> Description:
        """As ``Describer.describe``; ``describer`` is the model's name, or says why it fell back."""
        try:
            found = self._asked(messages)
        except LanguageModelError as error:
            name = self._services.language_model.name
            self._services.ledger.of(name, TASK).fell_back += 1
            reason = shortened(str(error), 160)
            described = self._extract.describe(messages)
            return replace(described, describer=f"{described.describer} (fell back: {reason})")
        self._extract.saw(messages)
        return found

    def saw(self, messages: Sequence[Message]) -> None:
        self._extract.saw(messages)

    def _asked(self, messages: Sequence[Message]) -> Description:
        try:
            return self._ask(messages)
        except ContextTooLong as error:
            window = self.window
            limit = error.limit or window // 2
            if error.limit and error.asked:  # in our tokens
                limit = min(limit, window * limit // error.asked)
            self._window = limit if limit < window else window * 3 // 4
            return self._ask(messages)

    @property
    def window(self) -> int:
        """Tokens of prompt and answer: the model's, until it says that less fits."""
        return self._window or self._services.language_model.window or ASSUMED_WINDOW

    def _ask(self, messages: Sequence[Message]) -> Description:
        language = language_of(message.text for message in messages)
        asked = request(self._lines(messages, language), language)
        answer = self._services.ask(asked, ANSWER, TASK).text
        try:
            return self._read(answer, messages)
        except BrokenAnswer as error:
            retry = again(asked, self._services.counter.head(answer, ANSWER // 2), str(error), language)
            return self._read(self._services.ask(retry, ANSWER, TASK).text, messages)

    def _read(self, answer: str, messages: Sequence[Message]) -> Description:
        texts = [
            f"{speaker_of(m)} {m.text} {' '.join(f'{c.name} {c.arguments}' for c in m.tool_calls)}" for m in messages
        ]
        return description_of(read_object(answer, KEYS), texts, self._services.language_model.name)

    def _lines(self, messages: Sequence[Message], language: str) -> list[str]:
        """The messages as lines; those above an even share of the room are cut inside."""
        lines = [transcript_line(message) for message in messages]
        sizes = [self._services.count(line) for line in lines]
        frame = sum(map(self._services.message_tokens, request([], language)))
        # a retry sends the answer back and asks for another
        room = self.window - frame - 2 * ANSWER - _SLACK - 4 * len(lines)
        if room < _LEAST * len(lines):
            raise Refused(f"a window of {self.window} tokens is too small to describe {len(lines)} messages in")
        share = _share(sizes, room)
        return [line if size <= share else self._cut(line, share) for line, size in zip(lines, sizes, strict=True)]

    def _cut(self, line: str, tokens: int) -> str:
        cut = elide(line.rstrip("\n"), tokens - 1, self._services.counter, 0.7)
        return f"{cut.text if cut else self._services.counter.head(line, tokens - 1)}\n"


def _share(sizes: Sequence[int], room: int) -> int:
    """The most that one may take, so that all together take at most ``room``."""
    left, count = room, len(sizes)
    for size in sorted(sizes):
        if size * count > left:
            return left // count
        left, count = left - size, count - 1
    return max(sizes, default=0)
