"""Which clauses state something: not what is asked, imagined, wished, reported of others, or only of the moment."""

from __future__ import annotations

import re
from typing import Final

from mnemo_lab.extraction.rules.english.clauses import Clause
from mnemo_lab.extraction.rules.english.lexicon import word_set
from mnemo_lab.extraction.rules.english.words import Sentence

_UNREAL_MODALS: Final = frozenset(("could", "might", "may", "would", "should"))
UNREAL: Final = word_set("mood unreal")
_CONDITIONS: Final = frozenset("if unless whether when whenever".split())
_OTHERS: Final = frozenset("someone somebody people they everyone everybody nobody anyone one who you".split())
_WISHES: Final = frozenset("prefer like love rather hate".split())
_HELD: Final = frozenset(
    "consider think wonder hope guess suggest believe ask read hear know feel seem propose".split()
)
_JOKE: Final = re.compile(r"\b(?:just kidding|only kidding|jk|joking|just a joke|kidding)\b", re.IGNORECASE)
_PARTS: Final = frozenset((",", ";", ":", "-", "–", "—", "(", "because", "since", "except", "but"))
_ASKING: Final = word_set("mood asking")


def is_joke(sentence: Sentence) -> bool:
    """Whether it takes back what was said before it."""
    low = " ".join([word.low for word in sentence.words[:12]])
    return ("k" in low or "j" in low) and _JOKE.search(low) is not None


def is_asked(sentence: Sentence, clause: Clause, last: bool) -> bool:
    """Whether a clause of a question is what is asked, and not the background told with it."""
    if sentence.mark != "?":
        return False
    words = sentence.words
    asks_after = any(word.start >= clause.end and word.low in _ASKING for word in words)
    opens = clause.start == words[0].start and clause.joined not in ("since", "because", "given", "as")
    if last and opens and not asks_after:
        return True
    before: list[str] = []
    for word in words:
        if word.start >= clause.start + 1 and word.start >= _subject_start(clause):
            break
        before = [] if word.low in _PARTS else [*before, word.low]
    return bool(set(before) & _ASKING) or (clause.nouns[:1] or [""])[0] in _ASKING or clause.carried


def _subject_start(clause: Clause) -> int:
    return clause.lead[-1].end if clause.lead else clause.start


def states(clause: Clause) -> bool:
    """Whether a clause says that something is so."""
    group = clause.group
    lead = {word.low for word in clause.lead}
    if clause.who in _OTHERS or (clause.joined in _CONDITIONS or (lead & _CONDITIONS and not lead & {"even"})):
        return clause.who == "do"
    if (lead | group.adverbs) & UNREAL or {word.low for word in clause.rest[:2]} & UNREAL:
        return False
    if group.modal in _UNREAL_MODALS:
        wish = group.lemma in _WISHES or "rather" in group.adverbs
        return clause.who == "i" and group.modal == "would" and wish
    return group.lemma not in _HELD or clause.who == "do"
