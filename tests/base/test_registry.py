"""Names resolve lazily; a third party may add one through an entry point, never replace one."""

from __future__ import annotations

import sys
import types
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.metadata import EntryPoint
from typing import ClassVar

import pytest

from mnemo_lab import registry
from mnemo_lab.errors import InvalidInput, UnknownName
from mnemo_lab.registry import BUILT_IN, PRESETS, names, resolve
from mnemo_lab.strategy_text import label_of, parse_strategy
from mnemo_lab.truncation.full import Full
from mnemo_lab.truncation.recent import Recent


@dataclass(frozen=True)
class Twice(Full):
    name: ClassVar[str] = "twice"
    times: int = 2


@pytest.fixture
def plug_in(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A third-party package that adds ``twice`` and broken entries, and tries to replace ``recent``."""
    module = types.ModuleType("third_party")
    module.Twice, module.number, module.Bare = Twice, 3, object  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "third_party", module)
    values = {"twice": "Twice", "recent": "Twice", "gone": "Nowhere", "number": "number", "bare": "Bare"}
    points = [EntryPoint(n, f"third_party:{v}", "mnemo_lab.strategy") for n, v in values.items()]
    points.append(EntryPoint("absent", "no_such_module_here:X", "mnemo_lab.strategy"))
    monkeypatch.setattr(registry, "entry_points", lambda group: [p for p in points if p.group == group])
    registry._entries.cache_clear()
    yield
    registry._entries.cache_clear()


@pytest.mark.parametrize(("kind", "name"), [(k, n) for k, table in BUILT_IN.items() for n in table])
def test_every_built_in_resolves(kind: str, name: str) -> None:
    found = resolve(kind, name)
    assert kind != "strategy" or found.name == name


def test_a_third_party_adds_a_strategy(plug_in: None) -> None:
    assert parse_strategy("twice(times=3)") == Twice(3)
    assert "twice" in names("strategy") and "twice" not in names("embedder")


def test_a_third_party_may_not_replace_a_built_in(plug_in: None) -> None:
    assert parse_strategy("recent") == Recent()


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("gone", "strategy 'gone': module third_party has no 'Nowhere'; mend its entry point"),
        ("absent", "strategy 'absent': module no_such_module_here cannot be imported"),
        ("number", "strategy 'number': 3 is not a dataclass derived from mnemo_lab.strategy.Strategy"),
        ("bare", "is not a dataclass derived from"),
    ],
)
def test_a_broken_plug_in_is_named(plug_in: None, name: str, said: str) -> None:
    with pytest.raises(InvalidInput, match=said):
        parse_strategy(name)


def test_unknown_names() -> None:
    with pytest.raises(UnknownName, match=r"unknown strategy 'windw'; known: .*recent.*seed_truncator"):
        parse_strategy("windw")
    with pytest.raises(UnknownName, match="Did you mean 'recent'"):
        parse_strategy("recnt(keep_last_n=3)")


def test_presets_and_labels() -> None:
    assert parse_strategy("seed_truncator") == Recent(keep_last_n=10)
    assert label_of(" seed_truncator ") == "seed_truncator"
    assert label_of("recent") == str(Recent())
    assert label_of(Recent()) == label_of("recent")
    assert parse_strategy(Recent(keep_last_n=4)) == Recent(keep_last_n=4)
    assert all(parse_strategy(text) for text in PRESETS.values())
