"""What was wanted, decided, done and left open in a stretch: sentences of its messages, picked by their words."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from typing import Final

from mnemo_lab.conversation import Message
from mnemo_lab.describers.cues import reports, says
from mnemo_lab.describers.reading import Sentence, distinct, joined, shortened
from mnemo_lab.text.decisions import asks, decides, gives_reason
from mnemo_lab.text.language import language_of
from mnemo_lab.text.words import words

MOST: Final = 5
"""Entries of a field."""
LONGEST: Final = 200
"""Characters of an entry."""
OPENING: Final = 80
"""Characters of the opening that says what a stretch is about where nothing is asked."""
TELLING: Final = 1.5
SOMETHING: Final = 0.5
"""Worth from which a sentence says something by itself (about two telling words), and in its context."""
BACK: Final = 3
"""Messages of the user in which the last request is looked for."""
SAME: Final = 0.6
"""Share of an open item's words in a later outcome that closes it."""
_STATES: Final = {
    "en": ("answered: ", "being worked on: ", "not answered: ", "last said: "),
    "zh": ("已回复：", "处理中：", "待回复：", "最近说："),
}
_ENDS: Final = re.compile(
    r"(?<![\w.])(?:pass(?:ed)?\b|fail|[a-z]*error|[a-z]*exception|warning|exit|timed? ?out|ok\b|success)"
    "|成功|失败|报错|错误",
    re.IGNORECASE,
)
_CODE: Final = re.compile(r"^\d+(?:[:|]|[ \t]{2,})|[;{}]$")
_BLANK: Final = re.compile(r"[:：]\W*$")
"""An entry of a list that is still to be filled in."""
_FIRST_PERSON: Final = re.compile(r"\b(?:I|[Ww]e)(?:[’']\w+)?\b|我|咱")
_ADVISES: Final = re.compile(
    r"\b(?:you|your|should|could|recommend|suggest)\b|\bwe[’']ll\b|\blet[’']s\b|你|您|建议|最好", re.IGNORECASE
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
        """How the first message of a user that says something opens, and what it asks for."""
        several = [said for said in map(_spoken, self._by_users.values()) if said] or [list(self._sentences[:BACK])]
        said = next((said for said in several if sum(map(self._worth, said)) >= TELLING), several[0])
        said = [s for s in said if self._worth(s) >= SOMETHING] or said
        opening, request = self._opening(said), self._request(said)
        if request is None or request.text in opening:
            return shortened(opening, LONGEST)
        if self._worth(request) >= TELLING:
            return shortened(request.text, LONGEST)
        return shortened(joined([shortened(said[0].text, OPENING), request.text]), LONGEST)

    def _opening(self, said: Sequence[Sentence]) -> str:
        """The first sentences, until they say something."""
        text, worth = "", 0.0
        for s in said:
            if text and (worth >= TELLING or len(text) > OPENING):
                break
            text, worth = joined(filter(None, (text, s.text))), worth + self._worth(s)
        return text

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
        return next(
            (s for s in said if says(s.text, "request") and self._worth(s) >= SOMETHING and not _BLANK.search(s.text)),
            None,
        )

    def _state(self, at: int, asked: bool = True) -> str:
        """The words before a request, or before what a user just said."""
        after = self._messages[at + 1 :]
        answered = any(m.role == "assistant" and m.text.strip() and not m.tool_calls for m in after)
        working = any(m.tool_calls or m.role == "tool" for m in after)
        states = _STATES[language_of([s.text for s in self._sentences])]
        return states[3 if not asked else 0 if answered else 1 if working else 2]

    @property
    def decisions(self) -> tuple[str, ...]:
        """What was chosen, with what was rejected and why where the next sentence says so; people's words first."""
        found = [(s, i) for i, s in enumerate(self._sentences) if s.told and self._decides(s)]
        found.sort(key=lambda pair: not self._by_person(pair[0]))
        return _entries(self._with_reason(i) for _, i in found)

    def _by_person(self, s: Sentence) -> bool:
        return s.role == "user" or bool(self._messages[s.at].name)

    def _decides(self, s: Sentence) -> bool:
        """A model decides where it speaks of itself and does not advise."""
        if not (decides(s.text) or says(s.text, "settled")) or asks(s.text) or says(s.text, "idle"):
            return False
        if self._by_person(s):
            return self._worth(s) >= SOMETHING
        return bool(_FIRST_PERSON.search(s.text)) and not _ADVISES.search(s.text) and self._worth(s) >= TELLING

    def _with_reason(self, i: int) -> str:
        here = self._sentences[i]
        after = self._sentences[i + 1] if i + 1 < len(self._sentences) else here
        reason = after is not here and after.at == here.at and not asks(after.text) and not decides(after.text)
        if reason and (says(after.text, "rejected") or gives_reason(after.text)):
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
        todo = [s for s in self._told if self._is_open(s)]
        done = [(at, set(words(text))) for at, text in self._outcomes] if todo else []
        left = [s.text for s in todo if not any(at > s.at and _covers(said, s.text) for at, said in done)]
        return _entries([*self._unanswered(), *left[-MOST:]])

    def _is_open(self, s: Sentence) -> bool:
        advice = not self._by_person(s) and _ADVISES.search(s.text)
        return says(s.text, "todo") and not asks(s.text) and not advice and self._worth(s) >= SOMETHING

    def _unanswered(self) -> Iterator[str]:
        """Questions of whoever spoke last."""
        for s in self._told:
            polite = s.role == "assistant" and says(s.text, "offer")
            if s.at == len(self._messages) - 1 and asks(s.text) and not polite:
                yield s.text


def _spoken(said: Sequence[Sentence]) -> list[Sentence]:
    """Without notes such as that of an image."""
    return [s for s in said if s.text[0] != "["]


def last_line(result: str) -> str:
    """The line of a tool's result that says how it ended, or all of a result of one line."""
    lines = [line.strip(" \t=-*#|") for line in result[-2000:].splitlines()]
    lines = [line for line in lines if any(map(str.isalpha, line)) and not _CODE.search(line)]
    ends = [line for line in lines[-8:] if _ENDS.search(line)]
    ends = ends or (lines if len(lines) == 1 else [])
    return shortened(ends[-1], LONGEST) if ends else ""


def _covers(done: set[str], item: str) -> bool:
    wanted = set(words(item))
    return len(wanted & done) >= SAME * len(wanted) > 0


def _entries(texts: Iterable[str]) -> tuple[str, ...]:
    return tuple(shortened(text, LONGEST) for text in distinct(texts)[:MOST])
