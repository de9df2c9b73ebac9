"""Summaries: what stands for messages that are no longer sent; extractive, or written by a model."""

from mnemo_lab.summaries.base import Summariser, Summary, SummaryLine

__all__ = ["Summariser", "Summary", "SummaryLine"]
