from __future__ import annotations

import pytest

from mnemo_lab.text.dates import date_words


@pytest.mark.parametrize(
    ("stamp", "en", "zh"),
    [
        ("2023-05-08T13:56:00Z", "8 May 2023", "2023年5月8日"),
        ("2023-12-31", "31 December 2023", "2023年12月31日"),
        ("2023-05-08T23:30:00-08:00", "8 May 2023", "2023年5月8日"),
        (None, "", ""), ("", "", ""), ("last week", "", ""), ("2023-02-30", "", ""),
    ],
)  # fmt: skip
def test_date_words(stamp: str | None, en: str, zh: str) -> None:
    assert (date_words(stamp, "en"), date_words(stamp, "zh")) == (en, zh)
