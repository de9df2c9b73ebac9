"""What a chat costs turn by turn: cutting at every turn against low water, retrieval and sending everything.

python evals/turn_costs.py      # writes reports/turn_costs.md; LoCoMo is left out where it has not been fetched
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

if __name__ == "__main__":  # run as a file: modules are found from the checkout's root, not from evals/
    sys.path[0] = str(Path(__file__).resolve().parents[1])

import polars as pl

import mnemo_lab as ml
from mnemo_lab.corpora.base import Dataset
from mnemo_lab.errors import InvalidInput
from mnemo_lab.registry import PRESETS, names
from mnemo_lab.replay.turn_costs import FULL, TurnCosts, turn_costs
from mnemo_lab.reporting import wording as say
from mnemo_lab.reporting.selection import answerable
from mnemo_lab.reporting.tables import Cell, Row, Table, to_markdown
from mnemo_lab.reporting.turn_costs import turn_cost_table
from mnemo_lab.tokens import model_card

REPORT: Final = Path("reports/turn_costs.md")
BUDGET: Final = 2048
LOW: Final = "recent(low_water=0.5)"
EQUAL: Final = BUDGET * 3 // 4
"""What ``low_water=0.5`` holds on average, between half of the budget and all of it."""
WANTED: Final = (
    "recent", LOW, "recent(low_water=0.25)", "seed_truncator", "head_tail", "tool_trim", "summary", "hybrid",
)  # fmt: skip
MODELS: Final = ("gpt-4o-mini", "gpt-4.1-mini", "claude-sonnet-4", "gemini-2.5-flash", "deepseek-chat")

HEAD: Final = """# What a chat costs, turn by turn

Written by `python evals/turn_costs.py`. Every recording is walked as a chat application does it: with each user message
the strategy's context goes out, at a budget of {budget:,} tokens, then the turn is observed. A request is compared with
the one before: the part at its beginning that did not change is what a vendor's prompt cache can serve. Requests that
continue a step (an assistant that waits for its tools) are not made, and output is not counted: it is equal for all.
"""
LIMITS: Final = """## What this does not say

- The cache is taken to be warm at every turn. Vendors keep it for minutes: a user who comes back the next day pays for
  one request without it, under every strategy.
- Low water is cheaper for two reasons, and only one of them is the cache: after a cut it holds less, so it sends less
  and **keeps less evidence**. The line *recent at {equal:,} tokens* sends about as much as `{low}` and
  shows what the cache alone is worth.
- A cached prefix is a property of requests, counted here. That the cache holds it is the vendor's promise. For Claude
  it also takes marks that the application sets, taken to be set at the best place, at every turn: where nothing is read
  back, caching costs more than none. The other caches work by themselves, Gemini's without a guarantee.
- Prices are those of {as_of} in `mnemo_lab/tokens/models.toml`, tokens those of `o200k_base`: exact for OpenAI's
  models here, a stand-in for the others.
- Embedders and the extractive summariser run here and are not on the bill; what a paid model would write is.
- Evidence recall is over all answerable questions of the recordings in the table, most of them asked at the end. It is
  there to read costs beside it, not to compare strategies: for that see the reports of the data sets.
"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, print, write; the exit status."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, default=REPORT, metavar="FILE", help=f"the report (default: {REPORT})")
    parser.add_argument("--cache-dir", metavar="FOLDER", help="where embeddings are kept (default: the user cache)")
    options = parser.parse_args(arguments)
    text = render(list(_data()), strategies(), options.cache_dir)
    print(text)
    options.out.parent.mkdir(parents=True, exist_ok=True)
    options.out.write_text(text, encoding="utf-8")
    return 0


def strategies() -> list[str]:
    """Those wanted that there are."""
    known = {*names("strategy"), *PRESETS}
    return [text for text in WANTED if text.partition("(")[0] in known]


def _data() -> Iterator[tuple[str, Dataset]]:
    yield "Bilingual set, all recordings", ml.load("bilingual")
    try:
        yield "LoCoMo, development recordings", ml.load("locomo").select(split="dev")
    except InvalidInput as error:
        sys.stderr.write(f"without LoCoMo: {error}\n")


def render(data: Sequence[tuple[str, Dataset]], chosen: Sequence[str], cache_dir: str | None = None) -> str:
    """The whole report."""
    parts = [HEAD.format(budget=BUDGET)]
    for title, dataset in data:
        costs = turn_costs(dataset, chosen, BUDGET, language_model="extractive", cache_dir=cache_dir)
        equal = turn_costs(dataset, ["recent"], EQUAL, cache_dir=cache_dir)
        parts += [f"## {title}", to_markdown(_table(costs, equal, cache_dir, dataset)), *_at_budget(costs, equal)]
    as_of = model_card(MODELS[0]).as_of
    return "\n\n".join([*parts, LIMITS.format(equal=EQUAL, low=LOW, as_of=as_of)])


