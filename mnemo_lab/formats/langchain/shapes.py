"""The shapes a LangChain message is saved in, brought to one: its type, and its fields."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final, NamedTuple

NAME: Final = "langchain"
TYPES: Final = frozenset({"human", "ai", "system", "tool", "function", "chat", "remove", "developer"})
_DEEPEST: Final = 4


class Shape(NamedTuple):
    """A message's type in lower case, its fields as a copy, whether it is a chunk, and where the fields stand in it."""

    type: str
    data: dict[str, Any]
    chunk: bool
    where: str


def messages_in(value: Any, level: int = 0) -> list[Any] | None:
    """The list of messages of a document: itself, that of a state or a prompt value, or ``None``."""
    if isinstance(value, list):
        return value
    if not isinstance(value, dict) or level == _DEEPEST:
        return None
    if isinstance(value.get("messages"), list):
        return list(value["messages"])
    boxes = (value.get(key) for key in ("kwargs", "values", "channel_values", "data"))
    return next((found for box in boxes if (found := messages_in(box, level + 1)) is not None), None)


def shape_of(raw: Any) -> Shape | None:
    """A message in any of its shapes; ``None`` where it is none of them."""
    if not isinstance(raw, dict):
        return None
    if "lc" in raw:
        path, fields = raw.get("id"), raw.get("kwargs")
        if not isinstance(path, list) or not path or not isinstance(fields, dict):
            return None
        return _named(str(path[-1]), fields, "/kwargs")
    kind, data = raw.get("type"), raw.get("data")
    if isinstance(kind, str) and isinstance(data, dict):
        return _named(kind, data, "/data")
    if isinstance(kind, str) and "content" in raw:
        return _named(kind, raw, "")
    return None


def _named(kind: str, fields: dict[str, Any], where: str) -> Shape:
    chunk = kind.endswith("MessageChunk")
    short = kind.removesuffix("Chunk").removesuffix("Message").lower() or kind
    return Shape(short, {key: value for key, value in fields.items() if key != "type"}, chunk, where)


def is_message(value: Any) -> bool:
    """Whether this is a message rather than a document with several."""
    found = shape_of(value)
    return found is not None and (found.type in TYPES or found.chunk or isinstance(found.data.get("content"), str))


def joined(shapes: list[tuple[int, Shape]]) -> Iterator[tuple[int, Shape, int]]:
    """Messages with their positions; chunks of one stream (same id, in a row) as one, and of how many."""
    held: tuple[int, Shape, int] | None = None
    for position, shape in shapes:
        if held and _continues(held[1], shape):
            held = (held[0], _together(held[1], shape), held[2] + 1)
            continue
        if held:
            yield held
        held = (position, shape, 1)
    if held:
        yield held


def _continues(first: Shape, second: Shape) -> bool:
    same = first.type == second.type and bool(first.data.get("id")) and first.data["id"] == second.data.get("id")
    return first.chunk and second.chunk and same


def _together(first: Shape, second: Shape) -> Shape:
    data = {**second.data, **{key: value for key, value in first.data.items() if value not in (None, "", [], {})}}
    data["content"] = _contents(first.data.get("content"), second.data.get("content"))
    for key in ("tool_calls", "invalid_tool_calls", "tool_call_chunks"):
        data[key] = _list(first.data.get(key)) + _list(second.data.get(key))
    return first._replace(data=data)


def _contents(first: Any, second: Any) -> Any:
    if isinstance(first, str) and isinstance(second, str):
        return first + second
    return _blocks(first) + _blocks(second)


def _blocks(content: Any) -> list[Any]:
    return content if isinstance(content, list) else [content] if content else []


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []
