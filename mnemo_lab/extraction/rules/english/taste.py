"""Likes, dislikes, what is eaten and drunk, habits and what one usually uses."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from mnemo_lab.extraction.rules.english.clauses import Clause
from mnemo_lab.extraction.rules.english.lexicon import attribute_of, kinds_of, word_set
from mnemo_lab.extraction.rules.english.scene import Draft, Scene, Subject, is_name, slot_of
from mnemo_lab.extraction.rules.english.values import ASIDE, STOPS, cut, lows, named, parts
from mnemo_lab.extraction.rules.english.words import Word

_MOMENT: Final = word_set("taste moment")
_HABIT: Final = frozenset("usually always every never mostly normally generally often daily most each".split())
_PERIODS: Final = word_set("taste periods")
_WEEK: Final = frozenset(word for word in _PERIODS if word.rstrip("s").endswith("day") and word not in ("day", "days"))
_BODY: Final = frozenset(("food", "drink", "allergen", "diet", "medicine"))
_DOING: Final = frozenset(("sport", "hobby", "instrument", "music", "genre", "voice part"))


def likes(clause: Clause, subject: Subject, scene: Scene) -> Iterator[Draft]:
    """``I love jazz``, ``I prefer tabs to spaces``, ``she hates surprises``, ``I don't like mushrooms``."""
    rest = clause.rest
    while rest and rest[0].low in ("rather", "to", "using", "have", "having", "eating", "drinking", "working"):
        if rest[0].low == "to" and clause.group.modal == "would":
            return
        rest = rest[1:]
    if not rest or rest[0].low in _MOMENT or subject.kind == "thing":
        return
    if rest[0].low == "the" and not (rest[1:] and is_name(rest[1])):
        return
    if clause.group.modal == "would" and clause.verb != "prefer" and "rather" not in clause.group.adverbs:
        return
    if clause.verb == "stand" and not (clause.group.modal == "can" and clause.group.negative):
        return
    negative = clause.verb == "stand" or clause.group.negative != (
        clause.verb in ("hate", "dislike", "loathe", "detest", "despise")
    )
    stops = STOPS | {"to", "over"} if clause.verb == "prefer" else STOPS
    for value in parts(cut(rest, stops | {"for", "on", "at", "in", "from"}, scene.today)):
        if value[0].low in _MOMENT or len(value) > 6:
            continue
        yield Draft(
            "preference", _taste(value, negative, clause.verb), value, subject.name, negative,
            importance=2, additive=clause.verb != "prefer", past=_over(clause), confidence=0.75,
        )  # fmt: skip


def _taste(value: list[Word], negative: bool, verb: str) -> str:
    kind = next(iter(kinds_of(named(value))), "")
    if verb == "prefer":
        return slot_of(kind) if kind else "preference"
    return f"{'disliked' if negative else 'liked'} {slot_of(kind)}" if kind else ("dislikes" if negative else "likes")


def _over(clause: Clause) -> bool:
    return clause.group.modal == "used to" or (clause.group.tense == "past" and not clause.group.perfect)


def consumes(clause: Clause, subject: Subject, scene: Scene) -> Iterator[Draft]:
    """``I don't eat pork``, ``I take metformin``, ``I drink about four cups a day``."""
    group = clause.group
    if (group.modal in ("will", "can", "must") and not group.negative) or subject.kind == "thing" or group.progressive:
        return
    if group.tense == "past" and not group.perfect:
        return
    negative = group.negative != (clause.verb in ("avoid", "skip"))
    stops = ASIDE - {"with"} if clause.verb in ("eat", "drink") else ASIDE
    for value in parts(cut(clause.rest, stops, scene.today)):
        kind = next((kind for kind in kinds_of(named(value)) if kind in _BODY), "")
        if value[0].low in _MOMENT or not (kind or (negative and clause.verb in ("eat", "drink")) or _dose(value)):
            continue
        category = "user_info" if kind == "medicine" else "preference"
        attribute = slot_of(kind) if kind else ("drink" if clause.verb == "drink" else "food")
        yield Draft(
            category, attribute, value, subject.name, negative, importance=4 if negative or kind == "medicine" else 3,
            past=group.modal == "used to", changes="no longer" in group.adverbs, additive=True,
        )  # fmt: skip


