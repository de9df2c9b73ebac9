"""Read Claude Code sessions: a file, or every file of a folder or archive."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from pathlib import PurePosixPath
from typing import Final

from mnemo_lab.formats.base import Reading
from mnemo_lab.formats.claude_code.build import conversation_of
from mnemo_lab.formats.claude_code.session import NAME, Chain, Session
from mnemo_lab.formats.histories.reading import each, gather, guarded
from mnemo_lab.formats.source import Source

name: Final = NAME


def read(source: Source) -> Iterator[Reading]:
    """The session, then the subagents that stand in the same file; raises ``InvalidInput`` where there is none."""
    members = list(source.members) if source.is_file else source.ending(".jsonl")
    return each(source, members, _member, "Claude Code sessions (.jsonl)")


def _member(source: Source, member: str) -> Iterator[Reading]:
    session = Session(source.place(member))
    gather(source, member, session, "Claude Code session")
    for number, chain in enumerate(session.spoken_chains()):
        place = f"{session.place}#{chain.agent}" if chain.agent else session.place
        reading = guarded(place, None, partial(_reading, session, chain, place, PurePosixPath(member).stem))
        # What was lost outside of messages stands with the first conversation of the file.
        yield reading if number else replace(reading, losses=(*session.ledger.losses, *reading.losses))


def _reading(session: Session, chain: Chain, place: str, stem: str) -> Reading:
    return Reading(conversation_of(session, chain, stem), chain.ledger.losses, None, place)
