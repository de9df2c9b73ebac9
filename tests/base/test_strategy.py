from __future__ import annotations

import pytest

from mnemo_lab.registry import names
from mnemo_lab.strategy import Strategy, WorkingMemory
from mnemo_lab.strategy_text import parse_strategy
from mnemo_lab.truncation.recent import Recent
from tests.base.messages import new_services


def test_prints_every_setting_in_declared_order() -> None:
    assert str(Recent(keep_last_n=3)) == (
        "recent(keep_system_prompt=True, keep_last_n=3, cut_oversized=True, partial=False, note='off', low_water=None)"
    )
    assert list(Recent().settings()) == [
        "keep_system_prompt", "keep_last_n", "cut_oversized", "partial", "note", "low_water",
    ]  # fmt: skip


@pytest.mark.parametrize("name", names("strategy"))
def test_a_started_strategy_is_a_working_memory(name: str) -> None:
    strategy = parse_strategy(name)
    assert isinstance(strategy.start(new_services(), "a"), WorkingMemory)
    assert strategy.needs <= {"embedder", "language_model"}
    assert hash(strategy) == hash(parse_strategy(str(strategy)))


def test_the_base_cannot_be_made() -> None:
    with pytest.raises(TypeError, match="abstract"):
        Strategy()  # type: ignore[abstract]
