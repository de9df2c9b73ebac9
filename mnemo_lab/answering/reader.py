"""The reader: a language model that answers one probe from the context that a strategy chose."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import nan
from typing import Final, NamedTuple

from mnemo_lab.context import Context
from mnemo_lab.conversation import Message
from mnemo_lab.language_models.base import Completion
from mnemo_lab.language_models.errors import ContextTooLong
from mnemo_lab.replay.outcome import Outcome
from mnemo_lab.services import Services
from mnemo_lab.text.dates import date_words
from mnemo_lab.text.language import language_of
from mnemo_lab.units import parse_units

PROMPT_VERSION: Final = 1
"""Part of every answer's key: raise it when a word of the instruction changes."""
TASK: Final = "answer"
INSTRUCTION: Final = {
    "en": "Answer the question in a few words from the conversation. If it is not said, answer: I don't know.",
    "zh": "请根据对话用几个字回答问题。如果没有说到，就回答：不知道。",
}
"""The plainest of some wordings tried with the smallest reader on a development recording; they differed little."""
QUESTION: Final = {"en": "Question{}: {}\nAnswer:", "zh": "问题{}：{}\n回答："}
NOW: Final = {"en": " (asked on {})", "zh": "（{}提问）"}
"""In front of the question: a sentence on today's date is what a small reader answers with."""
MARGIN: Final = 0.05
"""Room left when a context is cut for a model that counts otherwise than we do, as a share of the prompt."""


class Answer(NamedTuple):
    """What the reader said. ``cut``: the context was longer than the model takes, and its oldest part left out."""

    text: str
    completion: Completion
    cut: bool = False


def answer(outcome: Outcome, services: Services, max_tokens: int) -> Answer:
    """Ask the services' language model; raises ``LanguageModelError``, and ``ValueError`` without a context.

    Where the prompt is too long the context is cut to the limit that the vendor names; should its tokens be so unlike
    ours that this is still too much, to half of that, until it fits or nothing is left.
    """
    context, room = outcome.context, 0.0
    if context is None:
        raise ValueError(f"there is no context to answer from: {outcome.error}")
    while True:
        try:
            done = services.ask(prompt(outcome, context), max_tokens, TASK)
            return Answer(done.text, done, cut=context is not outcome.context)
        except ContextTooLong as error:
            if not context.pieces:
                raise
            room = room / 2 if room else _room(outcome, context, services, max_tokens, error)
        context = without_oldest(context, room)


def prompt(outcome: Outcome, context: Context) -> list[Message]:
    """The context's messages, then instruction, date and question in one user message.

    A transcript is a user message already: the question joins it, since not every model takes two in a row.
    """
    probe = outcome.probe
    language = language_of([probe.question])
    now = date_words(probe.asked_at or _last_time(outcome), language)
    dated = NOW[language].format(now) if now else ""
    asked = f"{INSTRUCTION[language]}\n{QUESTION[language].format(dated, probe.question)}"
    messages = context.messages()
    if context.rendering == "transcript" and context.pieces:
        return [*messages[:-1], Message("user", f"{messages[-1].text}\n\n{asked}")]
    return [*messages[: _closed(messages)], Message("user", asked)]


def _closed(messages: Sequence[Message]) -> int:
    """Where the last step begins if a call of it waits for its result: no API takes a question behind that call."""
    units = parse_units(messages)
    if not units or units[-1].kind != "step":
        return len(messages)
    first, *results = (messages[position] for position in units[-1].positions)
    waiting = {call.id for call in first.tool_calls} - {result.tool_call_id for result in results}
    return units[-1].start if waiting else len(messages)


def _last_time(outcome: Outcome) -> str | None:
    """When the last seen message was written, as the replay itself dates a question without a date."""
    horizon = outcome.gold.horizon
    return outcome.view.messages[horizon - 1].timestamp if horizon else None


def without_oldest(context: Context, room: float) -> Context:
    """The last pieces that take at most ``room`` tokens; of chat messages whole units, so that pairs stay pairs."""
    groups = [[piece] for piece in context.pieces]
    if context.rendering == "chat":
        sent = [piece for piece in context.pieces if piece.message is not None]
        units = parse_units(piece.message for piece in sent if piece.message is not None)
        groups = [sent[unit.start : unit.stop] for unit in units]
    kept: list[int] = []
    for number in reversed(range(len(groups))):
        room -= sum(piece.tokens for piece in groups[number])
        if room < 0:
            break
        kept.insert(0, number)
    smaller = replace(context, pieces=tuple(piece for number in kept for piece in groups[number]))
    return replace(smaller, tokens=smaller.recount())


def _room(outcome: Outcome, context: Context, services: Services, max_tokens: int, error: ContextTooLong) -> float:
    """Tokens that the context may take, in our counting; half of it where the limit is not known or says nothing."""
    limit = error.limit or services.language_model.window
    ours = sum(services.message_tokens(message) for message in prompt(outcome, context))
    asked = error.asked or ours
    excess = nan if limit is None else (asked + max_tokens - limit) * ours / asked + MARGIN * ours
    return context.tokens - excess if 0 < excess < context.tokens else context.tokens / 2
