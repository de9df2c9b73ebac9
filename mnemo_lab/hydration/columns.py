"""What is known of every message before any question, as arrays that grow with the history."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from mnemo_lab.context import Query
from mnemo_lab.conversation import time_of
from mnemo_lab.history import History
from mnemo_lab.hydration.grown import Grown
from mnemo_lab.hydration.time_expressions import days_named
from mnemo_lab.packing.lines import speaker_of
from mnemo_lab.retrieval.passage_index import is_question, names_speaker
from mnemo_lab.services import Services

if TYPE_CHECKING:
    from mnemo_lab.context import FloatArray

NO_DAY: Final = -1
_SAYS_ZH: Final = "(?:给|帮|跟|对)?(?:我们?)?(?:怎么|如何)?(?:说|推荐|建议|提到?|列|写|讲|解释|给)"
_THE_ASSISTANT: Final = re.compile(
    r"\b(?:did you|have you|you(?:['’]ve| have| had)? (?:said|told|suggested|recommended|proposed|gave|given|"
    r"mentioned|advised|listed|wrote|written|explained))\b|\bthe assistant\b|"
    r"\byour (?:advice|suggestion|answer|recommendation|list)"
    rf"|[你您](?:当时|之前|上次|刚才|曾经?|都|是)+{_SAYS_ZH}|(?<!请)[你您]{_SAYS_ZH}(?:出)?(?:过|了|的)|助手",
    re.IGNORECASE,
)
"""What the assistant said before; "can you list …", "what would you suggest", 请你列出 ask it to say something now."""


class Columns:
    """Tokens, days, speakers and roles by message; every message is looked at once."""

    def __init__(self, services: Services) -> None:
        self._services = services
        self._rows = {name: Grown("float64") for name in ("tokens", "day", "user", "asks", "answers")}
        self._speakers = Grown("int64")
        self._name_of: dict[str, int] = {}

    def __len__(self) -> int:
        return len(self._speakers)

    def add(self, history: History, first: int) -> None:
        for position in range(first, len(history)):
            message = history.messages[position]
            moment = time_of(message.timestamp)
            named = bool(message.name)
            rows = {
                "tokens": history.undated(position).tokens,
                "day": NO_DAY if moment is None else moment.date().toordinal(),
                "user": message.role == "user" and not named,
                "asks": named and is_question(message),
                "answers": named and self._follows_a_question(history, position),
            }
            for name, value in rows.items():
                self._rows[name].append(float(value))
            speaker = speaker_of(message) if named else ""
            self._speakers.append(self._name_of.setdefault(speaker, len(self._name_of)))

    def array(self, name: str) -> FloatArray:
        """``tokens`` of the line, ``day`` (ordinal, -1 without), ``user`` (said by the user of an assistant), ``asks``
        and ``answers`` (among people who have names: a question, what follows another's question)."""
        found: FloatArray = self._rows[name].view
        return found

    def speaker(self, query: Query) -> FloatArray:
        """1 for messages of the one person the question names; all 0 where it names none or several."""
        import numpy as np

        named = [number for name, number in self._name_of.items() if name and names_speaker(query.text, name)]
        speakers = self._speakers.view
        flags: FloatArray = (speakers == named[0]).astype(np.float64) if len(named) == 1 else np.zeros(len(speakers))
        return flags

    def asker(self, query: Query) -> FloatArray:
        """1 for the user's own messages in a chat with an assistant, unless the question asks what the latter said.

        Who asks is the user, and what is asked about is mostly what they said themselves. All 0 among named people.
        """
        import numpy as np

        return np.zeros(len(self)) if _THE_ASSISTANT.search(query.text) else self.array("user")

    def dated(self, query: Query) -> FloatArray:
        """1 for messages of the days that the question names, seen from when it is asked."""
        import numpy as np

        ranges, days = days_named(query.text, query.asked_at), self.array("day")
        flags = np.zeros(len(days))
        for named in ranges:
            flags[(days >= named.first.toordinal()) & (days <= named.last.toordinal())] = 1.0
        return flags

    def _follows_a_question(self, history: History, position: int) -> bool:
        if not position or history.session_of[position] != history.session_of[position - 1]:
            return False
        before, here = history.messages[position - 1], history.messages[position]
        return is_question(before) and speaker_of(before) != speaker_of(here)
