"""Claude.ai: the data export (zip, folder or its ``conversations.json``), and conversations as the site's API has them.

Content blocks are read, the flattened ``text`` only where they say nothing. A result stands inside the assistant's
message there; here it is a message of its own, so that one message becomes ``m``, ``m#2``, ``m#3`` …
"""

from mnemo_lab.formats.claude_ai.detect import detect
from mnemo_lab.formats.claude_ai.read import name, read

title = "Claude.ai"

__all__ = ["detect", "name", "read", "title"]
