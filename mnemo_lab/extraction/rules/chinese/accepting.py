"""A short yes to what the assistant proposed: 好，就这么定."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from mnemo_lab.conversation import Message
from mnemo_lab.extraction.base import Fact
from mnemo_lab.extraction.rules.chinese.lexicon import VALUE, mentions, mood

_YES: Final = mood("yes")
_PROPOSAL: Final = mood("proposal")


def accepted(message: Message, text: str, before: Sequence[Message]) -> list[Fact]:
    """The one thing proposed in the last answer, where the message accepts it and nothing else was proposed."""
    last = before[-1] if before else None
    if last is None or last.role != "assistant" or not _YES.match(text):
        return []
    found = {}
    for proposal in _PROPOSAL.finditer(last.text):
        for known in mentions(proposal["v"]):
            if known.kind == VALUE:
                found[proposal["v"][known.start : known.end].lower()] = (proposal["v"][known.start : known.end], known)
                break
    if len(found) != 1:
        return []
    ((value, known),) = found.values()
    content = f"决定：{known.attribute}用{value}"
    return [
        Fact(
            "decision", "项目", known.attribute.lower(), value, content, "zh", message.id, confidence=0.6, changes=True
        )
    ]
