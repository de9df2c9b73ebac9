"""What a target takes, as data: one frozen ``Target`` each, read by one engine."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal

from mnemo_lab.conversation import Role
from mnemo_lab.errors import InvalidInput

Verdict = Literal["fine", "misread", "refused"]
Place = Literal["url", "base64", "id", "path"]
Turn = tuple[str, str]

TURNS: Final[frozenset[Turn]] = frozenset(
    {
        ("start", "assistant"),
        ("start", "call"),
        ("user", "user"),
        ("assistant", "assistant"),
        ("assistant", "call"),
        ("tool", "user"),
    }
)
"""What came before, and what a target may then refuse. A ``call`` is an assistant message with tool calls; system
messages are looked through. Others could not be repaired, so no target may name them."""


@dataclass(frozen=True, slots=True)
class Identifier:
    """The form of an id or a name: the inside of a regex class, and lengths; ``first`` is the class of its start."""

    letters: str = r"\s\S"
    shortest: int = 1
    longest: int | None = None
    first: str = ""

    @property
    def pattern(self) -> str:
        size = f"{{{self.shortest},{self.longest or ''}}}" if self.shortest != self.longest else f"{{{self.longest}}}"
        return (f"(?=[{self.first}])" if self.first else "") + f"[{self.letters}]{size}"

    def matches(self, text: str) -> bool:
        return re.fullmatch(self.pattern, text) is not None


@dataclass(frozen=True, slots=True)
class Accepts:
    """Media types (``image/*``) and where their bytes may be: inside, at a URL, under the vendor's id, at a path."""

    types: tuple[str, ...]
    places: tuple[Place, ...] = ("url", "base64")

    def __str__(self) -> str:
        return f"{', '.join(self.types)} ({', '.join(self.places)})"


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """The rules of one target. The defaults are those of one that takes everything but broken pairs.

    A conversation is judged as history: the user's next message is still to come, so no rule is about the last one,
    but calls that wait for results are unanswered by then. It is judged as its writer would lay it out: the system
    prompt where the target wants it, results in the target's own place.
    """

    name: str
    title: str

    pairing: Literal["misread", "refused"] = "refused"
    """Results that do not answer the calls directly before them. ``misread``: paired by order, or not checked."""
    parallel_calls: bool = True

    refused_turns: frozenset[Turn] = frozenset()
    doubtful_turns: frozenset[Turn] = frozenset()
    """Turns that some models of the target, or their chat templates, refuse."""

    late_system: Verdict = "fine"
    system_after: tuple[Role, ...] = ()
    """Roles directly after which a late system message is taken all the same."""
    several_systems: Verdict = "fine"
    """More than one system message at the start, the system prompt counted."""
    developer: Literal["fine", "refused"] = "fine"
    """The role ``developer``, where OpenAI's writer would write it; targets with writers of their own never see it."""

    call_id: Identifier | None = None
    call_name: Identifier | None = None
    speaker: Identifier | None = None
    """``Message.name`` of messages other than tool results."""

    takes_null: bool = False
    """Null content in a message without calls and attachments; with them a writer chooses what it needs."""
    empty_refused: tuple[Role, ...] = ()
    blank_is_empty: bool = False
    arguments: Verdict = "misread"
    """Arguments that are not a JSON object. Blank text is one: writers make it ``{}``."""

    provider: str | None = None
    """Whose reasoning signatures are sent back; ``None`` where none are."""
    unsigned_reasoning: Verdict = "fine"
    paired_reasoning: bool = False
    """Reasoning needs a message or call after it."""
    signed_calls: str | None = None
    """Start of the model names that want the first call of a step to carry a thought signature."""

    attachments: Mapping[Role, tuple[Accepts, ...]] | None = None
    """What each role may hold; ``None``: anything."""

    def __post_init__(self) -> None:
        strange = (self.refused_turns | self.doubtful_turns) - TURNS
        if strange:
            raise InvalidInput(f"target {self.name!r}: turns {sorted(strange)} are unknown; known: {sorted(TURNS)}")
        if not self.parallel_calls and self.pairing != "refused":
            raise InvalidInput(f"target {self.name!r}: parallel_calls=False needs pairing='refused'")
