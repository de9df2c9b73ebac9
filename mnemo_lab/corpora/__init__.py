"""Data sets: one file per public one, the bundled bilingual set, and anyone's own."""

from mnemo_lab.corpora.base import Corpus, Dataset, load
from mnemo_lab.corpora.card import Card

__all__ = ["Card", "Corpus", "Dataset", "load"]
