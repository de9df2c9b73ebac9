"""The answer in one paragraph, made from the numbers: what to use at which budget, and how sure that is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from mnemo_lab.replay.run import Run
from mnemo_lab.reporting import wording as say
from mnemo_lab.reporting.bands import MOST, SAME, Band, find_bands, say_band
from mnemo_lab.reporting.compare import compare, pair_of
from mnemo_lab.reporting.comparison import Against, Comparison
from mnemo_lab.reporting.selection import contenders, headline_rows
from mnemo_lab.reporting.summary import METRIC, summarise

if TYPE_CHECKING:
    import polars as pl

ALPHA: Final = 0.05
UNDECIDED: Final = "Undecided; highest evidence recall so far:"


@dataclass(frozen=True, slots=True)
class Verdict:
    """``headline`` is what to do, ``detail`` how sure it is; ``winner`` is ``None`` where there is none."""

    headline: str
    detail: str
    winner: str | None = None
    decided: bool = False
    bands: tuple[Band, ...] = ()

    @property
    def text(self) -> str:
        return f"{self.headline} {self.detail}".strip()


def verdict(run: Run) -> Verdict:
    """What the run says at its primary budget and over all; honest where it says nothing."""
    rows = headline_rows(run)
    chosen = contenders(run, rows)
    board = summarise(rows, ["strategy", "budget_tokens"])
    bands = find_bands(board, chosen)
    if not bands:
        return Verdict("No verdict.", _why_not(run, rows))
    found = compare(run)
    ranked = _ranked(found, chosen)
    if not ranked:
        where = f"No strategy has a defined {METRIC} at the primary budget of {found.budget:,} tokens."
        return Verdict(_headline(bands, chosen, UNDECIDED), where, bands=bands)
    sure = _is_decided(found, ranked[0])
    sentences = [
        _margin(found, ranked[0]),
        _runner_up(run, found, ranked),
        _frame(found),
        _answers(run, found, ranked[0], chosen),
        _cost(board, found, ranked[0]),
        _uneven(found, ranked),
        _failures(rows),
    ]
    winner = ranked[0].strategy
    return Verdict(
        _headline(bands, chosen, _opening(found, ranked[0], sure)),
        " ".join(filter(None, sentences)),
        winner,
        sure,
        bands,
    )


def _headline(bands: tuple[Band, ...], chosen: list[str], opening: str) -> str:
    return f"{opening} {'; '.join(say_band(band, chosen) for band in bands)}."


def _opening(found: Comparison, best: Against, sure: bool) -> str:
    """How much the numbers carry: a recommendation, a statement about these recordings, or neither."""
    if sure:
        return "Use"
    pair = best.pair
    if pair is not None and pair.difference > 0 and pair.p_permutation <= pair.smallest_p + 1e-12:
        return f"On these {pair.clusters} recordings:" if pair.clusters > 1 else "On this one recording:"
    return UNDECIDED


def _why_not(run: Run, rows: pl.DataFrame) -> str:
    if not run.rows.height:
        return "The run has no rows: nothing was replayed."
    if not rows.height:
        return "There is no answerable question on the recordings that claims are made on."
    if rows["error"].is_not_null().all():
        return f"Every strategy failed. {_failures(rows)}"
    return f"{METRIC} is not defined for any question: none has usable evidence."


def _ranked(found: Comparison, chosen: list[str]) -> list[Against]:
    """Contenders with a mean, best first; equal means in the run's order."""
    known = [row for row in found.rows if row.strategy in chosen and say.defined(row.mean)]
    return sorted(known, key=lambda row: -row.mean)


def _is_decided(found: Comparison, best: Against) -> bool:
    """Better than the baseline by Holm's p, and by an interval that leaves out zero."""
    if best.pair is None or not best.tested or best.strategy == found.baseline:
        return False
    return best.p_holm <= ALPHA and best.pair.lo > 0


def _margin(found: Comparison, best: Against) -> str:
    where = f"At {found.budget:,} tokens"
    size = f"{say.count(best.n, 'question')} of {say.count(best.clusters, 'recording')}"
    if best.pair is None:
        return f"{where} nothing beats the baseline {found.baseline} ({say.share(best.mean)}; {size})."
    tested = sum(row.tested for row in found.rows)
    span = say.interval(best.pair.lo, best.pair.hi, 2, sign=True)
    base = found[found.baseline]
    text = f"{where} {best.strategy} keeps {say.share(best.mean)} of the evidence word for word, {found.baseline} "
    text += f"{say.share(base.mean)}: {say.signed(best.pair.difference, 2)}"
    text += f" (95 % interval {span}; " if span else " ("
    if not best.tested:
        return f"{text}{size})."
    text += f"Holm-adjusted {say.p_equals(best.p_holm)} over {say.count(tested, 'strategy', 'strategies')}; {size})."
    return " ".join(filter(None, [text, _certainty(found, best)]))


