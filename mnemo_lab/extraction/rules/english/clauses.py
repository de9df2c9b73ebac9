"""Clauses: who, verb, and the rest; found by determiners, pronouns and known verbs, without a tagger."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

from mnemo_lab.extraction.rules.english.lexicon import forms, word_set
from mnemo_lab.extraction.rules.english.verb_group import ADVERBS, BE, VerbGroup, verb_group
from mnemo_lab.extraction.rules.english.words import Word

PRONOUNS: Final = frozenset("i we you he she they it this that these there everyone everybody nobody who one".split())
OWNERS: Final = frozenset("my our his her their its your".split())
_DETERMINERS: Final = OWNERS | frozenset("the a an this that these those all every each both any some".split())
HARD: Final = frozenset(";:—–()-…|•→[]")
JOINS: Final = frozenset("and but or then plus yet".split())
SUBORDINATORS: Final = word_set("clauses subordinators")
_PREPOSITIONS: Final = word_set("clauses prepositions")
_LEAD: Final = _PREPOSITIONS | JOINS | SUBORDINATORS | ADVERBS | word_set("clauses lead")
_HANGING: Final = frozenset("per of for with".split())
_ASKS: Final = frozenset("what how why can could should would do does did is are will any".split())
_TELLING: Final = frozenset("remember note mention forget remind decide".split())
_STARTS: Final = frozenset("i we my our he she".split())
_JOINING: Final = JOINS | SUBORDINATORS
_SIDE: Final = SUBORDINATORS - {"so"}
_NO_NOUN: Final = _JOINING | _PREPOSITIONS | ADVERBS | BE | _ASKS | {"no", "not"}
_AFTER_ARTICLE: Final = _DETERMINERS | {"of", "for", "to"}
_PARTING: Final = HARD | {",", "and", "but", "so"}
_NO_ORDER: Final = _DETERMINERS | _PREPOSITIONS - {"up", "out"}
_NOUN_ENDS: Final = HARD | _JOINING - {"and"} | {"not"}
_LONGEST_LEAD, _LONGEST_NOUN = 12, 9


@dataclass(slots=True)
class Clause:
    """``lead``: words before the subject. ``who``: a pronoun, ``noun``, ``let`` or ``do`` (imperative); ``owner``: the
    determiner or owner's name of the noun, ``named``: what stands beside it between commas. ``carried``: the
    subject is that of the clause before. ``joined``: the word that joins it to what came before."""

    who: str
    group: VerbGroup
    rest: list[Word]
    lead: list[Word] = field(default_factory=list)
    owner: str = ""
    noun: list[Word] = field(default_factory=list)
    named: list[Word] = field(default_factory=list)
    joined: str = ""
    start: int = 0
    end: int = 0
    carried: bool = False

    @property
    def verb(self) -> str:
        return self.group.lemma

    @property
    def nouns(self) -> list[str]:
        return [word.low for word in self.noun]

    @property
    def rests(self) -> list[str]:
        return [word.low for word in self.rest]


@dataclass(slots=True)
class _Head:
    who: str
    group: VerbGroup
    owner: str = ""
    noun: list[Word] = field(default_factory=list)
    named: list[Word] = field(default_factory=list)


def clauses(words: list[Word]) -> Iterator[Clause]:
    """Clauses of a sentence from left to right; what has no known verb is left out."""
    at, before = 0, None
    while at < len(words):
        opened = _open(words, at, before)
        if opened is None:
            at = _next_part(words, at)
            continue
        clause, begin = opened
        stop = _end(words, begin, clause.joined in _SIDE)
        stop = (
            _told(words, begin, stop)
            if clause.verb in _TELLING or (clause.who == "it" and clause.verb == "turn")
            else stop
        )
        clause.rest = words[begin:stop]
        clause.end = words[stop - 1].end
        yield clause
        before = clause
        at = stop


def _told(words: list[Word], begin: int, stop: int) -> int:
    """``remember that I'm dyslexic``: what is to be remembered is a clause of its own."""
    if words[begin:stop] and words[begin].low == "out":
        return begin + 1
    for place in range(begin + 1, min(begin + 3, stop)):
        if words[place].low in _STARTS:
            return place
    return begin if begin < stop and words[begin].low in _STARTS else stop


