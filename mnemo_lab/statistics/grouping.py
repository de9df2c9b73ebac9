"""Values of probes grouped by recording, undefined ones left out."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from dataclasses import dataclass
from math import fsum, isnan

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mnemo_lab.errors import InvalidInput

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Groups:
    """Per recording, in order of first appearance: label, number of defined values, their sum.

    A recording whose values are all undefined is not there. Sums are correctly rounded (``math.fsum``), so the
    order of probes and the names of recordings change no result.
    """

    labels: tuple[Hashable, ...]
    counts: Floats
    sums: Floats

    @property
    def n(self) -> int:
        """Defined values."""
        return int(self.counts.sum())

    @property
    def clusters(self) -> int:
        """Recordings with at least one defined value."""
        return len(self.labels)

    @property
    def means(self) -> Floats:
        """Mean of each recording, shape ``(clusters,)``."""
        return self.sums / self.counts

    @property
    def mean(self) -> float:
        """Mean over probes; NaN without any."""
        return fsum(self.sums) / self.n if self.n else float("nan")

    @property
    def macro_mean(self) -> float:
        """Mean of the recordings' means; NaN without any."""
        return fsum(self.means) / self.clusters if self.clusters else float("nan")


def as_values(values: ArrayLike) -> Floats:
    """A flat float array; None becomes NaN.

    Raises:
        InvalidInput: not one-dimensional, or infinite.
    """
    array = np.asarray(values, dtype=np.float64)
    if array.ndim != 1:
        raise InvalidInput(f"values have shape {array.shape}; give one number per probe")
    if np.isinf(array).any():
        raise InvalidInput("values contain infinity; use NaN for a probe whose value is undefined")
    return array


def group(values: ArrayLike, clusters: Iterable[Hashable]) -> Groups:
    """Group one value per probe by its recording, leaving out NaN.

    Raises:
        InvalidInput: lengths differ, or a label is missing.
    """
    array, labels = as_values(values), list(clusters)
    if len(labels) != len(array):
        raise InvalidInput(f"{len(array)} values but {len(labels)} recordings; give the recording of every probe")
    members: dict[Hashable, list[float]] = {}
    for value, label in zip(array.tolist(), labels, strict=True):
        if label is None or (isinstance(label, float) and isnan(label)):
            raise InvalidInput(f"recording {label!r} is no label; give the recording of every probe")
        if not isnan(value):
            members.setdefault(label, []).append(value)
    counts = np.array([len(m) for m in members.values()], dtype=np.float64)
    return Groups(tuple(members), counts, np.array([fsum(m) for m in members.values()], dtype=np.float64))
