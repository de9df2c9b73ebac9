"""What was to be reached, beside what was."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, NamedTuple

from evals.memory.extraction import extracted
from evals.memory.measure import BESIDE, GOLD, RULES, Measured
from evals.memory.scenarios import LANGUAGES
from evals.memory.sums import by, of, retired, within

LEAST_F1: Final = 0.80
MOST_JUNK: Final = 0.05
LEAST_RETIRED: Final = 0.95
LEAST_CURRENT: Final = 0.95
LEAST_FORMER: Final = 0.90
WHERE: Final = {RULES: "rules", GOLD: "gold facts", BESIDE: "gold facts, what stands together marked"}
ASKED: Final = (RULES, BESIDE)
"""Feeds that questions are asked of."""


class Claim(NamedTuple):
    """A figure to reach, what was reached, and whether that is enough; ``None``: nothing to judge by."""

    what: str
    aim: str
    value: str
    met: bool | None

    @property
    def verdict(self) -> str:
        return {True: "yes", False: "**no**", None: "–"}[self.met]


def claims(done: Measured) -> Iterator[Claim]:
    for language in LANGUAGES:
        e = extracted([counts for _, counts in done.counts[RULES, language]], done.plan)
        yield Claim(f"extraction F1, {language}", f"≥ {LEAST_F1:.2f}", f"{e.f1}", e.f1.value >= LEAST_F1)
        yield Claim(f"junk, {language}", f"< {MOST_JUNK:.2f}", f"{e.junk}", e.junk.value < MOST_JUNK)
    for feed in WHERE:
        yield from _retiring(done, feed)
    for feed in WHERE:
        nine = done.paraphrased[feed]
        one = sum(p.active == 1 and p.apart for p in nine)
        yield Claim(
            f"nine paraphrases: one active item, other facts apart ({WHERE[feed]})", "all", of(one, len(nine)),
            one == len(nine) if nine else None,
        )  # fmt: skip
    for feed in ASKED:
        yield from _answers(done, feed)
        yield _ahead(done, feed)
    if done.leaks is not None:
        yield Claim("memories of another namespace", "0", f"{done.leaks.foreign}", done.leaks.foreign == 0)
        for stored, what in (
            (max(done.leaks.in_files, done.leaks.in_blocks), "rules"),
            (max(done.leaks.whole_in_files, done.leaks.whole_in_blocks), "messages with secrets kept whole"),
        ):
            said = f"{stored} (of {done.leaks.secrets} written)"
            yield Claim(f"secrets in files or blocks ({what})", "0", said, stored == 0)
    yield from _old(done)


def _retiring(done: Measured, feed: str) -> Iterator[Claim]:
    r = retired(one for language in LANGUAGES for one in done.retired[feed, language])
    pairs = [("precision, matched items", r.right, r.over)]
    pairs += [("recall, where old and new were found", r.both_right, r.both)]
    pairs += [("precision, all outdated items", r.right, r.all_over), ("recall, all changes", r.right, r.all_changes)]
    for what, part, whole in pairs:
        yield _share(f"invalidation: {what} ({WHERE[feed]})", LEAST_RETIRED, part, whole)


def _answers(done: Measured, feed: str) -> Iterator[Claim]:
    for group, least, depth, what in (
        ("changed", LEAST_CURRENT, 1, "changed facts: the current value ranks first"),
        ("as of", LEAST_FORMER, done.plan.as_of_depth, "the former as of its time, in the first five"),
    ):
        some = by(done.asked[feed], None, group)
        right, kept = within(some, "both", depth), sum(one.kept for one in some)
        yield _share(f"{what}, all questions ({WHERE[feed]})", least, right, len(some))
        if feed == RULES:
            yield _share(f"{what}, where it is in memory ({WHERE[feed]})", least, right, kept)


def _ahead(done: Measured, feed: str) -> Claim:
    some = by(done.asked[feed], None, "changed")
    what = f"changed facts: the current value before the former, where it is in memory ({WHERE[feed]})"
    return _share(what, LEAST_CURRENT, sum(one.ahead for one in some), sum(one.kept for one in some))


def _share(what: str, least: float, part: int, whole: int) -> Claim:
    return Claim(what, f"≥ {least:.2f}", of(part, whole), part / whole >= least if whole else None)


def _old(done: Measured) -> Iterator[Claim]:
    """Decay may not make the oldest facts unfindable."""
    if len(done.plan.fading.ages) > 1:
        label, edge = done.plan.fading.decays[1].label, done.plan.fading.ages[-2]
        old = [row for row in done.faded if row.label == label and row.days > edge]
        found = sum(row.found for row in old)
        yield Claim(f"facts older than {edge} days still found, {label}", "> 0", of(found, len(old)), found > 0)
