"""Indexing behind the chat: what a question waits for, what happens when it fails, and when the process dies."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from mnemo_lab.agent.indexing import Entry
from mnemo_lab.context import Budget
from mnemo_lab.conversation import ConversationInfo, Message
from mnemo_lab.language_models.errors import RateLimited
from mnemo_lab.retrieval.base import RetrievingMemory
from mnemo_lab.retrieval.strategies.bm25 import BM25
from mnemo_lab.services import Services
from tests.agent.models import new_agent


@dataclass(frozen=True)
class Held(BM25):
    """BM25 that takes a turn in only when it may, and fails as often as it is told to."""

    may: threading.Semaphore = field(default_factory=threading.Semaphore, compare=False, repr=False)
    failures: list[Exception] = field(default_factory=list, compare=False, repr=False)

    def start(self, services: Services, namespace: str, budget: Budget | None = None) -> RetrievingMemory:
        memory, may, failures = super().start(services, namespace, budget), self.may, self.failures
        assert isinstance(memory, RetrievingMemory)
        observe = memory.observe

        def held(messages: Sequence[Message]) -> None:
            may.acquire()
            observe(messages)
            if failures:
                raise failures.pop()

        memory.observe = held  # type: ignore[method-assign]
        return memory


def test_the_history_is_chosen_when_all_earlier_turns_are_indexed(tmp_path: Path) -> None:
    strategy = Held(may=threading.Semaphore(0))
    with new_agent(tmp_path, strategy=strategy, recent=0) as agent:
        first = agent.chat("The port is 5433.")
        assert first.indexing is None, "the answer does not wait for the index"
        threading.Timer(0.3, strategy.may.release).start()
        turn = agent.chat("Which port?")
        assert first.indexing is not None and turn.sent.missing == 0 and turn.sent.history == ("1u", "1a")
        assert turn.seconds["wait"] > 0.1
        strategy.may.release()


def test_it_waits_for_as_many_turns_as_there_are(tmp_path: Path) -> None:
    strategy = Held(may=threading.Semaphore(0))
    with new_agent(tmp_path, strategy=strategy, recent=0) as agent:
        with agent._memory._gate:  # nothing can be taken in: three turns pile up
            waiting = [agent._keep(said(number)) for number in (1, 2, 3)]
        for _ in waiting:
            threading.Timer(0.2, strategy.may.release).start()
        sent = agent.chat("fact?").sent
        assert all(future.done() for future in waiting)
        assert sent.missing == 0 and sent.history == ("1u", "1a", "2u", "2a", "3u", "3a")
        strategy.may.release()


def test_eventual_waits_for_one_turn_and_says_how_many_are_missing(tmp_path: Path) -> None:
    strategy = Held(may=threading.Semaphore(0))
    with new_agent(tmp_path, strategy=strategy, recent=0, eventual=True) as agent:
        with agent._memory._gate:  # nothing can be taken in: three turns pile up
            waiting = [agent._keep(said(number)) for number in (1, 2, 3)]
        strategy.may.release()
        assert waiting[0].result(10).error is None
        while not agent._memory._gate.locked():  # the second is being taken in, and is held
            time.sleep(0.001)
        threading.Timer(0.2, strategy.may.release).start()
        sent = agent.chat("fact?").sent
        assert sent.missing == 1 and sent.history == ("1u", "1a", "2u", "2a"), "it waited for the second, not the third"
        strategy.may.release(9)
        for future in waiting:
            future.result(10)
        assert "3u" in agent.chat("fact?").sent.history


def said(number: int) -> Entry:
    question, answer = Message("user", f"fact {number}", f"{number}u"), Message("assistant", "Noted.", f"{number}a")
    return Entry(ConversationInfo("1"), (question, answer))


def test_indexing_that_failed_is_tried_again_before_the_next_answer(tmp_path: Path) -> None:
    strategy = Held(may=threading.Semaphore(99), failures=[RateLimited("too often")])
    with new_agent(tmp_path, strategy=strategy, recent=0) as agent:
        first = agent.chat("The port is 5433.")
        assert first.background.result(5).error == "RateLimited: too often"
        assert agent.chat("Which port?").sent.history == ("1u", "1a")


def test_what_fails_again_is_said_and_nothing_is_lost(tmp_path: Path) -> None:
    strategy = Held(may=threading.Semaphore(99), failures=[RateLimited("two"), RateLimited("one")])
    with new_agent(tmp_path, strategy=strategy, recent=0) as agent:
        agent.chat("The port is 5433.").background.result(5)
        with pytest.raises(RateLimited, match="two"):
            agent.chat("Which port?")
        turn = agent.chat("Which port?")
        assert turn.number == 2 and turn.sent.history == ("1u", "1a")


KILLED = """
import sys
from pathlib import Path
from tests.agent.models import new_agent
agent = new_agent(Path(sys.argv[1]), strategy="hydrate(trigger='every(n=1)')", session="杀")
for text in ("The port is 5433.", "预算是八十万元。", "Who has the key?"):
    agent.chat(text)
print("answered", flush=True)
sys.stdin.read()
"""


def test_what_was_answered_survives_kill_9(tmp_path: Path) -> None:
    command = [sys.executable, "-c", KILLED, str(tmp_path)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout and process.stdout.readline() == "answered\n"
        os.kill(process.pid, signal.SIGKILL)
    assert process.returncode == -signal.SIGKILL
    with new_agent(tmp_path, strategy="hydrate(trigger='every(n=1)')", session="杀") as agent:
        turn = agent.chat("Which port?")
        assert turn.number == 4 and set(turn.sent.history) | set(turn.sent.recent) == {
            f"{number}{who}" for number in (1, 2, 3) for who in "ua"
        }
        assert [one.start for one in agent.checkpoints] == ["1u", "2u", "3u"]


DIES = """
import os, sys
from pathlib import Path
from mnemo_lab.agent import indexing
from mnemo_lab.store import ConversationStore
from tests.agent.models import new_agent
place = sys.argv[2]
def die(*_, **__):
    os._exit(9)
agent = new_agent(Path(sys.argv[1]), strategy="hydrate(trigger='every(n=1)')")
agent.chat("one")
agent.chat("two").background.result()
if place == "before": ConversationStore.append = die
if place == "after":
    kept = ConversationStore.append
    def append(self, *given):
        kept(self, *given)
        die()
    ConversationStore.append = append
if place == "index": indexing.SessionMemory._keep_checkpoints = die
if place == "save":
    indexing.Session.save = lambda self, memory, about, number: (memory.save(self._folder / "draft2"), die())
    agent.close()
agent.chat("three")
agent._memory.checkpoints
"""


@pytest.mark.parametrize(("place", "turns"), [("before", 2), ("after", 3), ("index", 3), ("save", 2)])
def test_wherever_it_dies_a_turn_is_there_whole_or_not_at_all(tmp_path: Path, place: str, turns: int) -> None:
    done = subprocess.run([sys.executable, "-c", DIES, str(tmp_path), place], check=False, capture_output=True)
    assert done.returncode == 9, done.stderr.decode()
    with new_agent(tmp_path, strategy="hydrate(trigger='every(n=1)')") as agent:
        assert agent.turns == turns
        assert agent.chat("next").number == turns + 1
        assert [one.start for one in agent.checkpoints] == [f"{n}u" for n in range(1, turns + 1)]
