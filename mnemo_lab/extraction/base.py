"""What an extractor is, and what it finds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

from mnemo_lab.conversation import Message

USER = "user"
"""The subject of what a user says of themselves, in every language."""


@dataclass(frozen=True, slots=True)
class Fact:
    """A fact as it was found, before it is compared with what is known.

    ``subject``: ``user``, or whoever or whatever it is about, as written. ``attribute``: what is said of it, in a few
    words of small letters ("editor", "database", "住址"): two facts that exclude each other share it. ``value``: the
    shortest words of the message that say it. ``content``: a sentence that can be read alone, in the message's
    language. ``polarity`` is negative where it is said not to be so. ``valid_from`` and ``valid_to``: ISO days, told
    from the message's own time; ``None`` where the message does not say (it is then true from when it was said).
    ``changes``: the message says that this is new ("switched to", 改成); ``former``: the value it replaces, where
    named. ``additive``: one of several that stay true beside each other (a second language, another allergy).
    ``past``: it is told as over ("back in 2024 I was"). ``message``: the id of the message it was said in.
    """

    category: str
    subject: str
    attribute: str
    value: str
    content: str
    language: str
    message: str
    importance: int = 3
    confidence: float = 0.8
    polarity: Literal["positive", "negative"] = "positive"
    valid_from: str | None = None
    valid_to: str | None = None
    changes: bool = False
    former: str | None = None
    additive: bool = False
    past: bool = False


class Extractor(Protocol):
    """Finds facts in new messages. The same messages give the same facts, by a model as far as the model does."""

    name: str

    def extract(self, messages: Sequence[Message], before: Sequence[Message] = ()) -> list[Fact]:
        """Facts said in ``messages``, in order; ``before`` are the messages that came before them, for what a word
        refers to, and give no facts. Only what is said by the user, and what the user accepts; raises nothing that a
        message or a model may cause."""
