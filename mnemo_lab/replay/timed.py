"""Latency: a separate pass, uncached, warmed up, repeated and interleaved. Caches and clocks never meet.

What is timed is one recall at one budget, search and packing included, by strategies that take turns; the
query's embedding is timed apart and then remembered, so that a model's speed does not hide a search's. Writing is
timed with an embedder that remembers nothing.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import zip_longest
from statistics import median
from typing import Any, Final

from mnemo_lab.context import Budget, Query
from mnemo_lab.recording import Recording
from mnemo_lab.replay.loop import Feeder, asks
from mnemo_lab.replay.run import Run
from mnemo_lab.replay.view import RecordingView
from mnemo_lab.services import Services
from mnemo_lab.strategy import WorkingMemory
from mnemo_lab.strategy_text import parse_strategy

REPEATS: Final = 5
PROBES: Final = 20
"""Questions timed per recording: those asked at the end, evenly spaced."""
RECORDINGS: Final = 4
"""Recordings timed, evenly over languages: writing without a cache embeds each of them anew for every strategy."""


def time_run(run: Run, show: bool = True) -> list[dict[str, Any]]:
    """Rows of strategy, recording, budget, probe and times in milliseconds; medians over repeats.

    ``observe_ms`` is the whole recording's write path per message.
    """
    rows: list[dict[str, Any]] = []
    chosen = _chosen(run.dataset.recordings)
    loaded: dict[str, Services] = {}
    for number, recording in enumerate(chosen, 1):
        if show:
            _say(f"timing {recording.id} ({number}/{len(chosen)})")
        spec = replace(run.spec, cache="").for_language(recording.language)
        services = spec.open()
        if "embedder" in _needed(run):
            _share_model(loaded.setdefault(spec.embedder, services), services)
        rows += _time_recording(run, recording, services)
    return rows


def _chosen(recordings: Sequence[Recording]) -> list[Recording]:
    """At most ``RECORDINGS``, taken in turn from each language."""
    by_language: dict[str, list[Recording]] = {}
    for recording in recordings:
        by_language.setdefault(recording.language, []).append(recording)
    in_turn = [r for row in zip_longest(*by_language.values()) for r in row if r is not None]
    return in_turn[:RECORDINGS]


def _say(text: str) -> None:
    import sys

    sys.stderr.write(f"{text}\n")


def _time_recording(run: Run, recording: Recording, services: Services) -> list[dict[str, Any]]:
    view = RecordingView(recording, services)
    final = [ask for ask in asks(view) if ask.probe.after is None]
    chosen = [ask.probe for ask in final[:: max(len(final) // PROBES, 1)]][:PROBES]
    queries = [Query(probe.question, probe.asked_at) for probe in chosen]
    embedding = _embedding_times(queries, services) if "embedder" in _needed(run) else {}
    rows = []
    for budget_tokens in run.grid.budgets:
        budget = Budget(budget_tokens, services.counter)
        memories, observed = _memories(run, view, services, budget)
        times = _interleaved(memories, queries, budget)
        for (label, query), values in times.items():
            rows.append(
                {
                    "strategy": label,
                    "recording": recording.id,
                    "budget_tokens": budget_tokens,
                    "probe": chosen[query].id,
                    "recall_ms": median(values),
                    "observe_ms": observed[label] / max(len(view.messages), 1),
                    "query_embedding_ms": embedding.get(query),
                }
            )
    return rows


def _needed(run: Run) -> set[str]:
    return {need for text in run.grid.labelled().values() for need in parse_strategy(text).needs}


def _memories(
    run: Run, view: RecordingView, services: Services, budget: Budget
) -> tuple[dict[str, WorkingMemory], dict[str, float]]:
    """A filled memory per strategy, and what filling it took in milliseconds. Kept over budgets where it may be."""
    kept: dict[str, tuple[WorkingMemory, float]] = services.memo("timed")
    memories, observed = {}, {}
    for label, text in run.grid.labelled().items():
        strategy = parse_strategy(text)
        if strategy.budget_bound or label not in kept:
            if "embedder" in strategy.needs:
                services.embedder.encode(["warm up"])
            fresh = services.spec.open()
            if "embedder" in strategy.needs:
                _share_model(services, fresh)
            memory = strategy.start(fresh, view.recording.id, budget if strategy.budget_bound else None)
            feeder = Feeder(view, memory, fresh)
            kept[label] = memory, _clock(feeder.finish)
        memories[label], observed[label] = kept[label]
    return memories, observed


def _share_model(services: Services, fresh: Services) -> None:
    """The same loaded model behind an empty memory: loading is not writing."""
    from mnemo_lab.embeddings.cached import CachedEmbedder

    loaded = services.embedder
    assert isinstance(loaded, CachedEmbedder)
    fresh.__dict__["embedder"] = CachedEmbedder(loaded.inner, "")


def _embedding_times(queries: list[Query], services: Services) -> dict[int, float]:
    """The bare model on each question."""
    from mnemo_lab.embeddings.cached import CachedEmbedder

    embedder = services.embedder
    assert isinstance(embedder, CachedEmbedder)

    def embed(text: str) -> Callable[[], Any]:
        return lambda: embedder.inner.encode([text], "query")

    return {i: median([_clock(embed(query.text)) for _ in range(REPEATS)]) for i, query in enumerate(queries)}


def _interleaved(
    memories: dict[str, WorkingMemory], queries: list[Query], budget: Budget
) -> dict[tuple[str, int], list[float]]:
    """Strategies take turns on each question; the first round warms up and is thrown away."""
    times: dict[tuple[str, int], list[float]] = {(label, i): [] for i in range(len(queries)) for label in memories}
    for round_number in range(REPEATS + 1):
        for i, query in enumerate(queries):
            for label, memory in memories.items():
                memory.recall(Query(""), budget)  # so that no memory still holds this question's scores
                took = _clock(lambda m=memory, q=query: m.recall(q, budget).text)  # type: ignore[misc]
                if round_number:
                    times[label, i].append(took)
    return times


def _clock(work: Callable[[], Any]) -> float:
    start = time.perf_counter()
    work()
    return (time.perf_counter() - start) * 1000
