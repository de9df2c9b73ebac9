"""Claude Code: session files (JSON lines), one or a folder of them; subagents are conversations of their own.

What the tool compacted away is still in the file and is read; the summary it put in its place is marked as hidden.
"""

from mnemo_lab.formats.claude_code.detect import detect
from mnemo_lab.formats.claude_code.read import name, read

title = "Claude Code"

__all__ = ["detect", "name", "read", "title"]
