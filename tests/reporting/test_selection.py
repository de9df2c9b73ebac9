"""What a claim may be made on."""

from __future__ import annotations

from pathlib import Path

import pytest

from mnemo_lab.errors import InvalidInput
from mnemo_lab.hydration.strategies.learned import FITTED, Learned
from mnemo_lab.reporting.compare import compare
from mnemo_lab.reporting.write import write_report
from tests.reporting.runs import Shape, make_run

TOLD = "learned was fitted on r2: .*split='test'"


def test_a_fitted_strategy_says_on_what() -> None:
    assert Learned.fitted_on == tuple(FITTED["fitted_on"])
    assert "locomo conv-26" in Learned.fitted_on and "beam beam-1" in Learned.fitted_on


def test_nothing_is_claimed_on_what_a_strategy_was_fitted_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run = make_run(Shape(strategies=("learned",)), lambda *_: 0.5, tmp_path / "run")
    assert compare(run).baseline == "recent"  # fitted on others
    monkeypatch.setattr(Learned, "fitted_on", ("made r2", "locomo r3"))
    with pytest.raises(InvalidInput, match=TOLD):
        compare(run)
    with pytest.raises(InvalidInput, match=TOLD):
        write_report(run, tmp_path / "report")
    assert not (tmp_path / "report").exists()


def test_claims_on_the_other_half_are_free(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run = make_run(Shape(strategies=("learned",), dev=("r1", "r2")), lambda *_: 0.5, tmp_path / "run")
    monkeypatch.setattr(Learned, "fitted_on", ("made r2",))
    assert compare(run).split == "test"
    for split in ("dev", "all"):
        with pytest.raises(InvalidInput, match=TOLD):
            compare(run, split=split)
