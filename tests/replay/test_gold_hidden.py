"""Nothing a strategy can reach says what the gold is: everything it is given is walked, object by object."""

from __future__ import annotations

import enum
import types
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from mnemo_lab.conversation import Conversation, Message
from mnemo_lab.metrics import measure
from mnemo_lab.recording import Probe, Recording, Span
from mnemo_lab.replay.loop import replay
from mnemo_lab.replay.reference import replay_oracle
from mnemo_lab.replay.run import embed_together
from mnemo_lab.replay.view import Gold, RecordingView
from mnemo_lab.services import Services
from mnemo_lab.strategy_text import parse_strategy
from tests.conversations import office_recording
from tests.replay.spies import CALLS, BoundSpy, Spy

SKIPPED = (types.ModuleType, type, types.BuiltinFunctionType, types.CodeType, enum.Enum, str, bytes, int, float)
MARK = "GOLDMARK"


def parts(thing: Any) -> Iterator[Any]:
    """What an object holds: fields, slots, items, closures, defaults, the object of a bound method."""
    if isinstance(thing, dict | types.MappingProxyType):
        yield from thing.keys()
        yield from thing.values()
    elif isinstance(thing, list | tuple | set | frozenset):
        yield from thing
    elif isinstance(thing, types.MethodType):
        yield from (thing.__self__, thing.__func__)
    elif isinstance(thing, types.FunctionType):
        yield from (cell.cell_contents for cell in thing.__closure__ or ())
        yield from thing.__defaults__ or ()
    elif not isinstance(thing, SKIPPED):
        yield from vars(thing).values() if hasattr(thing, "__dict__") else ()
        for kind in type(thing).__mro__:
            slots = getattr(kind, "__slots__", ())
            yield from (getattr(thing, name) for name in slots if hasattr(thing, name))


def reachable(thing: Any) -> list[Any]:
    seen: dict[int, Any] = {}
    waiting = [thing]
    while waiting:
        here = waiting.pop()
        if id(here) not in seen:
            seen[id(here)] = here
            waiting += parts(here)
    return list(seen.values())


def marked() -> Recording:
    """The office with a mark on everything that is gold, or that names the original."""
    recording = office_recording()
    new = {m.id: f"{MARK}-{m.id}" for m in recording.messages()}

    def message(m: Message) -> Message:
        extensions = {"has_answer": f"{MARK} yes", "session": m.id[:2]}
        return replace(m, id=new[m.id], parent_id=f"{MARK}-m0", extensions=extensions)

    conversations = tuple(
        Conversation(tuple(map(message, c.messages)), f"{MARK}-answer-{c.id}", c.title, c.model, c.system_prompt,
                     f"{MARK} summary", {"label": MARK})
        for c in recording.conversations
    )  # fmt: skip
    probes = tuple(
        Probe(f"{MARK}-{p.id}", p.question, f"{MARK} category", tuple(new[e] for e in p.evidence),
              tuple(Span(new[e], 0, 3) for e in p.evidence), f"{MARK} answer", (f"{MARK} alias",),
              p.after and new[p.after], extensions={"rubric": MARK})
        for p in recording.probes
    )  # fmt: skip
    return Recording(f"{MARK}-office", conversations, probes, "dev", "en")


def test_the_walk_finds_what_is_there() -> None:
    """The walker itself: through slots, closures, bound methods and mappings."""
    recording = marked()
    hidden = {"deep": [lambda: recording.probes[0]]}
    assert any(isinstance(item, Probe) for item in reachable(Conversation((), extensions=hidden)))
    assert any(isinstance(item, Probe) for item in reachable(iter_of(recording).message))


def iter_of(recording: Recording) -> Recording:
    return recording


@pytest.mark.parametrize("strategy", [Spy(), BoundSpy()])
def test_no_gold_is_in_reach(services: Services, strategy: Spy) -> None:
    """Also after other strategies, the oracle and all metrics have used the same services."""
    view = RecordingView(marked(), services)
    others = [parse_strategy(text) for text in ("full", "recent", "random", "bm25", "hybrid")]
    embed_together(view, others, services)
    for other in others:
        assert [measure(outcome) for outcome in replay(view, other, str(other), [64, 500], services)]
    assert [measure(outcome) for outcome in replay_oracle(view, [64, 500], services)]
    CALLS.clear()
    outcomes = [(outcome, measure(outcome)) for outcome in replay(view, strategy, "spy", [64, 500], services)]
    assert len(outcomes) == 12
    assert {call[0] for call in CALLS} == {"start", "begin", "observe", "end", "recall", "close"}
    found = reachable(CALLS)  # the spy kept everything it was ever given
    assert sum(isinstance(item, Message) for item in found) >= 18
    assert not [item for item in found if isinstance(item, Probe | Gold | Recording | RecordingView | Conversation)]
    assert not [item for item in found if isinstance(item, str) and MARK in item]


def test_ids_say_nothing_but_the_place(services: Services) -> None:
    """Two recordings with other ids, gold and names show a strategy the same messages; only the session is kept."""
    shown = []
    for recording in (marked(), office_recording()):
        view = RecordingView(recording, services)
        shown.append([replace(view.shown(p), extensions={}, parent_id=None) for p in range(18)])
        assert all(set(view.shown(p).extensions) <= {"session"} for p in range(18))
    assert shown[0] == shown[1]
    view = RecordingView(marked(), services)
    assert {view.shown(p).parent_id for p in range(18)} == {view.opaque[0]}


def test_namespaces_differ_by_recording(services: Services) -> None:
    one, two = (RecordingView(replace(office_recording(), id=name), services) for name in ("a", "b"))
    assert one.namespace != two.namespace
    assert one.namespace == RecordingView(replace(office_recording(), id="a"), services).namespace
