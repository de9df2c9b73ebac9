"""ChatGPT's data export: zip, folder or one of its files; old and new shapes."""

from typing import Final

from mnemo_lab.formats.chatgpt.detect import detect
from mnemo_lab.formats.chatgpt.read import read

name: Final = "chatgpt"
title: Final = "ChatGPT data export"

__all__ = ["detect", "name", "read", "title"]
