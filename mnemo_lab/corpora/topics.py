"""Where topics begin: a label on messages, as data sets for segmentation have it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from mnemo_lab.conversation import Message

TOPIC_KEY: Final = "topic"
"""Extension key under which a message names the stretch of talk it belongs to; no two stretches share a name."""


def starts_of(messages: Sequence[Message], key: str = TOPIC_KEY) -> list[int]:
    """Positions whose label differs from the one before: where a topic (or with ``session``, a session) opens."""
    labels = [message.extensions.get(key) for message in messages]
    return [at for at in range(1, len(labels)) if labels[at] != labels[at - 1]]
