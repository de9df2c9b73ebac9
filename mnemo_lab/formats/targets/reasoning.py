"""Reasoning that a target would refuse: signatures are valid only where they were made."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from mnemo_lab.conversation import Message
from mnemo_lab.formats.targets.draft import Draft, Entry
from mnemo_lab.losses import Loss
from mnemo_lab.tokens.models import find_model

_ALIASES: Final = {
    "gemini": "google",
    "vertex": "google",
    "claude": "anthropic",
    "bedrock": "anthropic",
    "azure": "openai",
}
_SIGNATURES: Final = ("signature", "thoughtSignature", "thought_signature")


def check(draft: Draft) -> Iterator[Loss]:
    for position, entry in enumerate(draft.entries):
        for item in _entries(entry.message):
            if found := _refused(item, draft):
                yield draft.loss(entry, "signature_refused", target=draft.target.title, found=found)
        if _is_alone(draft, position):
            yield draft.loss(entry, "reasoning_unpaired", target=draft.target.title)
        if call := _unsigned_call(entry.message, draft):
            yield draft.loss(entry, "call_unsigned", model=draft.model, name=call)


def mend(draft: Draft) -> None:
    lonely = [_is_alone(draft, position) for position in range(len(draft.entries))]
    draft.entries = [_kept(draft, entry, alone) for entry, alone in zip(draft.entries, lonely, strict=True)]


def _kept(draft: Draft, entry: Entry, alone: bool) -> Entry:
    items = _entries(entry.message)
    refused = [item for item in items if alone or _refused(item, draft)]
    if not refused:
        return entry
    for item in refused:
        found = _refused(item, draft)
        draft.note(entry, "reasoning_dropped", reason=f"signature = {found}" if found else "reasoning only")
    extensions = dict(entry.message.extensions)
    gone = set(map(id, refused))
    left = [item for item in extensions.pop("reasoning") if id(item) not in gone]
    return entry.with_message(extensions=extensions | ({"reasoning": left} if left else {}))


def _entries(message: Message) -> list[Mapping[str, Any]]:
    """The reasoning a message carries; readers write it as a list of objects, other things are not judged."""
    found = message.extensions.get("reasoning")
    if message.role != "assistant" or not isinstance(found, list | tuple):
        return []
    return [item for item in found if isinstance(item, Mapping)]


def _refused(item: Mapping[str, Any], draft: Draft) -> str | None:
    """Why a piece of reasoning is refused: whose signature it has, or ``none``. Without a provider nobody can tell."""
    if draft.target.provider is None:
        return None
    if not (item.get("signature") or item.get("data")):
        return "none" if draft.target.unsigned_reasoning == "refused" else None
    provider, model = item.get("provider"), item.get("model")
    if provider and _provider(provider) != draft.target.provider:
        return str(provider)
    if model and draft.model and _model(str(model)) != _model(draft.model):
        return str(model)
    return None


def _provider(name: object) -> str:
    return _ALIASES.get(str(name).lower(), str(name).lower())


def _model(name: str) -> str:
    card = find_model(name)
    return card.name if card else name.rsplit("/", 1)[-1].lower()


def _is_alone(draft: Draft, position: int) -> bool:
    """Whether a message is nothing but reasoning, and no item of the assistant's comes directly after it."""
    message = draft.entries[position].message
    if not draft.target.paired_reasoning or not _entries(message) or message.text or message.tool_calls:
        return False
    after = draft.entries[position + 1].message if position + 1 < len(draft.entries) else None
    return after is None or after.role != "assistant" or not (after.text or after.tool_calls)


def _unsigned_call(message: Message, draft: Draft) -> str | None:
    prefix, model = draft.target.signed_calls, (draft.model or "").rsplit("/", 1)[-1]
    if prefix is None or not model.startswith(prefix) or message.role != "assistant" or not message.tool_calls:
        return None
    first = message.tool_calls[0]
    holders = [first.extensions, *first.extensions.values(), *_entries(message)]
    signed = any(isinstance(item, Mapping) and any(item.get(key) for key in _SIGNATURES) for item in holders)
    return None if signed else first.name or "?"