def _dose(value: list[Word]) -> bool:
    return "cups" in lows(value) or "cup" in lows(value)


def practises(clause: Clause, subject: Subject, scene: Scene) -> Iterator[Draft]:
    """``I play the cello``, ``I go climbing every Sunday``, ``I've picked up watercolour painting``, ``I use Vim``."""
    group = clause.group
    if group.modal in ("will", "can", "must") or subject.kind not in ("user", "person"):
        return
    rest = clause.rest
    if rest and rest[0].low in ("up", "with", "in", "on", "to", "into"):
        rest = rest[1:]
    value = cut(rest, ASIDE | {"and"}, scene.today)
    if not value or value[0].low in _MOMENT:
        return
    known = kinds_of(named(value))
    kind = "voice part" if "voice part" in known and clause.verb == "sing" else next(iter(known), "")
    if "vehicle" in kinds_of(named(value)) and clause.verb in ("take", "ride", "drive"):
        yield Draft("preference", "commute", value, subject.name, group.negative, past=group.modal == "used to")
    elif (
        clause.verb in ("cycle", "walk", "drive", "commute", "run")
        and value[0].low in ("work", "office", "school")
        and "'s" not in clause.rests[:3]
    ):
        yield Draft("preference", "commute", group.form, subject.name, group.negative)
    elif clause.verb in ("use", "run", "edit", "type", "write", "drive", "ride", "wear", "code", "develop"):
        yield from _used(clause, subject, value, kind)
    elif kind in _DOING and (clause.verb in ("play", "go", "pick", "take", "practise", "practice", "watch", "sing")):
        yield _doing(clause, subject, value, kind)
    elif habitual(clause) and clause.verb in ("run", "cycle", "swim", "jog", "train", "cook", "bake", "read", "walk"):
        yield Draft("preference", "habit", value, subject.name, group.negative, additive=True, confidence=0.6)


def _doing(clause: Clause, subject: Subject, value: list[Word], kind: str) -> Draft:
    own = kind in ("instrument", "voice part")
    category, attribute = ("user_info", kind) if own else ("preference", "hobby")
    return Draft(category, attribute, value, subject.name, clause.group.negative, additive=True, past=_over_now(clause))


def _over_now(clause: Clause) -> bool:
    return clause.group.modal == "used to"


def _used(clause: Clause, subject: Subject, value: list[Word], kind: str) -> Iterator[Draft]:
    named = kind or any(is_name(word) for word in value)
    if not named or len(value) > 5 or kind in ("relative", "town"):
        return
    group = clause.group
    changes = "no longer" in group.adverbs or "now" in group.adverbs
    yield Draft(
        "preference", slot_of(kind) if kind else "tool", value, subject.name, group.negative, changes=changes,
        past=group.modal == "used to" or (group.tense == "past" and not group.perfect),
    )  # fmt: skip


def on_days(clause: Clause, subject: Subject, scene: Scene) -> Iterator[Draft]:
    """``I swim on Mondays``, ``tutoring is on Wednesdays``: a day that comes every week."""
    low = lows(clause.rest)
    place = next((i for i, word in enumerate(low[:-1]) if word in ("on", "every") and low[i + 1] in _WEEK), None)
    every = place is not None and (low[place] == "every" or low[place + 1].endswith("ys"))
    if (
        place is None
        or not every
        or clause.group.tense == "past"
        or subject.kind == "project"
        or "relative" in kinds_of(clause.nouns)
    ):
        return
    known = attribute_of(list(subject.noun) or clause.nouns, False)
    if known and clause.owner != "my" and clause.who == "noun":
        return
    noun = " ".join(subject.noun) or (subject.name.lower() if subject.kind != "user" else clause.verb)
    value = cut(clause.rest[place + 1 :], ASIDE | {","})
    name = subject.name if subject.kind == "person" else "user"
    yield Draft("user_info", f"{noun} day", value, name, clause.group.negative, additive=True, confidence=0.7)


def habitual(clause: Clause) -> bool:
    """Whether the clause tells what happens again and again."""
    words = {word.low for word in (*clause.lead, *clause.rest)} | clause.group.adverbs
    return bool(words & _HABIT) and (bool(words & _PERIODS) or bool(clause.group.adverbs & _HABIT))
