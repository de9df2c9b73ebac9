"""Several sessions at once never mix, one is open in one place only, and what is forgotten is gone."""

from __future__ import annotations

import stat
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mnemo_lab.agent import forget_session, list_sessions
from mnemo_lab.errors import InvalidInput
from tests.agent.models import Answering, echo, new_agent, noted, sent_text
from tests.store.material import every_byte

NAMES = ("anna", "安娜", "a/b", "../up", "A", "with space", "x" * 200, "é")


def words_of(session: int, turn: int) -> str:
    """No two sessions share a word beside these."""
    return f"fact secret{session:02d}x turn{turn}: 会话{'甲乙丙丁戊己庚辛'[session]}的预算"


@pytest.mark.parametrize("strategy", ["hydrate(trigger='every(n=2)')", "summary"])
def test_eight_sessions_at_once_never_see_each_other(tmp_path: Path, strategy: str) -> None:
    """Every answer repeats all that was sent, so that a leak would spread; threads start each round together."""
    models = [Answering(echo) for _ in NAMES]
    agents = [
        new_agent(tmp_path, model, strategy, session=name, max_tokens=700)
        for name, model in zip(NAMES, models, strict=True)
    ]
    rounds = threading.Barrier(len(NAMES))

    def talk(number: int) -> None:
        for turn in range(6):
            rounds.wait(60)
            agents[number].chat(words_of(number, turn))
        agents[number].close()

    with ThreadPoolExecutor(len(NAMES)) as pool:
        list(pool.map(talk, range(len(NAMES))))
    for number, model in enumerate(models):
        said = "\n".join(map(sent_text, model.asked))
        assert f"secret{number:02d}x" in said
        assert [other for other in range(len(NAMES)) if other != number and f"secret{other:02d}x" in said] == []
    for number, name in enumerate(NAMES):
        with new_agent(tmp_path, session=name, strategy=strategy) as agent:
            stored = "\n".join(message.text for entry in agent._memory.log for message in entry.messages)
            assert agent.turns == 6 and {words_of(number, turn) in stored for turn in range(6)} == {True}
            assert stored.count("secret") == stored.count(f"secret{number:02d}x")
    assert [one.name for one in list_sessions(tmp_path)] and {one.name for one in list_sessions(tmp_path)} == set(NAMES)


@settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.tuples(st.integers(0, 2), st.sampled_from(["say", "new", "reopen", "forget"])), max_size=14))
def test_whatever_the_order_of_events(tmp_path_factory: pytest.TempPathFactory, steps: list[tuple[int, str]]) -> None:
    """Three sessions against a plain list of what each should know."""
    folder = tmp_path_factory.mktemp("store")
    models = [Answering(noted) for _ in range(3)]
    agents = [new_agent(folder, models[i], "bm25", session=NAMES[i]) for i in range(3)]
    known: list[list[str]] = [[], [], []]
    for count, (who, what) in enumerate(steps):
        if what == "say":
            text = f"s{who} fact{count}z"
            sent = sent_text(agents[who].chat(text).sent.messages)
            assert all(sent.count(one) == 1 for one in [*known[who], text])
            assert sent.count("fact") == len(known[who]) + 1
            known[who].append(text)
        elif what == "new":
            agents[who].new_conversation()
        elif what == "reopen":
            agents[who].close()
            agents[who] = new_agent(folder, models[who], "bm25", session=NAMES[who])
        else:
            agents[who].forget()
            known[who].clear()
        assert [agent.turns for agent in agents] == list(map(len, known))
    for agent in agents:
        agent.close()


def test_a_session_is_open_in_one_place(tmp_path: Path) -> None:
    with new_agent(tmp_path, session="anna"):
        with pytest.raises(InvalidInput, match="session 'anna' is open elsewhere"):
            new_agent(tmp_path, session="anna")
        with pytest.raises(InvalidInput, match="open elsewhere"):
            forget_session("anna", tmp_path)
        new_agent(tmp_path, session="bert").close()
    new_agent(tmp_path, session="anna").close()


def test_what_is_forgotten_is_gone_from_every_file(tmp_path: Path) -> None:
    for name in ("anna", "bert"):
        with new_agent(tmp_path, session=name, strategy="hydrate(trigger='every(n=1)')") as agent:
            agent.chat(f"{name}sword is swordfish of {name}")
            agent.new_conversation()
            agent.chat(f"{name}shield")
    assert b"annasword" in every_byte(tmp_path)
    receipts = forget_session("anna", tmp_path)
    assert [(one.messages, one.checkpoints) for one in receipts] == [(2, 1), (2, 0)]
    left = every_byte(tmp_path)
    assert b"annas" not in left and b"bertsword" in left and b"bertshield" in left
    with new_agent(tmp_path, session="bert", strategy="hydrate(trigger='every(n=1)')") as agent:
        agent.forget()
        assert b"berts" not in every_byte(tmp_path) and agent.turns == 0
        assert agent.chat("hello").sent.history == ()
    assert [(one.name, one.conversations, one.title) for one in list_sessions(tmp_path)] == [("bert", 1, "hello")]
    assert forget_session("nobody", tmp_path) == []


def test_only_the_owner_can_read(tmp_path: Path) -> None:
    with new_agent(tmp_path / "chats", session="anna") as agent:
        agent.chat("secret")
    for path in (tmp_path / "chats").rglob("*"):
        guarded = path if path.is_dir() else path.parent
        assert stat.S_IMODE(guarded.stat().st_mode) & 0o077 == 0 or stat.S_IMODE(path.stat().st_mode) & 0o077 == 0
