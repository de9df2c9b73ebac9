"""A place to chat with memories in: a server on loopback, a store, and time that goes by."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any, Final

import pytest

from mnemo_lab.agent import MemoryClient
from mnemo_lab.memory.stores import MemoryStore, open_store
from mnemo_lab.services import ServicesSpec
from tests.language_models.scripted import Reply, Scripted, scripted
from tests.language_models.vendors import ANTHROPIC, OPENAI, Vendor

VENDORS: Final = pytest.mark.parametrize("vendor", [OPENAI, ANTHROPIC], ids=lambda vendor: vendor.name)
SPEC: Final = ServicesSpec(embedder="hashing", cache="")
SYSTEM, INSTRUCTIONS = "You are Kit.", "Answer in one sentence."


@dataclass
class Clock:
    """A minute passes whenever it is looked at."""

    moment: datetime = datetime(2026, 3, 2, 9, tzinfo=UTC)

    def __call__(self) -> datetime:
        self.moment += timedelta(minutes=1)
        return self.moment

    def wait(self, days: float) -> None:
        self.moment += timedelta(days=days)


@dataclass
class Place:
    """A server that answers "under the mat", a store, and time that goes by."""

    vendor: Vendor
    server: Scripted
    store: MemoryStore
    clock: Clock = field(default_factory=Clock)

    def client(self, namespace: str = "anna", **given: Any) -> MemoryClient:
        chosen = {"services": SPEC, "system": SYSTEM, "instructions": INSTRUCTIONS, "now": self.clock, **given}
        model = chosen.pop("language_model", None) or self.vendor.model(self.server.url)
        return MemoryClient(model, chosen.pop("store", self.store), namespace, **chosen)

    def conversation(self, *said: str, days: float = 1, **given: Any) -> None:
        """One conversation; then days pass."""
        with self.client(**given) as client:
            for text in said:
                assert client.chat(text) == "under the mat"
            assert client.memory.failures == []
        self.clock.wait(days)

    def asked(self, question: str, **given: Any) -> str:
        """The system prompt that goes with a question in a new conversation."""
        self.conversation(question, days=0, **given)
        return system_of(self.server.requests[-1])


@contextmanager
def place(vendor: Vendor, *replies: Reply) -> Iterator[Place]:
    store = open_store(":memory:", SPEC.open().embedder)
    with scripted(*(replies or [Reply(vendor.answer)])) as server, store:
        yield Place(vendor, server, store)


def said_in(request: dict[str, Any]) -> list[tuple[str, str]]:
    """Role and text of what was sent, the system's word first, whichever vendor it was sent to."""
    found = [("system", request["system"])] if "system" in request else []
    for message in request["messages"]:
        content = message["content"]
        texts = [content] if isinstance(content, str) else [block["text"] for block in content]
        found.append((message["role"], "\n".join(texts)))
    return found


def system_of(request: dict[str, Any]) -> str:
    return next(text for role, text in said_in(request) if role == "system")


def openai_says(text: str) -> Reply:
    choice = {"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": "stop"}
    return Reply(OPENAI.answer | {"choices": [choice]})
