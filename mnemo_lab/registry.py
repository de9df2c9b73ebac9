"""Names to things, resolved lazily: built-ins from one table, third parties from entry points.

An entry is ``"module:attribute"``; nothing is imported until its name is asked for.
"""

from __future__ import annotations

import importlib
from functools import cache
from importlib.metadata import entry_points
from typing import Any, Final

from mnemo_lab.errors import InvalidInput, UnknownName

BUILT_IN: Final[dict[str, dict[str, str]]] = {
    "strategy": {
        "full": "mnemo_lab.truncation.full:Full",
        "recent": "mnemo_lab.truncation.recent:Recent",
        "random": "mnemo_lab.truncation.random:Random",
        "bm25": "mnemo_lab.retrieval.strategies.bm25:BM25",
        "dense": "mnemo_lab.retrieval.strategies.dense:Dense",
        "hybrid": "mnemo_lab.retrieval.strategies.hybrid:Hybrid",
    },
    "corpus": {
        "bilingual": "mnemo_lab.corpora.bilingual:CORPUS",
        "locomo": "mnemo_lab.corpora.locomo:CORPUS",
        "locomo_audited": "mnemo_lab.corpora.locomo:AUDITED",
        "beam": "mnemo_lab.corpora.beam:CORPUS",
        "portable": "mnemo_lab.corpora.portable:CORPUS",
    },
    "view": {
        "run": "mnemo_lab.reporting.tables:leaderboard_html",
    },
    "embedder": {
        "all-MiniLM-L6-v2": "mnemo_lab.embeddings.minilm:open_embedder",
        "multilingual-e5-small": "mnemo_lab.embeddings.e5:open_embedder",
        "hashing": "mnemo_lab.embeddings.hashing:open_embedder",
    },
}
PRESETS: Final[dict[str, str]] = {
    "seed_truncator": "recent(keep_last_n=10)",
    "rrf": "hybrid(keyword=1.0, context=0.0, dense=1.0, session=0.0, speaker=0.0, fusion='rrf')",
}
"""Settings under a name of their own; a leaderboard shows the name, the manifest what it stands for."""


@cache
def _entries(kind: str) -> dict[str, str]:
    """All names of a kind; a third party may add a name, never replace one."""
    found = {point.name: point.value for point in entry_points(group=f"mnemo_lab.{kind}")}
    return {**found, **BUILT_IN[kind]}


def names(kind: str) -> list[str]:
    return sorted(_entries(kind))


def resolve(kind: str, name: str) -> Any:
    """The thing behind a name; raises ``UnknownName`` with the known names."""
    entries = _entries(kind)
    if name not in entries:
        raise UnknownName(kind, name, [*entries, *(PRESETS if kind == "strategy" else ())])
    module, _, attribute = entries[name].partition(":")
    try:
        found = importlib.import_module(module)
    except ImportError as error:
        raise InvalidInput(f"{kind} {name!r}: module {module} cannot be imported: {error}") from error
    if not hasattr(found, attribute):
        raise InvalidInput(f"{kind} {name!r}: module {module} has no {attribute!r}; mend its entry point")
    return getattr(found, attribute)
