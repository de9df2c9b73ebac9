"""Late interaction: MaxSim over vectors of tokens (Khattab and Zaharia 2020), for the best messages alone."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from mnemo_lab.context import Query
from mnemo_lab.conversation import Message
from mnemo_lab.embeddings.base import Embedder
from mnemo_lab.errors import InvalidInput
from mnemo_lab.retrieval.index_text import index_passages
from mnemo_lab.services import Services

if TYPE_CHECKING:
    from mnemo_lab.context import FloatArray
    from mnemo_lab.embeddings.base import Vectors


def max_sims(query: Query, messages: Sequence[Message], services: Services) -> FloatArray:
    """By message, what its best passage has: the mean over the question's tokens of the greatest cosine (-1 to 1).

    Compared without date and speaker, which every message has. 0 where the question or a message has no token.
    Metered as if every vector were made now. Raises ``InvalidInput`` where the embedder gives no vectors of tokens.
    """
    import numpy as np

    embedder: Any = check_tokens(services.embedder)
    parts = [index_passages(message, prefix=False) for message in messages]
    texts = [query.text, *(text for passages in parts for text in passages)]
    services.ledger.add("embedder", sum(services.count(text) for text in texts))
    asked, *vectors = embedder.tokens(texts)
    found, start = np.zeros(len(messages)), 0
    for at, passages in enumerate(parts):
        own = vectors[start : start + len(passages)]
        found[at] = max((max_sim(asked, vector) for vector in own), default=0.0)
        start += len(passages)
    return found


def max_sim(query: Vectors, passage: Vectors) -> float:
    """The mean over rows of ``query`` of the greatest cosine with a row of ``passage``; both of unit rows."""
    if not len(query) or not len(passage):
        return 0.0
    return float((query @ passage.T).max(axis=1).mean())


def gives_tokens(embedder: Any) -> bool:
    """Whether the embedder (the one inside, where it is cached) has a method ``tokens``."""
    return callable(getattr(getattr(embedder, "inner", embedder), "tokens", None))


def check_tokens(embedder: Embedder) -> Embedder:
    """The embedder; raises ``InvalidInput`` naming those that can where it gives no vectors of tokens."""
    if gives_tokens(embedder):
        return embedder
    from mnemo_lab.registry import names, resolve

    can = ", ".join(name for name in names("embedder") if gives_tokens(resolve("embedder", name)(threads=1)))
    raise InvalidInput(
        f"embedder {embedder.name!r} gives no vectors of tokens, which reranking compares; "
        f"those that do: {can}. Choose one of them, or rerank=0"
    )
