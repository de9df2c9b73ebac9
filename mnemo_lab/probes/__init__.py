"""Probes without labels or models: what later messages of a conversation use again, and where it was introduced.

``probes = ml.probes.mine(conversation, min_turns=6)``
"""

from mnemo_lab.probes.mining import MIN_TURNS, mine
from mnemo_lab.probes.own import dataset_of

__all__ = ["MIN_TURNS", "dataset_of", "mine"]
