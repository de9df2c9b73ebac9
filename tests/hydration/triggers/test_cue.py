"""Phrases that announce, and ordinary talk that does not."""

from __future__ import annotations

import pytest

from mnemo_lab.hydration.triggers.cue import BEGINS, ENDS, REACH, Cue, says
from tests.hydration.talks import openings

BEGIN = [
    "Let's switch to the billing page.",
    "ok let’s move on, what about tests?",
    "Let us see. By the way, which port was it?",
    "btw the meeting is at ten",
    "Moving on to the budget.",
    "So, moving on: lunch.",
    "Back to the kitchen, how wide was the gap?",
    "okay, back to my thesis",
    "On a completely different note, I bought a bike.",
    "On another note: rent.",
    "Totally unrelated, how do I poach an egg?",
    "Completely off topic and I'm furious.",
    "Next topic: colours.",
    "New question, how do I undo a commit?",
    "One more thing. Can you add a header?",
    "Something else: the car.",
    "The next item is the roof.",
    "We'll move on to questions from the floor.",
    "Let's change the subject",
    "切换到预算那部分",
    "切换一个话题",
    "切换个话题吧",
    "换个话题，今天吃什么？",
    "换一个问题。",
    "对了，还有停车的事",
    "嗯。对了你那边几点？",
    "顺便问一下，发票抬头怎么写",
    "接下来我们聊渠道",
    "回到刚才的定价",
    "咱们聊聊搬家",
    "另外问一下保修",
    "下一个话题是礼品",
]
END = [
    "To summarise: two nights, breakfast included.",
    "So, to sum up, we need 40 chairs.",
    "In conclusion, no.",
    "I've decided to take the train.",
    "we agreed on Tuesday",
    "Okay, we'll go with the second supplier.",
    "Let's use pytest.",
    "That's settled then.",
    "That's all for today!",
    "总结一下今天的结论",
    "帮我小结一下",
    "总的来说可以接受",
    "颜色改成深蓝",
    "日期改为六月六号",
    "我决定不去了",
    "我们决定用 PostgreSQL",
    "就这么定了",
    "供应商已经敲定",
]
ORDINARY = [
    "I went back to the shop and they were closed.",
    "Can you help me to summarise this article?",
    "I'm moving on Friday.",
    "No one else replied.",
    "I'd like something different for dinner",
    "She is switching on the light.",
    "Have we decided anything yet?",
    "I haven't decided.",
    "What's next?",
    "The next train leaves at nine.",
    "In short sentences, please.",
    "Is this the right topic for my essay?",
    "你说对了！",
    "对了！",
    "我们看看这个报错",
    "帮我决定一下",
    "我决定不了",
    "回到我们家已经十点了",
    "这一步换了浏览器也一样",
    "请总结这篇文章",
    "",
]


@pytest.mark.parametrize("text", BEGIN)
def test_announcing_a_topic(text: str) -> None:
    assert Cue().fires(openings("hello", text), 1, [0]) == 1.0
    assert Cue(begins=False).fires(openings("hello", text), 1, [0]) is None


@pytest.mark.parametrize("text", END)
def test_summing_up_or_deciding_ends_the_turn(text: str) -> None:
    """The turn itself still belongs to what it sums up; the next one opens a segment."""
    turns = openings("hello", text, "go on")
    assert Cue().fires(turns, 1, [0]) is None and Cue().fires(turns, 2, [0]) == 0.8
    assert Cue(ends=False).fires(turns, 2, [0]) is None


@pytest.mark.parametrize("text", ORDINARY)
def test_ordinary_talk_is_no_cue(text: str) -> None:
    assert not says(BEGINS, text) and not says(ENDS, text)


def test_only_the_beginning_of_a_message_announces() -> None:
    assert says(BEGINS, "x" * (REACH - 20) + " by the way, y") and not says(BEGINS, "x" * REACH + " by the way, y")
