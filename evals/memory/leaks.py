"""Whether anything of one namespace is found in another, and whether secrets are kept or shown."""

from __future__ import annotations

import tempfile
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from evals.memory.scenarios import Scenario
from evals.memory.world import Remembered, remembered
from mnemo_lab.extraction.base import USER, Extractor, Fact
from mnemo_lab.memory.stores import open_store
from mnemo_lab.memory.stores.base import LIVING
from mnemo_lab.memory.stores.checks import SIGNALS

if TYPE_CHECKING:
    from mnemo_lab.embeddings.base import Embedder
    from mnemo_lab.memory.stores.base import MemoryStore

DEPTH: Final = 10
ROOM: Final = 800
"""Tokens of the injected block that is looked through."""


@dataclass(frozen=True)
class Leaks:
    """Of ``searches`` in other namespaces ``foreign`` memories came back. ``secrets`` that were written in chats;
    ``in_files``, ``in_blocks``: those found in the bytes of the store's files and in injected text; ``placeholders``
    put in their place by kind. ``whole``: messages with a secret that were then kept whole, ``whole_in_files`` and
    ``whole_in_blocks``: secrets found after that."""

    namespaces: int
    items: int
    searches: int
    foreign: int
    secrets: int
    in_files: int
    in_blocks: int
    blocks: int
    placeholders: dict[str, int]
    whole: int
    whole_in_files: int
    whole_in_blocks: int


def leaks(
    scenarios: Sequence[Scenario], extractor: Extractor, embedder: Embedder, count: Callable[[str], int]
) -> Leaks:
    """All scenarios in one SQLite file, each in its namespace. Then messages with a secret are remembered whole, as by
    the worst of extractors."""
    secrets = [secret for scenario in scenarios for secret in scenario.secrets]
    placeholders: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as folder, open_store(Path(folder) / "memory.db", embedder) as store:
        made = [remembered(scenario, extractor, embedder, count, store=store) for scenario in scenarios]
        owners = {item.id: one.scenario.id for one in made for item in store.items(one.scenario.id)}
        searches, foreign = _foreign(scenarios, store, owners)
        texts = _blocks(made, count)
        stored = [_in_files(secrets, Path(folder)), _in_texts(secrets, texts)]
        for one in made:
            placeholders.update(one.memory.secrets.found)
        whole = sum(map(_keep_whole, made))
        stored += [_in_files(secrets, Path(folder)), _in_texts(secrets, _blocks(made, count))]
    return Leaks(
        len(scenarios), len(owners), searches, foreign, len(secrets), stored[0], stored[1], len(texts),
        dict(placeholders), whole, stored[2], stored[3],
    )  # fmt: skip


def _blocks(made: Sequence[Remembered], count: Callable[[str], int]) -> list[str]:
    """What is injected for the questions of scenarios with secrets."""
    return [
        one.memory.inject(probe.question, probe.asked_at, ROOM, count).text
        for one in made
        if one.scenario.secrets
        for probe in one.scenario.probes
    ]


def _keep_whole(made: Remembered) -> int:
    done = 0
    for talk in made.scenario.conversations:
        for message in talk.messages:
            if any(secret in message.text for secret in made.scenario.secrets):
                made.memory.remember(
                    Fact(
                        "project_fact", USER, "message", message.text, message.text, made.scenario.language, message.id
                    ),
                    message.timestamp,
                )
                done += 1
    return done


def _foreign(scenarios: Sequence[Scenario], store: MemoryStore, owners: dict[str, str]) -> tuple[int, int]:
    """Every question in every namespace but its own, by words and by vector."""
    searches = foreign = 0
    for asked in scenarios:
        for probe in asked.probes:
            for other in scenarios:
                if other.id == asked.id:
                    continue
                for by in SIGNALS:
                    hits = store.search(other.id, probe.question, DEPTH, by, LIVING)
                    searches += 1
                    foreign += sum(owners[hit.item.id] != other.id or hit.item.namespace != other.id for hit in hits)
    return searches, foreign


def _in_files(secrets: Sequence[str], folder: Path) -> int:
    """Secrets in any byte of the store's files, its log of writes too."""
    data = [file.read_bytes() for file in folder.iterdir() if file.is_file()]
    return sum(any(secret.encode() in one for one in data) for secret in secrets)


def _in_texts(secrets: Sequence[str], texts: Sequence[str]) -> int:
    return sum(any(secret in text for text in texts) for secret in secrets)
