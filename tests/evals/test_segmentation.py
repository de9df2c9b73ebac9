"""The segmentation measure: baselines and charges by hand, the plan, what the report admits."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from scipy import stats

from evals.segmentation import baselines, measure, tune
from evals.segmentation.plan import FILE, Plan, Row, Tiling, read_plans
from evals.segmentation.report import Measured, render
from evals.segmentation.scoring import Scored, score, score_baselines
from evals.segmentation.selection import cuts_of, fewest_cuts, gains_of, leave_one_out
from evals.segmentation.talks import Cut, Talk, topics_by_hand
from mnemo_lab.conversation import Conversation, Message
from mnemo_lab.corpora import load
from mnemo_lab.errors import InvalidInput
from mnemo_lab.hydration.triggers.combine import parse_trigger
from mnemo_lab.hydration.triggers.topic_shift import TopicShift
from mnemo_lab.services import Services, ServicesSpec

CATS = [
    "The cat sleeps on a mat.",
    "A cat and a kitten purr.",
    "My kitten sleeps and purrs.",
    "The mat is for the cat.",
]
TRAINS = [
    "Trains leave the station.",
    "A late train, a full station.",
    "Which platform, which train?",
    "Platform nine.",
]


@pytest.fixture(scope="module")
def services() -> Services:
    return ServicesSpec(embedder="hashing", cache="").open()


def talk_of(services: Services, texts: list[str], wanted: list[int], name: str = "t") -> Talk:
    messages = tuple(Message("user", text, f"{name}{at}") for at, text in enumerate(texts))
    return Talk(name, Conversation(messages, name), wanted, services)


def test_baselines_by_hand(services: Services) -> None:
    talk = talk_of(services, list("abcdefghijkl"), [2, 9])
    assert baselines.none(talk) == [] and baselines.even(talk) == [4, 8]
    by_seed = [tuple(baselines.random(talk, seed)) for seed in range(400)]
    assert {len(set(found)) for found in by_seed} == {2} and baselines.random(talk, 0) == list(by_seed[0])
    counts = np.bincount([at for found in by_seed for at in found], minlength=12)
    assert counts[0] == 0 and stats.chisquare(counts[1:]).pvalue > 0.001, "every place is as likely"


def test_texttiling_cuts_where_the_words_change(services: Services) -> None:
    talk = talk_of(services, CATS + TRAINS, [4])
    for tiling in (Tiling(words=0, block=2), Tiling(words=0, block=3)):
        assert baselines.texttiling(talk, tiling) == [4]
    assert 4 in baselines.texttiling(talk, Tiling(words=3, block=3))
    assert baselines.texttiling(talk_of(services, ["cat"], []), Tiling(words=0, block=2)) == []


def test_a_boundary_is_known_when_the_delay_is_over(services: Services) -> None:
    """Ten messages, two a turn: turns 2 and 4 open at 4 and 8; one turn later is message 6, and the end."""
    roles = ["user", "assistant"] * 5
    messages = tuple(Message(role, "x", f"m{at}") for at, role in enumerate(roles))  # type: ignore[arg-type]
    talk = Talk("t", Conversation(messages, "t"), [4], services)
    assert talk.found("every(n=2)", 0) == [Cut(4, 4), Cut(8, 8)]
    assert talk.found("every(n=2)", 1) == [Cut(4, 6), Cut(8, 10)]


def test_late_boundaries_are_charged(services: Services) -> None:
    """Eight messages cut before 4: found there but known one later, or only at the end (Pk as worked out by hand in
    tests/metrics)."""
    talk = talk_of(services, list("abcdefgh"), [4])
    at_once, late, never = (score("", [talk], 0, lambda _, k=k: [Cut(4, k)]) for k in (4, 5, 8))  # type: ignore[misc]
    for row in (at_once, late, never):
        assert row.values("pk") == [0] and row.values("f1") == [1]
    assert at_once.charged.values("pk") == [0] and at_once.late == 0
    assert late.charged.values("pk") == [2 / 6] and late.charged.values("f1") == [0] and late.late == 1
    assert never.charged.values("pk") == [2 / 6] and never.charged.pooled(near=False).found == 0
    assert score("", [talk], 1, lambda _: [Cut(4, 5)]).charged.values("f1_near") == [1]


def row_of(services: Services, cuts: list[list[int]], wanted: list[int]) -> Scored:
    talks = [talk_of(services, list("abcdefghij"), wanted, f"t{n}") for n in range(len(cuts))]
    found = {talk.recording: cuts[n] for n, talk in enumerate(talks)}
    return score("", talks, 0, lambda talk: [Cut(at, at) for at in found[talk.recording]])


def test_the_bootstrap_is_scipys(services: Services) -> None:
    mine = row_of(services, [[5], [4], [2], [], [5], [3, 5], [5], [9]], [5])
    none = row_of(services, [[]] * 8, [5])
    low, high = mine.bootstrap(none, "pk")
    differences = np.subtract(mine.values("pk"), none.values("pk"))
    expected = stats.bootstrap((differences,), np.mean, n_resamples=20_000, method="percentile", rng=1)
    assert (low, high) == pytest.approx(tuple(expected.confidence_interval), abs=0.02) and low < high
    assert none.bootstrap(none, "pk") == (0, 0)


def test_triggers_see_vectors_of_bare_messages(services: Services) -> None:
    """One vector per message, of unit length, of its text alone; a long message's is the mean of its passages'."""
    long = " ".join(f"word{n}." for n in range(900))
    talk = talk_of(services, [*CATS, *TRAINS, long], [4])
    assert talk.vectors[:8] == pytest.approx(services.embedder.encode(CATS + TRAINS), abs=1e-6)
    assert np.linalg.norm(talk.vectors, axis=1) == pytest.approx([1] * 9)
    bare = "topic_shift(sigmas=0.1, length=0.0, question=0.0, cue=0.0)"
    assert len(talk_of(services, (CATS + TRAINS) * 3, [4]).found(bare, 0)) > 0


def test_the_fewest_cuts_within_one_standard_error_are_taken() -> None:
    """The best has a mean of -0.2 with a standard error of 0.1 / sqrt(3): all up to -0.142 are as good."""
    gains = np.array([[-0.1, -0.2, -0.3], [-0.1, -0.2, -0.13], [-0.1, -0.1, -0.1], [-0.15, -0.15, -0.15]])
    cuts = np.array([[3, 3, 3], [2, 0, 0], [0, 0, 0], [1, 1, 0]])
    assert fewest_cuts(gains, cuts) == 3, "the third is too far from -0.2, of the two with two cuts -0.15 is better"
    assert fewest_cuts(gains[:2], cuts[:2]) == 1 and fewest_cuts(gains[:1], cuts[:1]) == 0


def test_each_conversation_is_measured_with_what_the_others_chose(services: Services) -> None:
    """Ten messages cut before 5. The first setting is right in all but the last; where the last is left out it is
    sure, and fails there."""
    none = row_of(services, [[]] * 4, [5])
    right = row_of(services, [[5], [5], [5], [1]], [5])
    never = row_of(services, [[]] * 4, [5])
    held = leave_one_out([right, never], none)
    assert held.chosen[3] == 0 and held.pk[3] == right.values("pk")[3] > none.values("pk")[3]
    assert gains_of([right], none)[0].tolist() == [
        a + b - c - d
        for a, b, c, d in zip(*(r.values(k) for r in (right, none) for k in ("pk", "window_diff")), strict=True)
    ]
    assert cuts_of([right, never]).tolist() == [[1, 1, 1, 1], [0, 0, 0, 0]]


def test_the_plan_and_what_it_was_chosen_from() -> None:
    plans = read_plans()
    assert any(parse_trigger(row.trigger) == TopicShift() for row in plans.joint.rows())
    assert set(plans.joint.on) <= {plan.data for plan in plans.sets}
    for plan in plans.sets:
        tried = {row for grid in plan.grid for row in grid.rows()}
        parsed = {(str(parse_trigger(row.trigger)), row.delay) for row in tried}
        for row in (plan.chosen, plan.at_once):
            joint = row.trigger == plans.joint.on.get(plan.data, "").format("topic_shift()") and row.delay == 0
            assert joint or (str(parse_trigger(row.trigger)), row.delay) in parsed, (plan.data, row)
        assert plan.texttiling in tune.TILINGS and plan.at_once.delay == 0


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [('"cue()"', '"cuee()"', "unknown trigger 'cuee'"), ("seeds = 20", "seeds = 0", "seeds"), ("seeds", "sed", "mend")],
)
def test_faults_of_the_plan_are_named(tmp_path: Path, old: str, new: str, said: str) -> None:
    file = tmp_path / "plan.toml"
    file.write_text(FILE.read_text(encoding="utf-8").replace(old, new), encoding="utf-8")
    with pytest.raises(InvalidInput, match=said):
        read_plans(file)


def measured(services: Services, cuts: list[int]) -> Measured:
    row = Row(trigger="topic_shift()")
    plan = Plan(data="tiage", label="topic", tolerance=1, texttiling=Tiling(words=0, block=2), chosen=row, at_once=row)
    talks = [talk_of(services, list("abcdefghij"), [4, 8], f"t{n}") for n in range(8)]
    rows = score_baselines(plan, talks, 3)
    rows[row.label] = score(row.label, talks, 1, lambda _: [Cut(at, at) for at in cuts])
    return Measured(plan, "test", talks, rows)


def test_the_report_says_what_was_reached_and_what_was_missed(services: Services) -> None:
    good, bad = render([measured(services, [4, 8])]), render([measured(services, [1, 2, 6])])
    assert "Of the chosen rows' 8 comparisons 8 are better" in good and "**Missed**" not in good
    assert "**Missed**: tiage, chosen: Pk" in bad and "none" in bad
    assert "| **`topic_shift()`** | 0.000 [0.00, 0.00] |" in good
    assert "| tiage, test | 8 | 80 | 16 | 20.0 | 3.3 | 2 to 2 |" in good


def test_topics_by_hand_are_of_messages_that_are_there() -> None:
    conversations = {c.id: c.messages for c in load("bilingual").conversations}
    assert set(topics_by_hand()) == set(conversations)
    for name, opens in topics_by_hand().items():
        roles = {message.id: message.role for message in conversations[name][1:]}
        assert {roles[message] for message in opens} == {"user"}, name


def test_sets_that_are_not_here_are_named(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("MNEMO_DATA_DIR", str(tmp_path))
    out = tmp_path / "report.md"
    assert measure.main(["--sets", "tiage", "--out", str(out)]) == 2
    assert "tiage: left out: " in capsys.readouterr().err and not out.exists()


def test_tuning_looks_at_development_halves_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []

    def talks_of(plan: Plan, split: str, cache: str | None) -> list[Talk]:
        asked.append(split)
        raise InvalidInput("not here")

    monkeypatch.setattr(tune, "talks_of", talks_of)
    assert tune.main(["--out", ""]) == 0 and set(asked) == {"dev"}
