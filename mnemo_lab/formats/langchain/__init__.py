"""LangChain messages: what ``messages_to_dict`` gives, and the ``{"lc": 1}`` form of ``load.dumps``, mapped by hand.

Nothing is ever instantiated from a file. ``langchain_core.messages.messages_from_dict`` takes what is written.
"""

from __future__ import annotations

from typing import Final

from mnemo_lab.formats.langchain.read import detect, read
from mnemo_lab.formats.langchain.write import write

name: Final = "langchain"
title: Final = "LangChain messages"
suffix: Final = ".json"
several: Final = False

__all__ = ["detect", "name", "read", "several", "suffix", "title", "write"]
