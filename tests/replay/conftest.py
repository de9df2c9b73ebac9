from __future__ import annotations

from collections.abc import Iterator

import pytest

from mnemo_lab import registry
from mnemo_lab.services import Services, ServicesSpec
from tests.replay.spies import CALLS, HEALED, NAMES


@pytest.fixture
def services() -> Services:
    return ServicesSpec(embedder="hashing", cache="").open()


@pytest.fixture(autouse=True)
def nothing_noted() -> None:
    CALLS.clear()
    HEALED.clear()


@pytest.fixture
def spies() -> Iterator[None]:
    """The spies under their names, as a third party would register them."""
    known = registry.BUILT_IN["strategy"]
    known.update(NAMES)
    registry._entries.cache_clear()
    yield
    for name in NAMES:
        del known[name]
    registry._entries.cache_clear()
