"""What every format gives and takes: sources, readings, detections, and the ``Format`` protocol.

A format is a module (or a package) with the names of ``Format``; one that can be written has those of ``Writer``
too. What a tool keeps beside a message's text has one place each:

- reasoning: ``extensions["reasoning"]``, a list of ``{"text", "signature"?, "provider"?, "model"?}``
- a failed tool result: ``extensions["is_error"] = True``
- citations: ``extensions["citations"]``; a refusal: ``extensions["refusal"]`` (its text)
- hidden by the tool: ``extensions["hidden"] = True``
- anything else a tool had: ``extensions[<format name>]``
- branches: ``parent_id`` on messages, ``Conversation.extensions["active_leaf"]`` (see ``mnemo_lab.formats.tree``)
- audio: an attachment of kind ``file`` with its media type
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Any, Literal, Protocol, runtime_checkable

from mnemo_lab.conversation import Conversation, DocumentMeta
from mnemo_lab.losses import Loss

if TYPE_CHECKING:
    from mnemo_lab.formats.source import Source

StrPath = str | os.PathLike[str]
SystemPolicy = Literal["keep", "drop"]


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


@dataclass(frozen=True, slots=True)
class Sample:
    """What detection looks at: names, and the first values, read once for all formats.

    ``members``: names inside an archive or folder, ``(file name,)`` for a file. ``value``: the first JSON value of the
    most telling member, an array cut to its first elements, an object cut to a bounded size; ``None`` where it is
    not JSON. ``records``: the first lines of JSON lines. ``sqlite``: it is an SQLite file.
    """

    path: str
    members: tuple[str, ...]
    value: Any = None
    records: tuple[Any, ...] = ()
    sqlite: bool = False

    @property
    def first(self) -> Any:
        """The first element of an array, the value itself otherwise, or the first record."""
        if isinstance(self.value, list):
            return self.value[0] if self.value else None
        return self.value if self.value is not None else next(iter(self.records), None)


@dataclass(frozen=True, slots=True)
class WriteOptions:
    """``now`` stamps formats that carry a time of export. ``model`` is the target's model, where it is named.

    ``path_only``: conversations are already linear. ``extra`` are settings of one format, by name.
    """

    now: datetime | None = None
    model: str | None = None
    language: Literal["en", "zh"] = "en"
    extra: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Written:
    """The bytes to write, and what the format could not hold."""

    data: bytes
    losses: tuple[Loss, ...] = ()


@runtime_checkable
class Format(Protocol):
    """A tool's file format."""

    @property
    def name(self) -> str:
        """As ``--from`` and ``--to`` say it: ``openai-chat``, ``chatgpt``, ``claude-code``."""

    @property
    def title(self) -> str:
        """As a person says it: ``OpenAI Chat Completions``."""

    def detect(self, sample: Sample) -> Detection | None:
        """Judge a sample; ``None`` where it is certainly not this format."""

    def read(self, source: Source) -> Iterator[Reading]:
        """Every conversation, one at a time; raises ``InvalidInput`` where nothing can be read.

        A broken conversation is a reading without one; the rest arrives.
        """


@runtime_checkable
class Writer(Protocol):
    """A format that can be written."""

    @property
    def name(self) -> str: ...

    @property
    def suffix(self) -> str:
        """The usual file ending, with its dot."""

    @property
    def several(self) -> bool:
        """Whether one file holds several conversations."""

    def write(self, conversations: Sequence[Conversation], options: WriteOptions) -> Written:
        """Conversations as bytes; branches are taken by their active path, and that is a listed loss.

        Raises ``InvalidInput`` for several conversations where ``several`` is false.
        """
