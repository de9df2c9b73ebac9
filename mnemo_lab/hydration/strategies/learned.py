"""``learned``: ``hydrate`` with weights that were fitted, not chosen by hand."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar, Final

from mnemo_lab.hydration.strategies.hydrate import Hydrate

WEIGHTS_FILE: Final = Path(__file__).with_name("learned.toml")
FITTED: Final = tomllib.loads(WEIGHTS_FILE.read_text(encoding="utf-8"))
"""``weights`` by signal, and the recordings they were ``fitted_on``: figures on those are not claims."""
_WEIGHTS: Final[dict[str, float]] = FITTED["weights"]


@dataclass(frozen=True)
class Learned(Hydrate):
    """``hydrate`` with weights fitted by listwise softmax on LoCoMo 1-5 and BEAM 1-5 (``evals/tune_hydrate.py``).

    Every part can be switched as in ``hydrate``; ``length`` is a price that was set, since the fit knows no budget.
    """

    name: ClassVar[str] = "learned"
    fitted_on: ClassVar[tuple[str, ...]] = tuple(FITTED["fitted_on"])
    context: float = _WEIGHTS["context"]
    dense: float = _WEIGHTS["dense"]
    pair: float = _WEIGHTS["pair"]
    session: float = _WEIGHTS["session"]
    speaker: float = _WEIGHTS["speaker"]
    answers: float = _WEIGHTS["answers"]
    asks: float = _WEIGHTS["asks"]
    asker: float = _WEIGHTS["asker"]
    checkpoint: float = _WEIGHTS["checkpoint"]
    checkpoint_words: float = _WEIGHTS["checkpoint_words"]
    time: float = _WEIGHTS["time"]
    length: float = _WEIGHTS["length"]
