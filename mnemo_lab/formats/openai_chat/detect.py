"""Whether a file holds Chat Completions messages, and the look at a sample that other formats share."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final, NamedTuple

from mnemo_lab.formats.base import Detection, Sample

_LOOKED_AT: Final = 50
_ROLES: Final = frozenset({"system", "developer", "user", "assistant", "tool", "function"})
_PARTS: Final = frozenset({"image_url", "input_audio", "refusal"})
_OTHERS: Final = frozenset({"parts", "thread_id", "blocks", "additional_kwargs", "images", "tool_name", "thinking"})


class Look(NamedTuple):
    """The body and the entries of its list; the body is empty where the list stands alone."""

    body: Mapping[str, Any]
    entries: list[Mapping[str, Any]]


def look(sample: Sample, key: str) -> Look | None:
    """The first conversation of a sample, as a body with a list under ``key`` or as a bare list of objects."""
    first = sample.first
    if isinstance(first, Mapping) and isinstance(first.get(key), list):
        return Look(first, _objects(first[key]))
    if isinstance(first, list):
        return Look({}, _objects(first))
    if isinstance(sample.value, list):
        return Look({}, _objects(sample.value))
    return Look({}, _objects(sample.records)) if sample.value is None else None


def _objects(items: Iterable[Any]) -> list[Mapping[str, Any]]:
    return [item for _, item in zip(range(_LOOKED_AT), items, strict=False) if isinstance(item, Mapping)]


def blocks(entries: Iterable[Mapping[str, Any]], key: str = "content") -> Iterator[Mapping[str, Any]]:
    """The parts of all messages."""
    for entry in entries:
        content = entry.get(key)
        yield from (part for part in (content if isinstance(content, list) else ()) if isinstance(part, Mapping))


def calls(entries: Iterable[Mapping[str, Any]]) -> Iterator[Mapping[str, Any]]:
    """The functions that are called in ``tool_calls``."""
    for call in blocks(entries, "tool_calls"):
        function = call.get("function")
        if isinstance(function, Mapping):
            yield function


def detect(sample: Sample) -> Detection | None:
    """Judge by keys no other format has; plain roles and texts fit many formats and score low."""
    found = look(sample, "messages")
    if found is None or not found.entries or not all(entry.get("role") in tuple(_ROLES) for entry in found.entries):
        return None
    if not all("content" in entry or "tool_calls" in entry or "function_call" in entry for entry in found.entries):
        return None
    if any(_OTHERS & entry.keys() for entry in found.entries) or "system" in found.body:
        return Detection(0.2, "messages with roles, and keys of another format")
    return _by_signs(found)


def _by_signs(found: Look) -> Detection:
    kinds = {part.get("type") for part in blocks(found.entries)}
    if kinds & {"tool_use", "tool_result", "image", "document", "thinking"}:
        return Detection(0.2, "messages with roles, and content blocks of another format")
    arguments = [call.get("arguments") for call in calls(found.entries)]
    if any(isinstance(item, Mapping) for item in arguments):
        return Detection(0.3, "messages whose tool calls have arguments as objects, not as JSON text")
    signs = ["tool calls with arguments as JSON text"] if arguments else []
    signs += [f"parts of type {kind}" for kind in sorted(_PARTS & {k for k in kinds if isinstance(k, str)})]
    signs += [f"messages with {key}" for key in ("tool_call_id", "function_call") if _has(found, key)]
    signs += ["role developer"] if any(entry["role"] == "developer" for entry in found.entries) else []
    if signs:
        return Detection(0.9, ", ".join(signs))
    return Detection(0.6, "messages with roles and text; other formats look the same where nothing else is said")


def _has(found: Look, key: str) -> bool:
    return any(key in entry for entry in found.entries)
