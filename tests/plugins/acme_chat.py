"""A third party's format: lines of ``who> what``. Shows what a plug-in needs, and nothing more."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from mnemo_lab.conversation import Conversation, Message
from mnemo_lab.formats.base import Detection, Reading, Sample
from mnemo_lab.formats.source import Source

name: Final = "acme-chat"
title: Final = "ACME chat log"


def detect(sample: Sample) -> Detection | None:
    named = any(member.endswith(".acme") for member in sample.members)
    return Detection(0.95, "its name ends in .acme") if named else None


def read(source: Source) -> Iterator[Reading]:
    for member in source.members:
        lines = source.bytes(member).decode("utf-8", "replace").splitlines()
        spoken = (line.partition("> ") for line in lines if "> " in line)
        messages = tuple(Message("user" if who == "me" else "assistant", what) for who, _, what in spoken)
        yield Reading(Conversation(messages, title=member), (), None, source.place(member))
