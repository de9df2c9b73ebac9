"""OpenAI Chat Completions: request bodies, fine-tuning files (JSONL) and bare lists of messages.

Read and written: roles, content parts, tool calls (custom ones too), refusals, audio, names; the older
``function_call`` and role ``function`` are read. ``extra`` settings of the writer: ``jsonl=True`` for one body a
line, ``empty_content="null" | "empty" | "omit"`` for assistant messages that only call, ``reasoning=True`` for
``reasoning_content`` as DeepSeek, vLLM and others know it.
"""

from typing import Final

from mnemo_lab.formats.openai_chat.detect import detect
from mnemo_lab.formats.openai_chat.read import read
from mnemo_lab.formats.openai_chat.write import write

name: Final = "openai-chat"
title: Final = "OpenAI Chat Completions"
suffix: Final = ".json"
several: Final = True

__all__ = ["detect", "name", "read", "several", "suffix", "title", "write"]
