"""Message ids that are unique over a recording, and the ids under which a probe may name a message."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from mnemo_lab.conversation import Conversation, Message


@dataclass(frozen=True)
class MessageIds:
    """Which message an id in a probe means, and where that message stands."""

    messages: tuple[Message, ...]
    known: dict[str, int]
    ambiguous: frozenset[str]

    def position(self, written: str) -> int | None:
        """The position of the message, or ``None`` where the id is unknown or could mean several."""
        return self.known.get(written)

    def fault(self, written: str) -> str:
        """Why an id has no position."""
        if written in self.ambiguous:
            return f"message id {written!r} stands in several conversations; write <conversation id>/{written}"
        return f"there is no message {written!r}"


def make_unique(conversations: Sequence[Conversation]) -> tuple[tuple[Conversation, ...], MessageIds]:
    """Conversations whose message ids are unique over the recording, and how probes may name the messages.

    A message without id is called by its place (``m0001``), a repeated id gets ``~2``, and where two conversations
    use the same id all ids become ``<conversation id>/<message id>``. Probes may use either form where it is clear.
    """
    names = _distinct([c.id or f"c{n:02}" for n, c in enumerate(conversations, 1)])
    local = [_local_ids(c.messages) for c in conversations]
    used = Counter(name for ids in local for name in ids)
    prefixed = any(count > 1 for count in used.values())
    final = [[f"{name}/{i}" if prefixed else i for i in ids] for name, ids in zip(names, local, strict=True)]
    renamed = tuple(map(_renamed, conversations, names, final))
    messages = tuple(m for c in renamed for m in c.messages)
    known = {m.id: position for position, m in enumerate(messages)}
    forms = (form for name, ids in zip(names, local, strict=True) for i in ids for form in [(i, f"{name}/{i}")])
    for position, (short, full) in enumerate(forms):
        known.setdefault(full, position)
        if used[short] == 1:
            known.setdefault(short, position)
    return renamed, MessageIds(messages, known, frozenset(i for i, n in used.items() if n > 1))


def _local_ids(messages: Sequence[Message]) -> list[str]:
    """Ids that are unique within one conversation; those that were written once stay as they are."""
    written = Counter(m.id for m in messages)
    return _distinct([m.id or f"m{n:04}" for n, m in enumerate(messages, 1)], taken=written)


def _distinct(names: Iterable[str], taken: Iterable[str] = ()) -> list[str]:
    """The names, with ``~2``, ``~3`` … after one that came before. ``taken`` names are not used as new ones."""
    reserved, seen, result = set(taken), set[str](), list[str]()
    for name in names:
        chosen, n = name, 1
        while chosen in seen or (n > 1 and chosen in reserved):
            n += 1
            chosen = f"{name}~{n}"
        seen.add(chosen)
        result.append(chosen)
    return result


def _renamed(conversation: Conversation, name: str, ids: Sequence[str]) -> Conversation:
    messages = conversation.messages
    if conversation.id == name and [m.id for m in messages] == list(ids):
        return conversation
    first: dict[str, str] = {}
    for message, new in zip(messages, ids, strict=True):
        first.setdefault(message.id, new)
    moved = tuple(
        replace(m, id=new, parent_id=first.get(m.parent_id, m.parent_id) if m.parent_id else m.parent_id)
        for m, new in zip(messages, ids, strict=True)
    )
    return replace(conversation, id=name, messages=moved)
