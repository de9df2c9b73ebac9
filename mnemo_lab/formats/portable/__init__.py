"""The portable format: Mnemosyne *ConversationContext* 1.0.0 and its extension 1.1.0."""

from typing import Final

from mnemo_lab.formats.portable.detect import detect
from mnemo_lab.formats.portable.read import loads, read
from mnemo_lab.formats.portable.write import dumps, write

name: Final = "portable"

__all__ = ["detect", "dumps", "loads", "name", "read", "write"]
