"""Times that can be compared: warmed up, repeated, and taken in turns."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable
from statistics import median
from typing import Any, Final, NamedTuple

REPEATS: Final = 5
SHORTEST: Final = 0.02
"""Seconds a single sample must take: quicker work is done several times in a row."""
Work = Callable[[], Any]


class Pair(NamedTuple):
    """Median seconds of ours and of the limit, and the median of the ratios of neighbouring samples."""

    ours: float
    limit: float
    ratio: float


def in_turns(ours: Work, limit: Work, repeats: int = REPEATS) -> Pair:
    """A B A B …: what slows the machine for a while slows both, so that the ratio stays."""
    times, limits = _loops(ours), _loops(limit)
    a, b = [], []
    for _ in range(repeats):
        a.append(_sample(ours, times))
        b.append(_sample(limit, limits))
    return Pair(median(a), median(b), median(x / y for x, y in zip(a, b, strict=True)))


def alone(work: Work, repeats: int = REPEATS) -> float:
    """Median seconds."""
    loops = _loops(work)
    return median(_sample(work, loops) for _ in range(repeats))


def _loops(work: Work) -> int:
    """How often to do the work in one sample. Finding out warms it up."""
    work()
    once = _sample(work, 1)
    return max(1, round(SHORTEST / max(once, 1e-7)))


def _sample(work: Work, loops: int) -> float:
    """Seconds of one go. Garbage of the one before is collected first, and none while the clock runs."""
    gc.collect()
    gc.disable()
    try:
        start = time.perf_counter()
        for _ in range(loops):
            work()
        return (time.perf_counter() - start) / loops
    finally:
        gc.enable()
