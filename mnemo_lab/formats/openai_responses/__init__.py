"""OpenAI Responses: request bodies with ``input``, responses with ``output``, and bare lists of items.

Items of one answer (reasoning, message, calls) are one assistant message; outputs are tool messages, paired by
``call_id``. Item types without a place in a conversation are kept and put back when this format is written.
``extra={"reasoning": "summary"}`` writes reasoning of other providers, too, as summaries.
"""

from typing import Final

from mnemo_lab.formats.openai_responses.detect import detect
from mnemo_lab.formats.openai_responses.read import read
from mnemo_lab.formats.openai_responses.write import write

name: Final = "openai-responses"
title: Final = "OpenAI Responses"
suffix: Final = ".json"
several: Final = True

__all__ = ["detect", "name", "read", "several", "suffix", "title", "write"]
