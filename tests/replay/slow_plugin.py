"""A strategy of a third party, found through its entry point, that takes its time: what a killed run is killed in."""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from mnemo_lab.context import Budget, Piece, Query
from mnemo_lab.history import History
from mnemo_lab.services import Services
from mnemo_lab.truncation.base import Truncation


@dataclass(frozen=True)
class Slow(Truncation):
    """Keeps the first message; where ``SLOW_AT`` is its ``mark``, notes every recall in ``SLOW_LOG`` and sleeps."""

    name: ClassVar[str] = "slow"
    mark: int = 0

    def keep(self, history: History, query: Query, budget: Budget, services: Services) -> Sequence[Piece]:
        if os.environ.get("SLOW_AT") == str(self.mark):
            with Path(os.environ["SLOW_LOG"]).open("a") as log:
                log.write("recall\n")
            time.sleep(0.2)
        return [history.chat(0)] if len(history) and history.chat(0).tokens < budget.tokens else []


def install(folder: Path) -> None:
    """What an installed package leaves behind: its metadata with the entry point."""
    info = folder / "slow_plugin-1.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: slow-plugin\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(f"[mnemo_lab.strategy]\nslow = {__name__}:Slow\n")
