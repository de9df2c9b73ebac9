"""The report on costs by turn, on two recordings: what it says is what the walk gives."""

from __future__ import annotations

import polars as pl
import pytest

import mnemo_lab as ml
from evals.turn_costs import BUDGET, EQUAL, LOW, MODELS, render, strategies
from mnemo_lab.corpora.base import Dataset
from mnemo_lab.replay.turn_costs import turn_costs
from mnemo_lab.reporting.wording import dollars
from mnemo_lab.tokens import model_card


@pytest.fixture(scope="module")
def dev() -> Dataset:
    return ml.load("bilingual").select(split="dev")


def tables(text: str) -> list[dict[str, list[str]]]:
    """Cells by the first of their row, of every table in the text."""
    found: list[dict[str, list[str]]] = []
    for line in text.replace("\\", "").splitlines():
        cells = [cell.strip() for cell in line.strip("|").split(" | ")]
        if line.startswith("| strategy"):
            found.append({})
        elif line.startswith("| "):
            found[-1][cells[0]] = cells[1:]
    return found


def test_the_report_says_what_was_measured(dev: Dataset) -> None:
    text = render([("Two recordings", dev)], ["recent", LOW])
    whole, late = tables(text)
    costs = turn_costs(dev, ["recent", LOW], BUDGET)
    same = turn_costs(dev, ["recent"], EQUAL)
    for label, row in (("full", 0), ("recent", 1), (LOW, 2)):
        found = costs.summary().row(row, named=True)
        assert whole[label][0] == f"{found['sent']:,.0f}" and whole[label][2].startswith(f"{found['relative']:.2f} (")
    assert whole[f"recent at {EQUAL:,} tokens"][0] == f"{same.summary()['sent'][1]:,.0f}"
    assert list(whole) == list(late) == ["full", "recent", LOW, f"recent at {EQUAL:,} tokens"]
    assert whole["full"][-1] == "1.00" and 0 < float(whole[LOW][-1]) <= float(whole["recent"][-1]) < 1
    sonnet = MODELS.index("claude-sonnet-4")
    rows = costs.rows.join(
        costs.rows.filter((pl.col("strategy") == "full") & (pl.col("sent") > BUDGET)),
        on=["recording", "turn"],
        how="semi",
    ).filter(pl.col("strategy") == LOW)
    card = model_card("claude-sonnet-4")
    mean = sum(card.input_dollars(*pair) for pair in rows.select("sent", "cached").iter_rows()) / rows.height
    assert late[LOW][2 + sonnet] == dollars(1000 * mean)
    unchanged = rows["cached"].sum() / rows["sent"].sum()
    assert f"until the budget is outgrown again: {unchanged:.0%}." in text


def test_only_strategies_that_there_are() -> None:
    chosen = strategies()
    assert chosen[:2] == ["recent", LOW] and {"seed_truncator", "hybrid"} <= set(chosen)
