"""Which format a source has: every format's own judgement, ranked, with reasons; never a silent guess."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from typing import Any, Final

from mnemo_lab.errors import InvalidInput
from mnemo_lab.formats.base import Detection, Format, Sample, Writer
from mnemo_lab.formats.faults import shorten, shorten_text
from mnemo_lab.formats.samples import sample_of
from mnemo_lab.formats.source import Source
from mnemo_lab.registry import names, resolve

ENOUGH: Final = 0.5
APART: Final = 0.1
ALIASES: Final = {"mnemosyne": "portable"}
_BESIDE: Final = {"csv": "mnemo_lab.formats.csv_messages"}
"""Formats that stand in no table: read by us, and no tool's own."""

__all__ = ["Candidate", "candidates", "choose", "format_named", "readable", "sample_of", "writable", "writer_named"]


@dataclass(frozen=True, slots=True)
class Candidate:
    """A format that a source may have: how sure, from 0 to 1, and why."""

    name: str
    score: float
    reason: str


def readable() -> list[str]:
    """Names of the formats that can be read."""
    return [name for name in known() if isinstance(_load(name), Format)]


def writable() -> list[str]:
    """Names of the formats that can be written."""
    return [name for name in known() if isinstance(_load(name), Writer)]


def known() -> list[str]:
    """Every name that ``--from`` or ``--to`` takes, aliases apart."""
    return sorted({*names("format"), *_BESIDE})


def _load(name: str) -> Any:
    return import_module(_BESIDE[name]) if name in _BESIDE else resolve("format", name)


def format_named(name: str) -> Format:
    """The reader by its name; raises ``InvalidInput`` naming what can be read."""
    found = _load(ALIASES.get(name, name))
    if not isinstance(found, Format):
        raise InvalidInput(f"format {name!r} can be written but not read; readable: {', '.join(readable())}")
    return found


def writer_named(name: str) -> Writer:
    """The writer by its name; raises ``InvalidInput`` naming what can be written."""
    found = _load(ALIASES.get(name, name))
    if not isinstance(found, Writer):
        raise InvalidInput(f"format {name!r} can be read but not written; writable: {', '.join(writable())}")
    return found


def candidates(source: Source) -> list[Candidate]:
    """Every format that may fit, the surest first; ties in order of their names."""
    sample, found = sample_of(source), []
    for name in readable():
        judged = _judged(name, sample)
        if judged is not None and judged.score > 0:
            found.append(Candidate(name, judged.score, judged.reason))
    return sorted(found, key=lambda candidate: (-candidate.score, candidate.name))


def _judged(name: str, sample: Sample) -> Detection | None:
    """What a format makes of a sample; one that fails on it (a third party's, say) costs only its own vote."""
    try:
        judged: Detection | None = _load(name).detect(sample)
    except InvalidInput:
        raise
    except Exception as error:
        return Detection(0.01, f"its detection failed ({type(error).__name__})")
    return judged


def choose(source: Source, wanted: str | None = None) -> Format:
    """The format of a source, or the ``wanted`` one; raises ``InvalidInput`` where that is not clear."""
    if wanted is not None:
        return format_named(wanted)
    ranked = candidates(source)
    if not ranked or ranked[0].score < ENOUGH:
        raise InvalidInput(f"{source.path}: {_unknown(source, ranked)}")
    if len(ranked) > 1 and round(ranked[0].score - ranked[1].score, 6) < APART:
        head = "could be more than one format; name it with --from"
        raise InvalidInput(f"{source.path}: {head}:\n{_table(ranked)}")
    return format_named(ranked[0].name)


def _unknown(source: Source, ranked: list[Candidate]) -> str:
    known = f"readable: {', '.join(readable())}"
    if ranked:
        return f"no format fits well; name it with --from:\n{_table(ranked)}\n{known}"
    return f"no format fits ({_look(source)}); name it with --from; {known}"


def _table(ranked: list[Candidate]) -> str:
    return "\n".join(f"  --from {item.name:<18}{item.score:.2f}  {item.reason}" for item in ranked)


def _look(source: Source) -> str:
    """What was seen, for a user who wonders why nothing fits."""
    if not source.members:
        refused = f"; {source.losses[0].sentence()}" if source.losses else ""
        return f"nothing to read in it{refused}"
    sample: Sample = sample_of(source)
    if sample.sqlite:
        return "an SQLite database"
    if sample.first is not None:
        return f"its first value is {shorten(sample.first)}"
    return f"no JSON in {shorten_text(', '.join(source.members[:4]))}"
