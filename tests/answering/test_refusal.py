from __future__ import annotations

import pytest

from mnemo_lab.answering.refusal import abstains

REFUSALS = (
    "I don't know.", "I don’t know", "I do not know the answer.", "I'm not sure.", "Unknown", "N/A", "not mentioned",
    "The conversation does not mention it.", "It isn't specified in the conversation.", "This was never discussed.",
    "There is no information about that in the history.", "No information.", "I cannot determine that.",
    "I couldn't find it.", "The phone number is not provided.", "Answer: I don't know", "", " … ",
    "不知道。", "我不知道", "不清楚", "对话中没有提到。", "未提及", "没有相关信息", "无法确定", "文中没有明确说明",
    "无从得知", "对话里没说",
)  # fmt: skip
ANSWERS = (
    "5433", "no", "No, never", "not before June", "cork", "he never sent the breakdown after two reminders",
    "Because I don't know how to swim", "She didn't say why she left", "none", "I'm not sure, but maybe 5433",
    "I don't know; however, the port may be 5433", "the lock is stale", "unknown_host error code"[14:],
    "不能", "不收", "六月六号", "没有孩子", "不知道，不过可能是5433", "不许发给任何第三方", "中文",
)  # fmt: skip


@pytest.mark.parametrize("text", REFUSALS)
def test_refusals(text: str) -> None:
    assert abstains(text)


@pytest.mark.parametrize("text", ANSWERS)
def test_answers(text: str) -> None:
    assert not abstains(text)


def test_no_gold_answer_of_the_bundled_recordings_is_a_refusal() -> None:
    from mnemo_lab.corpora.base import load

    golds = [gold for probe in load("bilingual").probes for gold in probe.answers]
    assert len(golds) > 500
    assert [gold for gold in golds if abstains(gold)] == []
