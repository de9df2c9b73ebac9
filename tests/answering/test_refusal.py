from __future__ import annotations

import pytest

from mnemo_lab.answering.refusal import abstains

REFUSALS = (
    "I don't know.", "I don’t know", "I do not know the answer.", "I'm not sure.", "Unknown", "N/A", "not mentioned",
    "The conversation does not mention it.", "It isn't specified in the conversation.", "This was never discussed.",
    "There is no information about that in the history.", "No information.", "I cannot determine that.",
    "I couldn't find it.", "The phone number is not provided.", "Answer: I don't know", "", " … ",
    "不知道。", "我不知道", "不清楚", "对话中没有提到。", "未提及", "没有相关信息", "无法确定", "文中没有明确说明",
    "无从得知", "对话里没说", "I don't have that information.", "I don't have access to his calendar",
    "I don't have enough context to answer", "I can't say.", "I cannot tell you that", "I can't tell from this",
    "I can't say for sure", "It cannot be determined from the conversation.", "Not found", "Not found in the text",
    "It is not found in the conversation", "I do not see that in the conversation", "I don't see any mention of it",
    "I have no information about that", "The conversation has no record of it", "There are no details on that.",
    "没有内容可以说明", "对话中没有任何记录", "没有记录显示这一点",
)  # fmt: skip
ANSWERS = (
    "5433", "no", "No, never", "not before June", "cork", "he never sent the breakdown after two reminders",
    "Because I don't know how to swim", "She didn't say why she left", "none", "I'm not sure, but maybe 5433",
    "I don't know; however, the port may be 5433", "the lock is stale", "unknown_host error code"[14:],
    "不能", "不收", "六月六号", "没有孩子", "不知道，不过可能是5433", "不许发给任何第三方", "中文",
    "I don't have a car", "I can't say no to pizza", "He has no record label",
    "The server is not found (404)", "I do not see him on Mondays", "没有内容审核", "No record label",
    "I don't have a dog", "There is no answering machine", "I can't find my keys", "没有资料库", "I can't tell lies",
)  # fmt: skip


@pytest.mark.parametrize("text", REFUSALS)
def test_refusals(text: str) -> None:
    assert abstains(text)


@pytest.mark.parametrize("text", ANSWERS)
def test_answers(text: str) -> None:
    assert not abstains(text)


@pytest.mark.parametrize(
    ("answer", "golds", "refused"),
    [
        ("He was not given a visa", [], True),
        ("He was not given a visa", ["not given a visa"], False),
        ("I don't remember, the port was 5433", ["5433"], False),
        ("I don't remember, the port was 5432", ["5433"], True),
        ("不知道密码", ["x", "不知道密码"], False),
        ("There is no information.", ["No"], True),
        ("没有相关信息", ["没有"], True),
        ("", ["5433"], True),
    ],
)
def test_what_holds_the_right_answer_is_no_refusal(answer: str, golds: list[str], refused: bool) -> None:
    assert abstains(answer, golds) is refused


def test_no_gold_answer_of_the_bundled_recordings_is_a_refusal() -> None:
    from mnemo_lab.corpora.base import load

    golds = [gold for probe in load("bilingual").probes for gold in probe.answers]
    assert len(golds) > 500
    assert [gold for gold in golds if abstains(gold)] == []
