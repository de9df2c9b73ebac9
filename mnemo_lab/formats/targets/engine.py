"""The one engine: every concern checks a draft, and those that can mend it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Final, NamedTuple, get_args

from mnemo_lab import registry
from mnemo_lab.conversation import Conversation
from mnemo_lab.errors import InvalidInput, UnknownName
from mnemo_lab.formats.faults import Refused
from mnemo_lab.formats.targets import contents, identifiers, media, pairs, reasoning, roles, systems, turns, window
from mnemo_lab.formats.targets.draft import Draft, Entry, Policy
from mnemo_lab.formats.targets.rules import Target
from mnemo_lab.formats.tree import active_path
from mnemo_lab.losses import Loss, loss

BEYOND_REPAIR: Final = frozenset({"window_exceeded", "attachment_refused"})
"""Errors that only a strategy, or the person who has the image, can mend."""

_CHECKS: Final = (systems, roles, pairs, turns, contents, identifiers, reasoning, media, window)
# In an order in which none undoes another: joining and pairing first, renaming what that made; then emptiness, which
# may remove messages; then turns, which see the final list; then reasoning, which needs to know what follows it.
_REPAIRS: Final = (systems, roles, pairs, identifiers, contents, turns, reasoning)


class Repaired(NamedTuple):
    """A conversation as a target takes it, and every change that took; unchanged and without losses if it was valid."""

    conversation: Conversation
    losses: tuple[Loss, ...]


class _Targets(Mapping[str, Target]):
    """All targets by name, those of other packages too; nothing is imported until it is asked for."""

    def __getitem__(self, name: str) -> Target:
        if name not in registry.names("target"):
            raise KeyError(name)
        return find_target(name)

    def __iter__(self) -> Iterator[str]:
        return iter(registry.names("target"))

    def __len__(self) -> int:
        return len(registry.names("target"))


TARGETS: Final[Mapping[str, Target]] = _Targets()


def find_target(target: str | Target) -> Target:
    """A target by name; raises ``UnknownName`` with the known ones."""
    if isinstance(target, Target):
        return target
    found = registry.resolve("target", target)
    if not isinstance(found, Target):
        raise InvalidInput(f"target {target!r}: {found!r} is not a mnemo_lab.formats.targets.Target")
    return found


def validate_for(conversation: Conversation, target: str | Target, model: str | None = None) -> list[Loss]:
    """What a target would refuse (errors) or misread (warnings) in a conversation; of branches the active path.

    ``model`` also asks whether its window holds the conversation and whether reasoning is its own; pointers are
    positions in ``conversation.messages``. Raises ``UnknownName`` for an unknown target.
    """
    draft = _draft(conversation, find_target(target), model, "error")
    found = [] if draft.entries else [loss("empty_conversation")]
    return found + [item for concern in _CHECKS for item in concern.check(draft)]


def repair(
    conversation: Conversation, target: str | Target, policy: Policy = "placeholder", model: str | None = None
) -> Repaired:
    """A conversation that a target takes. A valid one (no errors) stays as it is, whatever its warnings.

    ``placeholder`` fills in what is missing: results, answers, a first message. ``drop`` leaves out what is
    incomplete. ``error`` changes nothing and raises ``Refused`` (an ``InvalidInput``) with every error. Results
    that answer no call are left out by both. What is ``BEYOND_REPAIR`` stays as it is.
    """
    if policy not in get_args(Policy):
        raise UnknownName("policy", policy, get_args(Policy))
    goal = find_target(target)
    errors = [item for item in validate_for(conversation, goal, model) if item.severity == "error"]
    if errors and policy == "error":
        raise Refused(conversation.id or "conversation", [_said(item) for item in errors])
    if all(item.code in BEYOND_REPAIR for item in errors):
        return Repaired(conversation, ())
    linear = active_path(conversation)
    draft = _draft(conversation, goal, model, policy)
    for concern in _REPAIRS:
        concern.mend(draft)
    messages = tuple(entry.message for entry in draft.entries)
    changed = replace(linear.conversation, system_prompt=draft.system_prompt, extensions=draft.extensions)
    return Repaired(replace(changed, messages=messages), (*linear.losses, *draft.losses))


def _said(item: Loss) -> str:
    return f"{item.pointer}: {item.sentence()}" if item.pointer else item.sentence()


def _draft(conversation: Conversation, target: Target, model: str | None, policy: Policy) -> Draft:
    path = active_path(conversation).conversation
    entries = list(map(Entry, path.messages, _origins(conversation, path)))
    return Draft(target, model, policy, path.system_prompt, entries, path.extensions)


def _origins(conversation: Conversation, path: Conversation) -> list[int]:
    """Where the messages of a path stand in the conversation it was taken from."""
    ids = [message.id for message in conversation.messages]
    wanted = [message.id for message in path.messages]
    if ids == wanted:
        return list(range(len(ids)))
    places = {name: number for number, name in enumerate(ids)}  # of equal ids the path takes the last, too
    return [places[name] for name in wanted]
