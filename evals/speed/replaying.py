"""A warm replay: search, packing, metrics and rows of the bundled grid, with every vector in memory."""

from __future__ import annotations

import time
from collections.abc import Iterator
from statistics import median
from typing import Final

from evals.speed.material import bilingual
from evals.speed.table import Row, Target
from mnemo_lab.paths import evals_root
from mnemo_lab.recording import Recording
from mnemo_lab.replay.grid import read_grid
from mnemo_lab.replay.loop import replay
from mnemo_lab.replay.reference import replay_oracle
from mnemo_lab.replay.rows import row_of
from mnemo_lab.replay.run import Run, embed_together, open_run, plans
from mnemo_lab.replay.view import RecordingView
from mnemo_lab.services import Services

ROUNDS: Final = 5
RECORDINGS: Final = 2
"""Of each language: enough for a steady rate, and few enough for five rounds."""
TARGET: Final = Target(1000, ">=", "/s")


def rows() -> Iterator[Row]:
    grid = read_grid(evals_root() / "bilingual.toml").model_copy(update={"embedder": "hashing"})
    chosen = [r.id for lang in ("en", "zh") for r in [r for r in bilingual() if r.language == lang][:RECORDINGS]]
    run = open_run(grid, bilingual().select(recordings=chosen), None, cache="")
    services = run.services("en")
    for recording in run.dataset:
        _outcomes(run, recording, services)
    rates = []
    for _ in range(ROUNDS):
        start = time.perf_counter()
        made = sum(_outcomes(run, recording, services) for recording in run.dataset)
        rates.append(made / (time.perf_counter() - start))
    yield Row(
        f"warm replay of bilingual ({made:,} outcomes of {len(run.dataset)} recordings)",
        rate=median(rates),
        target=TARGET,
        note=f"{len(run.labels)} rows × {len(grid.budgets)} budgets; hashed vectors, all in memory",
    )


def _outcomes(run: Run, recording: Recording, services: Services) -> int:
    """Replay a recording through the grid as a run does, up to finished rows; how many."""
    view = RecordingView(recording, services)
    todo = plans(run, recording)
    embed_together(view, [plan.strategy for plan in todo if plan.strategy], services)
    made = 0
    for plan in todo:
        if plan.strategy is None:
            outcomes = list(replay_oracle(view, run.grid.budgets, services))
        else:
            outcomes = list(replay(view, plan.strategy, plan.cell.strategy, run.grid.budgets, services))
        made += len([row_of(outcome, plan.cell) for outcome in outcomes])
    return made
