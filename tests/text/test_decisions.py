from __future__ import annotations

import pytest

from mnemo_lab.text.decisions import asks, decides, gives_reason, is_open


@pytest.mark.parametrize(
    "sentence",
    [
        "We decided on plan B.", "We're going with Oksana.", "Not Leckie because he never sent the breakdown.",
        "Let's use Postgres instead of MySQL", "They rejected the quote", "I’ll take the blue one.",
        "Celery 算了，换成 APScheduler。", "Tortoise 不用，改用 SQLAlchemy", "主键全换 NanoID", "老板拍板了",
        "五位数字那套作废",
    ],
)  # fmt: skip
def test_what_decides(sentence: str) -> None:
    assert decides(sentence)


@pytest.mark.parametrize(
    "sentence",
    [
        "The port is 5433.",
        "Undecided people agree to differ?",
        "How are you?",
        "今天讨论了部署方案",
        "不用谢",
        "方案定在周三讨论",
        "",
    ],
)
def test_what_does_not(sentence: str) -> None:
    assert not decides(sentence)


def test_reasons_open_items_and_questions() -> None:
    assert gives_reason("It failed because of rain") and gives_reason("因为下雨") and not gives_reason("it rained")
    assert is_open("TODO: ring Euan") and is_open("还没测") and is_open("We still need a permit")
    assert not is_open("Mustard is yellow") and not is_open("测完了")
    assert asks("Where is it?") and asks("在哪？") and asks("好吗") and asks("(really?)") and not asks("a ? b c")
