"""Ollama ``/api/chat``: request bodies with ``messages``, JSONL of them, and bare lists.

Calls have no ids there: results are paired by name and order.
"""

from typing import Final

from mnemo_lab.formats.ollama.detect import detect
from mnemo_lab.formats.ollama.read import read
from mnemo_lab.formats.ollama.write import write

name: Final = "ollama"
title: Final = "Ollama"
suffix: Final = ".json"
several: Final = True

__all__ = ["detect", "name", "read", "several", "suffix", "title", "write"]
