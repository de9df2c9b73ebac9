"""Gemini: request bodies with ``contents`` (camelCase as in REST, or snake_case as in Python), and bare lists.

``extra`` settings of the writer: ``filler="…"`` puts a user turn before a leading model turn, and
``skip_signatures=True`` marks unsigned calls with the value that Gemini documents for imported histories.
"""

from typing import Final

from mnemo_lab.formats.gemini.detect import detect
from mnemo_lab.formats.gemini.read import read
from mnemo_lab.formats.gemini.write import write

name: Final = "gemini"
title: Final = "Gemini"
suffix: Final = ".json"
several: Final = True

__all__ = ["detect", "name", "read", "several", "suffix", "title", "write"]
