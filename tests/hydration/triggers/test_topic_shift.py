"""Surprise by hand: vectors in a plane, so that every cosine can be read off."""

from __future__ import annotations

from itertools import pairwise
from math import cos, log1p, pi, sin, sqrt
from statistics import fmean, pstdev

import numpy as np
import pytest

from mnemo_lab.conversation import ConversationInfo, Message
from mnemo_lab.hydration.segments import Segmenter
from mnemo_lab.hydration.triggers.base import TurnSeen
from mnemo_lab.hydration.triggers.combine import parse_trigger
from mnemo_lab.hydration.triggers.topic_shift import FEWEST, FLOORS, OUTLIER, USUAL, Drift, TopicShift, mean_vector
from mnemo_lab.services import ServicesSpec
from tests.base.messages import new_services
from tests.hydration.talks import cut, history_of, segmenter_of, users

BARE = TopicShift(window=1, ahead=1, sigmas=3.0, length=0.0, question=0.0, cue=0.0)


def plane(*degrees: float) -> list[tuple[float, float]]:
    return [(cos(d * pi / 180), sin(d * pi / 180)) for d in degrees]


WOBBLE = [0, 10, 0, 20, 0, 10, 0, 20, 0, 10]
"""Neighbours are 10 or 20 degrees apart: cosines 0.985 and 0.940."""


def test_a_drop_beyond_the_usual_fires() -> None:
    vectors = plane(*WOBBLE, 100, 90)
    segments = cut(users(*"abcdefghijkl"), BARE, 0, vectors)
    assert [s.start for s in segments] == [0, 10]
    drops = [-cos((b - a) * pi / 180) for a, b in pairwise(WOBBLE)]
    surprise = (-cos(pi / 2) - fmean(drops)) / pstdev(drops)
    assert segments[0].fired.score == pytest.approx(surprise / (surprise + 3), rel=1e-4)
    assert [s.start for s in cut(users(*"abcdefghijkl"), TopicShift(1, 1, 50.0, length=0.0), 0, vectors)] == [0]


def test_too_few_values_say_nothing() -> None:
    """The jump comes before as many similarities were seen as are needed."""
    early = plane(*WOBBLE[: FEWEST - 1], 100, 100)
    assert len(cut(users(*"abcdefghi"), BARE, 0, early)) == 1
    assert len(cut(users(*"abcdefghij"), BARE, 0, plane(*WOBBLE[: FEWEST + 1], 100))) == 2


def test_what_is_usual_for_the_embedder_stands_in_at_first() -> None:
    """With MiniLM (0.36, 0.14 from eight imagined values) the second turn is judged too."""
    services = ServicesSpec(embedder="all-MiniLM-L6-v2", cache="").open()
    rows = np.array(plane(0, 110), dtype=np.float32)
    trigger = TopicShift(window=1, ahead=1, sigmas=4.0, length=0.0)
    segmenter = Segmenter(trigger, services, 0, rows.__getitem__)
    history = history_of(users("a", "b"), services)
    (first, _) = [*segmenter.observe(history, 0), *segmenter.end()]
    surprise = (0.36 - cos(110 * pi / 180)) / 0.14
    assert first.fired.score == pytest.approx(surprise / (surprise + 4), rel=1e-4)
    assert {name: (fmean(pair), pstdev(pair)) for name, pair in USUAL.items()} == {
        "all-MiniLM-L6-v2": (pytest.approx(-0.36), pytest.approx(0.14)),
        "multilingual-e5-small": (pytest.approx(-0.92), pytest.approx(0.013)),
    }


def test_where_all_is_alike_a_small_difference_is_no_surprise() -> None:
    vectors = plane(*[0] * 10, 3)
    assert 1 - cos(3 * pi / 180) < FLOORS["drop"]
    assert len(cut(users(*"abcdefghijk"), BARE, 0, vectors)) == 1


def test_depth_measures_the_valley() -> None:
    """Ten turns at 0 degrees, then at 60: similarity falls from 1 to 0.5, and climbs again as the window of three moves
    on: one of them at 60 degrees, then two."""
    trigger = TopicShift(3, 1, 1.0, "depth", length=0.0)
    segmenter = segmenter_of(trigger, 1, plane(*[0] * 10, 60, 60, 60))
    segmenter.observe(history_of(users(*"abcdefghijklm")), 0)
    one, two = 2 / sqrt(7), 2.5 / sqrt(7)  # (2 cos 60° + 1) and (cos 60° + 2) over the length of the sum of three
    assert [trigger._similarity(segmenter.turns, at) for at in (9, 10, 11, 12)] == pytest.approx([1, 0.5, one, two])
    assert trigger._depth(segmenter.turns, 10) == pytest.approx((1 - 0.5) + (two - 0.5))
    assert trigger._depth(segmenter.turns, 5) == pytest.approx(0, abs=1e-6)
    assert segmenter.starts == [0, 10]


def test_one_shift_does_not_hide_the_next() -> None:
    """Values count as no further from the mean than three spreads."""
    segmenter = segmenter_of(BARE, 0, plane(*WOBBLE, 100, 100))
    segmenter.observe(history_of(users(*"abcdefghijkl")), 0)
    (seen,) = segmenter.turns.seen.values()
    drops = [-cos((b - a) * pi / 180) for a, b in pairwise(WOBBLE)]
    assert seen[:9] == pytest.approx(drops, abs=1e-6)
    assert seen[9] == pytest.approx(fmean(drops) + OUTLIER * pstdev(drops), abs=1e-6)


