"""How sure a number is: intervals, paired tests, Holm, area over budgets, detectable differences.

The cluster is always the recording. Undefined is NaN, never zero. Loads numpy at import and scipy when used.
"""

from mnemo_lab.statistics.area import area, areas
from mnemo_lab.statistics.grouping import Groups, group
from mnemo_lab.statistics.holm import holm
from mnemo_lab.statistics.intervals import ClusterMean, Interval, cluster_means, macro_interval, mean_interval
from mnemo_lab.statistics.pairs import Pair, compare_pairs
from mnemo_lab.statistics.permutation import SignFlip, sign_flip
from mnemo_lab.statistics.power import Power, detectable_difference, minimum_detectable_difference

__all__ = [
    "ClusterMean",
    "Groups",
    "Interval",
    "Pair",
    "Power",
    "SignFlip",
    "area",
    "areas",
    "cluster_means",
    "compare_pairs",
    "detectable_difference",
    "group",
    "holm",
    "macro_interval",
    "mean_interval",
    "minimum_detectable_difference",
    "sign_flip",
]
