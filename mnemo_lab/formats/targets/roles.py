"""The role ``developer``, which readers keep beside the system message it was read as, for targets without it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from mnemo_lab.formats.targets.draft import Draft, Entry
from mnemo_lab.losses import Loss, loss

_ROLE: Final = "role"
_PROMPT: Final = "system"
"""Under a format's name in a conversation's extensions: what it had beside the text of the system prompt."""


def check(draft: Draft) -> Iterator[Loss]:
    target = draft.target
    if target.developer != "refused":
        return
    if _prompt_is_developer(draft.extensions):
        yield loss("refused_by_target", target=target.title, reason="role = developer")
    for entry in draft.entries:
        if entry.message.role == "system" and _is_developer(entry.message.extensions):
            yield draft.loss(entry, "refused_by_target", target=target.title, reason="role = developer")


def mend(draft: Draft) -> None:
    if draft.target.developer != "refused":
        return
    if _prompt_is_developer(draft.extensions):
        draft.losses.append(loss("role_mapped", role="developer", new="system"))
        draft.extensions = {name: _plain_prompt(kept) for name, kept in draft.extensions.items()}
    draft.change(lambda entry: _mapped(draft, entry))


def _mapped(draft: Draft, entry: Entry) -> Entry:
    extensions = entry.message.extensions
    if entry.message.role != "system" or not _is_developer(extensions):
        return entry
    draft.note(entry, "role_mapped", role="developer", new="system")
    return entry.with_message(extensions={name: _plain(kept) for name, kept in extensions.items()})


def _is_developer(extensions: Mapping[str, Any]) -> bool:
    return any(isinstance(kept, Mapping) and kept.get(_ROLE) == "developer" for kept in extensions.values())


def _prompt_is_developer(extensions: Mapping[str, Any]) -> bool:
    return _is_developer({n: kept.get(_PROMPT) for n, kept in extensions.items() if isinstance(kept, Mapping)})


def _plain(kept: Any) -> Any:
    """What a format kept, without the role."""
    if isinstance(kept, Mapping) and kept.get(_ROLE) == "developer":
        return {key: value for key, value in kept.items() if key != _ROLE}
    return kept


def _plain_prompt(kept: Any) -> Any:
    if isinstance(kept, Mapping) and isinstance(kept.get(_PROMPT), Mapping):
        return {**kept, _PROMPT: _plain(kept[_PROMPT])}
    return kept
