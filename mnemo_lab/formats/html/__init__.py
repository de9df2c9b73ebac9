"""HTML for people: one page that needs nothing from elsewhere and runs no script. Written only."""

from __future__ import annotations

from typing import Final

from mnemo_lab.formats.html.write import write

name: Final = "html"
title: Final = "HTML transcript"
suffix: Final = ".html"
several: Final = True

__all__ = ["name", "several", "suffix", "title", "write"]
