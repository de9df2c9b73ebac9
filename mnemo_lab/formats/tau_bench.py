"""tau-bench: recorded trials of an agent with tools, ``[{task_id, reward, info, traj: [messages], trial}]``.

Task, reward and trial are kept under ``extensions["tau-bench"]``; they are gold, and no message shows them.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from mnemo_lab.conversation import Conversation
from mnemo_lab.formats.base import Detection, Reading, Sample
from mnemo_lab.formats.faults import Refused, shorten
from mnemo_lab.formats.lists.each import readings
from mnemo_lab.formats.lists.messages import MessageReader, conversation_of
from mnemo_lab.formats.source import Source
from mnemo_lab.losses import Loss, loss

name: Final = "tau-bench"
title: Final = "tau-bench trajectories"


def detect(sample: Sample) -> Detection | None:
    first = sample.first
    if not isinstance(first, dict) or not isinstance(first.get("traj"), list):
        return None
    if "task_id" in first and "reward" in first:
        return Detection(0.98, "has task_id, reward and traj")
    return Detection(0.7, "has traj")


def read(source: Source) -> Iterator[Reading]:
    """Every trial, one at a time; raises ``InvalidInput`` where nothing can be read."""
    return readings(source, lambda value: False, _conversation)


def _conversation(value: Any, losses: list[Loss]) -> Conversation:
    raw = value.get("traj") if isinstance(value, dict) else None
    if not isinstance(raw, list):
        raise Refused("", [f'{shorten(value)} is no trial; expected {{"task_id": …, "traj": [messages]}}'])
    left = {key: item for key, item in value.items() if key != "traj"}
    inner: list[Loss] = []
    messages = MessageReader(name, inner).read(raw)
    losses += [_in_traj(item) for item in inner]
    if not messages:
        losses.append(loss("empty_conversation", pointer="/traj"))
    return conversation_of(messages, name, left, id=_id(left))


def _id(left: dict[str, Any]) -> str:
    """Task and trial, because a file holds several trials of each task."""
    parts = [f"{key}-{left[name]}" for key, name in (("task", "task_id"), ("trial", "trial")) if name in left]
    return "-".join(parts)


def _in_traj(item: Loss) -> Loss:
    where = (item.pointer or "").replace("/messages/", "/traj/", 1) if item.pointer else None
    return Loss(item.code, item.message_id, where, item.values)
