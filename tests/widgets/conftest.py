"""One small run that needs no model: two development and two test recordings, one of each in Chinese."""

from __future__ import annotations

import pytest

import mnemo_lab as ml
from mnemo_lab.replay.run import Run

IDS = ["en-home", "zh-webapp", "en-travel", "zh-health"]


@pytest.fixture(scope="session")
def run() -> Run:
    data = ml.load("bilingual").select(recordings=IDS)
    strategies = ["bm25", "hybrid", "hybrid(k=7, session=0.0, speaker=0.0)"]
    return ml.run(data, strategies, [512, 1024, 2048], embedder="hashing", cache_dir="", progress=False)
