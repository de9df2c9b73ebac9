"""Hydration: what indexing adds to embedding, and how long a recall takes once the question is embedded."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from statistics import median
from typing import Final

from evals.speed.material import RandomEmbedder, documents, history_of
from evals.speed.table import Row, Target
from mnemo_lab.context import Budget, Query
from mnemo_lab.conversation import ConversationInfo, Message
from mnemo_lab.retrieval.index_text import index_passages
from mnemo_lab.services import Services, ServicesSpec
from mnemo_lab.strategy import WorkingMemory
from mnemo_lab.strategy_text import parse_strategy

MESSAGES: Final = 5_000
SAMPLE: Final = 250
"""Passages that are embedded bare, to know what all of them would take."""
BUDGET: Final = 2_048
ROUNDS: Final = 3


def rows() -> Iterator[Row]:
    messages = history_of(MESSAGES)
    services = _services()
    seconds = _ingest(services, messages)[1]
    passages = [part for message in messages for part in index_passages(message, True)]
    model = ServicesSpec(cache="").for_language("en").open().embedder
    model.encode(passages[:8])
    step = len(passages) // ROUNDS
    bare = median(_seconds(model.encode, passages[i * step : i * step + SAMPLE]) for i in range(ROUNDS))
    bare *= len(passages) / SAMPLE
    yield Row(
        f"index {MESSAGES:,} messages with checkpoints, embedding included",
        bare + seconds,
        bare,
        (bare + seconds) / bare,
        Target(1.3),
        f"limit: embedding alone, from {SAMPLE} of {len(passages):,} passages; all else measured with random vectors",
    )
    yield from recalls(services, messages, ("hydrate", "hydrate(scope=100)"), Target(15e-3, unit=" s"))


def recalls(services: Services, messages: list[Message], names: tuple[str, ...], target: Target) -> Iterator[Row]:
    """The median over questions, each asked for the first time, and right after one more message."""
    for name in names:
        memory, _ = _ingest(services, messages, name)
        times, after = [], []
        for question in documents()[2]:
            times.append(_recall(memory, services, question))
            memory.observe([Message("user", question, f"q{len(after)}", messages[-1].timestamp)])
            after.append(_recall(memory, services, f"{question} "))
        what = f"recall over {len(messages):,} messages, question embedded, {name}"
        yield Row(f"{what}, p50", median(times), target=target, note=f"{len(times)} questions at {BUDGET:,} tokens")
        yield Row(f"{what}, p50 right after another message", median(after), target=target)


def _seconds(work: Callable[[list[str]], object], texts: list[str]) -> float:
    """Once, cold: a text that was embedded is not embedded again."""
    start = time.perf_counter()
    work(texts)
    return time.perf_counter() - start


def _services() -> Services:
    """Vectors cost nothing: only what stands around them is measured."""
    services = ServicesSpec(cache="").for_language("en").open()
    services.__dict__["embedder"] = RandomEmbedder()
    return services


def _ingest(services: Services, messages: list[Message], name: str = "hydrate") -> tuple[WorkingMemory, float]:
    """A memory that has seen everything, and the seconds that took."""
    memory = parse_strategy(name).start(services, "bench")
    start = time.perf_counter()
    memory.begin(ConversationInfo("bench"))
    memory.observe(messages)
    memory.end()
    return memory, time.perf_counter() - start


def _recall(memory: WorkingMemory, services: Services, question: str) -> float:
    start = time.perf_counter()
    memory.recall(Query(question), Budget(BUDGET, services.counter))
    return time.perf_counter() - start
