"""Asking again: only where that may help, later each time, and never for ever."""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

from mnemo_lab.language_models.errors import LanguageModelError

R = TypeVar("R")


@dataclass(frozen=True, slots=True)
class Retry:
    """Exponential backoff with jitter: between half of and all of ``first`` · 2ⁿ seconds, at most ``longest``.

    A vendor's own wait is kept where it is at most ``longest``; a longer one is an error at once.
    """

    attempts: int = 5
    first: float = 1.0
    longest: float = 60.0
    sleep: Callable[[float], None] = time.sleep
    jitter: Callable[[], float] = random.random

    def call(self, ask: Callable[[], R]) -> R:
        """What ``ask`` gives; its last ``LanguageModelError`` where no attempt did."""
        attempt = 1
        while True:
            try:
                return ask()
            except LanguageModelError as error:
                pause = self.pause(attempt, error)
                if pause is None:
                    raise
            self.sleep(pause)
            attempt += 1

    def pause(self, attempt: int, error: LanguageModelError) -> float | None:
        """Seconds to wait after the attempt of this number, ``None`` to give up."""
        if not error.again or attempt >= self.attempts:
            return None
        wanted: float | None = getattr(error, "retry_after", None)
        if wanted is not None:
            # Many clients are told the same second; a little jitter keeps them apart.
            return wanted + self.jitter() * self.first if wanted <= self.longest else None
        return min(self.first * 2.0 ** (attempt - 1), self.longest) * (1 + self.jitter()) / 2
