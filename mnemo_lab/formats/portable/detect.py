"""Whether a sample is a portable document, an array of them, or one a line."""

from __future__ import annotations

import re
from typing import Final

from mnemo_lab.formats.base import Detection, Sample

_VERSION: Final = re.compile(r"[0-9]+\.[0-9]+\.[0-9]+")
_KEYS: Final = ("version", "meta", "conversation")


def detect(sample: Sample) -> Detection | None:
    """Judge by the version and the keys no other format has together; the name of the file says nothing.

    The first three documents are looked at, because the first may be the broken one.
    """
    documents = [*(sample.value if isinstance(sample.value, list) else [sample.value]), *sample.records]
    found = [judged for document in documents[:3] if (judged := _judge(document))]
    return max(found, key=lambda judged: judged.score, default=None)


def _judge(document: object) -> Detection | None:
    if not isinstance(document, dict):
        return None
    version, meta, conversation = (document.get(key) for key in _KEYS)
    if not isinstance(version, str) or not _VERSION.fullmatch(version) or not isinstance(meta, dict):
        return None
    if isinstance(conversation, dict) and "messages" in conversation and "exported_at" in meta:
        return Detection(0.95, f"has version {version}, meta.exported_at and conversation.messages")
    if "exported_at" in meta or isinstance(conversation, dict):
        # A long meta or title may have pushed the rest out of the sample; or a field is missing.
        part = "meta.exported_at" if "exported_at" in meta else "meta and conversation"
        return Detection(0.6, f"has version {version} and {part}")
    return None
