"""Conversations with facts in them, and the commands' answers as JSON."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from mnemo_lab.conversation import Conversation, Message
from tests.cli.conftest import Mnemo
from tests.cli.conversations import save

KEY = "sk-abc123def456ghi789jkl012mno345pq"


def said(id: str, at: str, text: str) -> Message:
    return Message("user", text, id, f"{at}T08:00:00+00:00")


EN = (
    Conversation(
        (said("m1", "2026-01-05", "We decided to use PostgreSQL for the billing service."),
         said("m2", "2026-01-05", f"I live in Lisbon. My API key is {KEY}.")), "c1"),
    Conversation((said("n1", "2026-03-09", "I moved to Berlin."), said("n2", "2026-03-09", "I'm allergic to peanuts.")),
                 "c2"),
)  # fmt: skip
ZH = (
    Conversation((said("z1", "2026-01-05", "我现在是设计师"),), "d1"),
    Conversation((said("y1", "2026-03-05", "我现在是产品经理了"),), "d2"),
)


def extracted(mnemo: Mnemo, *more: str) -> dict[str, str]:
    """Ids by value, after both files were taken in."""
    for name, talks in (("en.json", EN), ("zh.json", ZH)):
        save(Path(name), *talks)
        assert mnemo("memory", "extract", name, "--db", "m.db", *more).status == 0
    return {item["value"]: item["id"] for item in asked(mnemo, "list", "--status", "all")["items"]}


def asked(mnemo: Mnemo, action: str, *words: str, status: int = 0) -> Any:
    """The one JSON document that a command prints."""
    answer = mnemo("memory", action, *words, *(() if "--db" in words else ("--db", "m.db")), "--json")
    assert answer.status == status, answer
    return json.loads(answer.out)
