"""Recordings cut into stretches as checkpoints are, without vectors."""

from __future__ import annotations

from functools import cache
from typing import Final

from mnemo_lab.conversation import Message
from mnemo_lab.history import History
from mnemo_lab.hydration.segments import Segmenter
from mnemo_lab.hydration.triggers.combine import parse_trigger
from mnemo_lab.recording import Recording
from mnemo_lab.services import Services, ServicesSpec

TRIGGER: Final = "every(n=5) and cue() or every(n=10) or gap(hours=6)"


@cache
def services() -> Services:
    return ServicesSpec(embedder="hashing", cache="").open()


def stretches(recording: Recording) -> list[list[Message]]:
    """In time order; together they are the recording."""
    found = []
    for conversation in recording.conversations:
        history = History(services())
        history.begin(conversation.info)
        history.extend(conversation.messages)
        segmenter = Segmenter(parse_trigger(TRIGGER), services())
        segments = segmenter.observe(history, 0) + segmenter.end()
        found += [history.messages[segment.start : segment.stop] for segment in segments]
    return found
