"""Metrics: each a function of one outcome; NaN where undefined, never a silent 0."""

from mnemo_lab.metrics.table import METRICS, Metric, measure

__all__ = ["METRICS", "Metric", "measure"]
