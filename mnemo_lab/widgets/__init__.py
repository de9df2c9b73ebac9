"""Widgets for notebooks. Each is a plain class with the logic and a thin ipywidgets view over it."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from mnemo_lab.widgets.threshold_tuner import ThresholdTuner
    from mnemo_lab.widgets.tuner_state import TunerState

_WHERE: Final = {
    "ThresholdTuner": "mnemo_lab.widgets.threshold_tuner",
    "TunerState": "mnemo_lab.widgets.tuner_state",
}
__all__ = ["ThresholdTuner", "TunerState"]


def __getattr__(name: str) -> Any:
    if name not in _WHERE:
        raise AttributeError(f"module 'mnemo_lab.widgets' has no attribute {name!r}; it has {', '.join(__all__)}")
    return getattr(import_module(_WHERE[name]), name)


def __dir__() -> list[str]:
    return sorted(__all__)
