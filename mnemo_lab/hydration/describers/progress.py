"""What was wanted, decided, done and left open in a stretch: sentences of its messages, picked by their words."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from typing import Final

from mnemo_lab.conversation import Message
from mnemo_lab.hydration.describers.cues import is_idle, leaves_open, offers, rejects, reports, requests
from mnemo_lab.hydration.describers.reading import Sentence, distinct, shortened
from mnemo_lab.text.decisions import asks, decides, gives_reason
from mnemo_lab.text.language import language_of
from mnemo_lab.text.words import words

MOST: Final = 5
"""Entries of a field."""
LONGEST: Final = 200
"""Characters of an entry."""
TELLING: Final = 1.5
"""Worth from which a sentence says something: about two telling words."""
BACK: Final = 3
"""Messages of the user in which the last request is looked for."""
SAME: Final = 0.6
"""Share of an open item's words in a later outcome that closes it."""
_STATES: Final = {
    "en": ("answered: ", "being worked on: ", "not answered: ", "last said: "),
    "zh": ("已回复：", "处理中：", "待回复：", "最近说："),
}
_ENDS: Final = re.compile(
    r"pass(?:ed)?\b|fail|error|exception|warning|exit|timed? ?out|\bok\b|success|rows?\)|成功|失败|报错|错误",
    re.IGNORECASE,
)


class Progress:
    """One stretch: its messages, their sentences and what each sentence is worth (``Keywords.worth``)."""

    def __init__(self, messages: Sequence[Message], sentences: Sequence[Sentence], worths: Sequence[float]) -> None:
        self._messages, self._sentences = messages, sentences
        self._worths = {id(sentence): worth for sentence, worth in zip(sentences, worths, strict=True)}
        self._told = [s for s in sentences if s.told]
        self._by_users: dict[int, list[Sentence]] = {}
        for s in sentences:
            if s.role == "user":
                self._by_users.setdefault(s.at, []).append(s)

    def _worth(self, sentence: Sentence) -> float:
        return self._worths[id(sentence)]

    @property
    def intent(self) -> str:
        """The first request of a user that says something; else the most telling sentence of their first messages."""
        for said in self._by_users.values():
            if request := self._request(said):
                return shortened(request.text, LONGEST)
        first = [s for said in list(self._by_users.values())[:2] for s in said] or list(self._sentences[:BACK])
        return shortened(max(first, key=self._worth).text, LONGEST) if first else ""

    @property
    def task_state(self) -> str:
        """The last request of a user and whether it was answered, in one line."""
        if not self._by_users:
            return ""
        places = list(self._by_users)[-BACK:]
        for at in reversed(places):
            if request := self._request(reversed(self._by_users[at])):
                return f"{self._state(at)}{shortened(request.text, LONGEST)}"
        at = max(places, key=lambda place: (max(map(self._worth, self._by_users[place])) >= TELLING, place))
        return f"{self._state(at, asked=False)}{shortened(max(self._by_users[at], key=self._worth).text, LONGEST)}"

    def _request(self, said: Iterable[Sentence]) -> Sentence | None:
        return next((s for s in said if requests(s.text) and self._worth(s) >= TELLING), None)

    def _state(self, at: int, asked: bool = True) -> str:
        """What stands before a request, or before what a user just said."""
        after = self._messages[at + 1 :]
        answered = any(m.role == "assistant" and m.text.strip() and not m.tool_calls for m in after)
        working = not answered and any(m.tool_calls or m.role == "tool" for m in after)
        states = _STATES[language_of([s.text for s in self._sentences])]
        return states[2 if not answered and not working else 1 if working else 0 if asked else 3]

    @property
    def decisions(self) -> tuple[str, ...]:
        """What was chosen, with what was rejected and why where the next sentence says so; people's words first."""
        found = [(s, i) for i, s in enumerate(self._sentences) if s.told and self._decides(s)]
        found.sort(key=lambda pair: pair[0].role != "user" and not self._messages[pair[0].at].name)
        return _entries(self._with_reason(i) for _, i in found)

    def _decides(self, s: Sentence) -> bool:
        return decides(s.text) and not asks(s.text) and not is_idle(s.text) and self._worth(s) >= TELLING

    def _with_reason(self, i: int) -> str:
        here = self._sentences[i]
        after = self._sentences[i + 1] if i + 1 < len(self._sentences) else here
        reason = after is not here and after.at == here.at and not asks(after.text) and not decides(after.text)
        if reason and (rejects(after.text) or gives_reason(after.text)):
            return f"{here.text} {after.text}"
        return here.text

    @property
    def outcomes(self) -> tuple[str, ...]:
        """How tools ended, and what somebody says is done or has failed; the latest ones, in order."""
        return _entries(distinct(text for _, text in self._outcomes)[-MOST:])

    @cached_property
    def _outcomes(self) -> list[tuple[int, str]]:
        found = [(s.at, s.text) for s in self._told if reports(s.text) and not asks(s.text)]
        found += [(at, last_line(m.text)) for at, m in enumerate(self._messages) if m.role == "tool"]
        return sorted((item for item in found if item[1]), key=lambda item: item[0])

    @property
    def open_items(self) -> tuple[str, ...]:
        """Questions that nobody answered, and what is still to be done and was not reported done later."""
        todo = [s for s in self._told if leaves_open(s.text) and not asks(s.text) and self._worth(s) >= TELLING]
        done = [(at, set(words(text))) for at, text in self._outcomes] if todo else []
        left = [s.text for s in todo if not any(at > s.at and _covers(said, s.text) for at, said in done)]
        return _entries([*self._unanswered(), *left[-MOST:]])

    def _unanswered(self) -> Iterator[str]:
        """Questions of whoever spoke last."""
        for s in self._told:
            if s.at == len(self._messages) - 1 and asks(s.text) and not (s.role == "assistant" and offers(s.text)):
                yield s.text


def last_line(result: str) -> str:
    """The line of a tool's result that says how it ended, else its last one."""
    lines = [line.strip(" \t=-*#|") for line in result[-2000:].splitlines()]
    lines = [line for line in lines if any(map(str.isalpha, line))]
    ends = [line for line in lines[-8:] if _ENDS.search(line)]
    return shortened((ends or lines)[-1], LONGEST) if lines else ""


def _covers(done: set[str], item: str) -> bool:
    wanted = set(words(item))
    return len(wanted & done) >= SAME * len(wanted) > 0


def _entries(texts: Iterable[str]) -> tuple[str, ...]:
    return tuple(shortened(text, LONGEST) for text in distinct(texts)[:MOST])
