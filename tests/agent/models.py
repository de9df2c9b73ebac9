"""Language models whose answers depend on what they are sent, and agents over them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from mnemo_lab.agent import ConversationAgent
from mnemo_lab.conversation import Message
from mnemo_lab.language_models.base import Completion
from mnemo_lab.services import ServicesSpec
from mnemo_lab.tokens import open_counter

SPEC: Final = ServicesSpec(embedder="hashing", cache="")
NOW: Final = datetime(2026, 3, 2, 9, 30, tzinfo=UTC)
COUNTER: Final = open_counter("o200k_base")
_SENTENCE: Final = re.compile(r"[^。！？!?.\n]+")
_ASKS: Final = re.compile(r"[?？]\s*$")


class Answering:
    """Answers by a function of what it was sent, in three parts; remembers every prompt."""

    window: int | None = None

    def __init__(self, answer: Callable[[Sequence[Message]], str], name: str = "scripted") -> None:
        self.name = self.fingerprint = name
        self.answer = answer
        self.asked: list[list[Message]] = []

    def chat(self, messages: Sequence[Message], max_tokens: int) -> Completion:
        self.asked.append(list(messages))
        text = self.answer(messages)
        return Completion(text, sum(map(COUNTER.message, messages)), COUNTER.count(text))

    def stream(self, messages: Sequence[Message], max_tokens: int) -> Iterator[str | Completion]:
        done = self.chat(messages, max_tokens)
        third = len(done.text) // 3 + 1
        yield from (done.text[i : i + third] for i in range(0, len(done.text), third))
        yield done


def sent_text(messages: Sequence[Message]) -> str:
    return "\n".join(message.text for message in messages)


def extracted(messages: Sequence[Message]) -> str:
    """To a question: the sentence that shares most pairs of characters with it, among all that was sent beside it."""
    *_, question = messages[-1].text.split("\n\n")
    if not _ASKS.search(question):
        return "好的，已经记下，稍后一并整理进方案。"
    said = sent_text(messages)[: -len(question)]
    sentences = [one for one in _SENTENCE.findall(said) if pairs(one)]
    return max(sentences, key=lambda one: len(pairs(one) & pairs(question)), default="不知道")


def pairs(text: str) -> set[str]:
    letters = re.sub(r"\W", "", text)
    return {letters[i : i + 2] for i in range(len(letters) - 1)}


def echo(messages: Sequence[Message]) -> str:
    """Everything that was sent."""
    return f"I see: {sent_text(messages)}"


def noted(messages: Sequence[Message]) -> str:
    return "Noted."


def new_agent(store: Path, model: Any = None, strategy: Any = "bm25", **settings: Any) -> ConversationAgent:
    chosen = {"services": SPEC, "now": lambda: NOW, **settings}
    return ConversationAgent(strategy, model or Answering(noted), store=store, **chosen)
