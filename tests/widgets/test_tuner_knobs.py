"""Knobs to a hybrid and back to what one would type."""

from __future__ import annotations

from dataclasses import replace

import pytest

from mnemo_lab.retrieval.strategies.hybrid import Hybrid
from mnemo_lab.strategy_text import parse_strategy
from mnemo_lab.widgets.tuner_knobs import Knobs, Mixer, budget_steps, k_steps, text_of

STORED = ("keyword", "context", "dense", "session", "speaker")
OWN = Knobs(0.44, 0.4, 1.5, 0, None, 1024)


def test_the_own_share_gives_the_own_weights_to_the_last_digit() -> None:
    mixer = Mixer(Hybrid(), STORED)
    assert mixer.own_share == 0.44  # 0.8 of 1.8
    assert mixer.hybrid(OWN) == Hybrid()


def test_the_share_moves_weight_and_keeps_the_sum() -> None:
    mixed = Mixer(Hybrid(), STORED).hybrid(replace(OWN, dense_share=0.75))
    assert (mixed.context, mixed.dense) == (0.45, 1.35)
    assert (mixed.keyword, mixed.window, mixed.session, mixed.speaker) == (0.0, 0.0, 0.4, 1.5)


def test_proportions_inside_each_side_stay() -> None:
    own = Hybrid(keyword=0.5, context=1.5, dense=1.0, window=1.0)
    mixed = Mixer(own, (*STORED, "window")).hybrid(replace(OWN, dense_share=0.25))
    assert (mixed.keyword, mixed.context, mixed.dense, mixed.window) == (0.75, 2.25, 0.5, 0.5)


def test_a_side_without_weight_gets_its_first_stored_signal() -> None:
    own = Hybrid(context=0.0, dense=1.0)
    mixed = Mixer(own, ("keyword", "dense", "session")).hybrid(replace(OWN, dense_share=0.4))
    assert (mixed.keyword, mixed.context, mixed.dense) == (0.6, 0.0, 0.4)


def test_only_stored_signals_can_be_turned() -> None:
    mixer = Mixer(Hybrid(dense=0.0, speaker=0.0), ("context", "keyword", "session"))
    assert mixer.adjustable == {"session"}
    turned = mixer.hybrid(Knobs(0.9, 1.0, 2.0, 1, 5, 512))
    assert turned == Hybrid(dense=0.0, speaker=0.0, session=1.0, neighbours=1, k=5)


@pytest.mark.parametrize(
    ("hybrid", "text"),
    [
        (Hybrid(), "hybrid"),
        (Hybrid(dense=0.6), "hybrid(dense=0.6)"),
        (Hybrid(k=20, neighbours=2, fusion="rrf"), "hybrid(k=20, neighbours=2, fusion='rrf')"),
        (Hybrid(context=0.0, prefix=False), "hybrid(context=0.0, prefix=False)"),
    ],
)
def test_the_text_is_what_one_would_type(hybrid: Hybrid, text: str) -> None:
    assert text_of(hybrid) == text
    assert parse_strategy(text) == hybrid


def test_every_position_of_the_share_parses_back() -> None:
    mixer = Mixer(Hybrid(), STORED)
    for step in range(101):
        settings = mixer.hybrid(replace(OWN, dense_share=step / 100, k=3))
        assert parse_strategy(text_of(settings)) == settings


def test_budgets_get_finer_steps_between() -> None:
    assert budget_steps([512, 1024]) == [512, 640, 768, 896, 1024]
    assert budget_steps([100, 103]) == [100, 101, 102, 103]
    assert budget_steps([2048]) == [2048]


def test_the_own_k_is_among_the_choices() -> None:
    assert k_steps(None)[-3:] == [50, 100, None]
    assert k_steps(7)[:6] == [1, 2, 3, 5, 7, 8]
