"""A language model as a trigger: what it is shown, how its answers are read, what is charged, what is kept."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import pytest

from mnemo_lab.conversation import Message
from mnemo_lab.errors import InvalidInput
from mnemo_lab.hydration.segments import Segmenter
from mnemo_lab.hydration.triggers.combine import parse_trigger
from mnemo_lab.hydration.triggers.model import LONGEST, PROMPT, TASK, AskModel, read_answer
from mnemo_lab.language_models.base import Completion
from mnemo_lab.language_models.errors import LanguageModelError, Unavailable
from mnemo_lab.ledger import Work
from mnemo_lab.services import Services, ServicesSpec
from tests.hydration.talks import history_of, openings, users


class Scripted:
    """Answers from a list, in order; an error in it is raised."""

    name = fingerprint = "local:scripted"
    window = None

    def __init__(self, *answers: str | LanguageModelError) -> None:
        self.answers, self.asked = list(answers), list[str]()

    def chat(self, messages: Sequence[Message], max_tokens: int) -> Completion:
        self.asked.append(messages[-1].text)
        answer = self.answers.pop(0)
        if isinstance(answer, LanguageModelError):
            raise answer
        return Completion(answer, 100, 5)

    def stream(self, messages: Sequence[Message], max_tokens: int) -> Iterator[str | Completion]:
        yield self.chat(messages, max_tokens)


def services_with(model: Scripted) -> Services:
    return ServicesSpec(embedder="hashing", cache="").open(model)


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("yes", True),
        ("No.", False),
        ("**Yes** - it does", True),
        ('```json\n{"new_topic": true}\n```', True),
        ('{"answer": "no", "why": "yes and no"}', False),
        ("<think>Could be yes…</think>\n\nno", False),
        ("<think>yes, I think it", None),
        ("是的", True),
        ("不是", False),
        ("否", False),
        ("没有换话题", False),
        ("是否换了话题：是", True),
        ("I cannot tell", None),
        ("nothing notable in yesterday's mail", None),
        ("", None),
    ],
)
def test_answers_are_read(text: str, answer: bool | None) -> None:
    assert read_answer(text) is answer


def test_what_it_is_shown() -> None:
    model = Scripted("yes")
    turns = openings("one", "two", "x" * 1000, "four", "And now my visa.", services=services_with(model))
    turns[3].texts.append("the assistant's answer")
    assert AskModel(turns=2).fires(turns, 4, [0]) == 1.0
    cut = "x" * (LONGEST // 2)
    assert model.asked == [
        f"{PROMPT}\n\nLast turns:\n{cut} … {cut}\n---\nfour\nthe assistant's answer\n\nNew message:\nAnd now my visa."
    ]


def test_segments_charges_and_failures() -> None:
    """Yes cuts; no, a failure and an answer that says neither do not. Each call is in the ledger, once."""
    model = Scripted("yes", "no", Unavailable("down"), "perhaps", "Yes.")
    services = services_with(model)
    segmenter = Segmenter(parse_trigger("model()"), services)
    closed = [*segmenter.observe(history_of(users(*"abcdef"), services), 0), *segmenter.end()]
    assert [(s.start, s.stop, s.fired.trigger) for s in closed] == [
        (0, 1, "model(turns=3)"),
        (1, 5, "model(turns=3)"),
        (5, 6, "end"),
    ]
    usage = services.ledger.usage[Work("write", "local:scripted", TASK)]
    assert (usage.calls, usage.failed, usage.fell_back) == (4, 1, 1)
    assert (usage.input_tokens, usage.output_tokens) == (400, 20)


def test_it_is_asked_only_where_the_rest_fires_and_not_across_conversations() -> None:
    model = Scripted("no", "yes")
    services = services_with(model)
    segmenter = Segmenter(parse_trigger("every(n=3) and model()"), services)
    history = history_of(users(*"abcdefgh"), services)
    segmenter.observe(history, 0, 5)
    assert len(model.asked) == 2 and "Last turns:\nb\n---\nc\n---\nd\n\nNew message:\ne" in model.asked[1]
    segmenter.end()
    segmenter.observe(history, 5)
    assert len(model.asked) == 2


def test_answers_that_are_put_back_are_not_asked_again() -> None:
    first = services_with(Scripted("yes", "no"))
    segmenter = Segmenter(AskModel(), first)
    history = history_of(users(*"abc"), first)
    closed = segmenter.observe(history, 0)
    again = Segmenter(AskModel(), services_with(Scripted()))
    again.turns.answers.update(segmenter.turns.answers)
    assert again.observe(history, 0) == closed and list(again.turns.answers.values()) == [True, False]


def test_without_services() -> None:
    with pytest.raises(InvalidInput, match="asks a language model; give services"):
        AskModel().fires(openings("a", "b"), 1, [0])
