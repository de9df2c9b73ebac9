"""Nine Chinese turns about a product launch, with a business trip in between and its budget as a trap.

The model only extracts: what it answers stands in what it was sent.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final, NamedTuple

import pytest

from mnemo_lab.agent import Turn
from mnemo_lab.hydration.checkpoint import Checkpoint
from mnemo_lab.services import ServicesSpec
from tests.agent.models import COUNTER, Answering, extracted, new_agent, sent_text

TURNS: Final = (
    "我们来策划新产品发布会，产品是智能手表星环二代，定在九月十八日，地点在上海西岸艺术中心。",
    "发布会的目标受众是25到35岁的都市白领，尤其是喜欢跑步和健身的人。",
    "发布会的预算总共80万元，其中场地30万元，媒体投放35万元，其余留作机动。",
    "宣传渠道以小红书和B站为主，先发三条预热视频，再请五位跑步博主试用。",
    "切换一个话题，下周二我要去成都出差三天，帮我安排一下行程。",
    "出差的预算是6000元，机票尽量选上午的航班，返程不要太晚。",
    "酒店订在春熙路附近，同行的还有两位同事，需要三间房。",
    "回到刚才的发布会，我们定的预算总共是多少？",
    "那发布会的目标受众是谁？",
)
BUDGET: Final = 200
"""Tokens of all that is sent; the nine turns take twice as many."""
STRATEGIES: Final = ("hydrate(trigger='cue()')", "checkpoint(trigger='cue()')")
EMBEDDERS: Final = ("hashing", "multilingual-e5-small")


class Talk(NamedTuple):
    turns: list[Turn]
    checkpoints: list[Checkpoint]
    model: Answering


def talk(folder: Path, strategy: str, embedder: str = "hashing", restart: bool = False) -> Talk:
    model, spec, done = Answering(extracted), ServicesSpec(embedder=embedder, cache=""), []
    agent = new_agent(folder, model, strategy, max_tokens=BUDGET, recent=1, services=spec)
    for text in TURNS:
        if restart:
            agent.close()
            agent = new_agent(folder, model, strategy, max_tokens=BUDGET, recent=1, services=spec)
        done.append(agent.chat(text))
    cut = agent.checkpoints
    agent.close()
    return Talk(done, cut, model)


@pytest.mark.parametrize("embedder", EMBEDDERS)
@pytest.mark.parametrize("strategy", STRATEGIES)
def test_after_the_switch_both_questions_are_answered_from_the_right_checkpoint(
    tmp_path: Path, strategy: str, embedder: str
) -> None:
    turns, checkpoints, model = talk(tmp_path, strategy, embedder)
    assert [(one.start, one.stop) for one in checkpoints] == [("1u", "4a"), ("5u", "7a")], "cut where the cue stands"
    launch, _ = checkpoints
    budget, audience = turns[7:]
    assert "80万元" in str(budget) and "6000" not in str(budget)
    assert "25到35岁的都市白领" in str(audience)
    for turn, said, place in ((budget, TURNS[2], "3u"), (audience, TURNS[1], "2u")):
        assert launch.id in turn.sent.checkpoints and place in turn.sent.history
        assert said in turn.sent.context.text and str(turn) in sent_text(turn.sent.messages)
    for turn, prompt, question in zip(turns, model.asked, TURNS, strict=True):
        assert sent_text(prompt).count(question) == 1, "the current question is not in its own history"
        assert f"{turn.number}u" not in (*turn.sent.history, *turn.sent.recent) and turn.sent.total <= BUDGET


def test_recency_alone_cannot_answer_them(tmp_path: Path) -> None:
    """The test above would prove nothing if the newest turns held the answers."""
    turns, checkpoints, _ = talk(tmp_path, "recent")
    assert (
        checkpoints == [] and sum(COUNTER.message(one) for turn in turns for one in (turn.question, turn.answer)) > 400
    )
    for turn, said in ((turns[7], TURNS[2]), (turns[8], TURNS[1])):
        assert said not in sent_text(turn.sent.messages)
    assert "出差的预算是6000元" in str(turns[7]) and "25到35岁" not in str(turns[8])


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_a_restart_before_every_turn_changes_nothing(tmp_path: Path, strategy: str) -> None:
    through, restarted = talk(tmp_path / "one", strategy), talk(tmp_path / "two", strategy, restart=True)
    assert [turn.sent.messages for turn in through.turns] == [turn.sent.messages for turn in restarted.turns]
    assert through.checkpoints == restarted.checkpoints
