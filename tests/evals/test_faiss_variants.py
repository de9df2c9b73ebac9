"""The measurement of FAISS variants: what is searched, what is counted, and what is advised."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from evals.speed.faiss_variants.disk import LIMIT, Random, measured, section
from evals.speed.faiss_variants.measure import main
from evals.speed.faiss_variants.report import advice, chosen, queries_to_pay, recommendation
from evals.speed.faiss_variants.rows import Row, measure
from evals.speed.faiss_variants.vectors import Material, jittered, made_up
from mnemo_lab.conversation import Conversation, Message
from mnemo_lab.recording import Recording


def small() -> Material:
    whole = made_up()
    return Material("a part", whole.vectors[:2_000], whole.queries[:70])


def test_copies_are_unit_vectors_at_the_cosine_asked_for() -> None:
    material = small()
    rows = material.of_size(3_000)
    assert rows.shape == (3_000, 384) and rows.dtype == np.float32
    assert np.linalg.norm(rows, axis=1) == pytest.approx(np.ones(3_000), abs=1e-5)
    assert (rows[:2_000] @ material.vectors.T).max(axis=1).min() > 0.9999, "what is there comes first"
    copies = jittered(material.vectors, 0.8, np.random.default_rng(3))
    assert float((copies * material.vectors).sum(axis=1).mean()) == pytest.approx(0.8, abs=0.01)
    assert len(material.of_size(500)) == 500


def test_rows_are_of_what_they_say() -> None:
    rows = {(row.count, row.variant): row for row in measure(small(), [500, 2_100], ["flat", "sq8", "ivf", "ivfpq"])}
    assert set(rows) == {(500, "flat"), (2_100, "flat"), (2_100, "sq8"), (2_100, "ivf")}, "others are held flat"
    flat, bytes_only = rows[2_100, "flat"], rows[2_100, "sq8"]
    assert flat.recall == 1.0 and flat.bytes == pytest.approx(384 * 4 + 8, rel=0.01)
    assert bytes_only.recall > 0.99 and 384 < bytes_only.bytes < 420
    assert 0.8 < rows[2_100, "ivf"].recall <= 1.0


def test_room_on_disk_by_hand() -> None:
    """LoCoMo's size of message; vectors of 384 floats in an index and half as much again in the database."""
    talk = Conversation(tuple(Message("user", f"number{n} " + "word " * 30, f"m{n}") for n in range(2_000)), "c")
    found = measured([Recording("r", (talk,))], "made")
    assert (found.messages, found.vectors) == (2_000, 2_000)
    assert found.said == pytest.approx(150 + len("number ") + 3.445, abs=0.01)
    assert found.index == pytest.approx(384 * 4 + 8, rel=0.01)
    assert found.database + found.index - found.beside == pytest.approx(Random.dimension * 4)
    assert 384 * 2 + 160 < found.database < 384 * 2 + 160 + 300
    assert "missed" not in section([found])
    assert "(**missed**)" in section([replace(found, beside=LIMIT)])


def row(variant: str, **values: float) -> Row:
    given = {"recall": 1.0, "build": 1.0, "bytes": 1_544.0, "single": 0.01, "single_ratio": 1.0, "batch": 0.1}
    return Row(variant=variant, count=50_000, batch_ratio=1.0, **{**given, **values})


def test_advice_by_hand() -> None:
    """8 ms saved a query: 3 s more to build pay after 375 queries, 24 s after 3,000."""
    flat = row("flat")
    lists = row("ivf", build=4.0, single=0.002, single_ratio=5.0, recall=0.98)
    graph = row("hnsw", build=25.0, single=0.001, single_ratio=9.0, recall=0.97, bytes=1_816.0)
    poor = row("ivfpq", build=2.0, single=0.0005, single_ratio=20.0, recall=0.9, bytes=150.0)
    assert queries_to_pay(lists, flat) == pytest.approx(375)
    assert queries_to_pay(graph, flat) == pytest.approx(3_000)
    assert math.isinf(queries_to_pay(row("sq8", single_ratio=0.5), flat))
    said = recommendation([flat, lists, graph, poor])
    assert said.startswith(
        "**`ivf`.** By this rule: `flat` where a query takes at most 5 ms, else of those with recall"
    )
    less = replace(flat, count=1_000, single=0.0001)
    assert recommendation([less, flat, lists]).startswith("**`flat` up to 1,000 vectors, `ivf` above.**")
    assert "`flat` takes 10 ms a query; `ivf` is 5 times quicker (recall 0.980) and pays after 380 queries; " in said
    assert "`hnsw` is 9 times quicker (recall 0.970) and pays after 3,000 queries. Smallest: `ivf`" in said
    assert "ivfpq" not in said, "its recall is too low"
    assert chosen(row("flat", single=0.001), [lists]).variant == "flat"
    assert chosen(flat, [lists, replace(lists, variant="small", build=4.5, bytes=400.0)]).variant == "small"
    assert chosen(flat, [lists, replace(lists, variant="late", build=6.0, bytes=400.0)]).variant == "ivf"
    assert chosen(flat, [row("sq8", single_ratio=2.0)]).variant == "flat"
    assert "nothing is quicker" in advice(flat, [])


def test_the_command_writes_a_report(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("evals.speed.faiss_variants.measure.set_threads", lambda threads: None)
    out = tmp_path / "faiss.md"
    assert main(["--sizes", "600", "--cache", str(tmp_path / "empty"), "--out", str(out)]) == 0
    text = out.read_text(encoding="utf-8")
    assert "made-up vectors: 400 clusters" in text and "| 600 | `flat` | 1.000 |" in text
    assert "| bilingual | 1,395 | 1,404 | " in text and "missed" not in text
    assert text in capsys.readouterr().out
