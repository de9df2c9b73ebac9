"""Codex: rollout files (JSON lines), one or a folder of them; the older bare lines too.

What the tool compacted away is still in the file and is read; the summary it put in its place is marked as hidden and
keeps the replacement. Turns the user rolled back are left out, because the tool took them out of the conversation.
"""

from mnemo_lab.formats.codex.detect import detect
from mnemo_lab.formats.codex.read import name, read

title = "Codex"

__all__ = ["detect", "name", "read", "title"]
