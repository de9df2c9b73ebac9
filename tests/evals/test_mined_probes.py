"""Labels and agreement on small data; that the report is written."""

from __future__ import annotations

import json
from pathlib import Path

import polars as pl
import pytest

from evals.mined_probes import measure as command
from evals.mined_probes.agreement import BUDGETS, STRATEGIES, Measured, left_out, mined, tau, turned_round
from evals.mined_probes.labels import FILE, Share, first_looks, links_of, today, verdicts
from mnemo_lab.corpora.base import load
from mnemo_lab.probes import dataset_of
from tests.probes.talk import talk

ORDER = {name: 0.1 * (number + 1) for number, name in enumerate(STRATEGIES)}


def rows(scores: dict[str, float], recordings: tuple[str, ...] = ("a", "b")) -> Measured:
    found = [
        {"recording": r, "probe": f"{r}{n}", "strategy": s, "budget_tokens": b, "evidence_recall": value}
        for r in recordings for n in range(2) for s, value in scores.items() for b in BUDGETS
    ]  # fmt: skip
    return Measured(pl.DataFrame(found))


def test_tau_by_hand() -> None:
    """One of 21 pairs turned round costs two pairs' worth of agreement; a tie costs half in one of the two."""
    gold = rows(ORDER).scores()
    assert tau(gold, gold) == pytest.approx(1.0)
    turned = ORDER | {"rrf": ORDER["hybrid"], "hybrid": ORDER["rrf"]}
    assert tau(gold, rows(turned).scores()) == pytest.approx(19 / 21)
    assert turned_round(gold, rows(turned).scores()) == [("hybrid", "rrf")]
    tied = ORDER | {"rrf": ORDER["hybrid"]}
    assert tau(gold, rows(tied).scores()) == pytest.approx(20 / (21 * 20) ** 0.5)
    assert left_out(rows(ORDER), rows(ORDER)) == (pytest.approx(1.0), pytest.approx(1.0))
    assert tau(*rows(ORDER).halves()) == pytest.approx(1.0)
    assert (rows(ORDER).probes, rows(ORDER).recordings) == (4, ["a", "b"])


def test_labels_are_ids_and_verdicts_of_messages_that_exist() -> None:
    lines = [json.loads(line) for line in FILE.read_text(encoding="utf-8").splitlines()]
    assert all(set(item) == {"set", "look", "recording", "question", "evidence", "verdict"} for item in lines)
    assert {item["verdict"] for item in lines} == {"right", "wrong"} and {item["look"] for item in lines} == {1, 2}
    known = {(r.id, m.id) for r in load("bilingual").select(split="test") for m in r.messages()}
    own = [item for item in lines if item["set"] == "bilingual"]
    assert len(own) >= 100 and len(verdicts()) == len(lines)
    assert all((item["recording"], item[end]) in known for item in own for end in ("question", "evidence"))


def test_shares(tmp_path: Path) -> None:
    data = dataset_of([talk("Permit PS-41377 it is.", "What of PS-41377?")], name="own")
    assert links_of(data) == [("own", "01", "m016", "m000")]
    file = tmp_path / "labels.jsonl"
    line = {"set": "own", "recording": "01", "question": "m016", "evidence": "m000", "look": 1, "verdict": "right"}
    other = line | {"question": "m099", "verdict": "wrong"}
    file.write_text(f"{json.dumps(line)}\n{json.dumps(other)}\n", encoding="utf-8")
    assert first_looks(file) == {"own": Share(1, 2)}
    assert today(data, file) == Share(1, 1, 1)


def test_most_of_what_is_mined_today_was_read() -> None:
    share = today(load("bilingual").select(split="test"))
    assert share.read >= 60 and share.read >= 0.9 * share.mined
    assert share.precision >= 0.85


def test_mined_takes_the_place_of_gold() -> None:
    data = load("bilingual").select(recordings=["en-home"])
    own = mined(data, masked=False)
    assert {p.category.partition(":")[0] for p in own.probes} == {"mined"} and own.name == data.name


def test_the_report(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(command, "measure", lambda data, cache: rows(ORDER))
    monkeypatch.setattr(command, "SETS", ("bilingual",))
    out = tmp_path / "report.md"
    assert command.main(["--sets", "bilingual", "--out", str(out)]) == 0
    text = out.read_text(encoding="utf-8")
    assert "| bilingual, as said | 4 | 4 | 1.00 | 1.00 | 1.00 | 1.00 | **1.00** | 1.00 to 1.00 | 1.00 |" in text
    assert "{" not in text and capsys.readouterr().out.startswith("# Mined probes")


def test_without_any_data(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("MNEMO_DATA_DIR", str(tmp_path))
    monkeypatch.setenv("MNEMO_CACHE_DIR", str(tmp_path))
    assert command.main(["--sets", "beam", "--out", str(tmp_path / "x.md")]) == 2
