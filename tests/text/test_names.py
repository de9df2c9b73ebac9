"""Names in both scripts. What a name is not matters as much."""

from __future__ import annotations

import pytest

from mnemo_lab.text.names import capitalised_names
from mnemo_lab.text.names_zh import chinese_names, is_name


def test_capitals_inside_a_sentence() -> None:
    texts = ["We asked Oksana and Graham Leckie on Monday.", "Then Plumbers came. a plumber, many plumbers"]
    assert capitalised_names(texts) == {"Oksana", "Graham", "Leckie"}
    assert capitalised_names(["后台用 Element Plus，就这样"]) == {"Element", "Plus"}


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("我叫贺一舟，写后端", {"贺一舟", "一舟"}),
        ("- 张雨萱，老板\n- 王明", {"张雨萱", "雨萱"}),
        ("老邓说店里满了，陈会计对账", {"老邓", "陈会计"}),
        ("问了曼姐，她说行。", set()),  # 了曼姐: where the name begins cannot be told
        ("曼姐，钱到了", {"曼姐"}),
        ("老师说小时候和朋友，和老师去公园", set()),
        ("今天方法很简单，程序员加班", set()),
        ("", set()),
    ],
)
def test_chinese_names(text: str, names: set[str]) -> None:
    assert chinese_names([text]) == names


def test_a_given_name_is_known_from_the_full_one() -> None:
    assert "雨萱" in chinese_names(["张雨萱，你好", "雨萱今天来"])
    assert is_name("欧阳娜娜") and not is_name("高兴") and not is_name("桌子")
