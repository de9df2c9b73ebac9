"""Which memories fit a question: by words and by meaning, less what has faded."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Final

from mnemo_lab.errors import InvalidInput
from mnemo_lab.memory.decay import Decay
from mnemo_lab.memory.guard import QUARANTINED
from mnemo_lab.memory.item import MemoryItem
from mnemo_lab.memory.stores.base import ACTIVE, LIVING
from mnemo_lab.memory.validity import begins, known_at, true_at

if TYPE_CHECKING:
    from mnemo_lab.memory.stores.base import MemoryStore, Signal

POOL: Final = 50
"""At least so many of each list are looked at."""
WIDER: Final = 4
"""Times as many are fetched where some of them may not have been true then."""


@dataclass(frozen=True)
class Weights:
    """Shares of the two lists in a relevance: BM25 and cosine, each brought to 0…1 by the best and the least of its
    list. ``minimum``: what is less relevant than that (0 to 1) is not shown."""

    keyword: float = 0.5
    vector: float = 0.5
    minimum: float = 0.0

    def __post_init__(self) -> None:
        if self.keyword < 0 or self.vector < 0 or self.keyword + self.vector <= 0:
            raise InvalidInput(
                f"keyword={self.keyword!r}, vector={self.vector!r}; use weights of at least 0, not both 0"
            )
        if not 0 <= self.minimum <= 1:
            raise InvalidInput(f"minimum={self.minimum!r}; use 0 to 1")


@dataclass(frozen=True, slots=True)
class Recalled:
    """A memory with its score, and what it is made of: ``relevance`` (0 to 1) times the ``share`` that decay leaves."""

    item: MemoryItem
    score: float
    relevance: float
    share: float
    signals: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Ranked:
    """Memories from best to worst; those that relevance alone would have brought in: hidden by decay; and ``held``,
    those in quarantine that were found."""

    hits: tuple[Recalled, ...]
    hidden: tuple[Recalled, ...]
    held: tuple[MemoryItem, ...] = ()

    @property
    def items(self) -> list[MemoryItem]:
        return [hit.item for hit in self.hits]

    def _repr_html_(self) -> str:
        from mnemo_lab.memory.shown import ranked_html

        return ranked_html(self.hits, self.hidden)


def rank(
    store: MemoryStore,
    namespace: str,
    query: str,
    now: datetime,
    k: int,
    decay: Decay,
    weights: Weights,
    *,
    as_of: datetime | None = None,
    known_at: datetime | None = None,
) -> Ranked:
    """The ``k`` best by ``relevance * share``. Those in quarantine are never among them.

    Without ``as_of`` and ``known_at`` what is active is searched, with one of them all that was true
    (or recorded) then.
    """
    if k <= 0 or not query.strip():
        return Ranked((), ())
    held: dict[str, MemoryItem] = {}
    fits = _fitting(as_of, known_at, held)
    scores = _scores(store, namespace, query, k, weights, fits, as_of is not None or known_at is not None)
    found = []
    for item, relevance, signals in scores:
        share = decay.share(item, as_of or now)
        found.append(Recalled(item, relevance * share, relevance, share, signals))
    found.sort(key=lambda hit: (-hit.score, -begins(hit.item).timestamp() if _dated(hit.item) else 0.0))
    found = [hit for hit in found if hit.relevance >= weights.minimum]
    best = found[:k]
    by_relevance = sorted(found, key=lambda hit: -hit.relevance)[:k]
    shown = {hit.item.id for hit in best}
    hidden = tuple(hit for hit in by_relevance if hit.item.id not in shown)
    return Ranked(tuple(best), hidden, tuple(held.values()))


def _dated(item: MemoryItem) -> bool:
    return begins(item).year > 1


def _fitting(
    as_of: datetime | None, recorded: datetime | None, held: dict[str, MemoryItem]
) -> Callable[[MemoryItem], bool]:
    def fits(item: MemoryItem) -> bool:
        if QUARANTINED in item.flags:
            held[item.id] = item
            return False
        if recorded is not None and not known_at(item, recorded):
            return False
        return as_of is None or true_at(item, as_of)

    return fits


def _scores(
    store: MemoryStore,
    namespace: str,
    query: str,
    k: int,
    weights: Weights,
    fits: Callable[[MemoryItem], bool],
    past: bool,
) -> list[tuple[MemoryItem, float, dict[str, float]]]:
    """Every item of either list with its relevance and its raw scores. Without an embedder words alone count."""
    items: dict[str, MemoryItem] = {}
    raw: dict[Signal, dict[str, float]] = {}
    status = LIVING if past else ACTIVE
    wanted = max(POOL, 2 * k) * (WIDER if past else 1)
    lists: dict[Signal, float] = {"keyword": weights.keyword, "vector": weights.vector}
    for signal in [name for name, weight in lists.items() if weight and (name == "keyword" or store.embeds)]:
        hits = [hit for hit in store.search(namespace, query, wanted, signal, status) if fits(hit.item)]
        raw[signal] = {hit.item.id: hit.score for hit in hits}
        items.update((hit.item.id, hit.item) for hit in hits)
    if "vector" in raw:
        missing = [id for id in items if id not in raw["vector"]]
        raw["vector"].update(zip(missing, store.vector_scores(namespace, query, missing), strict=True))
    scaled = {signal: _scaled(scores, signal) for signal, scores in raw.items()}
    total = sum(lists[signal] for signal in raw) or 1.0
    return [
        (
            item,
            sum(lists[signal] * scaled[signal].get(id, 0.0) for signal in raw) / total,
            {signal: raw[signal][id] for signal in raw if id in raw[signal]},
        )
        for id, item in items.items()
    ]


def _scaled(scores: Mapping[str, float], signal: Signal) -> dict[str, float]:
    """BM25 as a share of the best; cosines between the least and the best of the list, which no model's own scale
    enters (those of E5 lie between .7 and .9)."""
    if not scores:
        return {}
    best = max(scores.values())
    least = 0.0 if signal == "keyword" else min(scores.values())
    if best <= least:
        return dict.fromkeys(scores, 1.0)
    return {id: (score - least) / (best - least) for id, score in scores.items()}
