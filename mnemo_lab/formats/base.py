"""What every format gives and takes: readings, detections and the ``Format`` protocol."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol

from mnemo_lab.conversation import Conversation, DocumentMeta
from mnemo_lab.losses import Loss

StrPath = str | os.PathLike[str]


@dataclass(frozen=True, slots=True)
class Reading:
    """One conversation as it arrived from a file, with everything that did not arrive as written.

    ``conversation`` is ``None`` where it could not be read; ``losses`` then holds ``unreadable_conversation``.
    ``place`` names the file and, where it holds several conversations, the position: ``a.json#/3``, ``a.jsonl:4``.
    """

    conversation: Conversation | None
    losses: tuple[Loss, ...]
    meta: DocumentMeta | None
    place: str


@dataclass(frozen=True, slots=True)
class Detection:
    """How sure a format is that a file is its own: ``score`` from 0 (no) to 1 (certain), and why."""

    score: float
    reason: str


class Format(Protocol):
    """A tool's file format. A module with these four names is a format."""

    @property
    def name(self) -> str: ...

    def read(self, path: StrPath) -> Iterator[Reading]:
        """Read every conversation of a file; raises ``InvalidInput`` where nothing can be read."""
        ...

    def write(self, conversation: Conversation, path: StrPath, meta: DocumentMeta | None = None) -> tuple[Loss, ...]:
        """Write one conversation and say what the format could not hold."""
        ...

    def detect(self, head: bytes, path: StrPath) -> Detection | None:
        """Judge a file by its first bytes and its name; ``None`` where it is certainly not this format."""
        ...