def _certainty(found: Comparison, best: Against) -> str:
    from mnemo_lab.statistics.intervals import CONDITIONAL, FEWEST_CLUSTERS

    if best.pair is None or _is_decided(found, best):
        return ""
    size = say.count(best.pair.clusters, "recording")
    if best.pair.clusters < FEWEST_CLUSTERS:
        least = say.p_value(best.pair.smallest_p)
        return f"This is {CONDITIONAL}: {size} can give no p below {least} and no interval for others like them."
    floor = min(1.0, best.pair.smallest_p * sum(row.tested for row in found.rows))
    if floor > ALPHA:
        return f"With {size} and so many strategies the adjusted p cannot fall below {say.p_value(floor)}."
    return f"That is not enough to tell it from {found.baseline}."


def _runner_up(run: Run, found: Comparison, ranked: list[Against]) -> str:
    """Whether the second best is really behind; not adjusted, since it was picked by looking."""
    if len(ranked) < 2:
        return ""
    best, second = ranked[:2]
    pair = pair_of(run, best.strategy, second.strategy, METRIC, found.budget, found.split)
    if not pair.n:
        return ""
    span = say.interval(pair.lo, pair.hi, 3, sign=True)
    seen = "; ".join(
        filter(None, [f"95 % interval {span}" if span else "", f"unadjusted {say.p_equals(pair.p_permutation)}"])
    )
    ahead = pair.p_permutation <= ALPHA and pair.lo > 0
    call = (
        "a clear lead"
        if ahead
        else "the two cannot be told apart"
        if pair.lo == pair.lo
        else "no claim beyond these recordings"
    )
    lead = f"Over the runner-up {second.strategy} ({say.share(second.mean)}) that is {say.signed(pair.difference)}"
    return f"{lead} ({seen}): {call}."


def _frame(found: Comparison) -> str:
    """What a floor and a ceiling give at the same budget."""
    known = {row.strategy: say.share(row.mean) for row in found.rows if say.defined(row.mean)}
    floor = [f"{name} gives {known[name]}" for name in ("recent", "random") if name in known]
    if "oracle" in known:
        floor.append(f"the evidence alone (oracle) {known['oracle']}")
    return f"For scale: {say.listing(floor)}." if floor else ""


def _answers(run: Run, found: Comparison, best: Against, chosen: list[str]) -> str:
    """Verbatim recall is unfair to what paraphrases; say so where the answers rank otherwise."""
    other = compare(run, found.baseline, "answer_in_context", found.budget, found.split)
    known = sorted((r for r in other.rows if r.strategy in chosen and say.defined(r.mean)), key=lambda r: -r.mean)
    if not known or best.strategy not in {r.strategy for r in known}:
        return ""
    own = other[best.strategy].mean
    if known[0].mean - own < SAME:
        return f"The gold answer stands in its context for {say.share(own)} of the questions."
    return (
        f"By answer in context {known[0].strategy} leads with {say.share(known[0].mean)} "
        f"({best.strategy}: {say.share(own)})."
    )


def _cost(board: pl.DataFrame, found: Comparison, best: Against) -> str:
    import polars as pl

    row = board.filter((pl.col("strategy") == best.strategy) & (pl.col("budget_tokens") == found.budget)).row(
        0, named=True
    )
    written = row["write_tokens"]
    if not say.defined(written):
        return ""
    sent = f"It sends {say.tokens(row['context_tokens'])} tokens per question"
    if not written:
        return f"{sent} and needs no model to write its memory."
    return f"{sent}; writing its memory costs models (embedders included) {say.tokens(written)} tokens per question."


def _uneven(found: Comparison, ranked: list[Against]) -> str:
    """Means over different questions do not compare; say whose are missing some."""
    most = max(row.n for row in ranked)
    parts = [f"{row.strategy} is defined for {row.n:,} of {most:,} questions" for row in ranked if row.n < most]
    return f"Mind that {say.listing(parts[:MOST])}." if parts else ""


def _failures(rows: pl.DataFrame) -> str:
    import polars as pl

    failed = rows.filter(pl.col("error").is_not_null()).group_by("strategy", maintain_order=True).len()
    parts = [f"{label} on {n:,} rows" for label, n in failed.iter_rows()]
    return f"Failed: {say.listing(parts)}; see the errors below." if parts else ""
