"""Which probes are asked: a fixed sample, balanced over categories and recordings, the same for every strategy."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from hashlib import blake2b
from typing import NamedTuple

from mnemo_lab.answering.twins import can_be_scored, twins
from mnemo_lab.recording import Probe, Recording


class Picked(NamedTuple):
    """A probe of the sample. ``twin`` is its answerable twin's id, where it is unanswerable and has one."""

    recording: str
    probe: Probe
    twin: str | None = None


def sample(recordings: Sequence[Recording], most: int, seed: int) -> list[Picked]:
    """At most ``most`` probes that can be scored, in the order in which they are drawn.

    The next probe is always of the category drawn least so far (first of one that few recordings have), of the
    recording drawn least among those, and by its hash with ``seed`` among those. An unanswerable one brings its twin.
    A smaller sample is the beginning of a larger one (and may end one short of ``most``, where only half a pair would
    fit).
    """
    pool = {(r.id, probe.id): probe for r in recordings for probe in r.probes if can_be_scored(probe)}
    paired = {(r.id, one): twin for r in recordings for one, twin in twins(r).items()}
    luck = {key: _luck(seed, *key) for key in pool}
    homes = Counter(category for _, category in {(key[0], probe.category) for key, probe in pool.items()})
    of_category: Counter[str] = Counter()
    of_recording: Counter[str] = Counter()
    drawn: list[Picked] = []

    def turn(key: tuple[str, str]) -> tuple[int, int, int, bytes]:
        category = pool[key].category
        return of_category[category], homes[category], of_recording[key[0]], luck[key]

    while pool:
        first = min(pool, key=turn)
        keys = [key for key in (first, (first[0], paired.get(first, ""))) if key in pool]
        if len(drawn) + len(keys) > most:
            break
        for key in keys:
            probe = pool.pop(key)
            drawn.append(Picked(key[0], probe, paired.get(key)))
            of_category[probe.category] += 1
            of_recording[key[0]] += 1
    return drawn


def _luck(seed: int, recording: str, probe: str) -> bytes:
    return blake2b(f"{seed}\n{recording}\n{probe}".encode(errors="replace"), digest_size=8).digest()