def _next_part(words: list[Word], at: int) -> int:
    at += 1
    while at < len(words) and words[at - 1].low not in _PARTING and words[at].low not in _STARTS:
        at += 1
    return at


def _open(words: list[Word], at: int, before: Clause | None) -> tuple[Clause, int] | None:
    """The clause that begins here, and where its rest begins."""
    low = at
    while at < len(words) and (words[at].low == "," or words[at].low in HARD):
        at += 1
    joined = words[at].low if at < len(words) and words[at].low in _JOINING else ""
    carried = _carried(words, at + bool(joined), before) if joined in JOINS or (low and not joined) else None
    for place in range(at, min(at + _LONGEST_LEAD, len(words))):
        if place > at and not _may_lead(words, at, place):
            break
        head = _head(words, place, place == at or words[place - 1].low in _LEAD or words[place - 1].low == ",")
        if head and (not carried or head.who != "do"):
            clause = Clause(head.who, head.group, [], words[at:place], head.owner, head.noun, head.named, joined)
            clause.start = words[at].start
            return clause, head.group.next
        if carried:
            break
    return carried


def _may_lead(words: list[Word], at: int, place: int) -> bool:
    if words[place - 1].low in HARD or words[place - 1].low == "no":
        return False
    return words[at].low in _LEAD or words[place - 1].low == "," or words[at].low.endswith("ly")


def _carried(words: list[Word], at: int, before: Clause | None) -> tuple[Clause, int] | None:
    """A verb joined by ``and``, whose subject stands in the clause before."""
    when = before is not None and bool({"whenever", "when", "if"} & {before.joined, *(w.low for w in before.lead)})
    if before is None or before.who in ("let", "you") or at >= len(words) or (when and words[at - 1].low == ","):
        return None
    group = verb_group(words, at)
    if group is None or group.next >= len(words) or words[group.next].low in HARD | {",", "and"}:
        return None
    if before.rests[:1] == ["to"] and group.tense == "base":
        return None
    if before.who == "do" and forms().get(words[at].low, None) is None:
        return None
    clause = Clause(before.who, group, [], [], before.owner, before.noun, before.named, "and", carried=True)
    if not group.modal and before.group.modal and group.tense == "base" and not group.negative:
        group.modal = before.group.modal
    clause.start = words[at].start
    return clause, group.next


def _head(words: list[Word], at: int, first: bool) -> _Head | None:
    """Subject and verb that begin at a word; ``first``: a noun without determiner may begin here."""
    low = words[at].low
    if low in ("let", "lets") and at + 1 < len(words):
        begin = at + 1 if low == "lets" else at + 2
        if low == "lets" or words[at + 1].low in ("'s", "us"):
            group = verb_group(words, begin)
            return _Head("let", group) if group else None
    if low in PRONOUNS:
        group = verb_group(words, at + 1)
        if group:
            return _Head(low, group)
    if low in _DETERMINERS:
        return _noun_head(words, at + 1, low)
    if not first or low in PRONOUNS:
        return None
    order = _imperative(words, at) or _elided(words, at)
    if order or low in _NO_NOUN:
        return order
    return _noun_head(words, at, "")


def _elided(words: list[Word], at: int) -> _Head | None:
    """``Gave up on Wi-Fi``, ``Finally moved to Leeds``, ``Working on the audio board``: the speaker is left out."""
    verb = forms().get(words[at].low)
    if (
        at > 1
        or words[at].low in ("going", "left", "following", "regarding", "given", "being")
        or verb is None
        or verb.tense not in ("past", "ing")
        or verb.lemma == words[at].low
    ):
        return None
    if verb.tense == "ing":
        if _is_noun_before(words, at):
            return None
        group = VerbGroup(verb.lemma, "ing", words[at].low, progressive=True, next=at + 1)
        return _Head("i", group)
    group_ = verb_group(words, at)
    return _Head("i", group_) if group_ else None


