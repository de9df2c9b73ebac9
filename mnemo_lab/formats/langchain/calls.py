"""Calls of one AI message, which LangChain saves in up to four places at once."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from mnemo_lab.formats.lists.values import arguments_of, object_of


class RawCall(NamedTuple):
    """A call as one of the places has it; ``extra`` is what else stood there."""

    id: str | None
    name: str
    arguments: str
    good: bool
    extra: dict[str, Any]


def calls_of(data: dict[str, Any], blocks: list[dict[str, Any]]) -> tuple[list[RawCall], int]:
    """Every call once, and how many stood again: by id, or by name and arguments where one has no id.

    Takes what it reads out of ``data``. ``tool_calls`` comes first, then what could not be parsed (``invalid``), then
    blocks and what a provider sent (``additional_kwargs``).
    """
    kept: list[RawCall] = []
    again = 0
    for place in _places(data, blocks):
        new = [call for call in place if not any(_same(call, other) for other in kept)]
        again += len(place) - len(new)
        kept += new
    return kept, again


def _same(call: RawCall, other: RawCall) -> bool:
    if call.id and other.id:
        return call.id == other.id
    values = object_of(call.arguments), object_of(other.arguments)
    alike = call.arguments == other.arguments if None in values else values[0] == values[1]
    return call.name == other.name and alike


def _places(data: dict[str, Any], blocks: list[dict[str, Any]]) -> Iterator[list[RawCall]]:
    whole, invalid = data.pop("tool_calls", None), data.pop("invalid_tool_calls", None)
    if pieces := list(_chunks(data.pop("tool_call_chunks", None))):
        yield pieces  # of a stream; LangChain's other two lists only guess at them, piece by piece
    else:
        yield [call for item in _dicts(whole) for call in _read(item, "args")]
        yield [call for item in _dicts(invalid) for call in _invalid(item)]
    yield [call for block in blocks for call in _block(block)]
    yield list(_from_provider(data))


def _invalid(item: dict[str, Any]) -> Iterator[RawCall]:
    error = item.get("error")
    for call in _read({key: value for key, value in item.items() if key != "error"}, "args"):
        mark = {"invalid": True} | ({"error": error} if error is not None else {})
        yield call._replace(extra=call.extra | mark)


def _block(block: dict[str, Any]) -> Iterator[RawCall]:
    key = next((key for key in ("input", "args", "arguments") if key in block), "args")
    yield from _read(
        {"id": block.get("call_id") or block.get("id"), "name": block.get("name"), key: block.get(key)}, key
    )


def _from_provider(data: dict[str, Any]) -> Iterator[RawCall]:
    kwargs = data.get("additional_kwargs")
    if not isinstance(kwargs, dict):
        return
    left = dict(kwargs)
    for item in _dicts(left.pop("tool_calls", None)):
        function = item.get("function")
        yield from _read({"id": item.get("id"), **(function if isinstance(function, dict) else {})}, "arguments")
    if isinstance(left.get("function_call"), dict):
        yield from _read(left.pop("function_call"), "arguments")
    data["additional_kwargs"] = left


def _chunks(raw: Any) -> Iterator[RawCall]:
    """Pieces of calls put together by their index; a piece with a new id starts a new call."""
    pieces: dict[Any, dict[str, Any]] = {}
    for position, item in enumerate(_dicts(raw)):
        key = item.get("index") if item.get("index") is not None else f"#{position}"
        call = pieces.setdefault(str(key), {"id": None, "name": "", "args": ""})
        call["id"] = call["id"] or item.get("id")
        for field in ("name", "args"):
            call[field] += item[field] if isinstance(item.get(field), str) else ""
    for call in pieces.values():
        yield from _read(call, "args")


def _read(item: dict[str, Any], key: str) -> Iterator[RawCall]:
    id_, name = item.get("id"), item.get("name")
    name = name if isinstance(name, str) else ""
    if not (name or id_ or item.get(key)):
        return
    text, good = arguments_of(item.get(key))
    extra = {field: value for field, value in item.items() if field not in ("id", "name", "type", key)}
    yield RawCall(str(id_) if id_ else None, name, text, good, extra)


def _dicts(value: Any) -> list[dict[str, Any]]:
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []
