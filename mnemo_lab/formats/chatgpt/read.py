"""Read an export: a conversation's object to a conversation."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from mnemo_lab.conversation import Conversation
from mnemo_lab.formats.base import Reading
from mnemo_lab.formats.chatgpt.assets import Assets
from mnemo_lab.formats.chatgpt.content import FORMAT, filled
from mnemo_lab.formats.chatgpt.exports import latest_leaf, mapping_of, read_export, text_or_none, with_leaf
from mnemo_lab.formats.chatgpt.instructions import system_prompt
from mnemo_lab.formats.chatgpt.messages import Builder
from mnemo_lab.formats.chatgpt.nodes import grow, number_of
from mnemo_lab.formats.source import Source
from mnemo_lab.losses import Loss, loss

_READ: Final = frozenset({"mapping", "title", "id", "conversation_id", "current_node", "default_model_slug"})


def read(source: Source) -> Iterator[Reading]:
    """Every conversation; memory stays that of the largest one and its attachments."""
    assets = Assets(source)

    def convert(value: dict[str, Any], where: str, losses: list[Loss]) -> Conversation:
        assets.start()
        conversation = _conversation(value, where, assets, losses)
        losses += assets.losses
        assets.losses.clear()
        return conversation

    return read_export(source, convert)


def _conversation(value: dict[str, Any], where: str, assets: Assets, losses: list[Loss]) -> Conversation:
    mapping = mapping_of(value)
    current = value.get("current_node")
    current = current if isinstance(current, str) and current in mapping else None
    tree = grow(mapping, current, _time, where, losses)
    prompt = system_prompt(tree.path(current) if current else tree.order, tree.messages, where)
    losses += prompt.losses
    builder = Builder(tree, prompt, where, assets, losses)
    messages = builder.build()
    if not messages:
        losses.append(loss("empty_conversation", pointer=f"{where}/mapping"))
    leaf = builder.states[current].anchor if current else None
    leaf = leaf or latest_leaf(messages, tree, _time, f"{where}/current_node", losses)
    own = filled(value, _READ)
    conversation = Conversation(
        messages=tuple(messages),
        id=text_or_none(value.get("conversation_id")) or text_or_none(value.get("id")) or "",
        title=text_or_none(value.get("title")),
        model=(builder.states[leaf].model if leaf else None) or text_or_none(value.get("default_model_slug")),
        system_prompt=prompt.text,
        extensions={FORMAT: own} if own else {},
    )
    return with_leaf(conversation, leaf, tree)


def _time(message: Mapping[str, Any]) -> float | None:
    return number_of(message.get("create_time"))
