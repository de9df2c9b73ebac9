"""What describing takes beside embedding the same messages: processor seconds of one thread, one after the other."""

from __future__ import annotations

from collections.abc import Sequence
from time import process_time
from typing import Final, NamedTuple

from evals.describers.stretches import services, stretches
from mnemo_lab.conversation import Message
from mnemo_lab.corpora.base import load
from mnemo_lab.describers import open_describer
from mnemo_lab.embeddings import open_embedder
from mnemo_lab.recording import Recording
from mnemo_lab.services import ServicesSpec

CASES: Final = (("bilingual", "en-launch"), ("bilingual", "zh-launch"), ("locomo", "conv-26"), ("beam", "beam-1"))
EMBEDDED: Final = 128
"""Messages that are embedded; what all would take is their share."""
LIMIT: Final = 0.3
"""The most that describing may take of what embedding takes."""


class Timed(NamedTuple):
    """Milliseconds a message, but ``stretch``: of one stretch, the median."""

    recording: str
    messages: int
    describing: float
    embedding: float
    stretch: float

    @property
    def ratio(self) -> float:
        return self.describing / self.embedding


def measure(name: str, recording_id: str) -> Timed:
    """Each message is embedded as one text, cut at the model's window: less work than its passages are.

    Raises ``InvalidInput`` where the data set is not there.
    """
    (recording,) = load(name).select(recordings=[recording_id])
    parts = stretches(recording)
    count = sum(map(len, parts))
    describing(parts[:1])  # opens tables
    times = sorted(describing(parts))
    embedding = embedding_of(recording)
    return Timed(recording_id, count, sum(times) / count, embedding, times[len(times) // 2])


def describing(parts: Sequence[Sequence[Message]]) -> list[float]:
    """Milliseconds for each stretch."""
    describer, times = open_describer("extractive", services()), []
    for part in parts:
        started = process_time()
        describer.describe(part)
        times.append(1e3 * (process_time() - started))
    return times


def embedding_of(recording: Recording) -> float:
    """Milliseconds for a message, without a cache."""
    spec = ServicesSpec().for_language(recording.language)
    embedder = open_embedder(spec.embedder, cache_dir="", threads=1)
    texts = [m.text for m in recording.messages() if m.text.strip()][:EMBEDDED]
    embedder.encode(texts[:4])  # loads the model
    started = process_time()
    embedder.encode(texts)
    return 1e3 * (process_time() - started) / len(texts)
