"""What the replay knows of a recording and no strategy may: gold, real ids, and columns for the metrics."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, replace
from functools import cached_property

from mnemo_lab.context import Context, Source
from mnemo_lab.conversation import NOTHING, ConversationInfo, Message
from mnemo_lab.errors import InvalidInput
from mnemo_lab.history import History
from mnemo_lab.packing.lines import transcript_line
from mnemo_lab.recording import SESSION_KEY, Probe, Recording
from mnemo_lab.services import Services
from mnemo_lab.text.answers import answer_alternatives, contains
from mnemo_lab.text.normalise import normalise

Spans = tuple[tuple[int, int], ...]


class RecordingView:
    """A recording by position: opaque ids for strategies, gold and columns for metrics."""

    def __init__(self, recording: Recording, services: Services) -> None:
        self.recording = recording
        self.services = services
        self.messages: list[Message] = list(recording.messages())
        self.position_of = {message.id: i for i, message in enumerate(self.messages)}
        _check(recording, self.position_of, len(self.messages))
        self.opaque = [_opaque(i) for i in range(len(self.messages))]
        self.position_of_opaque = {name: i for i, name in enumerate(self.opaque)}
        self._answer_places: dict[str, list[list[tuple[str, frozenset[int]]]]] = {}

    def shown(self, position: int) -> Message:
        """The message as a strategy sees it: its id says nothing, and of its extensions only the session is left,
        since data sets keep labels there."""
        message = self.messages[position]
        parent = self.position_of.get(message.parent_id or "")
        kept = {SESSION_KEY: message.extensions[SESSION_KEY]} if SESSION_KEY in message.extensions else NOTHING
        above = None if parent is None else self.opaque[parent]
        return replace(message, id=self.opaque[position], parent_id=above, extensions=kept)

    def shown_info(self, conversation: int) -> ConversationInfo:
        """A conversation as a strategy sees it. Some data sets name conversations after what they hold."""
        return replace(self.recording.conversations[conversation].info, id=f"c{conversation}")

    @cached_property
    def namespace(self) -> str:
        """The recording's name for strategies: a name of its own that says nothing."""
        return hashlib.blake2b(self.recording.id.encode(errors="replace"), digest_size=6).hexdigest()

    @cached_property
    def line_sums(self) -> list[int]:
        """Running sums of transcript-line tokens, to say how old a message is in tokens."""
        sums = [0]
        for message in self.messages:
            sums.append(sums[-1] + self.services.count(transcript_line(message)))
        return sums

    @cached_property
    def sessions(self) -> list[int]:
        history = History(self.services)
        for conversation in self.recording.conversations:
            history.begin(conversation.info)
            history.extend(conversation.messages)
        return history.session_of

    @cached_property
    def normalised(self) -> list[str]:
        """Every message's text as answers are compared: see ``mnemo_lab.text.normalise``."""
        return [normalise(message.text) for message in self.messages]

    def horizon(self, probe: Probe) -> int:
        """How many messages have been seen when the probe is asked."""
        return len(self.messages) if probe.after is None else self.position_of[probe.after] + 1

    def gold(self, probe: Probe) -> Gold:
        evidence = tuple(sorted({self.position_of[e] for e in probe.evidence}))
        labelled: dict[int, list[tuple[int, int]]] = {}
        for span in probe.spans:
            labelled.setdefault(self.position_of[span.message_id], []).append((span.start, span.end))
        spans = {p: merge_spans(labelled.get(p) or [(0, len(self.messages[p].text))]) for p in evidence}
        return Gold(evidence, spans, self.horizon(probe))

    def answer_places(self, probe: Probe) -> list[list[tuple[str, frozenset[int]]]]:
        """Per alternative of the gold answer: its parts, each with the seen messages that contain it."""
        known = self._answer_places.get(probe.id)
        if known is None:
            seen = self.normalised[: self.horizon(probe)]
            known = [
                [(part, frozenset(i for i, text in enumerate(seen) if contains(text, part))) for part in parts]
                for parts in answer_alternatives(probe)
            ]
            self._answer_places[probe.id] = known
        return known


@dataclass(frozen=True, slots=True)
class Gold:
    """The gold of one probe by position: evidence, merged answer spans per evidence, messages seen."""

    evidence: tuple[int, ...]
    spans: dict[int, Spans]
    horizon: int


@dataclass(frozen=True, slots=True)
class Kept:
    """What a context keeps, by position: merged verbatim spans, and derived texts with what they stand for."""

    verbatim: dict[int, Spans]
    derived: tuple[str, ...]
    represented: frozenset[int]


def kept_of(context: Context, position_of: dict[str, int]) -> Kept:
    """Read a context's sources. Raises ``ValueError`` for a source that was never observed."""
    spans: dict[int, Spans] = {}
    derived: list[str] = []
    represented: set[int] = set()
    for piece in context.pieces:
        if any(source.via != "verbatim" for source in piece.sources):  # a note without sources says nothing of them
            derived.append(piece.text)
        for source in piece.sources:
            position = position_of.get(source.message_id)
            if position is None:
                raise ValueError(f"the context names the message {source.message_id!r}, which was never observed")
            _add(source, position, spans, represented)
    return Kept(spans, tuple(derived), frozenset(represented))


def _add(source: Source, position: int, spans: dict[int, Spans], represented: set[int]) -> None:
    if not source.spans:
        represented.add(position)
    elif position in spans:
        spans[position] = merge_spans([*spans[position], *source.spans])
    else:
        spans[position] = source.spans if len(source.spans) == 1 else merge_spans(list(source.spans))


def merge_spans(spans: list[tuple[int, int]]) -> Spans:
    """Sorted, non-overlapping spans that cover the same characters."""
    merged: list[tuple[int, int]] = []
    for start, end in sorted(spans):
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return tuple(merged)


def _check(recording: Recording, position_of: dict[str, int], messages: int) -> None:
    """Raise ``InvalidInput`` for ids that are not unique, or that a probe names and that are not there in time."""
    if len(position_of) < messages:
        raise InvalidInput(
            f"recording {recording.id!r}: {messages - len(position_of)} message ids are used twice; make them unique"
        )
    if len({probe.id for probe in recording.probes}) < len(recording.probes):
        raise InvalidInput(f"recording {recording.id!r}: probe ids are used twice; make them unique")
    for probe in recording.probes:
        end = messages if probe.after is None else position_of.get(probe.after, -1) + 1
        named = [*probe.evidence, *(span.message_id for span in probe.spans), *((probe.after,) if probe.after else ())]
        for name in named:
            if position_of.get(name, messages) >= end:
                what = "comes after the question is asked" if name in position_of else "does not exist"
                raise InvalidInput(f"recording {recording.id!r}, probe {probe.id!r}: message {name!r} {what}")


def _opaque(position: int) -> str:
    return hashlib.blake2b(b"mnemo-lab opaque %d" % position, digest_size=6).hexdigest()
