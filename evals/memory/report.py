"""``reports/memory.md``."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from evals.memory import prose
from evals.memory.answers import WAYS
from evals.memory.claims import claims
from evals.memory.extracting import Counts
from evals.memory.extraction import extracted
from evals.memory.fading import age_group
from evals.memory.measure import FEEDS, RULES, Measured
from evals.memory.scenarios import LANGUAGES
from evals.memory.sums import by, kept_share, merged, of, percent, retired
from mnemo_lab.reporting.tables import Row, Table, to_markdown

SPLITS: Final = {"test": "test", "dev": "development"}
GROUPS: Final = ("unchanged", "changed", "as of")


def render(done: Measured) -> str:
    """The whole report."""
    return "\n".join(part for part in _parts(done) if part) + "\n"


def _parts(done: Measured) -> Iterator[str]:
    fading, sizes = done.plan.fading, done.plan.sizes
    numbers = " and ".join(f"{len(s)} scenarios in {language}" for language, s in done.scenarios.items())
    yield prose.HEAD.format(split=SPLITS[done.split], scenarios=numbers)
    yield prose.TARGETS
    yield _table(("what", "to reach", "reached", ""), [(c.what, c.aim, c.value, c.verdict) for c in claims(done)])
    yield prose.EXTRACTION
    yield from _extraction(done)
    yield prose.MOMENTS
    yield _table(
        ("moments", "language", "F1", "calls", "tokens"),
        [(t.label, t.language, f"{t.f1}", f"{t.calls:,}", f"{t.tokens:,}") for t in done.timed],
    )
    yield prose.MERGING
    yield _merging(done)
    yield prose.RETIRING
    yield _retiring(done)
    yield prose.ANSWERS
    yield _answers(done)
    yield _leaks(done)
    yield prose.FADING.format(
        days=fading.days, seeds=fading.seeds, crowd=fading.crowd, recent=fading.recent, depth=fading.depth
    )
    yield _fading(done)
    embedded = " and ".join(f"the first {number:,} ({language})" for language, number in sizes.embedded.items())
    yield prose.SIZES.format(embedded=embedded, noise=sizes.noise)
    yield _table(
        ("language", "memories", "by", "first", "first five", "ms"),
        [
            (f.language, f"{f.items:,}", f.way, percent(f.first, f.asked), percent(f.five, f.asked), f"{f.ms:.1f}")
            for f in done.sizes
        ],
    )
    yield prose.INJECTING
    yield _table(
        ("language", "room", "crowd", "answered", "tokens a block", "tokens per useful line"),
        [
            (i.language, f"{i.room}", f"{i.crowd}", percent(i.answered, i.asked),
             f"{i.tokens / max(i.asked, 1):.0f}", f"{i.tokens / i.useful:.0f}" if i.useful else "–")
            for i in done.injected
        ],
    )  # fmt: skip
    yield _reader(done)
    yield prose.PEERS
    yield prose.LIMITS


def _table(columns: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    return to_markdown(Table(columns, tuple(Row.of(*row) for row in rows))) + "\n"


def _extraction(done: Measured) -> Iterator[str]:
    columns = ("facts", "F1", "precision", "recall", "junk", "category", "found", "gold")
    rows = []
    for (extractor, language), pairs in done.counts.items():
        rows.append(_extracted(f"{extractor}, {language}", [counts for _, counts in pairs], done))
    yield _table((columns[0], *columns[1:]), rows)
    if done.model:
        yield f"In place of {done.fallbacks} answers of {done.model} that could not be had or used stand the rules.\n"
    else:
        yield "No language model extracted in this run: `--model NAME --cassette FILE` adds its rows.\n"
    kinds = sorted({scenario.kind for scenarios in done.scenarios.values() for scenario in scenarios})
    pairs = [pair for language in LANGUAGES for pair in done.counts[RULES, language]]
    yield _table(columns, [_extracted(k, [c for s, c in pairs if s.kind == k], done) for k in kinds])


def _extracted(name: str, counts: list[Counts], done: Measured) -> tuple[str, ...]:
    e = extracted(counts, done.plan)
    figures = (e.f1, e.precision, e.recall, e.junk, e.category)
    return (name, *map(str, figures), f"{e.found}", f"{e.gold}")


def _merging(done: Measured) -> str:
    rows = []
    for feed in FEEDS:
        for language in LANGUAGES:
            m = merged(done.merged[feed, language])
            rows.append(
                (
                    feed,
                    language,
                    of(m.right, m.merges),
                    of(m.joined, m.again),
                    f"{m.unjudged}",
                    _nine(done, feed, language),
                )
            )
    return _table(("fed by", "language", "precision", "recall", "not judged", "nine paraphrases: active items"), rows)


def _nine(done: Measured, feed: str, language: str) -> str:
    nine = [p for p in done.paraphrased[feed] if p.scenario.startswith(language)]
    return ", ".join(f"{p.active}{'' if p.apart else ' (mixed)'}" for p in nine) or "–"


def _retiring(done: Measured) -> str:
    rows = []
    for feed in FEEDS:
        for language in LANGUAGES:
            r = retired(done.retired[feed, language])
            rows.append(
                (feed, language, of(r.right, r.over), of(r.right, r.changes), of(r.both_right, r.both),
                 of(r.right, r.all_over), of(r.right, r.all_changes))
            )  # fmt: skip
    columns = ("fed by", "language", "precision", "recall", "recall, both found", "precision, all", "recall, all")
    return _table(columns, rows)


def _answers(done: Measured) -> str:
    rows = []
    for feed, asked in done.asked.items():
        for language in LANGUAGES:
            for group in GROUPS:
                some = by(asked, language, group)
                firsts = [kept_share(some, way, 1) for way in WAYS]
                fives = [kept_share(some, way, done.plan.as_of_depth) for way in ("both",)]
                rows.append(
                    (feed, language, group, f"{len(some)}", of(sum(a.kept for a in some), len(some)), *firsts, *fives)
                )
    columns = ("fed by", "language", "questions", "n", "kept", *(f"first, {way}" for way in WAYS))
    return _table((*columns, f"first {done.plan.as_of_depth}, both"), rows)


def _leaks(done: Measured) -> str:
    told = done.leaks
    assert told is not None
    kinds = ", ".join(f"{number} {kind}" for kind, number in sorted(told.placeholders.items())) or "none"
    return prose.LEAKS.format(kinds=kinds, **vars(told))


def _fading(done: Measured) -> str:
    ages = done.plan.fading.ages
    rows = []
    for fade in done.plan.fading.decays:
        own = [row for row in done.faded if row.label == fade.label]
        cells = []
        for age in ages:
            some = [row for row in own if age_group(row.days, ages) == age]
            cells.append(f"{of(sum(r.found for r in some), len(some))} ({sum(r.hidden for r in some)})")
        rows.append((fade.label, *cells))
    return _table(("decay", *(f"to {age} days" for age in ages)), rows)


def _reader(done: Measured) -> str:
    if not done.read:
        return prose.NO_READER + "\n"
    return _table(
        ("block stands", "questions", "answered"),
        [(r.position, f"{r.asked}", percent(r.right, r.asked)) for r in done.read],
    )
