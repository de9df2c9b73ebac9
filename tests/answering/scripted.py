"""A reader and a judge whose every answer can be worked out by hand."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from mnemo_lab.conversation import Message
from mnemo_lab.language_models.base import Completion
from mnemo_lab.language_models.errors import ContextTooLong

Say = Callable[[Sequence[Message]], str]


@dataclass
class Scripted:
    """Answers by a function of the messages; every word is a token. More than ``limit`` words are too many."""

    say: Say
    name: str = "local:scripted"
    fingerprint: str = "scripted 1"
    limit: int | None = None
    window: int | None = None
    names_limit: bool = True
    asked: list[list[Message]] = field(default_factory=list)

    def chat(self, messages: Sequence[Message], max_tokens: int) -> Completion:
        size = sum(len(message.text.split()) for message in messages)
        if self.limit is not None and size + max_tokens > self.limit:
            raise ContextTooLong("too long", *((self.limit, size) if self.names_limit else ()))
        self.asked.append(list(messages))
        text = self.say(messages)
        return Completion(text, size, len(text.split()))

    def stream(self, messages: Sequence[Message], max_tokens: int) -> Iterator[str | Completion]:
        yield self.chat(messages, max_tokens)


KNOWN = {
    "Which port does the staging database use?": "5433",
    "发布会现在定在哪天？": "六月六号",
    "发布会原来定在哪天？": "五月三十号",
    "What does E-4417 mean?": "the lock is stale",
    "How many rows are in orders?": "48211",
}
"""The office recording's questions and what to look for."""


def looks_it_up(messages: Sequence[Message]) -> str:
    """The answer where the context holds it, else a refusal: accuracy is then that of ``answer_in_context``."""
    question = question_of(messages)
    context = " ".join(m.text for m in messages[:-1]) + messages[-1].text.partition("</history>")[0]
    found = KNOWN.get(question)
    if found is not None and found in context:
        return found
    return "I don't know." if question.isascii() else "不知道。"


def question_of(messages: Sequence[Message]) -> str:
    return next(q for q in (*KNOWN, UNKNOWN) if q in messages[-1].text)


UNKNOWN = "What is the phone number of the vendor?"
