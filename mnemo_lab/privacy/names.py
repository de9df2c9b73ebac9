"""Names of persons by cues: introductions, labels, titles, greetings, signatures, known given names.

No model is asked: what no cue announces is not found. A name found once is looked for in the rest (``find``).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Final

from mnemo_lab.privacy.finding import Finding
from mnemo_lab.privacy.view import View
from mnemo_lab.privacy.words import BRANDS, GIVEN, NOT_NAMES, PUBLIC

_WORD: Final = r"[A-ZÀ-ÖØ-Þ][A-Za-zÀ-ÖØ-öø-ÿ]{0,24}(?:['’-][A-Za-zÀ-ÖØ-öø-ÿ]{1,24}){0,2}"
_PARTICLE: Final = r"(?:de|da|di|del|della|la|le|van|von|der|den|ter|bin|ibn|al|el|dos|das|du|[A-Z]\.)"
_FULL: Final = rf"{_WORD}(?:[ \t](?:{_PARTICLE}[ \t]){{0,2}}{_WORD}){{0,3}}"
_SPLIT: Final = re.compile(r"[ \t]+")
_PEOPLE: Final = (
    r"(?:manager|boss|colleague|co-?worker|friend|neighbou?r|wife|husband|partner|son|daughter|sister|brother|mother"
    r"|father|mum|mom|dad|nurse|doctor|therapist|lawyer|landlord|landlady|tenant|teacher|uncle|aunt|cousin|supervisor"
    r"|assistant|roommate|girlfriend|boyfriend|client|patient|recruiter)"
)

_SURE: Final = (
    (("name",), re.compile(rf"[Mm]y (?i:(?:full |real |legal )?name(?: is|['’]s))\s({_FULL})")),
    (
        ("mr", "mrs", "ms", "miss", "mx", "dr", "prof"),
        re.compile(rf"[MDP](?<![A-Za-z][MDP])(?:rs?|s|iss|x|rof|rofessor)\.?[ \t]({_FULL})"),
    ),
    (("dear",), re.compile(rf"[Dd]ear[ \t](?:(?:Mr|Mrs|Ms|Miss|Mx|Dr|Prof)\.?[ \t])?({_FULL})(?=\s?[,:!，：]|\n)")),
)
_LAST_LINE: Final = re.compile(rf"\n[ \t-]{{0,4}}({_FULL})[ \t]*(?=\n|$)")
_SIGN_OFF: Final = re.compile(
    r"(?i:regards|sincerely|cheers|thanks|best|yours(?: truly| faithfully)?|wishes|love)[,!.]?\s*$"
)
_COLON: Final = re.compile(rf":[ \t]?[\"']?({_FULL})")
_LABEL: Final = re.compile(
    r"(?i:(?:full|customer|patient|contact|client|cardholder|guest|employee|student|account|applicant|driver"
    r"|passenger|billing"
    r"|shipping)['’]?s?[ _-]?name|(?<![a-z])(?:patient|customer|tenant|applicant|recipient|payee|attn"
    r"|emergency contact|signed(?: by)?"
    r"|attendees?|participants?|landlord|passengers?|(?:account |card ?)?holder))[\"']?[ \t]?$"
)
_NAME_LINE: Final = re.compile(r"(?i:^[ \t]*(?:full )?name[ \t]?$)")
_CUE: Final = re.compile(
    r"(?:(?i:(?<![a-z])(?:i['’]m|i am|it['’]s|this is|call me|named|called|hi|hello|hey|good morning|thanks"
    r"|thank you|cheers"
    r"|(?:first |last |given |family )?name|from|to|cc|bcc|by|with|contact|client|author|ship to|bill to"
    r"|deliver to|attn|signed|for))"
    r",?[\"']?[ \t]?:?[ \t]?[\"']?"
    rf"|(?:(?i:my|our|his|her|their|the|a) (?:[a-z]{{2,9}} )?{_PEOPLE}|nurse|doctor),?(?:[ \t](?:is|called"
    r"|named))?[ \t])$"
)
_KNOWN: Final = re.compile(r"[A-ZÀ-Þ](?<![A-Za-z'’.-][A-ZÀ-Þ])[a-zà-ÿ]{1,14}(?:-[A-Z][a-z]{1,12})?(?![A-Za-zÀ-ÿ])")
_SURNAME: Final = re.compile(rf"[ \t](?:{_PARTICLE}[ \t]){{0,2}}{_WORD}(?:[ \t]{_WORD})?(?![A-Za-z])")
_LIST: Final = re.compile(rf"(?:,[ \t]?(?:and[ \t])?|[ \t]and[ \t]|;[ \t])({_FULL})")
_CODE_AFTER: Final = re.compile(r"[\[(=_/0-9]|\.[A-Za-z_]")
_BESIDE: Final = re.compile(
    rf"({_FULL})[ \t]?(?:[,;:<|(\t\"'—–-][ \t]?){{1,3}}(?:[A-Za-z]{{3,8}}[:\"'][\"' ]{{0,2}})?$"
)


def find_english_names(view: View) -> Iterator[Finding]:
    """Names in the Latin alphabet."""
    text = view.text
    for words, pattern in _SURE:
        if view.says(*words):
            for match in pattern.finditer(text):
                yield from _names(text, match, 0.75)
    yield from _labelled(view)
    for name in sorted(GIVEN.intersection(view.latin)):
        at = text.find(name)
        while at >= 0:
            known = _KNOWN.match(text, at)
            if known:
                yield from _known(view, known)
            at = text.find(name, at + len(name))


def _labelled(view: View) -> Iterator[Finding]:
    """A name behind a label and a colon, and one alone on the line after a closing formula."""
    text = view.text
    for match in _COLON.finditer(text):
        before = view.before(match.start(), 40)
        if _LABEL.search(before) or (" " in match[1] and _NAME_LINE.search(before)):
            yield from _names(text, match, 0.75, listed=True)
    for match in _LAST_LINE.finditer(text):
        if _SIGN_OFF.search(text, max(0, match.start() - 24), match.start()):
            yield from _names(text, match, 0.75)


def _known(view: View, match: re.Match[str]) -> Iterator[Finding]:
    """A known given name counts before a surname, or alone where a cue stands before it."""
    start, end = match.span()
    more = _SURNAME.match(view.text, end)
    last = _end_of_name(view.text, start, more.end() if more else end)
    if last > end:
        yield Finding("name", start, last, 0.65)
    elif last == end and _CUE.search(view.before(start, 40)):
        yield Finding("name", start, end, 0.64)


def names_beside(view: View, found: Iterable[Finding]) -> Iterator[Finding]:
    """Two or three capitalised words right before an e-mail address or a telephone number: a row, a contact."""
    for item in found:
        if item.kind in ("email", "phone"):
            before = view.before(item.start, 80)
            match = _BESIDE.search(before)
            if match and " " in match[1].strip():
                start = item.start - len(before) + match.start(1)
                end = _end_of_name(view.text, start, start + len(match[1]))
                if end == start + len(match[1]):
                    yield Finding("name", start, end, 0.62)


def _names(text: str, match: re.Match[str], sure: float, listed: bool = False) -> Iterator[Finding]:
    """The name a cue announces and, behind a label, those listed after it."""
    place: re.Match[str] | None = match
    while place:
        start, end = place.start(1), _end_of_name(text, place.start(1), place.end(1))
        first = _SPLIT.split(text[start:end])[0] if end > start else ""
        if not first or (first.isupper() and len(first) > 2) or _CODE_AFTER.match(text, end):
            return
        yield Finding("name", start, end, sure)
        place = _LIST.match(text, end) if listed else None


def _end_of_name(text: str, start: int, end: int) -> int:
    """Where the name really ends: before the first word that is no name; ``start`` where nothing is left."""
    words = _SPLIT.split(text[start:end])
    if words[0] in BRANDS or " ".join(words).lower() in PUBLIC or " ".join(words[:2]).lower() in PUBLIC:
        return start
    at = kept = start
    for word in words:
        at = text.index(word, at)
        if word in NOT_NAMES or (word.isupper() and len(word.strip(".")) > 1):
            break
        at += len(word)
        if word[:1].isupper() and not word.endswith("."):
            kept = at
    return kept - 2 if text[start:kept].endswith(("'s", "’s")) else kept
