"""Passwords told in a sentence, in the ways people tell them, and sentences about passwords that tell none."""

from __future__ import annotations

import pytest

from mnemo_lab.privacy import Redactor

CUT_SHORT = "gh" + "p_Zk3fakeT0kenQm81LxWvB7aYnR5uDcEoP2s"  # a character less than GitHub gives
TOLD = (
    ("my password is: hunter2000!", "hunter2000!"),
    ("My password is hunter2000!, thanks", "hunter2000!"),
    ("the db password's X9kq2!pp", "X9kq2!pp"),
    ("the db password’s X9kq2!pp", "X9kq2!pp"),
    ("login password for staging is qwe!2345", "qwe!2345"),
    ("password to the wifi: blue-Horse-77", "blue-Horse-77"),
    ("password of the admin account = Zx81!long", "Zx81!long"),
    ("密码是：Tiger-2026-demo", "Tiger-2026-demo"),
    ("密码为 Tiger-2026-demo，别外传", "Tiger-2026-demo"),
    ("数据库密码换成了：Xk29!pass", "Xk29!pass"),
    ("数据库密码改成 Xk29!pass 了", "Xk29!pass"),
    (f"token 是这个 {CUT_SHORT}，过期了吗", CUT_SHORT),
)
NOT_TOLD = (
    "my password is too short",
    "my password's too short",
    "the password for new users is required",
    "the password for it is long gone",
    "What is the password for staging?",
    "密码是什么",
    "密码改了",
    "密码是：大小写加数字",
    "token 用量是 300",
)


@pytest.mark.parametrize(("text", "secret"), TOLD)
def test_a_told_password_is_replaced_and_nothing_else(text: str, secret: str) -> None:
    before, _, after = text.partition(secret)
    found = Redactor(names=False).redact(text).text
    assert secret not in found and found.startswith(before) and found.endswith(after.lstrip("!"))


@pytest.mark.parametrize("text", NOT_TOLD)
def test_talk_about_passwords_stays(text: str) -> None:
    assert Redactor(names=False).redact(text).text == text
