"""Write portable documents: as 1.0.0 where that holds everything, as 1.1.0 where it does not."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any, Final

from mnemo_lab.conversation import Conversation, DocumentMeta
from mnemo_lab.errors import InvalidInput
from mnemo_lab.formats.base import StrPath, WriteOptions, Written
from mnemo_lab.formats.faults import Refused, shorten
from mnemo_lab.formats.files import write_atomically
from mnemo_lab.formats.json_values import Cleaner
from mnemo_lab.formats.portable.check import validate
from mnemo_lab.formats.portable.models import VERSION_1_0, VERSION_1_1, VERSIONS
from mnemo_lab.formats.portable.outside import document_of
from mnemo_lab.formats.portable.versions import newer_fields, take_back
from mnemo_lab.losses import Loss

EXPORTER: Final = "mnemo-lab"


def dumps(
    conversation: Conversation,
    meta: DocumentMeta | None = None,
    version: str | None = None,
    *,
    now: datetime | None = None,
) -> str:
    """The document as text, the same bytes for the same input.

    The time of export is ``now`` where given, else ``meta.exported_at``; one of the two is needed, because the
    wall clock is never read. ``version`` forces a version; what 1.0.0 cannot hold is left out (``write_file`` lists
    it). Lone surrogates become U+FFFD. Raises ``InvalidInput`` for what JSON or the format cannot say.
    """
    return _render(conversation, _meta(meta, now), version, "<conversation>")[0]


def write_file(
    conversation: Conversation,
    path: StrPath,
    meta: DocumentMeta | None = None,
    version: str | None = None,
    *,
    now: datetime | None = None,
) -> tuple[Loss, ...]:
    """Write ``dumps(...)`` as UTF-8, whole or not at all, and list what was left out or replaced."""
    text, losses = _render(conversation, _meta(meta, now), version, os.fspath(path))
    write_atomically(path, text.encode())
    return losses


def write(conversations: Sequence[Conversation], options: WriteOptions) -> Written:
    """One document, or an array of them; the time of export is ``options.now``.

    ``options.extra``: ``version`` forces a version; ``metas`` are the conversations' own ``DocumentMeta``, in order.
    """
    metas = options.extra.get("metas") or [None] * len(conversations)
    version = options.extra.get("version")
    texts: list[str] = []
    losses: list[Loss] = []
    for number, (conversation, meta) in enumerate(zip(conversations, metas, strict=True)):
        place = conversation.title or conversation.id or f"conversation {number + 1}"
        text, lost = _render(conversation, _meta(meta, options.now), version, place)
        texts.append(text)
        losses += lost
    whole = texts[0] if len(texts) == 1 else _array(texts)
    return Written(whole.encode(), tuple(losses))


def _array(texts: Sequence[str]) -> str:
    joined = ",\n".join(text.rstrip("\n") for text in texts)
    return f"[\n{joined}\n]\n"


def _meta(meta: DocumentMeta | None, now: datetime | None) -> DocumentMeta:
    if now is None:
        if meta is None:
            raise InvalidInput("the time of export is missing; pass meta with exported_at, or now=datetime.now(UTC)")
        return meta
    if now.tzinfo is None:
        raise InvalidInput(f"now={now.isoformat()} has no time zone; pass for example datetime.now(UTC)")
    moment = now.astimezone(UTC).isoformat().replace("+00:00", "Z")
    return replace(meta, exported_at=moment) if meta else DocumentMeta(moment, EXPORTER)


def _render(
    conversation: Conversation, meta: DocumentMeta, version: str | None, place: str
) -> tuple[str, tuple[Loss, ...]]:
    if version not in (None, *VERSIONS):
        allowed = ", ".join(VERSIONS)
        raise InvalidInput(
            f"version {shorten(version)} cannot be written; allowed: {allowed}, None for the lowest that fits"
        )
    try:
        tree, losses = _tree(conversation, meta, place)
        uses = list(newer_fields(tree))
        tree["version"] = version or (VERSION_1_1 if uses else VERSION_1_0)
        if tree["version"] == VERSION_1_0:
            losses += take_back(uses)
        text = json.dumps(tree, ensure_ascii=False, indent=2, allow_nan=False)
    except RecursionError:
        raise Refused(place, ["extensions are nested too deeply, or contain themselves; flatten them"]) from None
    return text + "\n", tuple(losses)


def _tree(conversation: Conversation, meta: DocumentMeta, place: str) -> tuple[dict[str, Any], list[Loss]]:
    cleaner = Cleaner()
    tree: dict[str, Any] = cleaner.clean(document_of(conversation, meta))
    if cleaner.faults:
        raise Refused(place, cleaner.faults)
    validate(tree, place)
    return tree, cleaner.losses
