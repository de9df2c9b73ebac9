"""The view: sliders move the state, the table follows, and something readable stands in without a front end."""

from __future__ import annotations

import re

import pytest
from IPython.core.formatters import DisplayFormatter

import mnemo_lab as ml
from mnemo_lab.errors import UnknownName
from mnemo_lab.replay.run import Run
from mnemo_lab.widgets import ThresholdTuner
from mnemo_lab.widgets.threshold_tuner import FIT, WIDGET_VIEW
from mnemo_lab.widgets.words import WORDS


def figures(html: str) -> list[str]:
    """What the first line of the table says."""
    return re.findall(r"<td[^>]*>([\d.,—]+)</td>", html)[:4]


def test_moving_a_slider_changes_the_table(run: Run) -> None:
    tuner = ThresholdTuner(run)
    before = tuner.shown.value
    tuner.knobs["dense_share"].value = 0.9
    now = tuner.state.reading().now.means
    assert tuner.state.text == "hybrid(context=0.18, dense=1.62)"
    assert "hybrid(context=0.18, dense=1.62)</code>" in tuner.shown.value
    assert figures(tuner.shown.value) == [
        f"{now['evidence_recall']:.3f}",
        f"{now['answer_in_context']:.3f}",
        f"{now['precision']:.3f}",
        f"{now['context_tokens']:,.0f}",
    ]
    assert figures(tuner.shown.value) != figures(before)


def test_every_knob_reaches_the_state(run: Run) -> None:
    tuner = ThresholdTuner(run)
    wanted = {
        "dense_share": 0.2, "session": 1.1, "speaker": 0.3, "neighbours": 2, "k": 8, "budget": 1280,
        "language": "zh", "split": "test",
    }  # fmt: skip
    for name, value in wanted.items():
        tuner.knobs[name].value = value
    assert {name: getattr(tuner.state.knobs, name) for name in wanted} == wanted
    tuner.knobs["k"].value = FIT
    assert tuner.state.knobs.k is None


def test_sliders_update_while_dragging(run: Run) -> None:
    knobs = ThresholdTuner(run).knobs
    assert all(
        knobs[name].continuous_update for name in ("dense_share", "session", "speaker", "neighbours", "k", "budget")
    )


def test_back_to_the_own_settings_keeps_budget_and_filters(run: Run) -> None:
    tuner = ThresholdTuner(run, "hybrid(k=7, session=0.0, speaker=0.0)")
    for name, value in {"dense_share": 0.2, "neighbours": 3, "k": FIT, "budget": 1024, "split": "test"}.items():
        tuner.knobs[name].value = value
    tuner._reset.click()
    assert tuner.state.text == "hybrid(k=7, session=0.0, speaker=0.0)"
    assert (tuner.state.knobs.budget, tuner.state.knobs.split) == (1024, "test")


def test_what_cannot_be_tuned_is_off_and_says_why(run: Run) -> None:
    tuner = ThresholdTuner(run, "hybrid(k=7, session=0.0, speaker=0.0)")
    assert [name for name, knob in tuner.knobs.items() if knob.disabled] == ["session", "speaker"]
    assert "stored no scores for: session weight, speaker weight" in str([c.get_state() for c in tuner.view.children])


def test_deltas_are_signed_and_differences_named(run: Run) -> None:
    html = ThresholdTuner(run)._repr_html_()
    assert "±0" in html
    assert re.search(r">\+0\.\d{3}</small>", html)
    assert "answerable probes of development recordings. Tune here, then claim on test." in html
    assert "Won against recent: " in html


def test_a_budget_between_the_run_s_own_is_explained(run: Run) -> None:
    tuner = ThresholdTuner(run)
    tuner.knobs["budget"].value = 1280
    assert "The run has no recent at 1,280 tokens; shown is its next larger budget, 2,048." in tuner.shown.value


def test_chinese(run: Run) -> None:
    tuner = ThresholdTuner(run, language="zh")
    html = tuner._repr_html_()
    assert [knob.description for knob in tuner.knobs.values()][:3] == ["向量占比", "会话权重", "说话人权重"]
    assert "开发集共 106 道可答题。请在这里调参，在测试集上下结论。" in html
    assert "证据召回率" in html
    assert "evidence" not in html
    with pytest.raises(UnknownName, match="'fr'; known: en, zh"):
        ThresholdTuner(run, language="fr")


def test_both_languages_say_the_same_things() -> None:
    english, chinese = WORDS["en"], WORDS["zh"]
    assert english.keys() == chinese.keys()
    holes = {
        name: (set(re.findall(r"{\w+}", english[name])), set(re.findall(r"{\w+}", chinese[name]))) for name in english
    }
    assert all(one == other for one, other in holes.values())


def test_a_notebook_gets_the_widget_and_the_table(run: Run) -> None:
    tuner = ThresholdTuner(run)
    bundle, _ = DisplayFormatter().format(tuner)
    assert bundle[WIDGET_VIEW]["model_id"] == tuner.view.model_id
    assert "<table" in bundle["text/html"]
    assert bundle["text/plain"].startswith("Threshold tuner: hybrid, budget (tokens) 2,048: evidence recall 0.")


def test_all_weights_at_zero_say_so_instead_of_failing(run: Run) -> None:
    data = run.dataset.select(recordings=["en-home"])
    label = "hybrid(context=0.0, dense=0.0, session=1.0, speaker=0.0)"
    tuner = ThresholdTuner(ml.run(data, [label], [512], embedder="hashing", cache_dir="", progress=False))
    tuner.knobs["session"].value = 0.0
    assert "every weight is 0" in tuner.shown.value
    assert "every weight is 0" in repr(tuner)


def test_questions_are_escaped(run: Run) -> None:
    from dataclasses import replace

    tuner = ThresholdTuner(run)
    for key, probe in tuner.state._probes.items():
        tuner.state._probes[key] = replace(probe, question="<script>&")
    assert "<script>" not in tuner._repr_html_()
    assert "&lt;script&gt;&amp;" in tuner._repr_html_()
