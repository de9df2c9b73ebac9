"""What is measured on: the bundled conversations, stretched where more is needed, and LoCoMo where it is present."""

from __future__ import annotations

import os
from functools import cache
from typing import TYPE_CHECKING, Final

from mnemo_lab.conversation import Message
from mnemo_lab.corpora.base import Dataset, load
from mnemo_lab.corpora.stretch import stretch
from mnemo_lab.errors import InvalidInput
from mnemo_lab.retrieval.index_text import index_passages

if TYPE_CHECKING:
    import numpy as np

    from mnemo_lab.embeddings.base import Vectors

DOCUMENTS: Final = 5_882
"""As many as LoCoMo has messages."""
QUESTIONS: Final = 64
DIMENSION: Final = 384


def threads() -> int:
    """What ``bench.py`` set for every library."""
    return int(os.environ.get("OMP_NUM_THREADS", "1"))


@cache
def bilingual() -> Dataset:
    return load("bilingual")


@cache
def history_of(messages: int) -> list[Message]:
    """English messages of a stretched bundled recording."""
    recording = next(r for r in bilingual() if r.language == "en")
    return list(stretch(recording, bilingual().recordings, messages).messages())


@cache
def documents() -> tuple[str, list[str], list[str]]:
    """Name, passages and questions of the keyword search."""
    try:
        data = load("locomo")
        messages = [message for recording in data for message in recording.messages()]
        name, probes = "LoCoMo", data.probes
    except InvalidInput:
        messages = history_of(DOCUMENTS)
        name, probes = "bilingual, stretched", tuple(p for r in bilingual() if r.language == "en" for p in r.probes)
    passages = [part for message in messages for part in index_passages(message, prefix=True)][:DOCUMENTS]
    return name, passages, [probe.question for probe in probes[:: max(len(probes) // QUESTIONS, 1)]][:QUESTIONS]


@cache
def unit_vectors(count: int, seed: int = 0) -> Vectors:
    """Random directions; exact search does not care which."""
    import numpy as np

    rows = np.random.default_rng(seed).standard_normal((count, DIMENSION), dtype=np.float32)
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    return rows


class RandomEmbedder:
    """Stands in for a model where only what surrounds it is measured: each text gets some vector."""

    name = fingerprint = "random"
    dimension = DIMENSION
    max_tokens = 1 << 30
    english_only = False

    def encode(self, texts: list[str], kind: str = "passage") -> np.ndarray:
        return unit_vectors(len(texts))
