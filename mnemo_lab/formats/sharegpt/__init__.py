"""ShareGPT: ``{"conversations": [{"from", "value"}], "system", "tools", "images"}``, as LLaMA-Factory trains on it."""

from __future__ import annotations

from typing import Final

from mnemo_lab.formats.sharegpt.read import detect, read
from mnemo_lab.formats.sharegpt.write import write

name: Final = "sharegpt"
title: Final = "ShareGPT"
suffix: Final = ".json"
several: Final = True

__all__ = ["detect", "name", "read", "several", "suffix", "title", "write"]