def _table(costs: TurnCosts, equal: TurnCosts, cache_dir: str | None, dataset: Dataset) -> Table:
    """The table of costs with the evidence that each strategy keeps, and ``recent`` at a smaller budget."""
    kept = _evidence(dataset, costs.strategies, BUDGET, cache_dir)
    less = _evidence(dataset, ["recent"], EQUAL, cache_dir)
    table, other = turn_cost_table(costs), turn_cost_table(equal)
    rows = [Row((*row.cells, Cell(say.share(kept[row.cells[0].text]))), row.reference) for row in table.rows]
    extra = next(row.cells for row in other.rows if row.cells[0].text == "recent")
    place = next(i for i, row in enumerate(rows) if row.cells[0].text == LOW) + 1
    rows.insert(place, Row((Cell(f"recent at {EQUAL:,} tokens"), *extra[1:], Cell(say.share(less["recent"])))))
    note = f"{table.note} Evidence: recall of the gold messages."
    return Table((*table.columns, "evidence"), tuple(rows), table.caption, note)


def _evidence(dataset: Dataset, chosen: Sequence[str], budget: int, cache_dir: str | None) -> dict[str, float]:
    run = ml.run(dataset, chosen, [budget], language_model="extractive", cache_dir=cache_dir, progress=False)
    means = answerable(run.rows).group_by("strategy").agg(pl.col("evidence_recall").mean())
    return dict(means.iter_rows())


def _at_budget(costs: TurnCosts, equal: TurnCosts) -> Iterator[str]:
    """Only the turns at which everything no longer fits: there a cut must be made."""
    outgrown = costs.rows.filter((pl.col("strategy") == FULL) & (pl.col("sent") > BUDGET)).select("recording", "turn")
    if not outgrown.height:
        return
    late = costs.rows.join(outgrown, on=["recording", "turn"])
    small = equal.rows.filter(pl.col("strategy") == "recent").join(outgrown, on=["recording", "turn"])
    lines = {label: late.filter(pl.col("strategy") == label) for label in costs.strategies}
    lines |= {f"recent at {EQUAL:,} tokens": small}
    order = sorted(lines, key=lambda label: [*costs.strategies, ""].index(label) if label in costs.strategies else 2.5)
    rows = tuple(_line(label, lines[label]) for label in order)
    caption = (
        f"Once everything no longer fits: {outgrown.height:,} turns; US dollars for 1,000 requests with a prompt cache"
    )
    yield to_markdown(Table(("strategy", "sent", "unchanged", *MODELS), rows, caption))
    yield _remark(lines)


def _line(label: str, rows: pl.DataFrame) -> Row:
    sent, cached = rows["sent"].sum(), rows["cached"].sum()
    prices = (say.dollars(1000 * _mean_price(rows, model)) for model in MODELS)
    return Row.of(label, say.tokens(sent / rows.height), say.share(cached / sent), *prices, reference=label == FULL)


def _mean_price(rows: pl.DataFrame, model: str) -> float:
    """US dollars of a request with a prompt cache."""
    card = model_card(model)
    return sum(card.input_dollars(*pair) for pair in rows.select("sent", "cached").iter_rows()) / rows.height


def _remark(lines: dict[str, pl.DataFrame]) -> str:
    """Cutting at every turn against low water, from the numbers."""
    every, low, same = lines["recent"], lines[LOW], lines[f"recent at {EQUAL:,} tokens"]

    def times(one: pl.DataFrame, other: pl.DataFrame) -> str:
        ratios = [_mean_price(one, model) / _mean_price(other, model) for model in MODELS]
        return f"{min(ratios):.1f} to {max(ratios):.1f} times"

    unchanged = [f"{rows['cached'].sum() / rows['sent'].sum():.0%}" for rows in (every, low)]
    dearer = [model for model in MODELS if _mean_price(every, model) > _mean_price(lines[FULL], model)]
    says = [
        f"`recent` moves its cut at nearly every turn: {unchanged[0]} of what it sends began the request before, too.",
        f"`{LOW}` leaves the cut where it is until the budget is outgrown again: {unchanged[1]}.",
        f"With a cache `recent` costs {times(every, low)} as much, by vendor;",
        f"at about equal tokens sent (*recent at {EQUAL:,} tokens*) {times(same, low)}.",
    ]
    if dearer:
        says.append(
            "At these lengths cutting at every turn does not even pay against sending everything with "
            f"{say.listing(dearer)}: the cache gives more off than the cut saves."
        )
    return " ".join(says)


if __name__ == "__main__":
    sys.exit(main())
