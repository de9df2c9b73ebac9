"""The portable format: Mnemosyne *ConversationContext* 1.0.0 and its extension 1.1.0.

``read`` and ``write`` are those of every format; ``read_file`` and ``write_file`` take paths, ``loads`` and
``dumps`` text.
"""

from typing import Final

from mnemo_lab.formats.portable.detect import detect
from mnemo_lab.formats.portable.read import loads, read_file
from mnemo_lab.formats.portable.stream import read
from mnemo_lab.formats.portable.write import dumps, write, write_file

name: Final = "portable"
title: Final = "Mnemosyne conversation context"
suffix: Final = ".json"
several: Final = True
trees: Final = True
"""Branches are kept as they are."""

__all__ = [
    "detect",
    "dumps",
    "loads",
    "name",
    "read",
    "read_file",
    "several",
    "suffix",
    "title",
    "trees",
    "write",
    "write_file",
]
