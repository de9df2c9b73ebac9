"""Read Codex rollouts: a file, or every file of a folder or archive."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import PurePosixPath
from typing import Final

from mnemo_lab.formats.base import Reading
from mnemo_lab.formats.codex.rollout import NAME, Rollout
from mnemo_lab.formats.histories.reading import each, gather, guarded
from mnemo_lab.formats.source import Source

name: Final = NAME


def read(source: Source) -> Iterator[Reading]:
    """One conversation a file; raises ``InvalidInput`` where there is none."""
    members = list(source.members) if source.is_file else source.ending(".jsonl")
    return each(source, members, _member, "Codex rollouts (.jsonl)")


def _member(source: Source, member: str) -> Iterator[Reading]:
    rollout = Rollout(source.place(member))
    gather(source, member, rollout, "Codex rollout")

    def build() -> Reading:
        conversation = rollout.conversation(PurePosixPath(member).stem)
        return Reading(conversation, rollout.ledger.losses, None, rollout.place)

    yield guarded(rollout.place, None, build)
