"""The judge: how its replies are read, what is planted, and that its rates are those of its mistakes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import isnan
from pathlib import Path

import pytest

from mnemo_lab.answering.judge import judge, read_verdict
from mnemo_lab.answering.judging import JudgeCheck
from mnemo_lab.answering.planting import plant
from mnemo_lab.answering.scores import contains_answer, exact_match, token_f1
from mnemo_lab.conversation import Message
from mnemo_lab.corpora.base import load
from mnemo_lab.language_models.errors import LanguageModelError, Unavailable
from mnemo_lab.recording import Probe
from mnemo_lab.services import Services, ServicesSpec
from tests.answering.runs import office_run, read
from tests.answering.scripted import Scripted, looks_it_up
from tests.conversations import office_recording


@pytest.mark.parametrize(
    ("reply", "verdict"),
    [
        ("CORRECT", "correct"),
        ("WRONG", "wrong"),
        ("Correct.", "correct"),
        ("**WRONG**", "wrong"),
        ("INCORRECT", "wrong"),
        ("That is not correct.", "wrong"),
        ("It isn't correct", "wrong"),
        ('{"verdict": "CORRECT"}', "correct"),
        ("Verdict: CORRECT — the port is the same.", "correct"),
        ("The gold answer is correct, the given one is wrong.\nWRONG", "wrong"),
        ("It could be CORRECT or WRONG.\nCORRECT", "correct"),
        ("<think>CORRECT? No.</think>WRONG", "wrong"),
        ("<think>never finished CORRECT", "unreadable"),
        ("CORRECT or WRONG", "unreadable"),
        ("Yes", "unreadable"),
        ("", "unreadable"),
        ("正确", "correct"),
        ("错误。", "wrong"),
        ("不正确", "wrong"),
        ("对", "correct"),
        ("对话里没有", "unreadable"),
    ],
)
def test_verdicts_are_read(reply: str, verdict: str) -> None:
    assert read_verdict(reply) == verdict


def test_what_the_judge_is_shown() -> None:
    model = Scripted(lambda _: "正确")
    services = Services(ServicesSpec(), model)
    assert judge("发布会定在哪天？", ("六月六号", "6月6日"), "六号\n吧", services, 4).verdict == "correct"
    (asked,) = model.asked[0]
    for part in ("发布会定在哪天？", "六月六号（或：6月6日）", "给出的回答：六号 吧", "正确", "错误"):
        assert part in asked.text
    assert [(r["task"], r["output_tokens"]) for r in services.ledger.table()] == [("judge", 1)]
    judge("Which port?", ("5433",), "5433", services, 4)
    assert "Right answer: 5433\n" in model.asked[1][0].text and "CORRECT" in model.asked[1][0].text


def probe(category: str, answer: str, *aliases: str, name: str = "q") -> Probe:
    return Probe(name, "?", category, answer=answer, aliases=aliases)


@pytest.mark.parametrize(
    ("asked", "wrong", "right"),
    [
        (probe("port", "5433"), {"another's answer": "9210", "number changed": "5434"}, ("said otherwise", "5433")),
        (probe("port", "9209"), {"another's answer": "9210", "number changed": "9200"}, ("said otherwise", "9209")),
        (probe("x", "36,000"), {"number changed": "36,001"}, ("said otherwise", "36000")),
        (probe("x", "30 June"), {"number changed": "31 June"}, ("said otherwise", "June 30")),
        (probe("x", "the end of June"), {"number changed": "the end of July"}, ("said otherwise", "the end of June")),
        (probe("x", "六月六号"), {"number changed": "六月七号"}, ("said otherwise", "据我所知是六月六号。")),
        (probe("x", "cork"), {}, ("said otherwise", "cork")),
        (probe("x", "RAL 7033", "cement grey"), {"number changed": "RAL 7034"}, ("alias", "cement grey")),
    ],
)
def test_planted_by_hand(asked: Probe, wrong: dict[str, str], right: tuple[str, str]) -> None:
    recording = replace(office_recording(), probes=(asked, probe("port", "9210", name="other")))
    found = plant(recording, asked, 0)
    assert {item.kind: item.answer for item in found if not item.right} == wrong
    (one,) = [item for item in found if item.right]
    assert one.kind == right[0] and right[1] in one.answer
    assert one.golds == (asked.answers[:1] if one.kind == "alias" or not asked.aliases else asked.answers)


def test_planted_answers_of_the_bundled_recordings_are_what_they_say() -> None:
    """No planted wrong answer matches or contains a gold answer; every one said otherwise contains it."""
    kinds = dict.fromkeys(("another's answer", "number changed", "alias", "said otherwise"), 0)
    for recording in load("bilingual"):
        for asked in recording.probes:
            for item in plant(recording, asked, 0):
                kinds[item.kind] += 1
                if item.right and item.kind == "said otherwise":
                    assert contains_answer(item.answer, asked.answers) == 1, item
                if not item.right:
                    assert exact_match(item.answer, asked.answers) == contains_answer(item.answer, asked.answers) == 0
                if item.kind == "another's answer":
                    assert token_f1(item.answer, asked.answers) < 0.5
                    others = {a for p in recording.probes if p.category == asked.category for a in p.answers}
                    assert item.answer in others
    assert all(count > 100 for count in kinds.values()), kinds
    assert plant(office_recording(), office_recording().probes[4], 0) == [], "unanswerable"


def lenient(messages: Sequence[Message]) -> str:
    """Calls every number correct, and every date wrong; cannot be read on the rest."""
    text = messages[0].text
    given = (
        text.partition("Given answer: ")[2].partition("\n")[0] or text.partition("给出的回答：")[2].partition("\n")[0]
    )
    if any("0" <= c <= "9" for c in given):
        return "CORRECT"
    return "错误" if "号" in given else "hm"


def test_rates_are_those_of_its_mistakes() -> None:
    """Office: q0 5433 and q5 48211 (passed, and so are 5434 and 48212), q1 and q2 dates (failed, and so are theirs)."""
    answers = read(office_run(), Scripted(looks_it_up), grader := Scripted(lenient, "local:lenient", "lenient 1"))
    check = answers.judge_check
    # Each category holds one question: nothing is borrowed. Changed: four numbers. Otherwise: five.
    assert check == JudgeCheck(wrong=4, wrong_passed=2, right=5, right_passed=2, right_failed=2, unreadable=1)
    assert not check.tells_them_apart, "it passes 2 of 4 wrong ones and 2 of 5 right ones"
    assert (check.false_positive_rate, check.false_negative_rate) == (0.5, 0.4)
    full = {r["probe"]: (r["verdict"], r["judge"]) for r in answers.rows.filter(strategy="full").iter_rows(named=True)}
    assert full == {
        "q0": ("correct", 1.0), "q1": ("wrong", 0.0), "q2": ("wrong", 0.0), "q3": ("unreadable", 0.0),
        "q4": (None, None), "q5": ("correct", 1.0),
    }  # fmt: skip
    refused = answers.rows.filter(answers.rows["abstained"] & answers.rows["answerable"])
    assert len(refused) and set(refused["verdict"]) == {"wrong"}
    assert len(grader.asked) == 5 + 4 + 5, "an answer that several strategies give is judged once, a refusal never"


def test_verdicts_are_kept(tmp_path: Path) -> None:
    def fails(messages: Sequence[Message]) -> str:
        if "5434" in messages[0].text:
            raise Unavailable("busy")
        return lenient(messages)

    reader = Scripted(looks_it_up)
    first = read(office_run(tmp_path), reader, Scripted(fails, "local:lenient", "lenient 1"))
    assert first.judge_check is not None and first.judge_check.wrong == 3
    again = read(office_run(tmp_path), reader, grader := Scripted(lenient, "local:lenient", "lenient 1"))
    assert len(grader.asked) == 1 and again.judge_check is not None and again.judge_check.wrong == 4
    other = read(office_run(tmp_path), reader, grader := Scripted(lambda _: "CORRECT", "local:yes", "yes 1"))
    assert len(grader.asked) == 14 and len(reader.asked) == 24
    assert other.judge_check == JudgeCheck(4, 4, 5, 5, 0, 0) and other.rows.filter(strategy="full")["judge"].mean() == 1
    assert read(office_run(tmp_path), reader).judge_check is None


def test_a_judge_that_is_not_there_stops() -> None:
    def say(_: Sequence[Message]) -> str:
        raise Unavailable("nobody home")

    with pytest.raises(LanguageModelError, match="5 questions in a row were not answered, the last because: nobody"):
        read(office_run(), Scripted(looks_it_up), Scripted(say, "local:none", "none"))


def test_rates_without_planted_answers_are_undefined() -> None:
    check = JudgeCheck(0, 0, 0, 0, 0, 0)
    assert check.tells_them_apart
    assert isnan(check.false_positive_rate) and isnan(check.false_negative_rate)
