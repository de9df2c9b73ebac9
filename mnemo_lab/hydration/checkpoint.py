"""Checkpoint: a stretch of turns as one memory unit. Portable: plain values, to and from a JSON object."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from math import isfinite
from typing import Any, Final

from mnemo_lab.conversation import Conversation, nothing
from mnemo_lab.errors import InvalidInput

EXTENSION: Final = "mnemo_lab.checkpoints"
"""Key under which checkpoints travel in a portable document's ``extensions``."""
_LISTS: Final = ("keywords", "decisions", "outcomes", "open_items")


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """Messages ``start`` to ``stop`` (ids, both included) of a conversation, and what they are about.

    ``entities`` maps a type (person, place, organisation, date, number, identifier, code, …) to names.
    ``created_at`` is the conversation's own clock (the last message's time). ``trigger`` and ``score`` say why it was
    cut there, ``describer`` who described it. ``embedding`` is a unit vector of the model ``embedder`` (fingerprint).
    """

    id: str
    conversation: str
    start: str
    stop: str
    summary: str = ""
    keywords: tuple[str, ...] = ()
    entities: Mapping[str, tuple[str, ...]] = field(default_factory=nothing)
    decisions: tuple[str, ...] = ()
    task_state: str = ""
    intent: str = ""
    outcomes: tuple[str, ...] = ()
    open_items: tuple[str, ...] = ()
    created_at: str | None = None
    trigger: str = ""
    score: float = 0.0
    describer: str = ""
    embedding: tuple[float, ...] | None = None
    embedder: str = ""

    def to_json(self) -> dict[str, Any]:
        """A JSON object; ``from_json`` gives the same checkpoint again."""
        return asdict(self)

    @classmethod
    def from_json(cls, value: Any) -> Checkpoint:
        """Raises ``InvalidInput`` naming the field; unknown fields are ignored, absent ones take their default."""
        if not isinstance(value, dict):
            raise InvalidInput(f"a checkpoint must be an object, not {type(value).__name__}")
        place = f"checkpoint {value.get('id')!r}"
        given: dict[str, Any] = {f.name: value[f.name] for f in fields(cls) if value.get(f.name) is not None}
        for name in ("id", "conversation", "start", "stop"):
            given.setdefault(name, None)
        for name in given.keys() - {*_LISTS, "entities", "embedding", "score"}:
            if not isinstance(given[name], str):
                raise InvalidInput(f"{place}: {name} must be a text, not {given[name]!r}")
        for name in given.keys() & set(_LISTS):
            given[name] = _texts(given[name], f"{place}: {name}")
        entities = given.get("entities", {})
        if not isinstance(entities, Mapping):
            raise InvalidInput(f"{place}: entities must be an object of lists, not {entities!r}")
        given["entities"] = {str(k): _texts(v, f"{place}: entities/{k}") for k, v in entities.items()}
        (given["score"],) = _numbers([given.get("score", 0.0)], f"{place}: score")
        if "embedding" in given:
            given["embedding"] = _numbers(given["embedding"], f"{place}: embedding")
        return cls(**given)


def attach(conversation: Conversation, checkpoints: Iterable[Checkpoint]) -> Conversation:
    """The conversation with its checkpoints in its extensions, so that they travel in a portable document."""
    written = [checkpoint.to_json() for checkpoint in checkpoints]
    return replace(conversation, extensions={**conversation.extensions, EXTENSION: written})


def attached(conversation: Conversation) -> list[Checkpoint]:
    """The checkpoints that came with a conversation; raises ``InvalidInput`` for one that is malformed."""
    found = conversation.extensions.get(EXTENSION, [])
    if not isinstance(found, list | tuple):
        raise InvalidInput(f"extensions/{EXTENSION} must be a list of checkpoints")
    return [Checkpoint.from_json(item) for item in found]


def _texts(value: Any, place: str) -> tuple[str, ...]:
    if not isinstance(value, list | tuple) or not all(isinstance(item, str) for item in value):
        raise InvalidInput(f"{place} must be a list of texts")
    return tuple(value)


def _numbers(value: Any, place: str) -> tuple[float, ...]:
    if not isinstance(value, list | tuple) or not all(type(n) in (int, float) and isfinite(n) for n in value):
        raise InvalidInput(f"{place} must be of finite numbers, not {value!r:.60}")
    return tuple(map(float, value))