def test_a_greater_surprise_right_after_wins_where_the_delay_shows_it() -> None:
    """60 degrees, then 120 more: without delay the first fires; with one only the second does."""
    vectors = plane(*WOBBLE, 70, 190, 190)
    texts = users(*"abcdefghijklm")
    assert [s.start for s in cut(texts, BARE, 0, vectors)] == [0, 10, 11]
    assert [s.start for s in cut(texts, BARE, 1, vectors)] == [0, 11]


def test_asking_opens_and_answering_does_not() -> None:
    vectors = plane(*[0] * 12)
    asks = TopicShift(window=1, ahead=1, sigmas=1.0, length=0.0, question=1.0, cue=0.0)
    said = ["a"] * 9 + ["Do you like tea?", "yes, and you?", "no"]
    assert [s.start for s in cut(users(*said), asks, 0, vectors)] == [0, 9]
    assert [s.start for s in cut(users(*["啊"] * 9, "你喜欢茶吗", "嗯", "好"), asks, 0, vectors)] == [0, 9]


def test_a_cue_phrase_adds_its_weight() -> None:
    vectors, cue = plane(*[0] * 3), TopicShift(sigmas=2.0, length=0.0, question=0.0, cue=2.0)
    assert [s.start for s in cut(users("a", "b", "By the way, c"), cue, 0, vectors)] == [0, 2]
    assert len(cut(users("a", "b", "By the way, c"), TopicShift(sigmas=2.0, length=0.0, cue=1.9), 0, vectors)) == 1


def test_length_by_hand() -> None:
    """Openings of 3 and 7 words in turn, then one of 63."""
    words = [3, 7] * 5 + [63]
    trigger = TopicShift(window=1, ahead=1, sigmas=4.0, length=1.0, question=0.0, cue=0.0)
    segments = cut(users(*(" ".join(["w"] * n) for n in words)), trigger, 0, plane(*[0] * 11))
    seen = [log1p(n) for n in words[1:10]]
    surprise = (log1p(63) - fmean(seen)) / max(pstdev(seen), FLOORS["length"])
    assert surprise > 4 and segments[0].fired.score == pytest.approx(surprise / (surprise + 4), rel=1e-4)


def test_others_speaking() -> None:
    """Ann and Bob by turns, then Cem: nobody who spoke before speaks after."""
    names = ["Ann", "Bob"] * 5 + ["Cem", "Cem"]
    messages = [Message("user", "x y z", f"m{n}", name=name) for n, name in enumerate(names)]
    trigger = TopicShift(window=4, ahead=2, sigmas=5.0, speakers=1.0, length=0.0, question=0.0, cue=0.0)
    segmenter = segmenter_of(trigger, 1, plane(*[0] * 12))
    segmenter.observe(history_of(messages), 0)
    assert segmenter.starts == [0, 10]
    unlike = [trigger._other_speakers(segmenter.turns, at) for at in (1, 5, 10)]
    assert unlike == pytest.approx([1 - 1 / sqrt(2), 0, 1]), "1: Ann before, Bob and Ann after"


def test_long_turns_count_more() -> None:
    def turn(words: float, degrees: float) -> TurnSeen:
        vector = np.array(plane(degrees)[0], dtype=np.float32)
        return TurnSeen(0, 1, "", "user", words, vector=vector)

    mean = mean_vector([turn(0, 0), turn(8, 90)])
    assert mean == pytest.approx(np.array([1, 3]) / sqrt(10))


def test_windows_end_where_the_conversation_began() -> None:
    """Ten turns at 0 degrees, another conversation at 90: its second turn is like its first."""
    services = new_services()
    rows = np.array(plane(*WOBBLE, 90, 90, 90), dtype=np.float32)
    segmenter = Segmenter(TopicShift(window=5, sigmas=1.0, length=0.0), services, 0, rows.__getitem__)
    history = history_of(users(*"abcdefghijklm"), services)
    closed = [*segmenter.observe(history, 0, 10), *segmenter.end(), *segmenter.observe(history, 10), *segmenter.end()]
    assert [(s.start, s.stop) for s in closed][-1] == (10, 13)


def test_drift_looks_back_to_the_segment_before() -> None:
    """The seed's rule. In the first segment the opening turn stands in."""
    trigger = parse_trigger("every(n=2) and drift(threshold=0.7)")
    assert [s.start for s in cut(users(*"abcd"), trigger, 0, plane(0, 0, 44, 46))] == [0, 3]
    again = plane(0, 0, 90, 90, 0, 0, 90, 90)
    assert [s.start for s in cut(users(*"abcdefgh"), trigger, 0, again)] == [0, 2, 6]
    assert Drift(0.7).needs == {"embedder"} and Drift().threshold == 0.7


def test_drift_does_not_look_into_another_conversation() -> None:
    """All turns of the second conversation are alike; the first was about something else."""
    vectors = plane(90, 90, 90, 0, 0, 0, 0)
    history = history_of(users("a", "b", "c"))
    segmenter = segmenter_of(parse_trigger("drift()"), 0, vectors)
    segmenter.observe(history, 0)
    segmenter.end()
    history.begin(ConversationInfo("d"))
    history.extend([Message("user", text, f"n{text}") for text in "defg"])
    segmenter.observe(history, 3)
    segmenter.end()
    assert segmenter.starts == [0, 3, 7], "7: where the next conversation would begin"
