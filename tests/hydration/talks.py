"""Small histories and turns for tests of triggers and segments."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from mnemo_lab.conversation import ConversationInfo, Message
from mnemo_lab.history import History
from mnemo_lab.hydration.segments import Segment, Segmenter, words_in
from mnemo_lab.hydration.triggers.base import Trigger, Turns, TurnSeen
from mnemo_lab.services import Services
from tests.base.messages import new_services


def history_of(messages: Sequence[Message], services: Services | None = None) -> History:
    history = History(services or new_services())
    history.begin(ConversationInfo("c"))
    history.extend(messages)
    return history


def users(*texts: str) -> list[Message]:
    return [Message("user", text, f"m{number}") for number, text in enumerate(texts)]


def cut(
    messages: Sequence[Message], trigger: Trigger, delay: int = 0, vectors: Sequence[Any] | None = None
) -> list[Segment]:
    """Segments of one conversation."""
    segmenter = segmenter_of(trigger, delay, vectors)
    return [*segmenter.observe(history_of(messages), 0), *segmenter.end()]


def segmenter_of(trigger: Trigger, delay: int = 0, vectors: Sequence[Any] | None = None) -> Segmenter:
    rows = None if vectors is None else [np.asarray(row, dtype=np.float32) for row in vectors]
    return Segmenter(trigger, new_services(), delay, None if rows is None else rows.__getitem__)


def openings(*texts: str, services: Services | None = None) -> Turns:
    """Turns of one user message each."""
    turns = Turns(services)
    for at, text in enumerate(texts):
        turns.append(TurnSeen(at, at + 1, text, "user", words_in(text), [text]))
    return turns
