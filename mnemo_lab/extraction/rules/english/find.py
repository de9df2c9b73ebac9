"""``find``: the facts an English message states."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Final

from mnemo_lab.conversation import Message, time_of
from mnemo_lab.extraction.base import USER, Fact
from mnemo_lab.extraction.rules.english import choice, deadlines, instruct, living, person, project, taste, work
from mnemo_lab.extraction.rules.english.acceptance import accepted
from mnemo_lab.extraction.rules.english.asides import asides
from mnemo_lab.extraction.rules.english.clauses import Clause, clauses
from mnemo_lab.extraction.rules.english.dates import FROM, UNTIL, Dated, dates
from mnemo_lab.extraction.rules.english.lexicon import verb_classes
from mnemo_lab.extraction.rules.english.mention import earlier, mention
from mnemo_lab.extraction.rules.english.mood import UNREAL, is_asked, is_joke, states
from mnemo_lab.extraction.rules.english.scene import PROJECT, Draft, Scene, Subject, subject_of
from mnemo_lab.extraction.rules.english.statement import tells
from mnemo_lab.extraction.rules.english.values import text_of
from mnemo_lab.extraction.rules.english.words import Sentence, Word, sentences

_SPEECH: Final = re.compile(r'["“][^"”\n]{36,}["”]|["“](?:[^"”\n ]+ ){4,}[^"”\n]*["”]')
Reader = Callable[[Clause, Subject, Scene], Iterator[Draft]]
_READERS: Final[dict[str, tuple[Reader, ...]]] = {
    "be": (work.introduces, person.is_somebody, choice.out, project.is_something),
    "like": (taste.likes,),
    "dislike": (taste.likes,),
    "consume": (taste.consumes, taste.practises),
    "use": (taste.practises, project.uses, work.works),
    "own": (living.has, project.shapes, work.becomes),
    "live": (living.lives,),
    "work": (work.works,),
    "become": (work.becomes,),
    "leave": (living.leaves,),
    "stop": (living.leaves,),
    "decide": (choice.chooses, taste.practises),
    "speak": (living.speaks,),
    "suffer": (living.suffers,),
    "bear": (living.born,),
    "live_on": (project.uses,),
    "time": (project.happens, project.shapes),
    "own_of": (project.owns, work.works),
    "cost": (project.costs,),
    "plain": (project.shapes, work.cares, work.sits, taste.practises),
    "give": (living.leaves,),
    "learn": (living.speaks,),
    "go": (project.happens, taste.practises),
    "call": (work.introduces, project.named_so),
    "due": (deadlines.due,),
}


def find(message: Message, text: str, before: Sequence[Message]) -> list[Fact]:
    """Facts of ``text``: the message without what is only quoted in it. ``before``: the messages before it."""
    moment = time_of(message.timestamp)
    scene = Scene(text, moment.date() if moment else None)
    earlier(before, text, scene)
    scene.last = []
    spoken = _SPEECH.sub(lambda match: " " * len(match[0]), text)
    found = [_given(draft, text, message) for draft in accepted(text, before)]
    size = len(found)
    for sentence in sentences(spoken):
        if is_joke(sentence):
            del found[size:]
            continue
        size = len(found)
        if sentence.words[0].low in UNREAL or _shouted(sentence):
            continue
        found += _of_sentence(sentence, scene, message)
    return _once(found)


def _shouted(sentence: Sentence) -> bool:
    """A line in capitals is a text, and no statement of the speaker."""
    letters = [word.text for word in sentence.words if word.text.isalpha()]
    return len(letters) > 3 and all(text.isupper() for text in letters)


def _of_sentence(sentence: Sentence, scene: Scene, message: Message) -> Iterator[Fact]:
    for draft in asides(sentence, scene):
        yield _fact(draft, sentence, sentence.words, scene, message)
    parsed = list(clauses(sentence.words))
    mention(sentence, scene)
    for number, clause in enumerate(parsed):
        _remember(clause, scene)
        if (
            clause.group.lemma
            and not (clause.group.modal == "would" and any(word.low == "if" for word in sentence.words))
            and not is_asked(sentence, clause, number == len(parsed) - 1)
            and (states(clause) or tells_how(clause, sentence))
        ):
            words = [word for word in sentence.words if clause.start <= word.start < clause.end]
            for draft in _read(clause, sentence, scene):
                yield _fact(draft, sentence, words, scene, message)
    scene.standing = scene.standing or instruct.is_standing(sentence)
    first = min((clause.start for clause in parsed), default=len(scene.text))
    loose = [word for word in sentence.words if word.start < first]
    for draft in instruct.fragment(loose, scene):
        yield _fact(draft, sentence, loose, scene, message)


def _read(clause: Clause, sentence: Sentence, scene: Scene) -> Iterator[Draft]:
    if clause.who in ("do", "you"):
        yield from instruct.instructs(clause, sentence, scene)
        return
    if clause.who == "let":
        yield from choice.lets(clause, scene)
        return
    if clause.who == "i" and clause.rests[:2] == ["you", "to"]:
        for wished in clauses(clause.rest[2:]):
            yield from instruct.instructs(wished, sentence, scene)
        return
    subject = subject_of(clause, scene)
    if subject is None:
        return
    if "rather" in clause.group.adverbs:
        yield from taste.likes(clause, subject, scene)
        return
    readers = dict.fromkeys(
        reader for name in sorted(verb_classes().get(clause.verb, ())) for reader in _READERS.get(name, ())
    )
    weekly = list(taste.on_days(clause, subject, scene))
    found = weekly + [draft for reader in readers for draft in reader(clause, subject, scene)]
    if any(draft.attribute == " ".join(clause.nouns) and draft.subject == USER for draft in found):
        found = [draft for draft in found if draft.subject == USER]
    found = found or list(tells(clause, subject, scene))
    yield from found
    if found and not clause.group.negative:
        yield from project.not_that(clause, found[0], sentence, scene)


def tells_how(clause: Clause, sentence: Sentence) -> bool:
    """``you can always skip the greetings``, ``could you use metric units from now on?``: an instruction, too."""
    modal = clause.group.modal in ("can", "could", "should", "must", "will")
    named = clause.verb == "call" and clause.rests[:1] == ["me"]
    return clause.who == "you" and modal and (named or instruct.is_standing(sentence))


def _remember(clause: Clause, scene: Scene) -> None:
    """Whom he, she and it mean in what follows."""
    if clause.who != "noun":
        return
    subject = subject_of(clause, scene)
    if subject is None:
        return
    if subject.kind == "person":
        scene.person = subject.name
    if subject.kind in ("person", "thing") and not subject.noun and subject.name != PROJECT:
        scene.thing = subject.name


def _fact(draft: Draft, sentence: Sentence, words: list[Word], scene: Scene, message: Message) -> Fact:
    value = draft.value if isinstance(draft.value, str) else text_of(scene.text, draft.value)
    told = dates(words, scene.today, draft.past) if scene.today else []
    said = " ".join(scene.text[sentence.words[0].start : sentence.words[-1].end].split())
    if draft.subject not in (USER, PROJECT) and draft.subject.lower() not in said.lower():
        said = f"{draft.subject}: {said}"
    return Fact(
        draft.category, draft.subject, draft.attribute, _day_of(draft, value, told), said, "en", message.id,
        importance=draft.importance, confidence=draft.confidence, polarity="negative" if draft.negative else "positive",
        valid_from=_edge(told, FROM | ({"in", "at", "back"} if draft.past else frozenset())),
        valid_to=_edge(told, UNTIL), changes=draft.changes,
        former=text_of(scene.text, draft.former) if draft.former else None, additive=draft.additive, past=draft.past,
    )  # fmt: skip


def _given(draft: Draft, text: str, message: Message) -> Fact:
    """A fact whose value stands in an earlier message."""
    value = draft.value if isinstance(draft.value, str) else ""
    said = f"{' '.join(text.split())} ({draft.attribute}: {value})"
    return Fact(
        draft.category, draft.subject, draft.attribute, value, said, "en", message.id, draft.importance,
        draft.confidence, changes=draft.changes,
    )  # fmt: skip


def _day_of(draft: Draft, value: str, told: list[Dated]) -> str:
    """A relative date that is the value, as a day."""
    if isinstance(draft.value, str):
        return value
    size = len(draft.value)
    return next((i.day for i in told if i.relative and i.text == draft.value[:size] and " to " not in value), value)


def _edge(told: list[Dated], relations: frozenset[str] | set[str]) -> str | None:
    return next((item.day for item in told if item.relation in relations), None)


def _once(found: list[Fact]) -> list[Fact]:
    """The first of facts with the same value and subject; a role of the user is told once."""
    kept: dict[tuple[str, str, str], Fact] = {}
    for fact in found:
        kept.setdefault(((fact.subject == USER and USER) or fact.subject, fact.value.lower(), fact.polarity), fact)
    times = Counter(fact.content for fact in kept.values())
    return [fact if times[fact.content] == 1 else _apart(fact) for fact in kept.values()]


def _apart(fact: Fact) -> Fact:
    """Two facts of one sentence need contents of their own: equal ones would be merged as said twice."""
    value = fact.value if fact.polarity == "positive" else f"not {fact.value}"
    return replace(fact, content=f"{fact.content} ({fact.attribute}: {value})")
