"""What can go wrong with a language model, by what to do about it."""

from __future__ import annotations

from typing import ClassVar

from mnemo_lab.errors import MnemoError


class LanguageModelError(MnemoError):
    """A request to a language model failed. ``again``: whether the same request may work a little later."""

    again: ClassVar[bool] = False


class RateLimited(LanguageModelError):
    """429 and the like. ``retry_after`` in seconds where the vendor says so."""

    again = True

    def __init__(self, message: str, retry_after: float | None = None) -> None:
        super().__init__(message)
        self.retry_after = retry_after


class Unavailable(LanguageModelError):
    """5xx, a refused connection, a timeout."""

    again = True


class BrokenAnswer(LanguageModelError):
    """An answer that is no answer: a stream that ended early, or something that is not the JSON it must be."""

    again = True


class ContextTooLong(LanguageModelError):
    """The prompt exceeds the model's window. ``limit`` and ``asked`` in tokens where the vendor says so."""

    def __init__(self, message: str, limit: int | None = None, asked: int | None = None) -> None:
        super().__init__(message)
        self.limit, self.asked = limit, asked


class Refused(LanguageModelError):
    """A request that will never work as it is: a wrong key, an unknown model, a malformed or filtered request."""


class Declined(Refused):
    """The vendor will not answer what is asked: its filter stopped the request or the answer."""


class NotRecorded(MnemoError):
    """A cassette has no answer and its model cannot be asked; nothing may stand in, so no ``LanguageModelError``."""
