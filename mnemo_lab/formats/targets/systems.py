"""Where system messages may stand, and joining those that may not into the one at the start."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from mnemo_lab.formats.targets.draft import Draft, Entry
from mnemo_lab.formats.targets.rules import Verdict
from mnemo_lab.losses import Loss


class Placed(NamedTuple):
    """A system message that some rule is about."""

    position: int
    late: bool
    verdict: Verdict


def check(draft: Draft) -> Iterator[Loss]:
    for position, late, verdict in _placed(draft):
        entry = draft.entries[position]
        if verdict == "refused":
            yield draft.loss(entry, "system_refused", target=draft.target.title)
        elif verdict == "misread" and late:
            yield draft.loss(entry, "late_system_message")
        elif verdict == "misread":
            yield draft.loss(entry, "turn_doubtful", target=draft.target.title, role="system", previous="system")


def mend(draft: Draft) -> None:
    """Join refused system messages to the last one that stands at the start, or to the system prompt."""
    refused = {item.position for item in _placed(draft) if item.verdict == "refused"}
    if not refused:
        return
    texts = [_taken(draft, draft.entries[position]) for position in sorted(refused)]
    anchor = _anchor(draft, refused)
    if anchor is None:
        draft.system_prompt = _joined(draft.system_prompt, texts)
    else:
        first = draft.entries[anchor]
        draft.entries[anchor] = first.with_message(content=_joined(first.message.text, texts))
    draft.entries = [entry for position, entry in enumerate(draft.entries) if position not in refused]


def _placed(draft: Draft) -> Iterator[Placed]:
    seen = bool((draft.system_prompt or "").strip())
    previous = ""  # the role before, refused system messages left out
    for position, entry in enumerate(draft.entries):
        role = entry.message.role
        if role != "system":
            previous = role
        elif previous:
            taken = previous in draft.target.system_after
            yield Placed(position, True, "fine" if taken else draft.target.late_system)
        else:
            if seen:
                yield Placed(position, False, draft.target.several_systems)
            seen = True


def _anchor(draft: Draft, refused: set[int]) -> int | None:
    anchor = None
    for position, entry in enumerate(draft.entries):
        if entry.message.role != "system":
            break
        if position not in refused:
            anchor = position
    return anchor


def _taken(draft: Draft, entry: Entry) -> str:
    """The text of a system message that is joined to another; what else it held is noted as lost."""
    draft.note(entry, "system_joined")
    for item in entry.message.attachments:
        code = "image_dropped" if item.kind == "image" else "file_dropped"
        draft.note(entry, code, reason="role = system")
    return entry.message.text


def _joined(first: str | None, more: list[str]) -> str | None:
    """Texts with blank lines between; the first as it is where nothing else says anything."""
    texts = [text for text in (first or "", *more) if text.strip()]
    return "\n\n".join(texts) if any(map(str.strip, more)) else first
