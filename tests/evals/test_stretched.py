"""Stretched conversations: the report worked out by hand, and a real run over a small one."""

from __future__ import annotations

import polars as pl

from evals.stretched.measure import BUDGETS, measure
from evals.stretched.report import pair, render
from mnemo_lab.corpora.base import load

PLAIN = "hydrate(checkpoint=0.0, checkpoint_words=0.0)"


def rows(narrow: float) -> pl.DataFrame:
    """Two recordings, one question, two seeds: hybrid finds it under one seed, hydrate under both."""
    made = []
    for recording in ("a", "b"):
        for seed in (0, 1):
            for name, found, compared in (
                ("hybrid", float(seed), 100),
                (PLAIN, float(seed), 100),
                ("hydrate", 1.0, 110),
                ("hydrate(scope=3)", narrow, 40),
            ):
                for budget in BUDGETS:
                    row = {"recording": recording, "seed": seed, "strategy": name, "probe": f"{recording}1"}
                    row |= {"budget": budget, "evidence": found, "compared": compared, "written": 10.0, "messages": 100}
                    made.append(row)
    return pl.DataFrame(made)


def test_seeds_are_averaged_before_comparing() -> None:
    found = pair(rows(1.0), "hydrate", "hybrid", 512)
    assert (found.difference, found.n, found.clusters) == (0.5, 2, 2)


def test_verdict_by_hand() -> None:
    text = render(rows(0.5), 100)
    assert "| `hydrate` | 1.00 | 110 | 1.10 | 100.0 | +50.0" in text
    assert "equal write cost: `hydrate(scope=3)` (40% of the vectors compared)." in text
    assert "5 points more at 512 tokens at equal write cost: `hydrate` (+50.0)." in text
    assert "`hydrate` less `" + PLAIN + "`, which has every other signal, +50.0 points" in text
    assert "at half the search work and equal write cost: none." in render(rows(0.0), 100)


def test_a_narrow_search_compares_less() -> None:
    data = load("bilingual")
    chosen = data.select(recordings=["en-home"])
    found = measure(chosen, data, ["hybrid", "hydrate(scope=5)"], 300, [0], None)
    compared = dict(found.group_by("strategy").agg(pl.col("compared").mean()).iter_rows())
    assert 200 < compared["hybrid"] <= 300, "many questions are asked before the end"
    assert compared["hydrate(scope=5)"] < compared["hybrid"] / 2
    assert found["evidence"].is_between(0, 1).all()
