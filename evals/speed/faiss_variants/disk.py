"""What a message takes on disk in a ``ConversationStore``: rows, words, vectors, index file."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from evals.speed.faiss_variants.vectors import DIMENSION
from mnemo_lab.corpora.base import load
from mnemo_lab.errors import MnemoError
from mnemo_lab.recording import Recording
from mnemo_lab.store import ConversationStore

if TYPE_CHECKING:
    from mnemo_lab.embeddings.base import TextKind, Vectors

CORPORA: Final = {"locomo": "LoCoMo", "bilingual": "bilingual"}
LIMIT: Final = 2_000
"""Bytes that a message may take beside its vector."""


class Random:
    """Vectors of the size of MiniLM's and E5's, at once: how many bytes they take does not hang on their values."""

    name, fingerprint, dimension, max_tokens, english_only = "random", "random", DIMENSION, 1 << 30, False

    def encode(self, texts: Sequence[str], kind: TextKind = "passage") -> Vectors:
        rows = np.random.default_rng(0).standard_normal((len(texts), DIMENSION), dtype=np.float32)
        made: Vectors = rows / np.linalg.norm(rows, axis=1, keepdims=True)
        return made


@dataclass(frozen=True)
class Disk:
    """Bytes a message. ``said``: the text alone, in UTF-8. ``beside``: all but one copy of each vector as floats."""

    title: str
    messages: int
    vectors: int
    said: float
    database: float
    index: float
    beside: float


def disk() -> Iterator[Disk]:
    """A row for each data set that is there: closed stores, a namespace for each recording."""
    for name, title in CORPORA.items():
        try:
            yield measured(load(name).recordings, title)
        except MnemoError:
            continue


def measured(recordings: Sequence[Recording], title: str) -> Disk:
    with tempfile.TemporaryDirectory() as folder:
        with ConversationStore(folder, Random()) as store:
            for recording in recordings:
                for talk in recording.conversations:
                    store.append(recording.id, talk.info, talk.messages)
                store.index(recording.id)
        with ConversationStore(folder) as store:
            facts = store.facts()
    messages = [message for recording in recordings for message in recording.messages()]
    count = len(messages)
    return Disk(
        title,
        count,
        sum(space.vectors for space in facts.namespaces),
        sum(len(message.text.encode("utf-8", "replace")) for message in messages) / count,
        facts.database / count,
        facts.index / count,
        facts.beside_vectors,
    )


def section(rows: Sequence[Disk]) -> str:
    """Of the report."""
    lines = [
        "## On disk",
        "",
        f"Bytes a message of a `ConversationStore` with an index file (`flat`), vectors of {DIMENSION} dimensions. The",
        "database holds the message, its words for keyword search and each vector in half precision. *Beside its",
        f"vector* is all of it but {4 * DIMENSION:,} bytes for each vector. Aim: below {LIMIT:,}.",
        "",
        "| data | messages | vectors | text alone | database | index file | in all | beside its vector |",
        "|---|" + "---:|" * 7,
    ]
    for row in rows:
        sizes = (row.said, row.database, row.index, row.database + row.index, row.beside)
        mark = "" if row.beside < LIMIT else " (**missed**)"
        cells = [row.title, f"{row.messages:,}", f"{row.vectors:,}", *(f"{size:,.0f}" for size in sizes)]
        lines.append(f"| {' | '.join(cells)}{mark} |")
    return "\n".join(lines)
