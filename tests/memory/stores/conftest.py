"""Every kind of store, empty and with some notes."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from mnemo_lab.memory.stores import MemoryStore
from tests.memory.stores.material import KINDS, NOTES, add, item, open_kind


@pytest.fixture(params=KINDS)
def kind(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def store(kind: str, tmp_path: Path) -> Iterator[MemoryStore]:
    with open_kind(kind, tmp_path) as made:
        yield made


@pytest.fixture
def filled(store: MemoryStore) -> MemoryStore:
    add(store, *(item(f"i{n}", text) for n, text in enumerate(NOTES)))
    return store
