"""How good a summary is, without a judge: what of the dropped messages can still be read off it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from math import nan
from typing import Final, Literal, NamedTuple

from mnemo_lab.text.decisions import decides
from mnemo_lab.text.key_terms import shaped_terms, stands_in
from mnemo_lab.text.language import CJK
from mnemo_lab.text.names import capitalised_names
from mnemo_lab.text.names_zh import chinese_names
from mnemo_lab.text.sentences import sentences
from mnemo_lab.text.words import words

FactKind = Literal["identifiers", "numbers", "names", "decisions"]
KINDS: Final[tuple[FactKind, ...]] = ("identifiers", "numbers", "names", "decisions")
ENOUGH: Final = 0.5
"""Share of a decision's words that must stand in one sentence of the summary."""
_CJK: Final = re.compile(f"[{CJK}]")


class Survival(NamedTuple):
    """How many of the distinct facts of a kind a summary still says."""

    kept: int
    total: int

    @property
    def share(self) -> float:
        """0 to 1; NaN where there are none."""
        return self.kept / self.total if self.total else nan


@dataclass(frozen=True)
class Facts:
    """The distinct identifiers, numbers, names and decisions of some texts.

    Identifiers and numbers are told by their shape, names by their form, decisions by their words: see
    ``mnemo_lab.text``. No summariser was asked.
    """

    identifiers: frozenset[str]
    numbers: frozenset[str]
    names: frozenset[str]
    decisions: tuple[frozenset[str], ...]
    """The words of each sentence that decides something."""

    @classmethod
    def of(cls, texts: Sequence[str]) -> Facts:
        terms = {(term.kind, term.key) for text in set(texts) for term in shaped_terms(text)}
        identifiers = frozenset(key for kind, key in terms if kind == "identifier")
        names = {name.casefold() for name in capitalised_names(texts) | chinese_names(texts)}
        decided = (frozenset(words(said)) for text in texts for said in _said(text) if decides(said))
        return cls(
            identifiers,
            frozenset(key for kind, key in terms if kind == "number"),
            frozenset(names - identifiers),
            tuple(dict.fromkeys(filter(None, decided))),
        )

    def survival(self, summary: str) -> dict[FactKind, Survival]:
        """What of these facts stands in a summary.

        A number survives by value, an identifier or name as written. A decision survives where one sentence or
        line has at least half of its words (Chinese: characters and their pairs).
        """
        folded = summary.casefold()
        numbers = {term.key for term in shaped_terms(summary) if term.kind == "number"}
        said = [set(words(sentence)) for sentence in _said(summary)]
        kept = {
            "identifiers": sum(stands_in(folded, key) for key in self.identifiers),
            "numbers": len(self.numbers & numbers),
            "names": sum(_names(folded, self.names)),
            "decisions": sum(any(len(d & s) >= ENOUGH * len(d) for s in said) for d in self.decisions),
        }
        return {kind: Survival(kept[kind], len(getattr(self, kind))) for kind in KINDS}


def _said(text: str) -> Iterator[str]:
    """Sentences and lines; what an ellipsis parts is not said in one."""
    for start, end in sentences(text):
        yield from filter(None, text[start:end].split("…"))


def _names(folded: str, names: Iterable[str]) -> Iterable[bool]:
    for name in names:
        yield name in folded if _CJK.search(name) else stands_in(folded, name)


def per_100_tokens(kept: int, total: int, tokens: int) -> float:
    """Facts that survive per 100 tokens of summary; NaN where there were none, or no summary."""
    return 100 * kept / tokens if total and tokens else nan
