"""A scripted language model whose summaries say exactly what it has seen, so that nothing can be lost unseen."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from mnemo_lab.conversation import Message
from mnemo_lab.language_models import Completion
from mnemo_lab.language_models.errors import ContextTooLong, LanguageModelError
from mnemo_lab.services import Services, ServicesSpec
from mnemo_lab.tokens import open_counter

COUNTER = open_counter("o200k_base")
Answer = str | Completion | LanguageModelError


def numbers_in(text: str) -> list[int]:
    """The numbers that ``w7`` and ``w3-w9`` in a text stand for, in order, as often as they are said."""
    found: list[int] = []
    for first, _, last in re.findall(r"\bw(\d+)(-w(\d+))?", text):
        found += range(int(first), int(last or first) + 1)
    return found


def as_ranges(numbers: Sequence[int]) -> str:
    """``w0-w4 w7`` for 0, 1, 2, 3, 4 and 7."""
    ordered = sorted(set(numbers))
    breaks = [0, *(i for i, (a, b) in enumerate(pairwise(ordered), 1) if b != a + 1), len(ordered)]
    runs = [ordered[a:b] for a, b in pairwise(breaks) if a < b]
    return " ".join(f"w{run[0]}-w{run[-1]}" if len(run) > 1 else f"w{run[0]}" for run in runs)


class RangeModel:
    """Answers with the ranges of all numbers in the user's message; refuses more than ``limit`` tokens of prompt and
    answer. ``script``: by the number of the call, what it answers or raises instead."""

    name = fingerprint = "ranges"

    def __init__(
        self, limit: int | None = None, window: int | None = None, script: dict[int, Answer] | None = None,
        names_limit: bool = True,
    ) -> None:  # fmt: skip
        self.limit, self.window, self.script, self.names_limit = limit, window, script or {}, names_limit
        self.asked: list[str] = []
        self.refused = 0

    def chat(self, messages: Sequence[Message], max_tokens: int) -> Completion:
        tokens = sum(map(COUNTER.message, messages)) + 3
        if self.limit is not None and tokens + max_tokens > self.limit:
            self.refused += 1
            raise ContextTooLong("too long", *((self.limit, tokens + max_tokens) if self.names_limit else ()))
        said = messages[-1].text
        self.asked.append(said)
        answer = self.script.get(len(self.asked) - 1, as_ranges(numbers_in(said)))
        if isinstance(answer, LanguageModelError):
            raise answer
        return answer if isinstance(answer, Completion) else Completion(answer, tokens, COUNTER.count(answer))

    def stream(self, messages: Sequence[Message], max_tokens: int) -> Iterator[str | Completion]:
        yield self.chat(messages, max_tokens)

    @property
    def parts(self) -> list[str]:
        """What was quoted as the newest part, call by call."""
        return [re.findall(r"<part(\d+)>\n(.*)</part\1>", said, re.DOTALL)[0][1] for said in self.asked]


def services_with(model: RangeModel | None = None) -> Services:
    return ServicesSpec(embedder="hashing", cache="").open(model)


def numbered(count: int, start: int = 0, words: int = 5) -> list[Message]:
    """Messages ``w0 word word …``, user and assistant in turn."""
    roles = ("user", "assistant")
    return [
        Message(roles[i % 2], f"w{i}" + " word" * (words - 1), f"m{i}")  # type: ignore[arg-type]
        for i in range(start, start + count)
    ]
