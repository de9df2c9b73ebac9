"""Where the block stands and what a small reader makes of it: before, within or behind the current conversation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from evals.memory.answers import needles_of
from evals.memory.scenarios import MemoryProbe
from evals.memory.world import Remembered
from mnemo_lab.answering.reader import INSTRUCTION, QUESTION
from mnemo_lab.conversation import Message
from mnemo_lab.memory.inject import POSITIONS
from mnemo_lab.packing.lines import speaker_of
from mnemo_lab.text.answers import contains
from mnemo_lab.text.normalise import normalise

if TYPE_CHECKING:
    from mnemo_lab.services import Services

READER: Final = "local:smollm2"
CASSETTE: Final = Path(__file__).with_name("smollm2.jsonl")
ROOM, PROBES, TURNS, ANSWER = 400, 24, 6, 24
"""Tokens of the block, questions, messages of another conversation around it, tokens of an answer."""
TASK: Final = "answer"


@dataclass(frozen=True)
class Read:
    """Of ``asked`` questions whose answer stands in the block, the reader's answer holds it in ``right``."""

    position: str
    asked: int
    right: int


def read(made: Sequence[Remembered], services: Services) -> list[Read]:
    """English questions; the conversation around the block is the next scenario's last messages."""
    shown = []
    for at, one in enumerate(made):
        talk = made[(at + 1) % len(made)].scenario.conversations[-1].messages[-TURNS:]
        for probe in one.scenario.probes:
            block = one.memory.inject(probe.question, probe.asked_at, ROOM, services.count)
            if probe.as_of is None and any(contains(normalise(block.text), n) for n in needles_of(probe)):
                shown.append((probe, block.text, talk))
    shown = shown[:PROBES]
    rows = []
    for position in POSITIONS:
        right = 0
        for probe, text, talk in shown:
            said = services.ask([prompt(probe, text, talk, position)], ANSWER, TASK).text
            right += any(contains(normalise(said), needle) for needle in needles_of(probe))
        rows.append(Read(position, len(shown), right))
    return rows


def prompt(probe: MemoryProbe, block: str, talk: Sequence[Message], position: str) -> Message:
    """Block and conversation as one text, in the order of ``position``, and the question behind them."""
    lines = [f"{speaker_of(message)}: {message.text}\n" for message in talk]
    at = {"start": 0, "middle": max(len(lines) - 2, 0), "end": len(lines)}[position]
    text = "".join([*lines[:at], block, *lines[at:]])
    return Message("user", f"{text}\n{INSTRUCTION['en']}\n{QUESTION['en'].format('', probe.question)}")
