"""Other libraries behind one signature, ``text -> spans``; each is imported when it is asked for.

pip install argus-redact detect-secrets phonenumbers
"""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator
from contextlib import redirect_stderr
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from evals.privacy.snippets import Span

NOT_PERSONAL: Final = {"self_reference", "date_of_birth", "age", "gender", "sex", "medical_condition"}
"""Kinds of argus-redact that the set does not mark; they are left out, in its favour."""


def argus() -> Callable[[str], list[Span]]:
    """argus-redact, Chinese and English, its rules alone (``mode="fast"``), all its kinds but ``NOT_PERSONAL``."""
    from argus_redact import redact

    def find(text: str) -> list[Span]:
        with redirect_stderr(io.StringIO()):
            detail = redact(text, mode="fast", lang=["zh", "en"], detailed=True)[2]
        return [
            Span(item["type"], item["start"], item["end"])
            for item in detail["entities"]
            if item["type"] not in NOT_PERSONAL
        ]

    return find


def detect_secrets() -> Callable[[str], list[Span]]:
    """detect-secrets with its default plug-ins and filters, on a file: its line scanner would search more eagerly."""
    from detect_secrets.core.scan import scan_file
    from detect_secrets.settings import default_settings

    def find(text: str) -> list[Span]:
        with TemporaryDirectory() as folder, default_settings():
            path = Path(folder) / "snippet.txt"
            path.write_text(text, encoding="utf-8", errors="replace")
            secrets = [(secret.type, secret.secret_value, secret.line_number) for secret in scan_file(str(path))]
        return sorted({span for secret in secrets for span in _placed(text, *secret)}, key=lambda span: span.start)

    return find


def _placed(text: str, kind: str, value: str, line_number: int) -> Iterator[Span]:
    """The library gives a value and a line, not a place: every occurrence within the line counts."""
    lines = text.split("\n")
    start = sum(len(line) + 1 for line in lines[: line_number - 1])
    line = lines[line_number - 1]
    at = line.find(value)
    while at >= 0 and value:
        yield Span(kind, start + at, start + at + len(value))
        at = line.find(value, at + 1)


def phone_numbers() -> Callable[[str], list[Span]]:
    """Phonenumbers' matcher for numbers as written in China and in the United States."""
    from phonenumbers import PhoneNumberMatcher

    def find(text: str) -> list[Span]:
        spans = {Span("phone", m.start, m.end) for region in ("CN", "US") for m in PhoneNumberMatcher(text, region)}
        return sorted(spans, key=lambda span: span.start)

    return find


def both() -> Callable[[str], list[Span]]:
    """argus-redact and detect-secrets together, the combination one would take without rules of one's own."""
    first, second = argus(), detect_secrets()
    return lambda text: [*first(text), *second(text)]


LIBRARIES: Final = {
    "argus-redact (fast)": argus,
    "detect-secrets (default)": detect_secrets,
    "argus-redact + detect-secrets": both,
    "phonenumbers": phone_numbers,
}
