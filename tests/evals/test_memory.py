"""Every measure on tiny scenarios that are counted by hand."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import pytest

from evals.memory import measure as measuring
from evals.memory.__main__ import main
from evals.memory.answers import Asked, asked, holds, needles_of, place
from evals.memory.bootstrap import between, f1, ratio
from evals.memory.claims import Claim
from evals.memory.consolidation import Merged, Paraphrased, Retired, merging, paraphrases, retiring
from evals.memory.distractors import Spread, distractors
from evals.memory.extracting import Counts, score
from evals.memory.extraction import timed
from evals.memory.fading import age_group, faded
from evals.memory.gold import stated
from evals.memory.injecting import injected
from evals.memory.leaks import leaks
from evals.memory.plan import Fading, Injecting, Sizes, When, read_plan
from evals.memory.reading import prompt
from evals.memory.report import render
from evals.memory.scenarios import GoldFact, MemoryProbe, Scenario
from evals.memory.sizes import by_size
from evals.memory.sums import kept_share, merged
from evals.memory.world import from_gold, remembered
from mnemo_lab.conversation import Conversation, Message
from mnemo_lab.embeddings.hashing import HashingEmbedder
from mnemo_lab.errors import InvalidInput
from mnemo_lab.extraction.base import Fact
from mnemo_lab.memory.item import MemoryItem

EMBEDDER = HashingEmbedder()
KEY = "sk-proj-" + "Ab3" * 16


class Said:
    """Finds what it is told to, in the messages it is given."""

    name = "said"

    def __init__(self, *facts: Fact) -> None:
        self._facts = facts

    def extract(self, messages: Sequence[Message], before: Sequence[Message] = ()) -> list[Fact]:
        there = {message.id for message in messages}
        return [fact for fact in self._facts if fact.message in there]


def fact(message: str, value: str, content: str, attribute: str = "editor", **more: object) -> Fact:
    return replace(Fact("preference", "user", attribute, value, content, "en", message), **more)  # type: ignore[arg-type]


def gold(id: str, value: str, *evidence: str, attribute: str = "editor", **more: object) -> GoldFact:
    plain = GoldFact(id, "preference", "user", attribute, value, (), "positive", evidence, "2026-01-05", None, None)
    return replace(plain, **more)  # type: ignore[arg-type]


TEXTS = {
    "c1m1": ("2026-01-05", "I write everything in Vim."),
    "c1m2": ("2026-01-05", "What is a good colour scheme?"),
    "c2m1": ("2026-02-05", "As said, Vim is my editor."),
    "c3m1": ("2026-03-05", f"I moved to Helix; the key is {KEY}."),
}
VIM = gold("f1", "Vim", "c1m1", "c2m1", valid_to="2026-03-05", replaced_by="f2")
HELIX = gold("f2", "Helix", "c3m1", valid_from="2026-03-05")
PROBES = (
    MemoryProbe("p1", "Which editor do I use?", "2026-04-01T09:00:00+00:00", None, ("Helix",), "f2"),
    MemoryProbe("p2", "Which editor was it in January?", "2026-04-01T09:00:00+00:00", "2026-01-20", ("Vim",), "f1"),
)


def scenario(id: str = "en-1", language: str = "en") -> Scenario:
    talks: dict[str, list[Message]] = {}
    for name, (day, text) in TEXTS.items():
        talks.setdefault(name[:2], []).append(Message("user", text, name, f"{day}T09:00:00+00:00"))
    conversations = tuple(Conversation(tuple(messages), id=f"{id}/{name}") for name, messages in talks.items())
    return Scenario(id, language, "dev", "update", conversations, (VIM, HELIX), PROBES, (KEY,))


FIRST = fact("c1m1", "Vim", "I write everything in Vim.")
AGAIN = fact("c2m1", "Vim", "As said, Vim is my editor.")
NEW = fact("c3m1", "Helix", "I moved to Helix.", changes=True)
JUNK = fact("c1m2", "a good colour scheme", "What is a good colour scheme?", "theme")


def words(text: str) -> int:
    return len(text.split())


def test_junk_is_what_comes_from_messages_that_state_nothing() -> None:
    counts = Counts()
    score(counts, scenario(), [FIRST, AGAIN, JUNK, fact("c3m1", "Kakoune", "I moved to Kakoune.")])
    assert (counts.found, counts.right, counts.gold, counts.met, counts.junk, counts.category) == (4, 2, 2, 1, 1, 2)
    assert (counts.precision, counts.recall, counts.junk_rate) == (0.5, 0.5, 0.25)


def test_an_interval_holds_the_figure_and_is_a_point_where_scenarios_agree() -> None:
    assert between([(1, 2)] * 5, ratio) == (0.5, 0.5, 0.5)
    found = between([(2, 2, 1, 2), (0, 2, 1, 2)], f1)  # right, found, met, gold: 2/4 and 2/4
    assert found.value == 0.5
    assert found.low == 0.0
    assert found.high == pytest.approx(2 / 3)  # the first alone: 1 and 1/2
    assert np.isnan(between([], ratio).value)
    assert str(between([(0, 0)], ratio)) == "–"


def test_statements_of_one_fact_are_merged_and_what_replaces_it_is_not() -> None:
    made = remembered(scenario(), Said(FIRST, AGAIN, NEW), EMBEDDER, words)
    assert [s.decision.action for s in made.statements] == ["add", "merge", "supersede"]
    assert [s.gold for s in made.statements] == ["f1", "f1", "f2"]
    assert merging(made) == Merged(right=1, merges=1, joined=1, again=1, unjudged=0)
    assert retiring(made) == Retired(right=1, over=1, changes=1, both_right=1, both=1, all_over=1, all_changes=1)


def test_a_merge_of_two_facts_is_wrong_and_one_that_is_not_made_is_missed() -> None:
    wrong = fact("c3m1", "Vim", "I write everything in Vim.")  # not what c3m1 says: matches no gold fact
    made = remembered(scenario(), Said(FIRST, wrong), EMBEDDER, words)
    assert merging(made) == Merged(right=0, merges=1, joined=0, again=0, unjudged=0)
    other = fact("c2m1", "Vim", "As said, Vim is my editor.", "tool for text")
    made = remembered(scenario(), Said(FIRST, other), EMBEDDER, words)
    assert merging(made) == Merged(right=0, merges=0, joined=0, again=1, unjudged=0)


def test_merges_of_what_is_no_fact_are_not_judged() -> None:
    same = replace(JUNK, message="c1m1")
    assert merging(remembered(scenario(), Said(JUNK, same), EMBEDDER, words)).unjudged == 1
    assert merged([Merged(1, 2, 3, 4, 5), Merged(1, 1, 1, 1, 1)]) == Merged(2, 3, 4, 5, 6)


def test_a_change_whose_new_fact_is_not_found_counts_only_among_all() -> None:
    made = remembered(scenario(), Said(FIRST), EMBEDDER, words)
    assert retiring(made) == Retired(right=0, over=0, changes=1, both_right=0, both=0, all_over=0, all_changes=1)
    made = remembered(scenario(), Said(), EMBEDDER, words)
    assert retiring(made) == Retired(0, 0, 0, 0, 0, 0, 1)


def test_a_fact_in_other_words_in_place_of_itself_is_a_missed_merge_and_no_wrong_retirement() -> None:
    weeks = gold("f1", "six weeks", "c1m1", "c2m1", attribute="retention", aliases=("42 days",))
    told = (
        fact("c1m1", "42 days", "Backups are kept for 42 days.", "retention"),
        fact("c2m1", "six weeks", "They stay six weeks.", "retention"),
    )
    made = remembered(replace(scenario(), facts=(weeks,)), Said(*told), EMBEDDER, words)
    assert merging(made).again == 1
    assert merging(made).joined == 0
    assert sorted(item.status for item in made.items) == ["active", "outdated"]
    assert retiring(made) == Retired(0, 0, 0, 0, 0, 0, 0)


def test_nine_sayings_of_one_fact_are_one_active_item() -> None:
    ids = [f"c1m{n}" for n in range(1, 10)]
    messages = tuple(Message("user", "My editor is Vim.", id, "2026-01-05T09:00:00+00:00") for id in ids)
    nine = replace(
        scenario(), conversations=(Conversation(messages, id="c1"),), facts=(gold("f1", "Vim", *ids),), probes=()
    )
    said = [fact(id, "Vim", "My editor is Vim.") for id in ids]
    assert paraphrases(remembered(nine, Said(*said), EMBEDDER, words)) == [Paraphrased("en-1", 1, apart=True)]
    said[4] = replace(said[4], attribute="gadget", content="Something else entirely, namely Vim")
    assert paraphrases(remembered(nine, Said(*said), EMBEDDER, words)) == [Paraphrased("en-1", 2, apart=True)]
    assert paraphrases(remembered(scenario(), Said(FIRST), EMBEDDER, words)) == []


def test_gold_facts_are_handed_over_without_what_later_messages_say() -> None:
    told = stated(scenario())
    assert [(id, f.message, f.value, f.content) for id, f in told] == [
        ("f1", "c1m1", "Vim", "I write everything in Vim."),
        ("f1", "c2m1", "Vim", "As said, Vim is my editor."),
        ("f2", "c3m1", "Helix", f"I moved to Helix; the key is {KEY}."),
    ]
    assert not any(f.changes or f.former or f.additive or f.past or f.valid_from or f.valid_to for _, f in told)
    made = from_gold(scenario(), EMBEDDER)
    assert [s.decision.action for s in made.statements] == ["add", "merge", "supersede"]


def test_gold_facts_say_what_their_own_message_says() -> None:
    over = gold("f3", "Vim", "c2m1", valid_from="2024-01-01", valid_to="2025-01-01")
    beside = gold("f4", "Helix", "c3m1", valid_from="2026-03-05")
    now = gold("f5", "Vim", "c1m1")
    ((_, past),) = stated(replace(scenario(), facts=(over,)))
    assert (past.past, past.valid_from, past.valid_to) == (True, "2024-01-01", "2025-01-01")
    both = replace(scenario(), facts=(now, beside))
    assert [f.additive for _, f in stated(both)] == [False, False]
    assert [f.additive for _, f in stated(both, beside=True)] == [True, True]
    assert [f.additive for _, f in stated(scenario(), beside=True)] == [False] * 3  # one replaces the other


def test_the_place_of_the_first_memory_that_holds_an_answer() -> None:
    def item(value: str, polarity: str = "positive") -> MemoryItem:
        told = f"The editor is {value}."
        return MemoryItem("n", "preference", "user", "editor", value, told, "en", "2026-01-01", polarity=polarity)  # type: ignore[arg-type]

    items = [item("Emacs"), item("Helix", "negative"), item("Helix"), item("Helix")]
    needles = needles_of(PROBES[0])
    assert needles == ("helix",)
    assert place(items, needles) == 2
    assert place(items, needles, "positive") == 3
    assert place(items[:1], needles) == 0
    assert not holds(item("Helixes"), needles)
    echo = replace(PROBES[0], question="Is it Helix?", answer=("Helix", "yes, Helix"))
    assert needles_of(echo) == ("yes helix",)
    assert needles_of(replace(echo, answer=("Helix",))) == ("helix",)


def test_questions_before_and_after_a_change() -> None:
    one = scenario()
    current, former = asked(one, lambda until: remembered(one, Said(FIRST, NEW), EMBEDDER, words, until=until), 5)
    assert (current.group, current.kept, current.ranks["keyword"]) == ("changed", True, 1)
    assert current.ahead
    unretired = replace(NEW, attribute="tool for text", content="Helix it is, not the Vim which editor do I use")
    (both, _) = asked(one, lambda until: remembered(one, Said(FIRST, unretired), EMBEDDER, words, until=until), 5)
    assert both.kept
    assert both.ahead == (both.ranks["both"] == 1)  # one of two, and the other is the former
    assert (former.group, former.kept, former.ranks) == ("as of", True, {"keyword": 1, "vector": 1, "both": 1})
    early = replace(one, probes=(replace(PROBES[0], asked_at="2026-02-20T09:00:00+00:00"),))
    (before,) = asked(early, lambda until: remembered(early, Said(FIRST, NEW), EMBEDDER, words, until=until), 5)
    assert (before.kept, before.ranks["both"]) == (False, 0)  # not yet said
    some = [current, Asked("s", "en", "changed", False, {"both": 0}), Asked("s", "en", "changed", True, {"both": 3})]
    assert kept_share(some, "both", 1) == "0.33 (0.50)"


def test_calls_and_tokens_by_moment() -> None:
    def of(every: int, signals: bool, end: bool) -> tuple[int, int, float]:
        when = When(label="", every=every, signals=signals, end=end)
        done = timed([scenario()], when, Said(FIRST, NEW), EMBEDDER, words, read_plan())
        return done.calls, done.tokens, round(done.f1.value, 3)

    first, second, third, fourth = (words(text) for _, text in TEXTS.values())
    assert of(0, False, True) == (3, first + second + third + fourth, 1.0)
    assert of(1, False, False) == (4, first + (first + second) + third + fourth, 1.0)  # the second call rereads
    assert of(2, False, False) == (1, first + second, 0.667)  # Helix is never read


def test_nothing_leaks_and_secrets_are_counted_where_they_are_not_taken_out() -> None:
    both = [scenario("en-1"), scenario("en-2")]
    told = leaks(both, Said(FIRST, NEW, fact("c3m1", KEY, f"the key is {KEY}", "key")), EMBEDDER, words)
    assert (told.namespaces, told.searches, told.foreign) == (2, 2 * 2 * 2, 0)
    assert (told.secrets, told.in_files, told.in_blocks, told.whole_in_files, told.whole_in_blocks) == (2, 0, 0, 0, 0)
    assert (told.blocks, told.whole) == (4, 2)
    assert sum(told.placeholders.values()) >= 2
    missed = [replace(one, secrets=("Helix",)) for one in both]  # no filter takes that for a secret
    told = leaks(missed, Said(NEW), EMBEDDER, words)
    assert told.in_files == told.in_blocks == 2


def test_decay_off_hides_nothing_and_ages_fall_into_groups() -> None:
    fade = read_plan().fading
    plan = Fading(days=400, crowd=3, recent=30, seeds=2, depth=5, ages=fade.ages, decays=fade.decays[:2])
    rows = faded([scenario()], EMBEDDER, plan, 7)
    assert [row.label for row in rows] == [fade.decays[0].label, fade.decays[1].label] * 2
    assert all(row.found and not row.hidden for row in rows)  # four memories, five are shown
    assert rows[0].days == rows[1].days != rows[2].days
    assert [age_group(days, (7, 30, 400)) for days in (0, 7, 7.5, 399)] == [7, 7, 30, 400]


def test_search_among_more_and_more_memories() -> None:
    sizes = Sizes(items=(5, 40), probes=3, embedded={"en": 10}, noise=0.3)
    found = by_size([scenario()], EMBEDDER, sizes, 7)
    assert [(f.items, f.way, f.asked) for f in found][:4] == [(5, w, 1) for w in ("keyword", "vector", "both")] + [
        (40, "keyword", 1)
    ]
    assert found[0].five == 1
    assert all(f.first <= f.five <= f.asked for f in found)


def test_distractors_are_the_same_each_time_and_have_vectors_near_real_ones() -> None:
    now = datetime(2027, 1, 1, tzinfo=UTC)
    items = distractors("zh", ["编辑器"], 6, now, 30, 7, "n")
    assert items == distractors("zh", ["编辑器"], 6, now, 30, 7, "n")
    assert len({item.value for item in items}) == 6
    assert all(item.created_at[:7] in ("2026-12", "2027-01") for item in items)
    from mnemo_lab.memory.stores.checks import embedded_text

    texts = [embedded_text(item) for item in items]
    spread = Spread(EMBEDDER, items, 4, 0.3, 7).encode(texts)
    real = EMBEDDER.encode(texts)
    assert np.allclose(spread[:4], real[:4])
    assert np.allclose(np.linalg.norm(spread, axis=1), 1)
    assert 0.9 < float(spread[4] @ real[0]) < 0.9999
    assert np.array_equal(spread, Spread(EMBEDDER, items, 4, 0.3, 7).encode(texts))


def test_tokens_of_blocks_and_lines_that_answer() -> None:
    made = [remembered(scenario(), Said(FIRST, NEW, JUNK), EMBEDDER, words)]
    small, room = injected(made, Injecting(tokens=(1, 500), crowd=4), words, 7, crowded=False)
    assert (small.asked, small.answered, small.tokens, small.useful) == (1, 0, 0, 0)
    block = made[0].memory.inject(PROBES[0].question, PROBES[0].asked_at, 500, words)
    assert (room.asked, room.answered, room.useful, room.tokens) == (1, 1, 1, block.tokens)
    crowded = injected(made, Injecting(tokens=(500,), crowd=4), words, 7, crowded=True)[0]
    assert crowded.crowd == 4
    assert crowded.tokens > room.tokens


def test_the_block_stands_before_within_or_behind_the_conversation() -> None:
    talk = [Message("user", text) for text in "abc"]
    texts = {place: prompt(PROBES[0], "BLOCK\n", talk, place).text for place in ("start", "middle", "end")}
    order = {place: [text.index(word) for word in ("BLOCK", "user: a", "user: c")] for place, text in texts.items()}
    assert order["start"] == sorted(order["start"])
    assert order["middle"][1] < order["middle"][0] < order["middle"][2]
    assert max(order["end"]) == order["end"][0]


def test_a_wrong_setting_is_named(tmp_path: Path) -> None:
    file = tmp_path / "memory.toml"
    file.write_text("draws = 2\n", encoding="utf-8")
    with pytest.raises(InvalidInput, match=r"memory\.toml.*"):
        read_plan(file)


def test_the_report_of_a_tiny_measurement(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The whole command on two scenarios of the language each, by the real rules."""
    monkeypatch.setattr(measuring, "open_embedder", lambda name, cache_dir: EMBEDDER)
    monkeypatch.setattr(measuring, "read_scenarios", lambda language, split: [scenario(f"{language}-1", language)])
    plan = read_plan()
    small = plan.model_copy(
        update={
            "draws": 100,
            "fading": plan.fading.model_copy(update={"crowd": 2, "seeds": 1}),
            "sizes": Sizes(items=(5,), probes=1, embedded={"en": 5, "zh": 5}, noise=0.3),
            "injecting": Injecting(tokens=(200,), crowd=2),
        }
    )
    done = measuring.measure(small, "dev")
    text = render(done)
    assert "on the development half of `datasets/memory_events`:\n1 scenarios in en and 1 scenarios in zh" in text
    assert "| memories of another namespace | 0 | 0 | yes |" in text
    assert "| secrets in files or blocks (rules) | 0 | 0 (of 2 written) | yes |" in text
    assert "No language model extracted in this run" in text
    tables = [block for block in text.split("\n\n") if block.startswith("|")]
    assert len(tables) == 10
    assert all(len({line.count("|") for line in table.strip().splitlines()}) == 1 for table in tables)
    assert main(["--plan", str(tmp_path / "none.toml")]) == 2


def test_a_claim_is_met_missed_or_undecided() -> None:
    assert [Claim("", "", "", met).verdict for met in (True, False, None)] == ["yes", "**no**", "–"]
