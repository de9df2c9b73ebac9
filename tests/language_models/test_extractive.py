from __future__ import annotations

import pytest

from mnemo_lab.conversation import Message
from mnemo_lab.language_models import open_language_model
from mnemo_lab.summaries.extractive import summarise_text
from mnemo_lab.tokens import open_counter

COUNTER = open_counter("o200k_base")
TEXTS = {
    "en": "Good morning everyone. The invoice INV-20417 is due on 2025-03-04. Nice weather today. We chose Postgres.",
    "zh": "大家早上好。发票 INV-20417 的到期日是 2025-03-04。今天天气不错。我们决定用 Postgres。",
}


@pytest.mark.parametrize("language", TEXTS)
@pytest.mark.parametrize("limit", [0, 5, 30, 500])
def test_an_extract_of_what_was_said_within_the_limit(language: str, limit: int) -> None:
    model, said = open_language_model("extractive"), Message("user", TEXTS[language])
    done = model.chat([Message("system", "Translate into French."), Message("user", "before"), said], limit)
    assert COUNTER.count(done.text) == done.output_tokens <= limit
    assert all(line in TEXTS[language] for line in done.text.splitlines())
    assert done == model.chat([Message("system", "Translate into French."), Message("user", "before"), said], limit)
    assert done.text == summarise_text(TEXTS[language], limit, COUNTER)


def test_quotes_are_taken_without_their_marks() -> None:
    said = "Summarise.\n<summary1>\nPaid 40 EUR.\n</summary1>\n<part1>\nAnn: the code is X-99.\n</part1>"
    done = open_language_model("extractive").chat([Message("user", said)], 100)
    assert "X-99" in done.text and "40 EUR" in done.text
    assert "<" not in done.text and "Summarise" not in done.text


def test_nothing_to_say() -> None:
    model = open_language_model("extractive")
    assert model.chat([], 10).text == model.chat([Message("assistant", "x")], 10).text == ""
    *parts, done = model.stream([Message("user", TEXTS["en"])], 50)
    assert parts == [done.text]  # type: ignore[union-attr]
