"""The answer in words, read off the figures: where checkpoints keep more than plain retrieval, where less."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from evals.hydration.found import (
    ANSWERS,
    CHANCE,
    EVIDENCE,
    FIRST,
    OURS,
    PLAIN,
    SEARCHED,
    WITHOUT,
    Found,
    is_even,
    sure,
    under,
)
from mnemo_lab.reporting import wording as say
from mnemo_lab.statistics import Pair


def in_words(found: Found) -> Iterator[str]:
    """One point a line."""
    yield f"**Checkpoints first** (`{FIRST}` against `{PLAIN}`): {_said(found, FIRST, PLAIN)}."
    yield f"**Checkpoints as signals** (`{OURS}` against `{WITHOUT}`): {_said(found, OURS, WITHOUT)}."
    yield f"**What is no checkpoint** (`{WITHOUT}` against `{PLAIN}`): {_said(found, WITHOUT, PLAIN)}."
    yield f"**Summaries in the context**: {_summaries(found)}."
    yield f"**Search work**: {_work(found)}."
    yield f"**What a checkpoint's vector is made of**: {_vectors(found)}."
    yield f"**How often**: {_often(found)}."
    yield f"**Where a cut falls**: {_where(found)}."
    yield f"**Parts of `{OURS}`**: {_parts(found)}."
    yield f"**So**: {_verdict(found)}"


def direction(pair: Pair) -> int:
    """1 for more, -1 for less, 0 where chance explains it: the interval holds zero, or there is none."""
    return 1 if pair.lo > 0 else -1 if pair.hi < 0 else 0


def _said(found: Found, a: str, b: str, metric: str = EVIDENCE) -> str:
    return "; ".join(f"at {budget:,} tokens {_pair(found.pair(a, b, budget, metric))}" for budget in found.budgets)


def _pair(pair: Pair) -> str:
    kind = {1: "more", -1: "less", 0: "no difference beyond chance"}[direction(pair)]
    between = say.interval(pair.lo, pair.hi, 3, sign=True)
    bounds = f" [{between}]" if between else "" if pair.lo == pair.hi else " (no interval)"
    return f"{kind}, {say.signed(pair.difference)}{bounds}"


def _summaries(found: Found) -> str:
    layer, alone = f"{OURS}(summaries=0.25)", f"{FIRST}(expand='summary')"
    lines = []
    if layer in found.strategies:
        said = _said(found, layer, OURS, ANSWERS)
        lines.append(f"with a quarter of the room for them, answers in the context against `{OURS}`: {said}")
    if alone in found.strategies:
        lines.append(f"summaries alone against `{PLAIN}`, answers: {_said(found, alone, PLAIN, ANSWERS)}")
    return ". ".join(lines) or "not in this grid"


def _work(found: Found) -> str:
    budget = found.budgets[-1]
    plain = found.mean(PLAIN, budget, metric=SEARCHED)
    lines = []
    for label in _scopes(found):
        work = found.mean(label, budget, metric=SEARCHED) / plain
        lines.append(f"`{label}` scores {work:.0%} of what `{PLAIN}` does; against it {_said(found, label, PLAIN)}")
    return ". ".join(lines) or "not in this grid"


def _vectors(found: Found) -> str:
    lines = []
    for strategy in (FIRST, OURS):
        label = f"{strategy}(vector='description')"
        if label in found.strategies:
            said, more = _said(found, label, strategy), found.extra(label)
            lines.append(f"`{label}` against `{strategy}`: {said}, for {more:.0%} more tokens embedded")
    return ". ".join(lines) or "not in this grid"


def _often(found: Found) -> str:
    steady = [trigger for trigger in found.triggers if is_even(trigger)]
    if len(steady) < 2:
        return "not in this grid"
    lines = []
    for strategy in (FIRST, OURS):
        for budget in found.budgets:
            means = {trigger: found.mean(under(strategy, trigger), budget) for trigger in steady}
            best, worst = max(means, key=lambda t: means[t]), min(means, key=lambda t: means[t])
            apart = found.pair(under(strategy, best), under(strategy, worst), budget)
            ends = f"{say.share(means[worst], 3)} (`{worst}`) to {say.share(means[best], 3)} (`{best}`)"
            lines.append(f"`{strategy}` at {budget:,} from {ends}, {_pair(apart)}")
    return (
        "; ".join(lines) + " (the ends were picked from the curve: a difference is what choosing N could gain at most)"
    )


def _where(found: Found) -> str:
    pairs = {}
    for trigger in found.triggers:
        for strategy in (FIRST, OURS):
            for budget in found.budgets:
                pair = found.beside_even(trigger, strategy, budget)
                if pair:
                    pairs[f"`{trigger or 'the default'}` with `{strategy}` at {budget:,}"] = pair
    better, worse = _beyond(pairs)
    return (
        f"of {len(pairs)} comparisons with even cuts, as many checkpoints, more evidence beyond chance in "
        f"{len(better)}{_list(better)}, less in {len(worse)}{_list(worse)}; by the sign alone more in "
        f"{sum(pair.difference > 0 for pair in pairs.values())}"
    )


def _parts(found: Found) -> str:
    lines = []
    for budget in found.budgets:
        pairs = {label: found.pair(label, OURS, budget) for label in found.strategies
                 if label.startswith(f"{OURS}(") and "trigger" not in label}  # fmt: skip
        better, worse = _beyond(pairs)
        lines.append(
            f"at {budget:,} tokens a change costs evidence beyond chance in {len(worse)} of {len(pairs)}"
            f"{_list([f'`{w}`' for w in worse])} and gains some in {len(better)}{_list([f'`{b}`' for b in better])}"
        )
    return "; ".join(lines)


def _beyond(pairs: Mapping[str, Pair]) -> tuple[list[str], list[str]]:
    """Names of what is more and what is less, by Holm's p."""
    p = sure(dict(pairs))
    known = [name for name in pairs if p[name] <= CHANCE]
    return [n for n in known if pairs[n].difference > 0], [n for n in known if pairs[n].difference < 0]


