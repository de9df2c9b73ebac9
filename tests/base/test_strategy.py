from __future__ import annotations

import pytest

from mnemo_lab.context import Budget
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
    strategy, services = parse_strategy(name), new_services()
    budget = Budget(100, services.counter) if strategy.budget_bound else None
    assert isinstance(strategy.start(services, "a", budget), WorkingMemory)
    assert strategy.needs <= {"embedder", "language_model"}
    assert hash(strategy) == hash(parse_strategy(str(strategy)))


def test_the_base_cannot_be_made() -> None:
    with pytest.raises(TypeError, match="abstract"):
        Strategy()  # type: ignore[abstract]
