"""LangChain messages. They hold nearly everything; the provider behind them judges later."""

from __future__ import annotations

from typing import Final

from mnemo_lab.formats.targets.rules import Target

TARGET: Final = Target(name="langchain", title="LangChain", pairing="misread")
