"""The hydration report: shared memories give what a run gives, cuts and intervals by hand, words from figures."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields
from math import log, sqrt
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from scipy import stats

import mnemo_lab as ml
from evals.hydration import command
from evals.hydration.found import FIRST, OURS, PLAIN, WITHOUT, Found, is_even, under
from evals.hydration.measure import Cut, Measured, measure, sharing
from evals.hydration.report import ablated, render
from evals.hydration.words import direction, in_words
from mnemo_lab.corpora.base import Dataset
from mnemo_lab.hydration.strategies.base import SIGNALS
from mnemo_lab.hydration.strategies.hydrate import Hydrate
from mnemo_lab.replay.grid import find_grid, read_grid, short_label
from mnemo_lab.strategy_text import parse_strategy

SOME = [
    PLAIN, OURS, WITHOUT, "hydrate(scope=4)", "hydrate(recent=0.25, summaries=0.25)", "hydrate(vector='description')",
    FIRST, "checkpoint(expand='summary')", "seed_hydration", "learned",
    "checkpoint(trigger='every(n=5)')", "hydrate(trigger='every(n=5)')",
]  # fmt: skip


@pytest.fixture(scope="module")
def home() -> Dataset:
    return ml.load("bilingual").select(recordings=["en-home"])


@pytest.fixture(scope="module")
def measured(home: Dataset) -> Measured:
    ((recording, found),) = measure({"bilingual": home}, {text: text for text in SOME}, [512])
    assert recording == "en-home"
    return found


def test_sharing_a_memory_changes_nothing(home: Dataset, measured: Measured) -> None:
    run = ml.run(home, SOME, [512], progress=False)
    ours = {(r["strategy"], r["probe"]): r for r in measured.rows.iter_rows(named=True)}
    for text in SOME:
        label = short_label(text)
        for theirs in run.rows.filter(strategy=label).iter_rows(named=True):
            for metric in ("evidence_recall", "answer_in_context"):
                mine = ours[text, theirs["probe"]][metric]
                assert theirs["error"] is None
                assert (theirs[metric] is None and np.isnan(mine)) or mine == theirs[metric], (text, theirs["probe"])


def test_strategies_share_what_they_may() -> None:
    groups = [list(group) for group in sharing({text: parse_strategy(text) for text in SOME})]
    assert [PLAIN] in groups and ["hydrate(vector='description')"] in groups
    assert ["seed_hydration", "checkpoint(trigger='every(n=5)')", "hydrate(trigger='every(n=5)')"] in groups
    assert next(g for g in groups if OURS in g)[1:3] == [WITHOUT, "hydrate(scope=4)"]


def test_a_cut_is_what_the_trigger_makes_and_the_ledger_says(home: Dataset, measured: Measured) -> None:
    cut = measured.cuts.filter(trigger="every(n=5)").row(0, named=True)
    turns = [sum(m.role == "user" for m in c.messages) for c in home.recordings[0].conversations]
    assert cut["checkpoints"] == sum(-(-n // 5) for n in turns) and cut["messages"] == 118
    assert cut["written"] == cut["passages"] > 1000, "vectors of checkpoints are means: nothing more is embedded"
    described = measured.cuts.filter(vector="description").row(0, named=True)
    assert described["written"] > described["passages"] == cut["passages"]
    default = measured.cuts.filter(vector="messages", trigger=described["trigger"]).row(0, named=True)
    assert default["checkpoints"] == described["checkpoints"] > cut["checkpoints"]
    each = (default["asked"] - cut["asked"]) / (default["checkpoints"] - cut["checkpoints"])
    assert 200 < each < 500, "instructions come with every checkpoint, messages once"


def test_narrowed_search_scores_less(measured: Measured) -> None:
    means = dict(measured.rows.group_by("strategy").agg(pl.mean("searched")).iter_rows())
    assert means[PLAIN] == 1 < means[OURS] and means["hydrate(scope=4)"] < means[OURS]


def synthetic(values: dict[str, Sequence[float]], triggers: dict[str, int], recordings: int = 8) -> Found:
    """One probe per recording, 100 messages in each; checkpoints per recording by trigger."""
    strategies = {label: label for label in values}
    names = [f"r{i}" for i in range(recordings)]
    rows = [
        {"data": "d", "recording": name, "split": "test", "language": "en", "probe": "p", "gold": 1,
         "answerable": True, "strategy": label, "budget": 512, "searched": 1.0,
         "evidence_recall": column[i], "answer_in_context": column[i]}
        for label, column in values.items() for i, name in enumerate(names)
    ]  # fmt: skip
    cuts = [
        Cut("d", name, "test", parse_strategy(under(FIRST, t)).trigger, 0, "messages", 100, n, 1000, 1000, 0.1, 5000)  # type: ignore[attr-defined]
        for t, n in triggers.items() for name in names
    ]  # fmt: skip
    frame = pl.DataFrame(cuts, schema=list(Cut._fields), orient="row")
    return Found.of([Measured(pl.DataFrame(rows), frame)], strategies, [512])


RISING = [0.1 * i for i in range(8)]
EVEN = {
    under(FIRST, "every(n=2)"): [0.2] * 8, under(OURS, "every(n=2)"): [0.5] * 8,
    under(FIRST, "every(n=8)"): [0.6] * 8, under(OURS, "every(n=8)"): [0.5] * 8,
    under(FIRST, "cue()"): RISING, under(OURS, "cue()"): [0.5] * 8,
}  # fmt: skip
BASE = {PLAIN: [0.9] * 8, OURS: [0.5, 0.6] * 4, WITHOUT: [0.5] * 8, FIRST: RISING, "seed_hydration": [0.0] * 8}
CUTS = {"": 20, "every(n=2)": 32, "every(n=8)": 8, "cue()": 16}


def test_pairs_are_over_recordings() -> None:
    found = synthetic({**BASE, **EVEN}, CUTS)
    pair = found.pair(FIRST, PLAIN, 512)
    difference = np.array(RISING) - 0.9
    reach = stats.t.ppf(0.975, 7) * difference.std(ddof=1) / sqrt(8)
    assert (pair.difference, pair.lo, pair.hi) == pytest.approx(
        (difference.mean(), *(difference.mean() + reach * s for s in (-1, 1)))
    )
    assert direction(pair) == -1 and direction(found.pair(PLAIN, FIRST, 512)) == 1
    assert direction(found.pair(OURS, OURS, 512)) == 0
    few = synthetic({**BASE, **EVEN}, CUTS, recordings=5).pair(FIRST, PLAIN, 512)
    assert direction(few) == 0 and few.difference < 0, "five recordings give no interval"


def test_beside_even_cuts_into_as_many() -> None:
    found = synthetic({**BASE, **EVEN}, CUTS)
    assert found.cost("cue()", "d") == pytest.approx(
        {"checkpoints": 16, "passages": 1000, "written": 1000, "asked": 5000, "ms": 1.0}
    )
    pair = found.beside_even("cue()", FIRST, 512)
    share = log(16 / 8) / log(32 / 8)
    assert share == 0.5 and pair is not None
    assert pair.difference == pytest.approx(np.mean(RISING) - (0.5 * 0.2 + 0.5 * 0.6))
    assert found.beside_even("every(n=2)", FIRST, 512) is None
    assert found.beside_even("", OURS, 512) is not None
    none = synthetic({**BASE, **EVEN}, CUTS | {"cue()": 40})
    assert none.beside_even("cue()", FIRST, 512) is None, "more often than every N of the curve"
    assert is_even("every(n=3)") and not is_even("every(n=5) and topic_shift()")


def test_words_follow_the_figures() -> None:
    found = synthetic({**BASE, **EVEN}, CUTS)
    text = " ".join(in_words(found))
    assert "(`checkpoint` against `hybrid`): at 512 tokens less, −0.550 [" in text
    assert "Searching checkpoints before messages loses to plain retrieval at 512 tokens." in text
    assert "Their signals beside others add evidence at 512 tokens." in text
    assert "`checkpoint` at 512 from 0.200 (`every(n=2)`) to 0.600 (`every(n=8)`), more, +0.400" in text
    assert "Narrowing the search to close checkpoints loses evidence" in text, "no scope in this grid"
    narrow = synthetic({**BASE, **EVEN, "hydrate(scope=2)": [0.8, 1.0] * 4, "hydrate(scope=1)": [0.8] * 8}, CUTS)
    assert "`hydrate(scope=2)` loses nothing that could be shown, for 100% of the work." in " ".join(in_words(narrow))
    better = synthetic({**BASE, **EVEN, FIRST: [1.0] * 8, OURS: [0.5] * 8}, CUTS)
    assert "Searching checkpoints before messages beats plain retrieval at 512 tokens." in " ".join(in_words(better))
    assert "change nothing that these recordings could show at 512 tokens." in " ".join(in_words(better))


def test_the_report_holds_the_figures(measured: Measured) -> None:
    found = Found.of([measured], {text: text for text in SOME}, [512])
    assert ablated(found) == SOME[:-2] and found.triggers == ["", "every(n=5)"]
    text = render(found, "dev").replace("\\", "")
    kept = measured.rows.filter(pl.col("answerable"), strategy=OURS)["evidence_recall"].to_numpy().mean()
    assert f"| hydrate | {kept:.3f} | – | – |" in text
    assert "1 development recordings" in text and "| bilingual, en | 44 (1 recording) |" in text
    assert "| every(n=5) | 10.2 |" in text, "12 checkpoints for 118 messages"


def test_every_part_is_switched_off_once() -> None:
    grid = read_grid(find_grid("hydration"))
    defaults, off = Hydrate(), set()
    assert all(parse_strategy(short_label(text)) == parse_strategy(text) for text in grid.strategies)
    for text in grid.strategies:
        strategy = parse_strategy(text)
        if isinstance(strategy, Hydrate) and text.startswith("hydrate("):
            off |= {f.name for f in fields(strategy) if getattr(strategy, f.name) != getattr(defaults, f.name)}
    assert {name for name in SIGNALS if getattr(defaults, name)} <= off
    assert {"recent", "summaries", "excerpt", "adaptive", "names", "neighbours", "scope", "trigger", "vector"} <= off
    found = {text for text in grid.strategies if "every(n=" in text and " " not in text}
    assert {f"{s}(trigger='every(n={n})')" for s in (FIRST, OURS) for n in (3, 5, 8, 12, 20, 40)} == found


def test_development_recordings_are_not_published(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str], home: Dataset
) -> None:
    small = read_grid(find_grid("hydration")).model_copy(update={"strategies": tuple(SOME), "budgets": (512,)})
    monkeypatch.setattr(command, "read_grid", lambda _: small)
    monkeypatch.setattr(command, "load", lambda _: home)
    out = tmp_path / "report.md"
    assert command.main(["--sets", "bilingual", "--split", "dev", "--out", str(out)]) == 0
    assert capsys.readouterr().out.startswith("# Hydration, part by part") and not out.exists()
