"""What a describer is, and what it says."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from mnemo_lab.conversation import Message, nothing


@dataclass(frozen=True, slots=True)
class Description:
    """What a checkpoint says of its messages; see ``Checkpoint`` for the fields."""

    summary: str = ""
    keywords: tuple[str, ...] = ()
    entities: Mapping[str, tuple[str, ...]] = field(default_factory=nothing)
    decisions: tuple[str, ...] = ()
    task_state: str = ""
    intent: str = ""
    outcomes: tuple[str, ...] = ()
    open_items: tuple[str, ...] = ()
    describer: str = ""


class Describer(Protocol):
    """Describes the stretches of one memory, in time order: each also by how it differs from those before.

    The same stretches give the same descriptions, by a model as far as the model does.
    """

    name: str

    def describe(self, messages: Sequence[Message]) -> Description:
        """Raises nothing a model may cause: one that fails falls back, and the ledger says so."""

    def saw(self, messages: Sequence[Message]) -> None:
        """A stretch whose description is known already (it was saved): the next ones are described as if it had been
        described now."""