def _imperative(words: list[Word], at: int) -> _Head | None:
    if at and words[at - 1].low in _NO_ORDER:
        return None
    place = at
    while place < len(words) and (words[place].low in ADVERBS or words[place].low in ("do", "n't", "not", "never")):
        place += 1
    if place >= len(words):
        return None
    verb = forms().get(words[place].low)
    if verb is None or verb.tense not in ("base", "past") or verb.lemma != words[place].low:
        return None
    if _is_noun_here(words, place) or (place == at and _is_noun_before(words, place)):
        return None
    group = verb_group(words, at)
    return _Head("do", group) if group and group.lemma == verb.lemma else None


def _is_noun_before(words: list[Word], at: int) -> bool:
    """Whether a verb-like first word belongs to a noun of two or three words ("default branch is")."""
    low = [word.low for word in words[at + 1 : at + 4]]
    last = next((i for i, word in enumerate(low) if word in ("is", "are", "was", "'s", "has")), 0)
    return last > 0 and not set(low[:last]) & (_DETERMINERS | PRONOUNS | _PREPOSITIONS | {",", ":"})


def _is_noun_here(words: list[Word], at: int) -> bool:
    """Whether a word that may be a verb is the noun before one ("work is", "tests use")."""
    after = words[at + 1].low if at + 1 < len(words) else ""
    found = forms().get(after)
    return after in BE or after in ("'s", ":") or (found is not None and found.tense == "present")


def _noun_head(words: list[Word], at: int, owner: str) -> _Head | None:
    """A noun with its verb: "the owner of the billing service is", "my wife, Anna, works"."""
    noun: list[Word] = []
    named: list[Word] = []
    place = at
    while place < len(words) and len(noun) < _LONGEST_NOUN:
        low = words[place].low
        after_article = bool(noun) and noun[-1].low in _AFTER_ARTICLE and low not in BE
        if noun and not after_article and not (low == "'s" and _owns(words, place)):
            group = verb_group(words, place)
            if (
                group
                and _agree(owner, group)
                and not _is_noun_here_too(words, place, group, noun)
                and noun[-1].low not in _HANGING
            ):
                return _Head("noun", group, owner, noun, named)
        if low == ",":
            close = next((i for i in range(place + 1, min(place + 5, len(words))) if words[i].low == ","), None)
            if not noun or named or close is None:
                return None
            named = words[place + 1 : close]
            if any(word.low in PRONOUNS or word.low in BE for word in named):
                return None
            place = close + 1
            continue
        if low in _NOUN_ENDS:
            return None
        if low in ("i", "we", "you"):
            return _relative(words, place, owner, noun) if noun else None
        if low in OWNERS and (not noun or noun[-1].low not in ("of", "for", "in", "on", "from")):
            return None
        noun.append(words[place])
        place += 1
    return None


def _agree(owner: str, group: VerbGroup) -> bool:
    """Not ``some ground rules``, ``a release note``: verb and determiner differ in number."""
    if owner in ("a", "an", "each", "every", "this"):
        return group.form != group.lemma or bool(group.modal) or group.tense != "base"
    return owner not in ("some", "these", "those", "both") or group.tense != "present"


def _relative(words: list[Word], at: int, owner: str, noun: list[Word]) -> _Head | None:
    """``the database we use is …``."""
    inner = verb_group(words, at + 1)
    if inner is None or inner.next >= len(words):
        return None
    place = inner.next
    if words[place].low in ("on", "in", "for", "with", "at"):
        place += 1
    group = verb_group(words, place)
    return _Head("noun", group, "our" if words[at].low == "we" else "my", noun) if group else None