def _list(names: list[str]) -> str:
    return f" ({say.listing(names)})" if names else ""


def _verdict(found: Found) -> str:
    first = {b: direction(found.pair(FIRST, PLAIN, b)) for b in found.budgets}
    signal = {b: direction(found.pair(OURS, WITHOUT, b)) for b in found.budgets}
    ways = [_one("searching checkpoints before messages", first), _one("their signals beside others", signal)]
    return " ".join([*ways, _narrowed(found)])


def _narrowed(found: Found) -> str:
    """The least search work that loses nothing to plain retrieval that these recordings could show."""
    budget, plain = found.budgets[-1], found.mean(PLAIN, found.budgets[-1], metric=SEARCHED)
    work = {label: found.mean(label, budget, metric=SEARCHED) / plain for label in _scopes(found)}
    kept = [label for label in work if all(direction(found.pair(label, PLAIN, b)) >= 0 for b in found.budgets)]
    if not kept or not found.intervals:
        return "Narrowing the search to close checkpoints loses evidence, or its loss cannot be told here."
    least = min(kept, key=lambda label: work[label])
    said = f"`{least}` loses nothing that could be shown, for {work[least]:.0%} of the work."
    return f"Of searches narrowed to close checkpoints {said}"


def _scopes(found: Found) -> list[str]:
    return [label for label in found.strategies if label.startswith(f"{OURS}(scope=")]


def _one(what: str, signs: Mapping[int, int]) -> str:
    said = {1: "beats plain retrieval", -1: "loses to plain retrieval", 0: "cannot be told from plain retrieval"}
    if "signals" in what:
        said = {1: "add evidence", -1: "take evidence away", 0: "change nothing that these recordings could show"}
    by = {sign: [f"{budget:,}" for budget, s in signs.items() if s == sign] for sign in (1, -1, 0)}
    parts = [f"{said[sign]} at {say.listing(budgets)} tokens" for sign, budgets in by.items() if budgets]
    return f"{what[0].upper()}{what[1:]} {say.listing(parts)}."
