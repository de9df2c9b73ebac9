"""The sample and the twins: fixed, balanced, nested, and the same for everybody."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

from mnemo_lab.answering.sampling import sample
from mnemo_lab.answering.twins import twins
from mnemo_lab.conversation import Conversation, Message
from mnemo_lab.recording import Probe, Recording
from tests.conversations import office_recording


def recording(name: str, *categories: str, unanswerable: tuple[str, ...] = ()) -> Recording:
    """Three probes of every category, two of every unanswerable one."""
    messages = tuple(Message("user", f"message {i}", f"{name}-{i}") for i in range(4))
    known = [Probe(f"{c}{i}", f"what of {c} {i}?", c, (f"{name}-0",), answer="x") for c in categories for i in range(3)]
    none = [Probe(f"{c}{i}", f"what of {c} {i}?", c, answerable=False) for c in unanswerable for i in range(2)]
    return Recording(name, (Conversation(messages, "c"),), (*known, *none))


def test_balanced_over_categories_and_recordings() -> None:
    found = sample([recording("r1", "a", "b"), recording("r2", "a", "b"), recording("r3", "b", "c")], 9, 0)
    assert Counter(p.probe.category for p in found) == {"a": 3, "b": 3, "c": 3}
    assert Counter(p.recording for p in found) == {"r1": 3, "r2": 3, "r3": 3}
    assert sample([recording("r1", "a", "b"), recording("r2", "a", "b"), recording("r3", "b", "c")], 9, 0) == found


def test_a_smaller_sample_is_the_beginning_of_a_larger() -> None:
    recordings = [recording("r1", "a", "b", unanswerable=("u",)), recording("r2", "c", unanswerable=("u", "v"))]
    whole = sample(recordings, 100, 7)
    assert len(whole) == 6 + 3 + 2 + 4 == len({(p.recording, p.probe.id) for p in whole})
    for most in range(len(whole)):
        found = sample(recordings, most, 7)
        assert most - 1 <= len(found) <= most and whole[: len(found)] == found
    assert sample(recordings, 6, 8) != sample(recordings, 6, 7)


def test_an_unanswerable_probe_brings_its_twin() -> None:
    office = office_recording()
    assert twins(office) == {"q4": "q0"}, "what is …? is asked at the same place, with the word 'the' and no other"
    found = sample([office], 2, 0)
    whole = sample([office], 6, 0)
    assert {p.twin for p in whole if p.probe.id == "q4"} == {"q0"}
    assert [p.probe.id for p in found] in (["q4", "q0"], [p.probe.id for p in whole[:2]])
    places = [p.probe.id for p in whole]
    assert "q0" in places[: places.index("q4") + 2]


def test_twins_by_category_then_words_then_place() -> None:
    base = recording("r")
    probes = (
        Probe("u1", "What is the cat called?", "pets", answerable=False, after="r-1"),
        Probe("u2", "How old is Anna?", "people", answerable=False),
        Probe("a1", "What is the cat called by Tom?", "people", answer="x"),
        Probe("a2", "Where does it sleep?", "pets", answer="x"),
        Probe("a3", "Where does it sleep now?", "pets", answer="x", after="r-1"),
        Probe("a4", "What is the cat called?", "pets"),
    )
    found = twins(replace(base, probes=probes))
    assert found == {"u1": "a3", "u2": "a1"}, "a3 is asked when u1 is; a4 has no gold answer"
    assert twins(replace(base, probes=probes[:2])) == {}
    assert twins(replace(base, probes=probes[:3])) == {"u2": "a1"}, "nobody is the twin of two"


def test_what_cannot_be_scored_is_not_asked() -> None:
    base = recording("r")
    probes = (Probe("q1", "?", "mined"), Probe("q2", "?", "mined", answer="?!"), Probe("q3", "?", "mined", answer="7"))
    assert [p.probe.id for p in sample([replace(base, probes=probes)], 9, 0)] == ["q3"]
