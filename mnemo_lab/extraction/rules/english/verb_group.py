"""The verb of a clause with what stands around it: auxiliaries, negation, adverbs."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache
from typing import Final

from mnemo_lab.extraction.rules.english.lexicon import Form, Tense, forms, word_set
from mnemo_lab.extraction.rules.english.words import Word

BE: Final = frozenset("am is are was were be been being 'm 're".split())
_HAVE: Final = frozenset("have has had 've".split())
_DO: Final = frozenset("do does did".split())
_MODALS: Final = {
    "will": "will", "'ll": "will", "shall": "will", "would": "would", "'d": "would", "can": "can", "could": "could",
    "may": "may", "might": "might", "must": "must", "should": "should",
}  # fmt: skip
_NOT: Final = frozenset(("not", "n't", "never"))
ADVERBS: Final = word_set("verb_group adverbs")
_NO_VERBS: Final = frozenset(
    "that this what much well more better only even them they your very anything acting".split()
)
_HALF_NEGATIVE: Final = frozenset("rarely seldom hardly".split())


@dataclass(slots=True)
class VerbGroup:
    """``lemma`` of the main verb; ``next`` is the place after it. ``modal`` also tells ``used to`` and ``going to``."""

    lemma: str = ""
    tense: Tense = "base"
    form: str = ""
    modal: str = ""
    negative: bool = False
    progressive: bool = False
    passive: bool = False
    perfect: bool = False
    next: int = 0
    word: Word | None = None
    adverbs: set[str] = field(default_factory=set)


class _Reader:
    """Reads one group from left to right."""

    def __init__(self, words: list[Word], at: int) -> None:
        self.words, self.at = words, at
        self.group = VerbGroup()
        self.aux: list[str] = []

    def read(self) -> VerbGroup | None:
        while self.at < len(self.words) and self._step(self.words[self.at].low):
            self.at += 1
        group = self.group
        if not group.lemma:
            if not self.aux:
                return None
            group.lemma = self.aux[-1]
            group.perfect = group.perfect and group.lemma != "have"
        group.next = self.at
        return group

    def _step(self, low: str) -> bool:
        """Take one word; false where the group is over."""
        if self.group.lemma:
            return False
        if low in _NOT:
            self.group.negative = True
            if low == "never":
                self.group.adverbs.add(low)
            return True
        if self._no_longer(low) or self._to(low) or self._ended_up(low) or self._auxiliary(low):
            return True
        return self._main(low) or self._adverb(low)

    def _no_longer(self, low: str) -> bool:
        if low == "no" and self._ahead() == "longer":
            self.at += 1
            self.group.negative = True
            self.group.adverbs.add("no longer")
            return True
        return False

    def _auxiliary(self, low: str) -> bool:
        before = self.aux[-1] if self.aux else ""
        if low in _MODALS and not before:
            self.group.modal = _MODALS[low]
            self.aux.append("do")
        elif low in BE or (low == "'s" and before != "be"):
            self._tense(low in ("was", "were"))
            self.aux.append("be")
        elif low in _HAVE and self._has_auxiliary(before):
            self._tense(low == "had")
            self.group.perfect = True
            self.aux.append("have")
        elif low in ("got", "gets") and not before and self._has_auxiliary(before):
            self._tense(low == "got")
            self.aux.append("be")
        elif low in _DO and not before:
            self._tense(low == "did")
            self.aux.append("do")
        else:
            return False
        return True

    def _tense(self, past: bool) -> None:
        if past:
            self.group.tense = "past"

    def _has_auxiliary(self, before: str) -> bool:
        """Whether this ``have`` helps another verb, and is not ``have to`` or a possession."""
        place = self.at + 1
        while place < len(self.words) and (self.words[place].low in ADVERBS or self.words[place].low in _NOT):
            place += 1
        follows = forms().get(self.words[place].low) if place < len(self.words) else None
        return follows is not None and follows.tense in ("past", "participle") and before != "have"

    def _ended_up(self, low: str) -> bool:
        """``ended up choosing`` is ``chose``."""
        after = forms().get(self.words[self.at + 2].low) if self.at + 2 < len(self.words) else None
        if low not in ("ended", "end") or self._ahead() != "up" or after is None or after.tense != "ing":
            return False
        self._tense(low == "ended")
        self.at += 1
        self.aux.append("be")
        return True

    def _to(self, low: str) -> bool:
        if self._ahead() != "to" or self.at + 2 >= len(self.words):
            return False
        verb = forms().get(self.words[self.at + 2].low)
        if verb is None or verb.tense not in ("base", "past"):
            return False
        if low == "used" and "be" not in self.aux:
            self.group.modal = "used to"
        elif low == "going" and "be" in self.aux:
            self.group.modal = "will"
        elif low in ("have", "has", "need", "needs", "got") and verb.tense == "base" and "be" not in self.aux:
            self.group.modal = self.group.modal or "must"
        elif low in ("tend", "tends"):
            self.group.adverbs.add("usually")
        elif low in ("trying", "hoping") and "be" in self.aux and self.words[self.at + 2].low == "learn":
            self.group.adverbs.add(low)
        elif low in ("started", "began") and not self.aux:
            self.group.adverbs.add("now")
        else:
            return False
        self.at += 1
        self.aux.append("do")
        return True

    def _main(self, low: str) -> bool:
        before = self.aux[-1] if self.aux else ""
        helped = before != "do" or self.group.modal or self.group.negative
        verb = forms().get(low) or (_guessed(self.words[self.at], before) if helped else None)
        if verb is None or not self._fits(verb.tense, before):
            return False
        group = self.group
        group.lemma, group.form, group.word = verb.lemma, low, self.words[self.at]
        group.progressive = verb.tense == "ing"
        group.passive = before == "be" and verb.tense in ("past", "participle")
        if not before or (before == "have" and not group.passive):
            group.tense = verb.tense if before == "" else group.tense
        return True

    def _fits(self, tense: Tense, before: str) -> bool:
        if before == "be":
            return tense in ("ing", "past", "participle")
        if before == "have":
            return tense in ("past", "participle")
        if before == "do":
            return tense in ("base", "past")
        return tense in ("base", "present", "past")

    def _adverb(self, low: str) -> bool:
        """An adverb belongs to the group where the verb is still to come, or follows a ``be``."""
        if low not in ADVERBS:
            return False
        self.group.adverbs.add(low)
        if low in _HALF_NEGATIVE:
            self.group.negative = True
        return True

    def _ahead(self) -> str:
        return self.words[self.at + 1].low if self.at + 1 < len(self.words) else ""


def _guessed(word: Word, before: str) -> Form | None:
    """A verb that no list has, told by its auxiliary and its ending."""
    low = word.low
    if not before or len(low) < 4 or low in _NO_VERBS or not word.text.islower() or not low.isalpha() or low in ADVERBS:
        return None
    if before in ("be", "have"):
        if low.endswith("ing") and before == "be" and len(low) > 5:
            return Form(low[:-3], "ing")
        return Form(low[:-2], "past") if low.endswith("ed") and before == "have" else None
    return None if low.endswith("ly") else Form(low, "base")


@cache
def _openers() -> frozenset[str]:
    """Words that a group may begin with."""
    return frozenset((*forms(), *ADVERBS, *BE, *_HAVE, *_DO, *_MODALS, *_NOT, "'s", "no", "used", "got", "gets"))


def verb_group(words: list[Word], at: int) -> VerbGroup | None:
    """The verb group that begins at a word; ``None`` where none does."""
    if at >= len(words) or words[at].low not in _openers():
        return None
    return _Reader(words, at).read()
