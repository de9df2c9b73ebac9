"""The evals of describers: labels that stand where they should, and how they are scored."""

from __future__ import annotations

import tomllib
from pathlib import Path

import evals.describers.naming as naming
from evals.describers.finding import Found, ranks, rows, simplest, texts_of
from evals.describers.stretches import stretches
from mnemo_lab.conversation import Conversation, Message
from mnemo_lab.corpora.base import load
from mnemo_lab.recording import Probe, Recording
from mnemo_lab.tokens import open_counter

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
    scored = naming.score(
        [[Message("user", "Ann and Bo met Cy.")]], labels, lambda _: {("person", "ann"), ("person", "cy")}
    )
    assert scored.cells() == ["0.50 (1/2) · 0.50 (1/2)"] * 2 + ["– · –"] * 2


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


def test_the_simplest_describer_by_hand() -> None:
    """The first sentence, then the most frequent words until the tokens are full."""
    part = [Message("user", "It rains. Tea, tea, tea and cake, cake! Jam.", "a", "2026-03-01T00:00:00Z")]
    assert simplest(part, 100).startswith("2026-03-01 It rains. tea cake ")
    size = open_counter("o200k_base").count("2026-03-01 It rains. tea")
    assert simplest(part, size) == "2026-03-01 It rains. tea"


def test_what_is_compared_is_no_longer_than_the_description() -> None:
    part = [Message("user", f"We decided to paint room {i} in colour {i * 7}, not in white.", f"{i}") for i in range(9)]
    texts = texts_of([part])
    count = open_counter("o200k_base").count
    (size,) = map(count, texts["described"])
    assert all(count(texts[way][0]) <= size for way in ("simplest", "opening"))


def test_rows_by_hand() -> None:
    """Ranks 1, 2 against 1, 4 and 1 against 1: better in one of two recordings, each probe counts once."""
    found = [
        Found("en", "a", "described", [1, 2], 10), Found("en", "a", "simplest", [1, 4], 8),
        Found("en", "b", "described", [1], 20), Found("en", "b", "simplest", [1], 20),
    ]  # fmt: skip
    assert list(rows(found)) == [
        ["en", "described", "15", "3", "0.833", "1.000", "–"],
        ["en", "simplest", "14", "3", "0.750", "0.667", "1 of 2"],
    ]
