"""Anthropic Messages: request bodies with ``system`` and ``messages``, JSONL of them, and bare lists.

Tool results of a user turn become tool messages in front of it; the writer puts them back, merges turns of the same
role and leaves out empty text, as the API demands. ``extra`` settings of the writer: ``mid_system=True`` keeps later
system messages in place (only some models take them), ``filler="…"`` puts a user turn before a leading assistant.
"""

from typing import Final

from mnemo_lab.formats.anthropic.detect import detect
from mnemo_lab.formats.anthropic.read import read
from mnemo_lab.formats.anthropic.write import write

name: Final = "anthropic"
title: Final = "Anthropic Messages"
suffix: Final = ".json"
several: Final = True

__all__ = ["detect", "name", "read", "several", "suffix", "title", "write"]
