"""Embedders that give a vector for every token too, for late interaction."""

from __future__ import annotations

from typing import Any

from mnemo_lab.embeddings.base import Embedder
from mnemo_lab.errors import InvalidInput


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
