"""How figures look: one palette over all of them, safe for colour-blind readers and in grey print."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Final, cast

from mnemo_lab.reporting.selection import is_reference

COLOURS: Final = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#B8860B", "#56B4E9", "#7F3C8D", "#1B1B1B")
"""Okabe & Ito (2008), the yellow darkened to be seen on white, and two more."""
MARKERS: Final = ("o", "s", "^", "D", "v", "P", "X", "h")
DASHES: Final = ("solid", (0, (5, 2)), (0, (1, 1.5)), (0, (6, 2, 1, 2)))
GREY: Final = "#6b6b6b"
WIDTH: Final = 5.2
"""Inches: readable at two columns of a page."""
DPI: Final = 150


@dataclass(frozen=True, slots=True)
class Look:
    """A strategy's colour, marker and line, the same in every figure."""

    colour: str
    marker: str
    line: Any


def looks(labels: Sequence[str], baseline: str) -> dict[str, Look]:
    """Colours go round after eight strategies, dashes tell them apart then; references and baseline are grey."""
    found: dict[str, Look] = {}
    place = 0
    for label in labels:
        if label == baseline:
            found[label] = Look(GREY, "o", (0, (5, 2)))
        elif is_reference(label):
            found[label] = Look(GREY, "*" if label == "oracle" else "x", (0, (1, 1.5)))
        else:
            turn, colour = divmod(place, len(COLOURS))
            found[label] = Look(COLOURS[colour], MARKERS[(colour + turn) % len(MARKERS)], DASHES[turn % len(DASHES)])
            place += 1
    return found


def settings(families: Sequence[str]) -> dict[str, Any]:
    return {
        "font.family": list(families),
        "font.size": 9,
        "axes.titlesize": 9.5,
        "axes.labelsize": 9,
        "xtick.labelsize": 8.5,
        "ytick.labelsize": 8.5,
        "axes.spines.top": False,
        "axes.spines.right": False,
        "axes.edgecolor": "#444444",
        "axes.linewidth": 0.8,
        "axes.grid": True,
        "axes.axisbelow": True,
        "axes.unicode_minus": False,
        "grid.color": "#e4e4e4",
        "grid.linewidth": 0.6,
        "lines.linewidth": 1.5,
        "lines.markersize": 4.5,
        "svg.fonttype": "none",
        "svg.hashsalt": "mnemo-lab",
        "text.parse_math": False,
        "figure.facecolor": "white",
        "savefig.facecolor": "white",
    }


@contextmanager
def styled(families: Sequence[str]) -> Iterator[None]:
    """Draw and save inside; the settings of whoever called are restored."""
    import warnings

    import matplotlib as mpl

    with mpl.rc_context(cast("Any", settings(families))), warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=".*[Gg]lyph.*missing.*")
        yield
