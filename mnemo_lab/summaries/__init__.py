"""Summaries: what stands for messages that are no longer sent; extractive, or written by a model."""

from mnemo_lab.summaries.base import Summariser, Summary, SummaryLine
from mnemo_lab.summaries.extractive import ExtractiveSummariser, summarise_text

__all__ = ["ExtractiveSummariser", "Summariser", "Summary", "SummaryLine", "summarise_text"]