def _is_noun_here_too(words: list[Word], at: int, group: VerbGroup, noun: list[Word]) -> bool:
    """Whether what looks like a verb in the base or plural is part of the noun: "the launch is", "branch names use"."""
    if words[at].low in BE or group.next != at + 1 or group.tense == "past":
        return False
    after = forms().get(words[at + 1].low) if at + 1 < len(words) else None
    follows = after is not None and after.tense == "base" and group.tense == "present"
    named = noun[-1].text[:1].isupper() and words[at].text[:1].islower()
    return follows or (_is_noun_here(words, at) and not named)


def _owns(words: list[Word], at: int) -> bool:
    """Whether this ``'s`` is a possessive: another verb follows before any mark."""
    if at + 1 < len(words) and words[at + 1].low in ("been", "got", "now", "going"):
        return False
    for place in range(at + 1, min(at + 7, len(words))):
        low = words[place].low
        if low in HARD or low in (",", "and", "'s") or low in PRONOUNS or low in _DETERMINERS:
            return False
        if place > at + 1 and (low in BE or (low in forms() and forms()[low].tense in ("present", "past"))):
            return True
    return False


def _end(words: list[Word], at: int, side: bool) -> int:
    """The place after the last word of a clause whose rest begins here; a side clause ends at any comma."""
    for place in range(at, len(words)):
        low = words[place].low
        if low in HARD and not (low == "-" and place == at):
            return max(place, 1)
        if side and place > at and low in ("i", "we") and words[place - 1].low != "that":
            return place
        if low == "," and place + 1 < len(words) and (side or _parts(words, place + 1)):
            return place
        if (place > at or low in ("because", "so")) and low in _JOINING and _begins(words, place):
            return place
    return len(words)


def _parts(words: list[Word], at: int) -> bool:
    """Whether a comma before this word ends a clause."""
    low = words[at].low
    if low in ("not", "instead", "which", "who", "where", "so", "though", "because", "please", "but", "rather"):
        return True
    if low in _ASKS and at + 1 < len(words):
        return True
    return _begins(words, at - 1) or (low in JOINS and _begins(words, at))


def _begins(words: list[Word], at: int) -> bool:
    """Whether a clause begins after the mark or joining word at ``at``."""
    low, place = words[at].low, at + 1
    while place < len(words) and (words[place].low in ADVERBS or words[place].low in JOINS) and place < at + 4:
        place += 1
    if place >= len(words):
        return False
    first = words[place]
    if first.low == "of":
        return False
    if low in ("because", "cos", "although", "whereas", "unless", "which", "whether"):
        return True
    if low in JOINS and first.low in ("i", "we", "he", "she", "they", "you"):
        return True
    if first.low in PRONOUNS or first.low in _DETERMINERS or first.low in ("let", "lets"):
        return _head(words, place, False) is not None
    if low in JOINS or low == ",":
        return (
            _verb_joins(words, place)
            or _bare(words, place)
            or (first.text[:1].isupper() and _noun_head(words, place, "") is not None)
        )
    return low == "so" and first.low in ("no", "please")


def _bare(words: list[Word], at: int) -> bool:
    """``…, overtime counts at time and a half``: a noun without article, then a verb that can be nothing else."""
    if at + 2 >= len(words) or not words[at].low.isalpha() or words[at].low in forms():
        return False
    for place in (at + 1, at + 2):
        verb = forms().get(words[place].low)
        if words[place].low in ("is", "are", "was", "were") or (verb and verb.tense == "present" and place == at + 1):
            return True
        if not words[place].low.isalpha() or words[place].low in _DETERMINERS | _PREPOSITIONS:
            return False
    return False


def _verb_joins(words: list[Word], at: int) -> bool:
    """Whether a finite verb begins here that something follows."""
    low = words[at].low
    found = forms().get(low)
    known = low in BE or low in ("do", "does", "did", "will", "ca", "can", "have", "has") or found is not None
    if not known or (found and found.tense in ("ing", "participle")) or at + 1 >= len(words):
        return False
    after = words[at + 1].low
    return after not in HARD | {",", "and", "or", "'s"} and (after not in BE or low in ("have", "has"))
