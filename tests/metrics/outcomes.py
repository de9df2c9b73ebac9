"""Outcomes by hand: a recording of a few messages, and exactly what a context is said to keep of it."""

from __future__ import annotations

from collections.abc import Sequence

from mnemo_lab.context import Budget, Context, Piece, Source
from mnemo_lab.conversation import Conversation, Message
from mnemo_lab.recording import Probe, Recording
from mnemo_lab.replay.outcome import Outcome
from mnemo_lab.replay.view import RecordingView, kept_of
from mnemo_lab.services import Services, ServicesSpec

SERVICES: Services = ServicesSpec(embedder="hashing", cache="").open()
Keep = str | tuple[str, tuple[tuple[int, int], ...]]
"""A message id kept whole, or an id with the spans that are kept."""


def view_of(texts: Sequence[str], *probes: Probe, sessions: Sequence[int] | None = None) -> RecordingView:
    """Messages ``m0``, ``m1`` … with these texts."""
    messages = tuple(
        Message("user", text, f"m{i}", extensions={"session": str(sessions[i])} if sessions else {})
        for i, text in enumerate(texts)
    )
    return RecordingView(Recording("r", (Conversation(messages),), probes), SERVICES)


def outcome_of(
    texts: Sequence[str], probe: Probe, keep: Sequence[Keep] = (), derived: str = "",
    ranking: Sequence[int] = (), sessions: Sequence[int] | None = None,
) -> Outcome:  # fmt: skip
    """The outcome of a context that keeps just that; ``derived`` is a summary that stands for every message."""
    view = view_of(texts, probe, sessions=sessions)
    pieces = []
    for item in keep:
        name, spans = (item, ((0, len(texts[int(item[1:])])),)) if isinstance(item, str) else item
        source = Source(view.opaque[view.position_of[name]], spans)
        text = " … ".join(texts[view.position_of[name]][a:b] for a, b in spans) + "\n"
        pieces.append(Piece(text, SERVICES.count(text), (source,)))
    if derived:
        every = tuple(Source(name, (), "summary") for name in view.opaque)
        pieces.append(Piece(derived, SERVICES.count(derived), every))
    context = Context(tuple(pieces), "transcript", sum(p.tokens for p in pieces), Budget(1000, SERVICES.counter))
    kept = kept_of(context, view.position_of_opaque)
    return Outcome(view, probe, view.gold(probe), "by hand", 1000, context, kept, tuple(ranking))


def ask(question: str = "What?", answer: str | None = None, evidence: str = "", **fields: object) -> Probe:
    """A probe with evidence ids in one text: ``"m0 m2"``."""
    return Probe("q", question, "test", tuple(evidence.split()), answer=answer, **fields)  # type: ignore[arg-type]
