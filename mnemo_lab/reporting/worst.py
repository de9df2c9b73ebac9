"""Worst probes: what the best strategy loses although there was room for it, and what every strategy loses."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import TYPE_CHECKING, Final

from mnemo_lab.conversation import Message
from mnemo_lab.recording import Probe, Recording
from mnemo_lab.replay.reference import ORACLE
from mnemo_lab.replay.run import Run
from mnemo_lab.reporting.selection import contenders, headline_rows
from mnemo_lab.reporting.summary import METRIC
from mnemo_lab.reporting.wording import shorten

if TYPE_CHECKING:
    import polars as pl

MOST: Final = 12
RETRIEVED: Final = 5
TEXT: Final = 220


@dataclass(frozen=True, slots=True)
class Shown:
    """A message in short. ``rank`` is its place in the strategy's shortlist, from 1; ``None`` where it is not in it."""

    role: str
    time: str
    text: str
    rank: int | None = None
    is_evidence: bool = False


@dataclass(frozen=True, slots=True)
class Case:
    """One lost probe. ``kept`` is the strategy's evidence recall; ``retrieved`` is empty where nothing is ranked."""

    recording: str
    language: str
    probe: str
    category: str
    question: str
    answer: str
    kept: float
    evidence: tuple[Shown, ...]
    retrieved: tuple[Shown, ...] = ()


@dataclass(frozen=True, slots=True)
class Worst:
    """``lost`` and ``hopeless`` count all such probes of ``asked``; the cases are a sample over categories."""

    strategy: str | None
    budget: int
    asked: int = 0
    lost: int = 0
    cases: tuple[Case, ...] = ()
    hopeless: int = 0
    hopeless_cases: tuple[Case, ...] = ()


def worst(run: Run, strategy: str | None, most: int = MOST) -> Worst:
    """Look at answerable headline probes at the primary budget that the oracle keeps whole.

    A probe is lost where the strategy keeps less than all of its evidence, and hopeless where no strategy keeps any.
    """
    import polars as pl

    budget = run.grid.primary
    rows = headline_rows(run).filter((pl.col("budget_tokens") == budget) & pl.col(METRIC).is_not_null())
    reachable = rows.filter((pl.col("strategy") == ORACLE) & (pl.col(METRIC) == 1)).select("recording", "probe")
    chosen = contenders(run, rows)
    if strategy not in chosen or not reachable.height:
        return Worst(None, budget)
    rows = rows.join(reachable, on=["recording", "probe"], how="semi", maintain_order="left")
    own = rows.filter(pl.col("strategy") == strategy)
    lost = own.filter(pl.col(METRIC) < 1)
    best = rows.filter(pl.col("strategy").is_in(chosen)).group_by("recording", "probe").agg(pl.col(METRIC).max())
    nothing = own.join(best.filter(pl.col(METRIC) == 0), on=["recording", "probe"], how="semi", maintain_order="left")
    return Worst(
        strategy,
        budget,
        own.height,
        lost.height,
        _cases(run, strategy, _over_categories(lost, most)),
        nothing.height,
        _cases(run, None, _over_categories(nothing, most)),
    )


def _over_categories(rows: pl.DataFrame, most: int) -> list[tuple[str, str, float]]:
    """Recording, probe and recall of the worst of each category, then the second of each, and so on."""
    import polars as pl

    mixed = [
        blake2b(f"{r}/{p}".encode(), digest_size=8).hexdigest()
        for r, p in rows.select("recording", "probe").iter_rows()
    ]
    ordered = rows.with_columns(pl.Series("_mixed", mixed, dtype=pl.String)).sort(
        [METRIC, "answer_in_context", "_mixed"]
    )
    place = pl.int_range(pl.len()).over("category")
    chosen = ordered.with_columns(place.alias("_place")).sort(["_place", "category"], maintain_order=True).head(most)
    return list(chosen.sort("category", maintain_order=True).select("recording", "probe", METRIC).iter_rows())


def _cases(run: Run, strategy: str | None, wanted: Sequence[tuple[str, str, float]]) -> tuple[Case, ...]:
    recordings = {recording.id: recording for recording in run.dataset.recordings}
    messages: dict[str, list[Message]] = {}
    found = []
    for name, probe_id, kept in wanted:
        recording = recordings[name]
        seen = messages.setdefault(name, list(recording.messages()))
        probe = next(p for p in recording.probes if p.id == probe_id)
        found.append(_case(recording, probe, kept, seen, _ranking(run, name, strategy, probe_id)))
    return tuple(found)


def _ranking(run: Run, recording: str, strategy: str | None, probe: str) -> list[int]:
    """Positions from best to worst; empty where the strategy does not rank or nothing was kept."""
    stored = run.shortlists(recording, strategy) if strategy else None
    candidates = stored.by_probe.get(probe) if stored else None
    return [] if candidates is None else [int(p) for p in candidates.ranking]


def _case(recording: Recording, probe: Probe, kept: float, messages: list[Message], ranking: list[int]) -> Case:
    ranks = {position: rank for rank, position in enumerate(ranking, 1)}
    places = {message.id: position for position, message in enumerate(messages)}
    gold = sorted(places[e] for e in probe.evidence)
    return Case(
        recording.id,
        recording.language,
        probe.id,
        probe.category,
        probe.question,
        probe.answer or "",
        kept,
        tuple(_shown(messages[p], ranks.get(p), True, _answer_at(probe, messages[p])) for p in gold),
        tuple(_shown(messages[p], ranks[p], p in gold) for p in ranking[:RETRIEVED]),
    )


def _answer_at(probe: Probe, message: Message) -> int:
    """Where the answer begins in an evidence message: its labelled span, or the answer as written; else 0."""
    starts = [span.start for span in probe.spans if span.message_id == message.id]
    starts += [at for answer in probe.answers if (at := message.text.find(answer)) >= 0]
    return starts[0] if starts else 0


def _shown(message: Message, rank: int | None, is_evidence: bool, at: int = 0) -> Shown:
    role, time = message.name or message.role, (message.timestamp or "")[:16].replace("T", " ")
    return Shown(role, time, around(message.text, at, TEXT), rank, is_evidence)


def around(text: str, at: int, length: int) -> str:
    """One line of about ``length`` characters in which position ``at`` is seen."""
    if at <= length // 2:
        return shorten(text, length)
    start = at - length // 4
    return "…" + shorten(text[start:], length - 1)
