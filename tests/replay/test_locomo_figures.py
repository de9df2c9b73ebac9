"""The figures we claim: hybrid on LoCoMo's recordings 6-10, which no weight was chosen on, answerable questions."""

from __future__ import annotations

import os
from pathlib import Path
from statistics import fmean

import pytest

from mnemo_lab.api import load
from mnemo_lab.errors import InvalidInput
from mnemo_lab.metrics.evidence import evidence_recall
from mnemo_lab.metrics.ranking import recall_at
from mnemo_lab.replay.loop import replay
from mnemo_lab.replay.run import embed_together
from mnemo_lab.replay.view import RecordingView
from mnemo_lab.services import ServicesSpec
from mnemo_lab.strategy_text import parse_strategy

FLOORS = {512: 0.72, 2048: 0.86, 4096: 0.92}
RECALL_AT_10 = 0.72
SHARED = Path(__file__).resolve().parents[3] / "shared" / "data"


@pytest.mark.slow
def test_hybrid_on_the_test_recordings(monkeypatch: pytest.MonkeyPatch) -> None:
    """About half a minute where nothing is embedded yet; vectors stay in the user's cache."""
    if not os.environ.get("MNEMO_DATA_DIR") and SHARED.is_dir():
        monkeypatch.setenv("MNEMO_DATA_DIR", str(SHARED))
    try:
        data = load("locomo").select(split="test")
    except InvalidInput as error:
        pytest.skip(f"LoCoMo is not here: {error}")
    assert [r.id for r in data.recordings] == ["conv-44", "conv-47", "conv-48", "conv-49", "conv-50"]
    services, strategy = ServicesSpec().for_language("en").open(), parse_strategy("hybrid")
    kept: dict[int, list[float]] = {budget: [] for budget in FLOORS}
    ranked = []
    for recording in data.recordings:
        view = RecordingView(recording, services)
        embed_together(view, [strategy], services)
        for outcome in replay(view, strategy, "hybrid", list(FLOORS), services):
            if outcome.probe.answerable and outcome.gold.evidence:
                kept[outcome.budget_tokens].append(evidence_recall(outcome))
                if outcome.budget_tokens == 512:
                    ranked.append(recall_at(10, outcome))
    assert len(ranked) == 776
    found = {budget: fmean(values) for budget, values in kept.items()}
    assert all(found[budget] >= floor for budget, floor in FLOORS.items()), found
    assert fmean(ranked) >= RECALL_AT_10
    print(f"R@10 {fmean(ranked):.4f}, evidence {found}")
