from __future__ import annotations

from collections.abc import Callable

import pytest

from mnemo_lab.language_models.errors import (
    BrokenAnswer,
    ContextTooLong,
    LanguageModelError,
    RateLimited,
    Refused,
    Unavailable,
)
from mnemo_lab.language_models.retry import Retry


def failing(*errors: Exception) -> Callable[[], str]:
    left = list(errors)

    def ask() -> str:
        if left:
            raise left.pop(0)
        return "answer"

    return ask


def patient(jitter: float, slept: list[float], **settings: float) -> Retry:
    return Retry(sleep=slept.append, jitter=lambda: jitter, **settings)  # type: ignore[arg-type]


@pytest.mark.parametrize(("jitter", "pauses"), [(0.0, [0.5, 1, 2, 4]), (1.0, [1, 2, 4, 8]), (0.5, [0.75, 1.5, 3, 6])])
def test_pauses_double_between_half_and_whole(jitter: float, pauses: list[float]) -> None:
    slept: list[float] = []
    assert patient(jitter, slept).call(failing(*[Unavailable("x")] * 4)) == "answer"
    assert slept == pauses


def test_pauses_end_at_the_longest() -> None:
    slept: list[float] = []
    patient(1.0, slept, attempts=9, longest=10.0).call(failing(*[BrokenAnswer("x")] * 6))
    assert slept == [1, 2, 4, 8, 10, 10]


def test_the_last_error_is_raised_after_so_many_attempts() -> None:
    slept: list[float] = []
    with pytest.raises(Unavailable, match="third"):
        patient(1.0, slept, attempts=3).call(failing(*map(Unavailable, ["first", "second", "third", "fourth"])))
    assert slept == [1, 2]


@pytest.mark.parametrize("error", [Refused("x"), ContextTooLong("x"), LanguageModelError("x"), KeyError("x")])
def test_what_cannot_help_is_not_done(error: Exception) -> None:
    slept: list[float] = []
    with pytest.raises(type(error)):
        patient(1.0, slept).call(failing(error))
    assert slept == []


@pytest.mark.parametrize(("wait", "pauses"), [(0.0, [0.5]), (60.0, [60.5]), (None, [0.75])])
def test_the_vendors_wait_is_kept(wait: float | None, pauses: list[float]) -> None:
    slept: list[float] = []
    assert patient(0.5, slept).call(failing(RateLimited("x", wait))) == "answer"
    assert slept == pauses


def test_a_vendors_wait_that_is_too_long_is_the_callers_decision() -> None:
    with pytest.raises(RateLimited):
        patient(0.5, []).call(failing(RateLimited("x", 60.5)))
