"""The evals of describers: labels that stand where they should, and how they are scored."""

from __future__ import annotations

import tomllib
from pathlib import Path

import evals.describers.naming as naming
from evals.describers.finding import ranks
from evals.describers.stretches import stretches
from mnemo_lab.conversation import Conversation, Message
from mnemo_lab.corpora.base import load
from mnemo_lab.recording import Probe, Recording

LABELS = tomllib.loads(Path(naming.__file__).with_name("names.toml").read_text(encoding="utf-8"))


def test_every_labelled_name_stands_in_its_recording() -> None:
    for recording in load("bilingual").select(recordings=list(LABELS)):
        text = "\n".join(m.text for m in recording.messages())
        labels = LABELS[recording.id]
        standing = list(naming.said(labels, text))
        assert len(standing) == sum(len(names) for names in labels.values())


def test_precision_and_recall_by_hand() -> None:
    """Of two names found one is right; of two wanted one is found, by another form of it."""
    labels = {"person": ["Ann Lee|Ann", "Bo"], "place": []}
    told = naming.score(
        [[Message("user", "Ann and Bo met Cy.")]], labels, lambda _: {("person", "ann"), ("person", "cy")}
    )
    assert told.startswith("all P 0.50 (1/2) R 0.50 (1/2) | person P 0.50 (1/2) R 0.50 (1/2)")


def test_stretches_are_the_recording_and_ranks_are_of_those_before() -> None:
    said = [f"word{i} common" for i in range(80)]
    messages = tuple(
        Message("user", text, f"m{i}", f"2026-03-01T{i // 60:02}:{i % 60:02}:00Z") for i, text in enumerate(said)
    )
    probes = (
        Probe("late", "word65", "x", ("m65",)),
        Probe("early", "word12", "x", ("m12",), after="m45"),
        Probe("unseen", "word65", "x", ("m65",), after="m45"),
    )
    recording = Recording("r", (Conversation(messages, "c"),), probes)
    parts = stretches(recording)
    assert [m for part in parts for m in part] == list(messages) and len(parts) == 8
    texts = [" ".join(m.text for m in part) for part in parts]
    assert list(ranks(recording, parts, texts)) == [1, 1]
    assert list(ranks(recording, parts, ["same"] * 8)) == [7, 2]
