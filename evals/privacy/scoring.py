"""Counts of found, missed and wrong spans, read in two ways.

*exact*: a finding is right where a marked span has its kind, start and end. *covered*: a marked span is found where
each of its characters lies in some finding, whatever its kind, and a finding is right where it touches a marked span;
this is what decides whether something leaks, and the only fair reading for libraries with kinds of their own.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final

from evals.privacy.snippets import Snippet, Span

Finder = Callable[[str], Sequence[Span]]
SECRETS: Final = ("api_key", "token", "jwt", "private_key", "password")
STRUCTURED: Final = ("email", "phone", "id_number", "bank_card", "bank_account", "ip", "host", "account")
FREE: Final = ("name", "address")
GROUPS: Final = {"secrets": SECRETS, "structured": STRUCTURED, "names and addresses": FREE}


@dataclass(slots=True)
class Count:
    """Right and wrong findings and missed spans."""

    right: int = 0
    wrong: int = 0
    missed: int = 0

    @property
    def precision(self) -> float:
        return self.right / (self.right + self.wrong) if self.right + self.wrong else float("nan")

    @property
    def recall(self) -> float:
        return self.right / (self.right + self.missed) if self.right + self.missed else float("nan")

    def __add__(self, other: Count) -> Count:
        return Count(self.right + other.right, self.wrong + other.wrong, self.missed + other.missed)


@dataclass(slots=True)
class Exact:
    """Counts by kind and language; ``faults`` names each wrong finding and each miss."""

    counts: dict[tuple[str, str], Count] = field(default_factory=dict)
    faults: list[str] = field(default_factory=list)

    def of(self, kinds: Iterable[str], languages: Iterable[str] = ("en", "zh")) -> Count:
        """The sum over kinds and languages."""
        wanted = {(kind, language) for kind in kinds for language in languages}
        return sum((count for key, count in self.counts.items() if key in wanted), Count())


def score_exact(snippets: Iterable[Snippet], find: Finder) -> Exact:
    """Compare what ``find`` gives with what is marked, span by span."""
    score = Exact()
    for snippet in snippets:
        found, marked = set(find(snippet.text)), set(snippet.spans)
        for span in found | marked:
            count = score.counts.setdefault((span.kind, snippet.language), Count())
            if span in found and span in marked:
                count.right += 1
                continue
            said = "wrong" if span in found else "missed"
            setattr(count, said, getattr(count, said) + 1)
            score.faults.append(f"{snippet.id} {said} {span.kind} {snippet.text[span.start : span.end]!r}")
    return score


@dataclass(slots=True)
class Covered:
    """Marked spans hidden whole, by kind and language, and findings that touch nothing marked."""

    total: Counter[tuple[str, str]] = field(default_factory=Counter)
    hidden: Counter[tuple[str, str]] = field(default_factory=Counter)
    findings: int = 0
    wrong: int = 0

    def recall(self, kinds: Iterable[str]) -> float:
        wanted = set(kinds)
        total = sum(number for (kind, _), number in self.total.items() if kind in wanted)
        hidden = sum(number for (kind, _), number in self.hidden.items() if kind in wanted)
        return hidden / total if total else float("nan")

    @property
    def precision(self) -> float:
        return 1 - self.wrong / self.findings if self.findings else float("nan")


def score_covered(snippets: Iterable[Snippet], find: Finder) -> Covered:
    """Judge by characters and without kinds."""
    score = Covered()
    for snippet in snippets:
        found = find(snippet.text)
        hidden = {place for span in found for place in range(span.start, span.end)}
        marked = {place for span in snippet.spans for place in range(span.start, span.end)}
        for span in snippet.spans:
            key = (span.kind, snippet.language)
            score.total[key] += 1
            score.hidden[key] += hidden.issuperset(range(span.start, span.end))
        score.findings += len(found)
        score.wrong += sum(marked.isdisjoint(range(span.start, span.end)) for span in found)
    return score
