"""The extractive describer: worked stretches in both languages, and what must hold for any messages."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mnemo_lab.conversation import ConversationInfo, Message, ToolCall
from mnemo_lab.corpora.base import load
from mnemo_lab.describers import Description, open_describer
from mnemo_lab.hydration.memory import HydratingMemory
from mnemo_lab.registry import names
from mnemo_lab.services import Services, ServicesSpec
from mnemo_lab.strategy_text import parse_strategy
from tests.conversations import message_lists


def services() -> Services:
    return ServicesSpec(embedder="hashing", cache="").open()


def described(*messages: Message) -> Description:
    return open_describer("extractive", services()).describe(messages)


def user(text: str) -> Message:
    return Message("user", text)


def model(text: str) -> Message:
    return Message("assistant", text)


ENGLISH = (
    user("Hi! Can you help me plan the rollout of Falcon 2.4.1 for Imogen Clarke at Harrow & Lowe?"),
    model("Sure. Which region goes first, and when is the freeze?"),
    user(
        "We decided to start in Edinburgh on 12 May instead of Glasgow, because the Glasgow lab is closed. "
        "The budget is £18,500, ticket OPS-4417, runbook in docs/rollout.md."
    ),
    model("Noted: Edinburgh first."),
    user("I still need to ask Imogen about the weekend shift. The staging cluster is deployed."),
)
CHINESE = (
    user("帮我把预约系统的数据库从 MySQL 迁到 PostgreSQL 17.2，机器在杭州。"),
    model("好的。迁移窗口定在什么时候？"),
    user("窗口定在5月20日凌晨。分库方案放弃，因为太麻烦。负责人叫陈志强，单号 DB-2031。"),
    model("明白。"),
    user("备份已经上传了。还没通知客服，记得提醒我。"),
)


def test_the_fields_of_an_english_stretch() -> None:
    found = described(*ENGLISH)
    assert found.intent.startswith("Can you help me plan the rollout of Falcon 2.4.1")
    assert found.decisions == (
        "We decided to start in Edinburgh on 12 May instead of Glasgow, because the Glasgow lab is closed.",
    )
    assert found.outcomes == ("The staging cluster is deployed.",)
    assert found.open_items == ("I still need to ask Imogen about the weekend shift.",)
    assert found.entities["person"] == ("Imogen Clarke",)
    assert found.entities["place"] == ("Edinburgh", "Glasgow")
    assert found.entities["organisation"] == ("Harrow & Lowe",)
    assert found.entities["date"] == ("12 May",)
    assert found.entities["number"] == ("£18,500",)
    assert found.entities["version"] == ("Falcon 2.4.1",)
    assert found.entities["identifier"] == ("OPS-4417",)
    assert found.entities["path"] == ("docs/rollout.md",)
    assert {"rollout", "cluster", "shift"} <= set(found.keywords)
    assert found.describer == "extractive"


def test_the_fields_of_a_chinese_stretch() -> None:
    found = described(*CHINESE)
    assert found.intent == "帮我把预约系统的数据库从 MySQL 迁到 PostgreSQL 17.2，机器在杭州。"
    assert found.decisions == ("窗口定在5月20日凌晨。", "分库方案放弃，因为太麻烦。")
    assert found.outcomes == ("备份已经上传了。",)
    assert found.open_items == ("还没通知客服，记得提醒我。",)
    assert found.entities["person"] == ("陈志强",)
    assert found.entities["place"] == ("杭州",)
    assert found.entities["date"] == ("5月20日",)
    assert found.entities["version"] == ("PostgreSQL 17.2",)
    assert found.entities["identifier"] == ("DB-2031",)
    assert {"数据库", "备份"} <= set(found.keywords)


@pytest.mark.parametrize(
    ("after", "state"),
    [
        ((), "not answered: "),
        ((Message("assistant", "", tool_calls=(ToolCall("1", "run", "{}"),)),), "being worked on: "),
        ((model("They pass."),), "answered: "),
    ],
)
def test_the_state_of_the_last_request(after: Sequence[Message], state: str) -> None:
    found = described(
        user("Hello there."), model("Hello."), user("Please run the regression tests of billing."), *after
    )
    assert found.task_state == f"{state}Please run the regression tests of billing."


def test_thanks_are_not_the_last_request() -> None:
    found = described(user("请把账单导出成 CSV 文件。"), model("导出了。"), user("谢谢！"), model("不客气。"))
    assert found.task_state == "已回复：请把账单导出成 CSV 文件。"


def test_a_tool_ends_as_its_last_telling_line_says() -> None:
    call = Message("assistant", "", tool_calls=(ToolCall("1", "run_shell", '{"cmd": "pytest"}'),))
    result = Message(
        "tool", "....F\nsrc/a.py:3 assert 1 == 2\n=== 1 failed, 4 passed in 0.31s ===\n$", tool_call_id="1"
    )
    assert described(user("Run the tests."), call, result).outcomes == ("1 failed, 4 passed in 0.31s",)


@pytest.mark.parametrize(
    "text", ["Done? Not yet, it will be fixed when the tests pass.", "如果失败就再跑，修好了再说。"]
)
def test_what_will_be_done_is_no_outcome(text: str) -> None:
    assert not [line for line in described(user(text)).outcomes if "fixed" in line or "修好" in line]


def test_an_open_item_that_is_done_later_is_closed() -> None:
    todo = user("I still need to order the bathroom tiles from Brno.")
    assert described(todo, model("Fine.")).open_items == (todo.text,)
    assert described(todo, model("Fine."), user("Ordered the bathroom tiles from Brno.")).open_items == ()


def test_only_a_question_that_nobody_answered_is_open() -> None:
    asked = user("Which warehouse ships the spare gaskets?")
    assert described(asked).open_items == (asked.text,)
    assert described(asked, model("The one in Leeds.")).open_items == ()
    assert described(asked, model("Leeds. Would you like me to call them?")).open_items == ()


def test_a_model_s_lecture_decides_nothing() -> None:
    lecture = "Here is a plan.\n" + "\n".join(
        f"Step {i}: instead of SELECT *, we'll use named columns." for i in range(9)
    )
    assert described(user("How do I speed the query up?"), model(f"{lecture}\nGood luck.")).decisions == ()


def test_intent_is_how_it_opens_and_what_is_asked() -> None:
    opening = "Cooking question, since we still have a kitchen. The goulash is a scrap of paper. Can you do a recipe?"
    assert described(user(opening)).intent == ("Cooking question, since we still have a kitchen. Can you do a recipe?")
    said = "周日去了陶瓷市场。釉面砖一箱九片。"
    assert described(user("嗯。"), model("？"), user(said)).intent == said


def test_a_model_s_advice_is_no_decision_and_its_own_choice_is_one() -> None:
    said = user("Which index for the invoices table?")
    assert described(said, model("You could go with a partial index instead of a full one.")).decisions == ()
    own = "I went with a partial index on invoices instead of a full one."
    assert described(said, model(own)).decisions == (own,)


@pytest.mark.parametrize("listing", ["40  const MAX = 21\n54    toast.error('late')\n61  }", "id | name\n(4 rows)\nx"])
def test_what_a_tool_lists_is_no_outcome(listing: str) -> None:
    call = Message("assistant", "", tool_calls=(ToolCall("1", "read_file", "{}"),))
    assert described(user("Read it."), call, Message("tool", listing, tool_call_id="1")).outcomes == ()


def test_a_note_on_an_image_is_no_intent() -> None:
    assert described(user("Pottery went well today! [image: a bowl with flowers]")).intent == "Pottery went well today!"


def test_code_is_not_prose() -> None:
    block = "```python\nZebra = load('quagga')  # decided to use okapi\n```"
    found = described(user(f"Please review this loader.\n{block}\nIt is slow."))
    assert "quagga" not in f"{found.keywords} {found.summary} {found.decisions}"
    assert "It is slow." in found.summary


def test_keywords_are_those_that_the_stretches_before_do_not_have() -> None:
    """The same stretch, described first and after nine that all speak of invoices."""
    last = (user("The invoice for the greenhouse arrived, the invoice lists orchids."),)
    first = open_describer("extractive", services()).describe(last).keywords
    later = open_describer("extractive", services())
    for city in ("Lima", "Oslo", "Riga", "Bern", "Cork", "Graz", "Kobe", "Nice", "Pisa"):
        later.describe([user(f"The invoice from {city} arrived.")])
    keywords = later.describe(last).keywords
    assert first.index("invoice") < first.index("greenhouse")
    assert keywords.index("greenhouse") < keywords.index("invoice")
    assert keywords.index("orchids") < keywords.index("invoice")


def test_phrases_that_recur_are_kept_whole_and_as_written() -> None:
    found = described(
        user("The Advisory Lock is stuck."), user("Why is the Advisory Lock stuck?"), user("咨询锁卡住，咨询锁")
    )
    assert "Advisory Lock" in found.keywords and "咨询锁" in found.keywords
    assert not {"Advisory", "Lock", "咨询", "询锁"} & set(found.keywords)


def test_who_speaks_is_no_keyword() -> None:
    said = [Message("user", "Melanie, the pottery class was lovely.", name="Caroline")]
    said.append(Message("assistant", "Caroline! Pottery sounds great.", name="Melanie"))
    assert not {"caroline", "melanie"} & {word.lower() for word in described(*said).keywords}


def test_a_name_is_known_from_the_stretches_before() -> None:
    """Alone at the beginning of a sentence its capital tells nothing."""
    asked = (user("Zdislava wants the grey one."),)
    assert "person" not in described(*asked).entities
    describer = open_describer("extractive", services())
    describer.describe([user("I asked my neighbour Zdislava about paint.")])
    assert describer.describe(asked).entities["person"] == ("Zdislava",)


@pytest.mark.parametrize("recording", ["en-home", "zh-webapp"])
def test_everything_is_said_in_the_messages(recording: str) -> None:
    """Quotations may be cut at their end and joined over line breaks; nothing else is changed."""
    messages = list(load("bilingual").select(recordings=[recording]).recordings[0].messages())
    describer = open_describer("extractive", services())
    for start in range(0, len(messages), 12):
        stretch = messages[start : start + 12]
        found = describer.describe(stretch)
        source = re.sub(r"[\s*`|>#-]+", "", "\n".join(m.text for m in stretch))
        lines = [found.intent, *found.decisions, *found.outcomes, *found.open_items]
        lines += [name for many in found.entities.values() for name in many]
        lines.append(re.split(": |：", found.task_state, maxsplit=1)[-1])
        for line in lines:
            for part in re.split(r"[ ;]|(?<=[。！？])|…", line):
                assert re.sub(r"[\s*`|>#-]+", "", part) in source
        for word in found.keywords:
            assert re.sub(r"[\s-]+", "", word).casefold() in source.casefold()
        assert services().count(found.summary) <= 60


def stretches(count: int = 6, size: int = 10) -> list[Sequence[Message]]:
    messages = list(load("bilingual").select(recordings=["zh-webapp"]).recordings[0].messages())
    return [messages[i * size : (i + 1) * size] for i in range(count)]


def test_the_same_stretches_give_the_same_descriptions() -> None:
    one, two = (open_describer("extractive", services()) for _ in range(2))
    assert [one.describe(s) for s in stretches()] == [two.describe(s) for s in stretches()]


@pytest.mark.parametrize("name", names("describer"))
def test_a_stretch_that_was_described_before_counts_as_if_now(name: str) -> None:
    """What a restored memory does: the next description is as it would have been."""
    *before, last = stretches()
    one, two = (open_describer(name, services()) for _ in range(2))
    for stretch in before:
        one.describe(stretch)
        two.saw(stretch)
    assert one.describe(last) == two.describe(last)


def test_a_restored_memory_goes_on_as_if_it_had_never_stopped(tmp_path: Path) -> None:
    strategy = parse_strategy("checkpoint(trigger='every(n=4)')")
    messages = [m for stretch in stretches() for m in stretch]
    whole = strategy.start(services(), "n")
    whole.begin(ConversationInfo("c"))
    whole.observe(messages[:40])
    whole.save(tmp_path)
    again = strategy.restore(tmp_path, services())
    for memory in (whole, again):
        memory.observe(messages[40:])
        memory.end()
    assert isinstance(whole, HydratingMemory) and isinstance(again, HydratingMemory)
    assert again.checkpoints == whole.checkpoints and len(whole.checkpoints) > 4


@pytest.mark.parametrize(
    "messages",
    [
        (),
        (Message("user", None),),
        (Message("tool", "done", tool_call_id="1"),),
        (Message("assistant", "", tool_calls=(ToolCall("1", "run", "{not json"),)),),
        (user("a" * 50_000),),
        (user("甲" * 20_000),),
        (user("\ud800 lone \x00 control"),),
        (user("```\nnever closed"),),
        (user("... ??? !!!"),),
        (user("%PDF " * 3000), model("ok")),
    ],
    ids=range(10),
)
def test_odd_messages_are_described_too(messages: tuple[Message, ...]) -> None:
    found = described(*messages)
    assert all(len(line) <= 420 for line in (found.intent, found.task_state, *found.decisions, *found.outcomes))


@given(st.lists(message_lists(), min_size=1, max_size=3))
@settings(max_examples=40, deadline=None)
def test_no_messages_break_it(conversations: list[list[Message]]) -> None:
    describer, count = open_describer("extractive", services()), services().count
    for messages in conversations:
        found = describer.describe(messages)
        assert count(found.summary) <= 60
        assert len(found.keywords) == len(set(found.keywords)) <= 40
