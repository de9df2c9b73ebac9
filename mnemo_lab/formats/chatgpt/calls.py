"""Which call a tool answers: exports have no call ids, but a result follows its call in the tree."""

from __future__ import annotations

from typing import Any, NamedTuple


class Call(NamedTuple):
    """A call of the current step: an unbroken run of calls and results."""

    id: str
    name: str
    answered: bool = False


def called(calls: tuple[Call, ...], call: Call) -> tuple[Call, ...]:
    """The calls that may be answered behind ``call``: a new step begins where results came before it."""
    return (call,) if any(earlier.answered for earlier in calls) else (*calls, call)


def answered_by(calls: tuple[Call, ...], name: Any) -> tuple[str | None, tuple[Call, ...]]:
    """The id of the call that tool ``name`` answers, and the calls as they stand afterwards.

    First the earliest open one of that name, then one of that name that is answered again (a tool may put out
    several nodes), then the last open one: a direct neighbour, whatever the tool calls itself.
    """
    alike = [call for call in calls if _alike(call.name, name)]
    open_alike = [call for call in alike if not call.answered]
    last_open = [call for call in calls if not call.answered][-1:]
    found = next(iter(open_alike or alike[-1:] or last_open), None)
    if found is None:
        return None, calls
    return found.id, tuple(call._replace(answered=True) if call is found else call for call in calls)


def _alike(recipient: str, name: Any) -> bool:
    """``browser.search`` is answered by ``browser``, and the other way round."""
    if not isinstance(name, str) or not name:
        return False
    return recipient == name or recipient.partition(".")[0] == name or recipient == name.partition(".")[0]
