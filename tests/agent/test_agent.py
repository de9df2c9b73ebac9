"""What is sent, what is kept, what it costs, and that a session goes on where it was."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from math import isnan
from pathlib import Path

import pytest

from mnemo_lab.agent import ConversationAgent
from mnemo_lab.agent.prompt import NOTE
from mnemo_lab.conversation import ConversationInfo, Message
from mnemo_lab.errors import BudgetTooSmall, InvalidInput, MnemoError
from mnemo_lab.language_models.errors import Unavailable
from mnemo_lab.store import ConversationStore
from tests.agent.models import COUNTER, NOW, SPEC, Answering, echo, new_agent, noted, sent_text

STRATEGIES = (
    "recent",
    "random",
    "summary",
    "tool_trim",
    "bm25",
    "hybrid",
    "checkpoint",
    "hydrate(trigger='every(n=2)')",
)
SAID = (
    "The staging database listens on port 5433.",
    "Nora moved to Lisbon in May and works for the harbour authority there.",
    "发布会的预算是八十万元，场地占三十万。",
    "Let's switch to the summer party. It is on 12 June in the old brewery.",
    "Tom brings the red bicycle for the raffle, it was 120 euros.",
    "Which port does the staging database listen on?",
)


@pytest.mark.parametrize("strategy", STRATEGIES)
@pytest.mark.parametrize("budget", [90, 200, 2000])
def test_never_over_budget_and_the_parts_sum_up(tmp_path: Path, strategy: str, budget: int) -> None:
    model = Answering(noted)
    with new_agent(tmp_path, model, strategy, max_tokens=budget, system="Be brief.") as agent:
        turns = [agent.chat(text) for text in SAID]
    for turn, asked, text in zip(turns, model.asked, SAID, strict=True):
        assert list(turn.sent.messages) == asked
        assert sum(map(COUNTER.message, asked)) == turn.sent.total <= budget
        assert all(tokens >= 0 for tokens in turn.sent.tokens.values())
        assert asked[0] == Message("system", "Be brief.") and asked[-1].text.endswith(text)
        assert sent_text(asked).count(text) == 1, "the question is not in its own history, nor is anything there twice"
    for text in SAID[:-1] if budget == 2000 else ():
        assert sent_text(model.asked[-1]).count(text) == 1, "with room enough all of it is there, once"


def test_what_full_would_send_beyond_the_budget_is_an_error_that_leaves_the_session_as_it_was(tmp_path: Path) -> None:
    with new_agent(tmp_path, strategy="full", max_tokens=60) as agent:
        agent.chat("word " * 30)
        with pytest.raises(BudgetTooSmall, match=r"what the strategy keeps, \d+ tokens would be sent, over the 60"):
            agent.chat("word " * 20)
        with pytest.raises(BudgetTooSmall, match=r"system prompt and question take \d+ tokens, over the 60 there are"):
            agent.chat("word " * 100)
        assert agent.turns == 1


def test_full_sends_all_of_it_up_to_the_last_token(tmp_path: Path) -> None:
    """The first look at a strategy leaves room for recent turns, which one that sends messages itself may use."""
    with new_agent(tmp_path / "one", strategy="full") as agent:
        for text in SAID[:3]:
            agent.chat(text)
        total = agent.chat(SAID[3]).sent.total
    with new_agent(tmp_path / "one", strategy="full", max_tokens=total) as agent:
        agent.forget()
        turns = [agent.chat(text) for text in SAID[:4]]
        assert turns[-1].sent.total == total and turns[-1].sent.recent == ()
    with new_agent(tmp_path / "one", strategy="full", max_tokens=total) as agent, pytest.raises(BudgetTooSmall):
        agent.chat(SAID[4])


def test_recent_turns_are_sent_as_messages_and_the_history_quotes_what_is_older(tmp_path: Path) -> None:
    model = Answering(noted)
    with new_agent(tmp_path, model) as agent:
        for text in SAID[:4]:
            agent.chat(text)
        turn = agent.chat(SAID[5])
    assert [message.role for message in turn.sent.messages] == ["user", "assistant", "user", "assistant", "user"]
    assert turn.sent.recent == ("3u", "3a", "4u", "4a")
    assert turn.sent.messages[-1].text == (
        f"{NOTE['en']}\n<history>\n"
        f"[2026-03-02] user: {SAID[0]}\n[2026-03-02] assistant: Noted.\n"
        f"[2026-03-02] user: {SAID[1]}\n[2026-03-02] assistant: Noted.\n"
        f"</history>\n\n{SAID[5]}"
    )
    assert turn.sent.history == ("1u", "1a", "2u", "2a")


@pytest.mark.parametrize("strategy", ["bm25", "recent", "summary", "hydrate(trigger='every(n=2)')"])
def test_a_session_goes_on_where_it_was(tmp_path: Path, strategy: str) -> None:
    """Asked after a restart, the same is sent as without one."""
    with new_agent(tmp_path / "one", strategy=strategy, system="Be brief.", max_tokens=200) as agent:
        for text in SAID[:5]:
            agent.chat(text)
        expected, cut = agent.chat(SAID[5]).sent, agent.checkpoints
    for text in SAID[:5]:
        with new_agent(tmp_path / "two", strategy=strategy, system="Be brief.", max_tokens=200) as agent:
            agent.chat(text)
    with new_agent(tmp_path / "two", strategy=strategy, max_tokens=200) as agent:
        again = agent.chat(SAID[5])
        assert again.sent.messages == expected.messages and again.number == 6
        assert again.sent.checkpoints == expected.checkpoints and agent.checkpoints == cut
        assert agent.system == "Be brief."


def test_a_saved_memory_is_taken_up_and_a_damaged_or_foreign_one_is_made_anew(tmp_path: Path) -> None:
    strategy = "hydrate(trigger='every(n=2)')"
    with new_agent(tmp_path, strategy=strategy) as agent:
        for text in SAID[:5]:
            agent.chat(text)
        cut = agent.checkpoints
    assert len(cut) == 2
    (saved,) = tmp_path.glob("sessions/*/memory-00000005")
    checkpoints = saved / "checkpoints.json"
    checkpoints.write_text(checkpoints.read_text("utf-8").replace(cut[0].summary[:9], "TAKEN UP!"), "utf-8")
    with new_agent(tmp_path, strategy=strategy) as agent:
        assert "TAKEN UP!" in agent.checkpoints[0].summary, "it is not described a second time"
    checkpoints.write_text("{", "utf-8")
    with new_agent(tmp_path, strategy=strategy) as agent:
        assert agent.checkpoints == cut
    with new_agent(tmp_path, strategy="hydrate(trigger='every(n=3)')") as agent:
        assert [(one.start, one.stop) for one in agent.checkpoints] == [("1u", "3a")]


def test_checkpoints_are_in_the_store(tmp_path: Path) -> None:
    with new_agent(tmp_path, strategy="checkpoint(trigger='every(n=2)')") as agent:
        turns = [agent.chat(text) for text in SAID[:5]]
        cut = agent.checkpoints
        assert [turn.indexing.checkpoints if turn.indexing else None for turn in turns] == [
            *((), (), ("1-0",), (), ("1-1",))
        ]
    with ConversationStore(tmp_path) as store:
        assert [one.summary for one in store.checkpoints("default")] == [one.summary for one in cut]
        assert [message.text for message in store.read("default", "1").messages][::2] == list(SAID[:5])


def test_another_conversation_remembers_but_has_no_recent_turns(tmp_path: Path) -> None:
    with new_agent(tmp_path, strategy="hydrate(trigger='every(n=9)')") as agent:
        agent.chat(SAID[0])
        agent.new_conversation()
        turn = agent.chat(SAID[5])
        assert turn.sent.recent == () and turn.sent.history == ("1u", "1a") and turn.sent.checkpoints == ()
        assert [(one.conversation, one.start, one.stop) for one in agent.checkpoints] == [("1", "1u", "1a")]
        assert agent.chat("And its user?").sent.checkpoints == ("1-0",)
    with ConversationStore(tmp_path) as store:
        assert [info.title for info in store.conversations("default")] == [SAID[0], SAID[5]]


def test_what_was_forgotten_or_imported_gives_no_id_twice(tmp_path: Path) -> None:
    with new_agent(tmp_path, session="a") as agent:
        for text in SAID[:3]:
            agent.chat(text)
        agent.new_conversation()
        for text in SAID[3:5]:
            agent.chat(text)
    with ConversationStore(tmp_path) as store:
        store.forget("a", "1")
        store.append("a", ConversationInfo("3"), [])
    with new_agent(tmp_path, session="a") as agent:
        turn = agent.chat(SAID[5])
        assert (turn.question.id, turn.answer.id, turn.number) == ("6u", "6a", 3)
        assert turn.sent.recent == ("4u", "4a", "5u", "5a")
        agent.new_conversation()
        assert agent.chat("And who is Tom?").question.id == "7u"
    with ConversationStore(tmp_path) as store:
        sizes = {info.id: len(store.read("a", info.id).messages) for info in store.conversations("a")}
        assert sizes == {"2": 6, "3": 0, "4": 2}


def test_a_conversation_that_was_imported_is_not_gone_on_with_by_chance(tmp_path: Path) -> None:
    with ConversationStore(tmp_path) as store:
        store.append("a", ConversationInfo("2"), [Message("user", SAID[0]), Message("assistant", "Yes.", "m2")])
    with new_agent(tmp_path, session="a") as agent:
        agent.new_conversation()
        assert agent.chat(SAID[5]).question.id == "1u"
    with ConversationStore(tmp_path) as store:
        assert [info.id for info in store.conversations("a")] == ["2", "3"]
        assert [message.id for message in store.read("a", "2").messages][1:] == ["m2"]


def test_another_conversation_begins_after_a_restart_too(tmp_path: Path) -> None:
    with new_agent(tmp_path, system="Be brief.") as agent:
        agent.chat(SAID[0])
        agent.new_conversation()
    with new_agent(tmp_path) as agent:
        assert agent.system == "Be brief."
        assert agent.chat(SAID[1]).sent.recent == ()
    with new_agent(tmp_path) as agent:
        assert agent.chat(SAID[2]).sent.recent == ("2u", "2a")
    with ConversationStore(tmp_path) as store:
        assert [info.title for info in store.conversations("default")] == [SAID[0], SAID[1][:60]]


def test_an_empty_conversation_is_no_turn(tmp_path: Path) -> None:
    with ConversationStore(tmp_path) as store:
        store.append("a", ConversationInfo("1"), [])
    with new_agent(tmp_path, session="a", strategy="hydrate(trigger='every(n=1)')") as agent:
        assert agent.turns == 0
    with new_agent(tmp_path, session="a") as agent:
        assert agent.chat(SAID[0]).number == 1


@pytest.mark.parametrize(
    ("strategy", "ids"), [("bm25", []), ("hydrate(trigger='every(n=3)')", ["1-0"]), ("checkpoint", None)]
)
def test_checkpoints_of_another_strategy_do_not_stay(tmp_path: Path, strategy: str, ids: list[str] | None) -> None:
    with new_agent(tmp_path, strategy="hydrate(trigger='every(n=1)')") as agent:
        for text in SAID[:5]:
            agent.chat(text)
    for _ in range(2):
        with new_agent(tmp_path, strategy=strategy) as agent:
            cut = agent.checkpoints
        with ConversationStore(tmp_path) as store:
            stored = store.checkpoints("default")
        assert [one.summary for one in stored] == [one.summary for one in cut]
        assert ids is None or [one.id for one in stored] == ids


def test_who_stops_in_the_middle_of_an_answer_keeps_nothing(tmp_path: Path) -> None:
    model = Answering(echo)
    with new_agent(tmp_path, model) as agent:
        agent.chat(SAID[0])
        parts = agent.stream(SAID[1])
        assert next(parts)
        parts.close()
        assert agent.turns == 1 and agent.last and agent.last.number == 1
        assert "".join(agent.stream(SAID[2])).startswith("I see: ")
        assert agent.turns == 2 and agent.last.number == 2
    assert SAID[1] not in sent_text(model.asked[-1])


def test_an_answer_that_is_not_read_to_its_end_keeps_the_next_one_waiting_or_says_so(tmp_path: Path) -> None:
    with new_agent(tmp_path, Answering(echo)) as agent:
        parts = agent.stream(SAID[0])
        next(parts)
        for other in (lambda: agent.chat(SAID[1]), agent.new_conversation, agent.forget):
            with pytest.raises(MnemoError, match="still being read"):
                other()
        with ThreadPoolExecutor(1) as pool:
            later = pool.submit(agent.chat, SAID[1])
            assert "".join(parts) and later.result(20).number == 2


def test_a_model_that_fails_leaves_the_session_as_it_was(tmp_path: Path) -> None:
    def fails(messages: object) -> str:
        raise Unavailable("the server sleeps")

    model = Answering(noted)
    with new_agent(tmp_path, model) as agent:
        agent.chat(SAID[0])
        model.answer = fails
        with pytest.raises(Unavailable):
            agent.chat(SAID[1])
        model.answer = noted
        assert agent.chat(SAID[2]).sent.recent == ("1u", "1a")
        (row,) = agent.ledger.table()
        assert (row["calls"], row["failed"], row["task"], row["path"]) == (2, 1, "answer", "read")


def test_the_report(tmp_path: Path) -> None:
    model = Answering(noted, "openai:gpt-4o-mini")
    with new_agent(tmp_path, model, "hydrate(trigger='every(n=1)')") as agent:
        agent.chat(SAID[0])
        turn = agent.chat(SAID[1])
        assert agent.checkpoints
        report = turn.report()
    assert report["usage"]["input_tokens"] == turn.sent.total == report["sent"]["total"]
    assert turn.dollars == pytest.approx((turn.sent.total * 0.15 + COUNTER.count("Noted.") * 0.60) / 1e6)
    assert set(report["seconds"]) == {"wait", "recall", "first", "answer", "store"}
    assert report["recall_tokens"]["embedder"] >= COUNTER.count(SAID[1])
    assert report["indexing"]["checkpoints"] == ["1-0"] and report["indexing"]["tokens"]["embedder"] > 0
    unknown = Answering(noted)
    with new_agent(tmp_path, unknown, session="other") as agent:
        turn = agent.chat(SAID[0])
        assert isnan(turn.dollars) and turn.report()["dollars"] is None


def test_asynchronously(tmp_path: Path) -> None:
    async def talk() -> tuple[list[str], str]:
        with new_agent(tmp_path, Answering(echo)) as agent:
            turns = await asyncio.gather(*(agent.achat(f"number {i}") for i in range(4)))
            assert sorted(turn.number for turn in turns) == [1, 2, 3, 4], "one after the other"
            parts = [part async for part in agent.astream("five")]
            left = agent.astream("six")
            await anext(left)
            await left.aclose()
            assert agent.turns == 5
            return parts, str(agent.last)

    parts, text = asyncio.run(talk())
    assert len(parts) == 3 and "".join(parts) == text and "five" in text


def test_a_cancelled_answer_in_parts_is_dropped(tmp_path: Path) -> None:
    async def talk() -> int:
        with new_agent(tmp_path, Answering(echo)) as agent:

            async def read() -> None:
                async for _ in agent.astream("hello"):
                    await asyncio.sleep(60)

            task = asyncio.create_task(read())
            await asyncio.sleep(0.2)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            return agent.turns

    assert asyncio.run(talk()) == 0


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"max_tokens": 0}, "max_tokens=0: must be 1 or more"),
        ({"recent": -1}, "recent=-1: must be 0 or more"),
        ({"session": " "}, "session ' ': must be 1 to 200 printable characters"),
        ({"strategy": "hydrat"}, "Did you mean 'hydrate'?"),
        ({"model": "gpt-4o"}, "unknown kind of language model 'gpt-4o'"),
    ],
)
def test_settings_that_cannot_be(tmp_path: Path, settings: dict[str, object], words: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        new_agent(tmp_path, **settings)
    assert words in str(caught.value)


def test_without_a_model_it_says_how_to_name_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("MNEMO_LLM", raising=False)
    with pytest.raises(InvalidInput, match="set MNEMO_LLM"):
        ConversationAgent(store=tmp_path, services=SPEC)
    monkeypatch.setenv("MNEMO_LLM", "extractive")
    with ConversationAgent("bm25", store=tmp_path, services=SPEC, now=lambda: NOW) as agent:
        agent.chat(SAID[0])
        agent.new_conversation()
        assert "5433" in str(agent.chat(SAID[5])), "extractive answers with what was found"


def test_what_is_closed_or_empty_says_so(tmp_path: Path) -> None:
    agent = new_agent(tmp_path)
    with pytest.raises(InvalidInput, match="the message is empty"):
        agent.chat(" \n")
    agent.close()
    agent.close()
    with pytest.raises(MnemoError, match="'default' is closed"):
        agent.chat("hello")


def test_halves_of_characters_are_stored_as_question_marks(tmp_path: Path) -> None:
    with new_agent(tmp_path) as agent:
        assert agent.chat("a\ud83d?").question.text == "a??"
        assert agent.chat("b").sent.messages[0].text == "a??"
