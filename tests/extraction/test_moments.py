"""When facts are extracted."""

from __future__ import annotations

import pytest

from mnemo_lab.errors import InvalidInput
from mnemo_lab.extraction.moments import Moments, announces


@pytest.mark.parametrize(
    "text",
    [
        "From now on, answer briefly",
        "let’s use Postgres",
        "I'm a nurse",
        "We've decided to wait",
        "Remember this: tabs",
        "I switched to tea",
        "记住，我对花生过敏",
        "以后都用中文",
        "改成 OAuth 吧",
        "我决定重新选数据库",
    ],
)
def test_words_that_announce(text: str) -> None:
    assert announces(text) and Moments(0, end=False).due(1, text)
    assert not Moments(0, signals=False).due(1, text)


@pytest.mark.parametrize("text", ["What time is it?", "今天天气怎么样？", "", "Thanks, that works."])
def test_words_that_do_not(text: str) -> None:
    assert not announces(text)
    assert not Moments(3).due(2, text) and Moments(3).due(3, text) and not Moments(0).due(99, text)


def test_settings_out_of_range() -> None:
    with pytest.raises(InvalidInput, match="every=-1; use 0"):
        Moments(-1)
    with pytest.raises(InvalidInput, match="nothing would ever be extracted"):
        Moments(0, False, False)
