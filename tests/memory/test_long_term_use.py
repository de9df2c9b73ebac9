"""``LongTermMemory`` on a disk, in two languages and beside others who write."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from datetime import date, timedelta
from pathlib import Path

import pytest

from mnemo_lab.conversation import Conversation, Message, time_of
from mnemo_lab.errors import InvalidInput
from mnemo_lab.extraction.base import Fact
from mnemo_lab.extraction.spoken import spoken
from mnemo_lab.memory.decision import Decision
from mnemo_lab.memory.item import MemoryItem, Status
from mnemo_lab.memory.long_term import LongTermMemory
from mnemo_lab.memory.stores import open_store
from mnemo_lab.memory.stores.base import LIVING
from mnemo_lab.memory.stores.in_memory import InMemoryStore
from tests.base.messages import new_services
from tests.memory.material import NOW, active, everything, fact, memory_of
from tests.memory.stores.material import EMBEDDER
from tests.store.material import every_byte

KEY = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"


class Visits:
    """``my X is Y``, ``我的X是Y``, and visits of last week: from that week's Monday, told from the message's clock."""

    name = "visits"

    def extract(self, messages: Sequence[Message], before: Sequence[Message] = ()) -> list[Fact]:
        found = []
        for message in messages:
            text = spoken(message.text)
            for attribute, value in re.findall(r"my (\w+) is ([^.。，\n]+)|$", text):
                found += [fact(attribute, value, f"My {attribute} is {value}", message=message.id)] if value else []
            for attribute, value in re.findall(r"我的(\w+?)是([^.。，\n]+)", text):
                found.append(fact(attribute, value, f"我的{attribute}是{value}", language="zh", message=message.id))
            visit = re.search(r"went to (\w+) last week|上周去了(\w\w)", text)
            moment = time_of(message.timestamp)
            if visit and moment:
                monday = moment.date() - timedelta(days=moment.weekday() + 7)
                place = visit[1] or visit[2]
                found.append(fact("visit", place, visit[0], valid_from=monday.isoformat(), message=message.id))
        return found


def conversation(*texts: str, id: str = "c1", at: str | None = "2026-03-02T10:00:00+00:00") -> Conversation:
    return Conversation(tuple(Message("user", text, f"{id}-{n}", at) for n, text in enumerate(texts)), id)


@pytest.mark.parametrize("name", ["m.db", "m.json"])
def test_no_byte_tells_a_secret_and_the_fact_beside_it_is_kept(tmp_path: Path, name: str) -> None:
    with open_store(tmp_path / name, EMBEDDER) as store:
        memory = memory_of(store, extractor=Visits())
        memory.take(
            conversation(f"my editor is Helix with {KEY}. my token is {KEY}", f"我的编辑器是 Vim，我的口令是{KEY}。")
        )
        assert active(memory) == ["Helix with [TOKEN_1]", " Vim"] and memory.failures == []
        memory.inject(f"Is {KEY} the token of Helix?", NOW, 300, len)
        memory.search(KEY, NOW)
        there = every_byte(tmp_path)
        assert b"Helix" in there and b"Vim" in there
        assert KEY.encode() not in there and KEY[4:].encode() not in there and KEY.lower().encode() not in there
    assert KEY.encode() not in every_byte(tmp_path)


def test_a_relative_date_is_told_from_the_message() -> None:
    """D23: a message of the 24th of May 2023, a Wednesday; its last week began on the 15th."""
    memory = memory_of(extractor=Visits())
    memory.take(conversation("I went to Lyon last week", at="2023-05-24T09:00:00+02:00"))
    memory.take(conversation("我上周去了杭州", id="c2", at="2023-07-02T09:00:00+08:00"))
    kept = [(one.value, one.valid_from, one.created_at[:10]) for one in everything(memory)]
    assert kept == [("Lyon", "2023-05-15", "2023-05-24"), ("杭州", "2023-06-19", "2023-07-02")]
    assert date.fromisoformat("2023-06-19").weekday() == 0


@pytest.mark.parametrize("text", ["my editor is Helix", "我的编辑器是 Helix"])
def test_what_is_injected_gives_nothing_when_it_is_read_again(text: str) -> None:
    memory = memory_of(extractor=Visits())
    memory.take(conversation(text))
    before = memory.store.log("anna")
    block = memory.inject("editor 编辑器", NOW, 500, new_services().count).text
    assert "Helix" in block and len(before) == 1
    for quoted in (block, block.removesuffix("</memory>\n"), f"```\n{text}\n```", f"> {text}"):
        assert memory.take(conversation(f"{quoted}\n" if quoted != block else f"{quoted}What else?", id="c2")) == []
    assert memory.store.log("anna") == before and memory.failures == []


def test_what_fails_is_listed_and_the_next_conversation_is_taken() -> None:
    class Once(Visits):
        fails = True

        def extract(self, messages: Sequence[Message], before: Sequence[Message] = ()) -> list[Fact]:
            if self.fails:
                self.fails = False
                raise ValueError("no such model")
            return super().extract(messages, before)

    memory = memory_of(extractor=Once())
    assert memory.take(conversation("my tea is green")) == [] and memory.failures == ["c1: ValueError: no such model"]
    assert len(memory.take(conversation("my tea is black", id="c2"))) == 1 and active(memory) == ["black"]


def test_one_who_is_told_and_fails_breaks_nothing_either() -> None:
    memory = memory_of(extractor=Visits())

    def tell(decision: Decision) -> None:
        raise OSError("the screen is gone")

    memory.notify = tell
    memory.take(conversation("my tea is green"))
    assert active(memory) == ["green"] and memory.failures == ["c1: OSError: the screen is gone"]
    assert memory.notify is tell


class Meanwhile(InMemoryStore):
    """Somebody uses the first memory between the look and the write."""

    def items(
        self, namespace: str, status: Collection[Status] = LIVING, category: str | None = None
    ) -> list[MemoryItem]:
        found = super().items(namespace, status, category)
        if found and found[0].access_count == 0:
            self.touch(namespace, [found[0].id], NOW)
        return found


def test_what_is_used_meanwhile_is_not_pruned() -> None:
    memory = memory_of(Meanwhile())
    for value in ("green", "plum"):
        memory.remember(fact(value, value, importance=1), "2025-01-01")
    gone = memory.prune(NOW)
    assert active(memory) == ["green"]
    assert [one.value for one in gone] == ["plum"], "what is returned is what went"
    with pytest.raises(InvalidInput, match="now='soon' is no date"):
        memory.prune("soon", dry_run=True)


def test_a_write_in_the_log_says_when_and_why() -> None:
    memory = memory_of(extractor=Visits())
    (first,) = memory.take(conversation("my city is Lyon", at="2026-01-05T08:00:00Z"))
    (second,) = memory.take(conversation("my city is Rome", id="c2", at="2026-02-05T08:00:00Z"))
    assert (first.action, second.action) == ("add", "supersede") and second.at == "2026-02-05T08:00:00Z"
    assert memory.store.log("anna") == [first, second]
    line = memory.inject("city", NOW, 300, len).text.splitlines()[3]
    assert line == "- My city is Rome [2026-02-05, 80% sure; before: Lyon, until 2026-02-05]"


def test_opened_by_its_path(tmp_path: Path) -> None:
    for language in ("en", "zh"):
        path = tmp_path / f"{language}.db"
        with LongTermMemory.open(path, "anna", language, extractor=Visits(), now=lambda: NOW).store as store:
            assert store.embeds and path.exists()
    first = LongTermMemory.open(tmp_path / "en.db", "anna", "en", extractor=Visits())
    with first.store:
        first.take(conversation("my tea is green"))
    again = LongTermMemory.open(tmp_path / "en.db", "anna", "en", extractor=Visits())
    with again.store:
        assert active(again) == ["green"] and again.store.items("bob") == []
