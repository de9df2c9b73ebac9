"""What SDKs and servers say went wrong, as the errors of this package. Both SDKs name their exceptions alike."""

from __future__ import annotations

import time
from collections.abc import Mapping
from email.utils import parsedate_to_datetime
from typing import Final

from mnemo_lab.language_models.errors import (
    BrokenAnswer,
    ContextTooLong,
    Declined,
    LanguageModelError,
    RateLimited,
    Refused,
    Unavailable,
)
from mnemo_lab.language_models.overflow import read_overflow

_TIMEOUTS: Final = {"APITimeoutError", "TimeoutException"}
_CUT: Final = {"APIConnectionError", "TransportError"}
_MISSHAPEN: Final = {"APIResponseValidationError", "ValueError", "LookupError", "TypeError", "AttributeError"}
_UNREADABLE: Final = {"JSONDecodeError", "UnicodeDecodeError", "APIResponseValidationError"}
_UNSENDABLE: Final = {"ValueError", "TypeError"}
_ADVICE: Final = {
    401: "check the key in the environment",
    402: "the account has no credit left",
    403: "the key may not use this model",
    404: "check the model's name and the endpoint (an OpenAI-compatible one usually ends in /v1)",
}
_FILTERED: Final = ("content_filter", "content_policy", "content management policy", "datainspectionfailed")
"""Azure, OpenAI and Qwen: not the request's form is refused but what it says."""
_QUOTA: Final = ("insufficient_quota", "exceeded your current quota", "insufficient balance")


def translate(error: Exception, who: str, begun: bool = False, sending: bool = False) -> LanguageModelError | None:
    """Ours for theirs, ``None`` for what is not known; ``begun``: part of the answer had come; ``sending``: none was
    looked at, so that a value which is wrong is one of ours."""
    kinds = {kind.__name__ for kind in type(error).__mro__}
    if kinds & _TIMEOUTS:
        return Unavailable(f"{who} did not answer in time; raise MNEMO_LLM_TIMEOUT (seconds) or ask for fewer tokens")
    if kinds & _CUT:
        why = f"{type(error.__cause__ or error).__name__}: {error.__cause__ or error}"
        if begun:
            return BrokenAnswer(f"{who} broke off in the middle of an answer ({why}); ask again")
        return Unavailable(f"{who} cannot be reached ({why}); check that it runs, and MNEMO_LLM_BASE_URL")
    if sending and kinds & _UNSENDABLE and not kinds & _UNREADABLE:
        return Refused(f"{who}: the request cannot be sent ({type(error).__name__}: {error}); change what is asked")
    if kinds & _MISSHAPEN:
        return BrokenAnswer(f"{who} sent no chat completion ({type(error).__name__}: {error}); check the endpoint")
    if "APIError" not in kinds:
        return None
    headers = getattr(getattr(error, "response", None), "headers", {})
    body = getattr(error, "body", None)
    return judge(who, getattr(error, "status_code", None), str(error) if body is None else body, headers)


def judge(who: str, status: object, body: object, headers: Mapping[str, str] | None = None) -> LanguageModelError:
    """The error for a status and what was sent with it; a status that is no number counts as the server's fault."""
    code = status if isinstance(status, int) else 500
    said = _message(body)
    if overflow := read_overflow(f"{said} {body}"):
        return ContextTooLong(
            f"{who}: the prompt is too long: {said}; send less, or take a model with a longer window", *overflow
        )
    if code == 402 or (code == 429 and any(words in str(body).lower() for words in _QUOTA)):
        return Refused(f"{who} refused (status {code}): {said}; {_ADVICE[402]}")
    wait = _wait(headers or {})
    if code == 429 or (code >= 500 and wait is not None):
        return RateLimited(f"{who} is asked too often (status {code}): {said}; lower MNEMO_LLM_CONCURRENCY", wait)
    if code >= 500 or code in (200, 408, 409, 425):
        return Unavailable(f"{who} failed (status {code}): {said}; try again later")
    advice = _ADVICE.get(code, "the request must be changed")
    kind = Declined if any(words in str(body).lower() for words in _FILTERED) else Refused
    return kind(f"{who} refused (status {code}): {said}; {advice}")


def _message(body: object) -> str:
    """The vendor's words on one line, wherever in the body they stand."""
    inner = body.get("error", body) if isinstance(body, Mapping) else body
    words = inner.get("message", inner) if isinstance(inner, Mapping) else inner
    return " ".join(str(words).split())[:500]


def _wait(headers: Mapping[str, str]) -> float | None:
    """Seconds of ``Retry-After``, also where it is a date."""
    value = headers.get("retry-after", "")
    try:
        return max(float(value), 0.0)
    except ValueError:
        pass
    try:
        return max(parsedate_to_datetime(value).timestamp() - time.time(), 0.0)
    except ValueError:
        return None
