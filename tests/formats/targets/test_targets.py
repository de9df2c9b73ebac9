"""Targets by name: those of this package, one of another package, and mistakes."""

from __future__ import annotations

import sys
import types
from collections.abc import Iterator
from importlib.metadata import EntryPoint

import pytest

from mnemo_lab import registry
from mnemo_lab.errors import InvalidInput, UnknownName
from mnemo_lab.formats.targets import TARGETS, Identifier, Target, find_target, repair, validate_for
from tests.formats.targets.conversations import calls, result, talk, user

MINE = Target(name="mine", title="My server", call_id=Identifier("0-9", 4, 4))


@pytest.fixture
def plug_in(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    module = types.ModuleType("third_party")
    module.MINE, module.number = MINE, 3  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "third_party", module)
    points = [EntryPoint(n, f"third_party:{v}", "mnemo_lab.target") for n, v in (("mine", "MINE"), ("odd", "number"))]
    monkeypatch.setattr(registry, "entry_points", lambda group: [p for p in points if p.group == group])
    registry._entries.cache_clear()
    yield
    registry._entries.cache_clear()


def test_every_target_is_registered_under_its_name() -> None:
    assert set(TARGETS) == set(registry.BUILT_IN["target"]) and len(TARGETS) == 11
    assert all(target.name == name for name, target in TARGETS.items())
    assert len({target.title for target in TARGETS.values()}) == len(TARGETS)


def test_unknown_targets_are_named_with_the_known_ones() -> None:
    for ask in (
        lambda: validate_for(talk(), "openai"),
        lambda: repair(talk(), "openai"),
        lambda: find_target("openai"),
    ):
        with pytest.raises(UnknownName, match=r"unknown target 'openai'; known: anthropic, bedrock, .*, vllm"):
            ask()
    with pytest.raises(UnknownName, match="Did you mean 'anthropic'"):
        find_target("antropic")
    assert "openai" not in TARGETS and TARGETS.get("openai") is None


def test_another_package_adds_a_target(plug_in: None) -> None:
    assert TARGETS["mine"] is MINE and "mine" in TARGETS and len(TARGETS) == 13
    found = repair(talk(user(), calls("c1"), result("c1")), "mine")
    [call] = found.conversation.messages[1].tool_calls
    assert len(call.id) == 4 and call.id.isdigit() and found.conversation.messages[2].tool_call_id == call.id
    with pytest.raises(InvalidInput, match="target 'odd': 3 is not a mnemo_lab"):
        find_target("odd")


def test_a_target_need_not_be_registered() -> None:
    [one, two] = validate_for(talk(user(), calls("c1"), result("c1")), MINE)
    assert one.sentence() == 'My server refuses "c1": it must match [0-9]{4}'
    assert two.sentence("zh") == 'My server 拒绝 "c1"：必须匹配 [0-9]{4}'


def test_rules_that_could_not_be_repaired_are_refused() -> None:
    with pytest.raises(InvalidInput, match=r"target 'x': turns \[\('tool', 'assistant'\)\] are unknown"):
        Target(name="x", title="X", refused_turns=frozenset({("tool", "assistant")}))
    with pytest.raises(InvalidInput, match="parallel_calls=False needs pairing='refused'"):
        Target(name="x", title="X", pairing="misread", parallel_calls=False)
    narrow = Target(name="narrow", title="Narrow", call_id=Identifier("a", 1, 1))
    with pytest.raises(InvalidInput, match=r'no text of the form \[a\]\{1\} could be made from "c1"'):
        repair(talk(user(), calls("c1"), result("c1")), narrow)


def test_patterns() -> None:
    assert Identifier("a-z", 9, 9).pattern == "[a-z]{9}"
    assert Identifier("a-z", longest=64, first="a").pattern == "(?=[a])[a-z]{1,64}"
    assert Identifier(longest=None).matches("\n号 ") and not Identifier().matches("")
