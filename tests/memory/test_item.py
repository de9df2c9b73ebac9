"""``MemoryItem``: what it refuses, and its JSON."""

from __future__ import annotations

from typing import Any

import pytest

from mnemo_lab.errors import InvalidInput
from mnemo_lab.memory.item import MemoryItem, MessageRef, new_id
from tests.memory.material import item


@pytest.mark.parametrize(
    ("field", "value", "told"),
    [
        ("namespace", "", "needs a namespace"),
        ("content", "", "needs a content"),
        ("category", "", "needs a category"),
        ("created_at", "", "needs a created_at"),
        ("created_at", "yesterday", "created_at='yesterday' is no date; write it like 2026-03-31"),
        ("valid_to", "31.3.2026", "valid_to='31.3.2026' is no date"),
        ("importance", 0, "importance=0; use 1 to 5"),
        ("importance", 6, "importance=6; use 1 to 5"),
        ("confidence", 1.1, "confidence=1.1; use 0 to 1"),
        ("status", "gone", "use one of active, outdated, forgotten"),
        ("polarity", "maybe", "use one of positive, negative"),
    ],
)
def test_what_is_no_memory_is_refused(field: str, value: Any, told: str) -> None:
    with pytest.raises(InvalidInput, match=told):
        item(**{field: value})


def test_ids_are_made_and_differ() -> None:
    assert len({new_id() for _ in range(500)}) == 500
    assert len(item("").id) == 12 and item("").id != item("").id


def test_json_keeps_every_field() -> None:
    whole = item(
        value="茶", sources=(MessageRef("c", "m"),), flags=("edited",), valid_to="2026-05-01", superseded_by="b",
        status="outdated", polarity="negative", access_count=3, last_accessed_at="2026-04-01T10:00:00+08:00",
    )  # fmt: skip
    told = whole.to_json()
    assert told["sources"] == [["c", "m"]] and told["value"] == "茶"
    assert MemoryItem.from_json(told | {"unknown": 1}) == whole
    with pytest.raises(InvalidInput, match="no memory item"):
        MemoryItem.from_json({"namespace": "anna"})


def test_another_category_is_allowed() -> None:
    assert item(category="recipe").with_(value="soup").value == "soup"
