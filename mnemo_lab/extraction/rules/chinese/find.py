"""Facts in what a Chinese message says, clause by clause."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime
from typing import Final

from mnemo_lab.conversation import Message, time_of
from mnemo_lab.extraction.base import USER, Fact
from mnemo_lab.extraction.rules.chinese.accepting import accepted
from mnemo_lab.extraction.rules.chinese.clauses import Clause, clauses, squeezed
from mnemo_lab.extraction.rules.chinese.draft import Draft, drafts
from mnemo_lab.extraction.rules.chinese.lexicon import NOUN, Mention, mentions, mood
from mnemo_lab.extraction.rules.chinese.spells import absolute, spell
from mnemo_lab.extraction.rules.chinese.subjects import person_in, stays, subject_of, thing_of

_SECRET: Final = mood("secret")
_DATED: Final = ("截止日期", "日期", "时间安排", "期间")
"""Where no project is spoken of, these are the user's own."""
_PERSONAL: Final = re.compile(r"我(?!们)|[他她]|女儿|儿子|孩子|老婆|老公|娃")
_MY: Final = re.compile(r"[^我]{0,6}我的")
_NAMED: Final = re.compile(r"我|本人|免贵|名字|[就也]行|就好|家")
_I: Final = re.compile(r"[^我]{0,6}我(?!们|国)")
_MANY: Final = frozenset(
    "喜好 食物 爱好 运动 乐器 会的语言 过敏 健康 宠物 家人 证书 特点 药物 在学 作品 拥有 落选".split()
)
"""Attributes of which several values are true beside each other, unless a change is told."""
_JOKE: Final = re.compile(r"^(?:开(?:个|你)?玩笑|逗你|骗你|假的|瞎说|我乱说|不是认真|随口一说|说着玩)")
_ELLIPTIC: Final = mood("elliptic")
"""A clause that goes on about the noun of the one before: 店名定了，叫青禾."""


@dataclass
class _State:
    """What the message has spoken of so far."""

    person: str = USER
    named: str = ""
    topic: str = ""
    thing: str = ""
    standing: int = -1
    at: int = -1


def find(message: Message, text: str, before: Sequence[Message]) -> list[Fact]:
    """Facts of one message; ``text`` is what is left of it without quoted parts, ``before`` what was said earlier."""
    given = _SECRET.sub(lambda m: " " * len(m[0]), text)
    text, places = squeezed(given)
    said = _day(message, before)
    state = _State(thing=_last_thing(before), named=_last_named(before))
    found: list[tuple[Clause, Draft]] = []
    for clause in clauses(text):
        if _JOKE.match(clause.text.strip()):
            found = [pair for pair in found if pair[0].sentence < clause.sentence - 1]
        found += _of_clause(clause, state)
    facts = [_fact(message, clause, draft, _words(given, places, clause, draft), said) for clause, draft in found]
    facts += accepted(message, text, before)
    return _once(facts)


def _of_clause(clause: Clause, state: _State) -> Iterator[tuple[Clause, Draft]]:
    if clause.sentence == state.at and state.topic and _ELLIPTIC.match(clause.text):
        clause = replace(clause, text=state.topic + clause.text, start=clause.start - len(state.topic))
    known = mentions(clause.text)
    _begin(clause, known, state)
    if clause.states:
        yield from ((clause, draft) for draft in _drafts(clause, known, state))
    who = subject_of(clause.text, len(clause.text), known, state.person, state.named)
    state.person = who if who and stays(clause.text, who) else state.person
    state.named = person_in(clause.text, known) or state.named


def _begin(clause: Clause, known: list[Mention], state: _State) -> None:
    """What the clause takes over from the ones before, and what it is about itself."""
    if clause.sentence != state.at:
        state.at, state.topic = clause.sentence, ""
        state.person = state.person if re.match(r"\W*[他她]", clause.whole) else USER
    state.thing = thing_of(clause.text) or state.thing
    nouns = [m for m in known if m.kind == NOUN and m.category == "project_fact"]
    state.topic = clause.text[nouns[-1].start : nouns[-1].end] if nouns else state.topic
    if clause.standing:
        state.standing = clause.sentence


def _drafts(clause: Clause, known: list[Mention], state: _State) -> Iterator[Draft]:
    """With their subjects; the surer one where two would say the same words."""
    taken: list[tuple[int, int]] = []
    for draft in drafts(clause.text, known, state.standing == clause.sentence, clause.whole):
        if any(draft.start < end and start < draft.end for start, end in taken):
            continue
        who = draft.subject or subject_of(clause.text, draft.start, known, state.person, state.named)
        nameless = draft.attribute == "名字" and who == USER and not _NAMED.search(clause.text)
        if who is None or nameless or (draft.itself and who != USER):
            continue
        taken.append((draft.start, draft.end))
        if draft.attribute == "时间安排" and _PERSONAL.search(clause.text):
            draft = replace(draft, thing=False, category="preference")
        mine = draft.attribute in _DATED and not (draft.owner or state.thing)
        if mine:
            draft = replace(draft, thing=False, category="user_info")
        thing = draft.thing and not _of_user(clause.text, draft)
        yield replace(draft, subject=(draft.owner or state.thing or "项目") if thing else who)


def _of_user(text: str, draft: Draft) -> bool:
    """Whether what reads like a fact of a project is the user's own: 我的收货地址."""
    return draft.category != "decision" and bool(_MY.match(text) or (not draft.owner and _I.match(text)))


def _fact(message: Message, clause: Clause, draft: Draft, value: str, said: date | None) -> Fact:
    stands = spell(clause.text, clause.whole, said)
    changes = draft.changes or stands.changes
    shown = "用户" if draft.subject == USER else draft.subject
    told = clause.text.strip()
    alone = told if draft.subject in told or "我" in told else f"{shown}：{told}"
    return Fact(
        category=draft.category,
        subject=draft.subject,
        attribute=draft.attribute.lower(),
        value=absolute(value, said),
        content=f"{alone}（{draft.attribute}）" if draft.attribute and len(told) < 6 else alone,
        language="zh",
        message=message.id,
        importance=draft.importance,
        confidence=draft.confidence,
        polarity="negative" if draft.negative else "positive",
        valid_from=stands.start,
        valid_to=stands.end,
        changes=changes,
        former=draft.former,
        additive=draft.additive or stands.additive or (draft.attribute in _MANY and not changes),
        past=draft.past or stands.past,
    )


def _words(given: str, places: list[int], clause: Clause, draft: Draft) -> str:
    """The value as it was typed, blanks and all."""
    start, end = clause.start + draft.start, clause.start + draft.end
    return given[places[start] : places[end - 1] + 1].strip(' “”"「」')


def _once(facts: list[Fact]) -> list[Fact]:
    kept: dict[tuple[str, str, str], Fact] = {}
    for fact in facts:
        if fact.value:
            kept.setdefault((fact.subject, fact.value, fact.polarity), fact)
    return list(kept.values())


def _last_thing(before: Sequence[Message]) -> str:
    for message in reversed(before[-12:]):
        if message.role == "user" and (thing := thing_of(message.text)):
            return thing
    return ""


def _last_named(before: Sequence[Message]) -> str:
    """Whom 他 or 她 may mean at the start of a message."""
    for message in reversed(before[-4:]):
        if named := person_in(message.text[-400:], mentions(message.text[-400:])):
            return named
    return ""


def _day(message: Message, before: Sequence[Message]) -> date | None:
    for given in (message, *reversed(before)):
        moment: datetime | None = time_of(given.timestamp)
        if moment is not None:
            return moment.date()
    return None
