"""Thoughts stand in nodes of their own before the answer or call they led to; here they become part of it."""

from __future__ import annotations

from typing import Any, Final, NamedTuple

from mnemo_lab.formats.chatgpt.nodes import Tree

KINDS: Final = ("thoughts", "reasoning_recap")


class Reasoning(NamedTuple):
    """Gathered on the way down a path: entries for ``extensions["reasoning"]``, and what was shown in their place."""

    entries: tuple[dict[str, Any], ...] = ()
    recap: str = ""


def kind_of(message: dict[str, Any]) -> str | None:
    """The content type, where it is one of reasoning."""
    content = message.get("content")
    kind = content.get("content_type") if isinstance(content, dict) else None
    return kind if kind in KINDS else None


def joins_its_children(tree: Tree, key: str) -> bool:
    """Whether everything that follows a node of reasoning is the assistant's, so that no thought loses its place."""
    children = tree.children.get(key)
    if not children:
        return False
    return all(_is_assistant(tree.messages.get(child)) for child in children)


def _is_assistant(message: dict[str, Any] | None) -> bool:
    author = message.get("author") if message else None
    return isinstance(author, dict) and author.get("role") == "assistant"


def add(before: Reasoning, message: dict[str, Any], kind: str, model: str | None) -> Reasoning:
    """The reasoning before a node and its own."""
    content = message["content"]
    if kind == "reasoning_recap":
        recap = content.get("content")
        return before._replace(recap=recap) if isinstance(recap, str) and recap else before
    thoughts = content.get("thoughts")
    origin = {"provider": "openai"} | ({"model": model} if model else {})
    texts = map(_text, thoughts if isinstance(thoughts, list) else ())
    return before._replace(entries=(*before.entries, *({"text": text, **origin} for text in texts if text)))


def _text(thought: Any) -> str:
    if isinstance(thought, str):
        return thought
    if not isinstance(thought, dict):
        return ""
    parts = (thought.get("summary"), thought.get("content"))
    return "\n\n".join(part for part in parts if isinstance(part, str) and part)
