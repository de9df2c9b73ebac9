"""What is searched: MiniLM vectors of real passages and questions, jittered copies beyond them, or made-up clusters."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from mnemo_lab.corpora.base import load
from mnemo_lab.embeddings.cached import CachedEmbedder
from mnemo_lab.embeddings.minilm import MiniLM
from mnemo_lab.errors import MnemoError
from mnemo_lab.retrieval.index_text import index_passages

if TYPE_CHECKING:
    from mnemo_lab.embeddings.base import TextKind, Vectors

CORPORA: Final = {"locomo": "LoCoMo", "beam": "BEAM"}
QUESTIONS: Final = 256
DIMENSION: Final = 384
TOPICS: Final = 400
COPY_COSINE: Final = 0.8
"""Of a copy with what it was made of: about what neighbouring messages of one topic have."""


class NotCached(Exception):
    """A text whose vector would have to be computed."""


class Unwilling(MiniLM):
    """The model by name and weights, that computes nothing: all that is asked for must be in the cache."""

    def encode(self, texts: list[str], kind: TextKind = "passage") -> Vectors:  # type: ignore[override]
        raise NotCached


@dataclass(frozen=True)
class Material:
    """``queries`` are never among ``vectors``. ``name`` says for the report what they are."""

    name: str
    vectors: Vectors
    queries: Vectors

    def of_size(self, count: int) -> Vectors:
        """``count`` vectors: a sample, or all and jittered copies."""
        rng = np.random.default_rng(0)
        shuffled = self.vectors[rng.permutation(len(self.vectors))]
        more = count - len(shuffled)
        if more <= 0:
            return np.ascontiguousarray(shuffled[:count])
        copies = jittered(shuffled[rng.integers(0, len(shuffled), more)], COPY_COSINE, rng)
        return np.concatenate([shuffled, copies])


def jittered(rows: Vectors, cosine: float, rng: np.random.Generator) -> Vectors:
    """Unit vectors at about this cosine from unit vectors."""
    noise = rng.standard_normal(rows.shape, dtype=np.float32)
    noise *= float(np.sqrt(1 / cosine**2 - 1) / np.sqrt(rows.shape[1]))
    noise += rows
    noise /= np.linalg.norm(noise, axis=1, keepdims=True)
    return noise


def material(cache: str | None = None, embed: bool = False) -> Material:
    """Real vectors where data and cache have them (``embed``: or can be given them), else made-up ones."""
    inner = MiniLM(1) if embed else Unwilling(1)
    embedder = CachedEmbedder(inner, cache)
    vectors: list[Vectors] = []
    queries: list[Vectors] = []
    titles: list[str] = []
    for corpus, title in CORPORA.items():
        try:
            recordings = load(corpus).recordings
        except MnemoError:
            continue
        for recording in recordings:
            texts = [part for message in recording.messages() for part in index_passages(message, prefix=True)]
            try:
                passages = embedder.encode(texts)
                questions = embedder.encode([probe.question for probe in recording.probes], "query")
            except NotCached:
                continue
            vectors.append(passages)
            queries.append(questions)
            titles.append(title)
    if not vectors:
        return made_up()
    asked = np.concatenate(queries)
    asked = asked[np.random.default_rng(1).permutation(len(asked))[:QUESTIONS]]
    found = np.concatenate(vectors)
    names = " and ".join(f"{title} ({count} recordings)" for title, count in Counter(titles).items())
    name = (
        f"{len(found):,} MiniLM vectors of passages of {names} and {len(asked)} of their questions; beyond that many, "
    )
    name += f"copies with noise (cosine {COPY_COSINE} with the original)"
    return Material(name, found, asked)


def made_up() -> Material:
    """Clusters of unequal size, for where there are no data or no vectors of them."""
    rng = np.random.default_rng(2)
    centres = rng.standard_normal((TOPICS, DIMENSION), dtype=np.float32)
    centres /= np.linalg.norm(centres, axis=1, keepdims=True)
    shares = 1 / np.arange(1, TOPICS + 1)
    topics = rng.choice(TOPICS, size=20_000, p=shares / shares.sum())
    vectors = jittered(centres[topics], 0.7, rng)
    queries = jittered(vectors[rng.integers(0, len(vectors), QUESTIONS)], 0.6, rng)
    name = f"made-up vectors: {TOPICS} clusters of unequal size, since no vectors of LoCoMo or BEAM are in the cache"
    return Material(name, vectors, queries)
