"""Names of persons, places and organisations, and what kind of name each is, without a model."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from mnemo_lab.describers.keywords import rarity
from mnemo_lab.describers.wordlists import listed
from mnemo_lab.privacy.words import GIVEN
from mnemo_lab.text.language import CJK
from mnemo_lab.text.names import capitalised_names
from mnemo_lab.text.names_zh import FOLLOW_ZH, SURNAMES, chinese_names, is_name
from mnemo_lab.tokens import open_counter

Named = tuple[str, str]
"""Kind and name."""

_CAPITAL: Final = rf"(?<![\w/\\@#'’.-])[A-Z\u00c0-\u00de][^\W_{CJK}]*(?:[-'’](?!s\b)[A-Z\u00c0-\u00de]?[^\W\d_{CJK}]+)*"
_OF: Final = r"(?:\b(?:University|Bank|City|Council|Ministry|Institute|Museum|Isle|Bay|Church|Republic) of (?:the )?)?"
_RUN: Final = re.compile(rf"{_OF}{_CAPITAL}(?: (?:(?:de|da|van|von|der|del|&|du) (?:the )?)?{_CAPITAL})*")
_HEADING: Final = re.compile(
    r"^(?:[A-Z][\w’'&/-]*(?: (?:and|or|of|the|for|to|with|in|on|a|an|&))*(?: |(?=[:(]|$))){2,8}(?=[:(\s]|$)",
    re.MULTILINE,
)
"""Capitalised words that a line is made of, or that stand before its colon."""
_KIN: Final = (
    "husband|wife|partner|mum|mom|mother|dad|father|son|daughter|sister|brother|uncle|aunt|cousin|grandma|grandpa"
    "|friend|boss|colleague|neighbou?r|manager|teacher|nurse|doctor|landlord|landlady|coach|mentor|tutor|roommate"
    "|girlfriend|boyfriend|plumber|electrician|tiler|builder|architect|lawyer|solicitor|accountant|dentist|surveyor|designer"
    "|photographer|driver|chef|carpenter|joiner|agent|director|engineer|developer|officer|CEO|CTO|CFO"
)
_GOING: Final = "trip|flight|fly|flew|drive|drove|travel(?:l?ed|l?ing)?|went|going|go|back|moved?|moving"
_SAYING: Final = "said|says|told|asked|thinks|wants?|loves?|hates?|likes?|called|phoned|texted|came|agreed|insists"
_CUES_BEFORE: Final = tuple(
    (kind, weight, re.compile(rf"\b(?:{cue}) (?:the )?$"))
    for kind, weight, cue in (
        ("person", 3.0, rf"(?:Mr|Mrs|Ms|Dr|Prof|Aunt|Uncle)\.?|(?:{_KIN}),?(?: is| called| named)?"),
        ("person", 3.0, r"[Mm]y name is|[Ii][’']m|I am|named|called"),
        ("person", 1.0, r"(?:told|asked|met|[Tt]ell|[Aa]sk|[Tt]hanks|[Tt]hank you|[Hh]ey|[Hh]i|[Hh]ello|Dear),?"),
        ("organisation", 3.0, r"work(?:s|ed|ing)? (?:at|for)|(?:job|internship|position) at|(?:employed|hired) by"),
        ("place", 2.0, rf"visit(?:ed|ing)?|liv(?:es?|ed|ing) in|(?:{_GOING}) (?:to|from)"),
        ("place", 0.8, "in|near|across|around"),
        ("place", 0.4, "from|at|to"),
    )
)
_CUES_AFTER: Final = tuple(
    (kind, weight, re.compile(cue))
    for kind, weight, cue in (
        ("person", 1.5, rf" (?:{_SAYING})\b|['’]s (?:{_KIN}|birthday|idea|back|eyes|hands)\b"),
        ("person", 0.5, r"['’]s | and I\b"),
        ("name", 3.0, r" v?\d+\.\d"),
    )
)
"""What the words before and after a name say of its kind, and how much that counts."""
ENOUGH: Final = (1.5, 0.2)
"""Evidence for a kind: in all, and for each time the name is said."""
SPEAKS: Final = 3.0
"""The same for the name of one who speaks."""
PLACES, PLACE_ENDS, PLACE_STARTS = listed("places"), listed("place_ends"), listed("place_starts")
ORGANISATIONS, ORGANISATION_ENDS = listed("organisations"), listed("organisation_ends")
_NO_NAMES: Final = listed("no_names")
_KNOWN: Final = PLACES | ORGANISATIONS
_GIVEN: Final = GIVEN | listed("more_given")

_SPLIT_ZH: Final = re.compile(
    "比如|例如|觉得|喜欢|包括|当前|现任|最近|其实|当地|有(?!限)"
    "|[一二三四五六七八九十几半的了是不在我你他她它们这那就都也还和与及跟到去来从往回住把被给让会能要可以没吗呢吧啊呀嘛说叫找问约"
    "每各先再又或离走路过进出开关看买订用哪家些个次者所段下上里前后很好做只绑且]"
)
_HAN: Final = re.compile(r"[\u4e00-\u9fff]{2,}")
_ENDS_ZH: Final = tuple(
    (kind, re.compile(rf".{{2,7}}?(?:{'|'.join(sorted(many, key=len, reverse=True))}|(?:{'|'.join(one)})$)"))
    for kind, ends in (("organisation", listed("organisation_ends_zh")), ("place", listed("place_ends_zh")))
    for many, one in [([end for end in ends if len(end) > 1], [end for end in ends if len(end) == 1])]
)
"""Endings of one character count at the end of a stretch of text alone."""
_PLACES_ZH, _ORGANISATIONS_ZH = (
    re.compile("|".join(sorted(names, key=lambda name: (-len(name), name))))
    for names in (listed("places_zh"), listed("organisations_zh"))
)
_BEFORE_ZH: Final = frozenset("和跟让叫找给把被由请问的是了说与及对向等")
"""Characters after which a name may begin."""
_FIRST_ZH: Final = SURNAMES | set("小阿")
_NO_NAMES_ZH: Final = listed("no_names_zh")
_NO_AREAS_ZH: Final = listed("no_areas_zh")
TWICE: Final = 2
"""Times that what may be a Chinese name by its characters and by what stands around it must be said."""
SHORT_NAME: Final = 4
"""Capitals up to which a word may be an abbreviation, however common it is in small letters."""
LONGEST_ZH: Final = 9
"""Characters of a place or an organisation."""


class Names:
    """Names with the evidence for their kinds, which grows from stretch to stretch."""

    def __init__(self) -> None:
        self._words: set[str] = set()
        self._evidence: defaultdict[str, dict[str, float]] = defaultdict(dict)
        self._chinese: set[str] = set()
        self._maybe: Counter[str] = Counter()

    def of(self, texts: Sequence[str], speakers: Iterable[str] = ()) -> list[Named]:
        """Each time a name is said, with its kind; what made it known is remembered."""
        plain = [_HEADING.sub("", text) for text in texts]
        self._words |= {name for name in capitalised_names(plain) if not _is_common(name)}
        for speaker in speakers:
            for word in speaker.split():
                self._vote(word, "person", SPEAKS)
        names = _in_full([name for text in texts for name in self._latin(text)])
        kinds = {name: self._kind(name, times) for name, times in Counter(names).items()}
        for name, kind in kinds.items():  # Leckie is what Leckie & Daughter is
            if kind in ("person", "organisation") and " " in name:
                self._vote(name.split(" ")[0], kind, SPEAKS)
        for run in (run for text in texts for run in _HAN.findall(text)):
            for name, weight in _perhaps(run):
                self._maybe[name] += weight
        self._chinese |= chinese_names(text for text in texts if not text.isascii()) | {
            name for name, n in self._maybe.items() if n >= TWICE
        }
        return [(kinds[name], name) for name in names] + list(self._of_chinese(texts))

    def _latin(self, text: str) -> Iterator[str]:
        """Names in Latin letters, from their first to their last known word."""
        for match in _RUN.finditer(text):
            parts = match[0].split(" ")
            first, last = self._extent(parts)
            if last:
                name = " ".join(parts[first:last])
                self._learn(name, text, match.start() + len(" ".join(parts[:first])) + bool(first))
                yield name

    def _extent(self, parts: list[str]) -> tuple[int, int]:
        """Which of the capitalised words are the name; none where the second number is 0."""
        if " ".join(parts) in _KNOWN:
            return 0, len(parts)
        known = [i for i, part in enumerate(parts) if self._is_known(part)]
        if not known:
            return 0, 0
        first, last = known[0], known[-1] + 1
        if first and " ".join(parts[first - 1 : last]) in _KNOWN:
            first -= 1
        if parts[0].islower() or (len(parts) > 2 and parts[1] == "of"):
            first = 0
        while last < len(parts) and (parts[last] in PLACE_ENDS or parts[last] in ORGANISATION_ENDS):
            last += 1
        return first, last

    def _is_known(self, word: str) -> bool:
        return word not in _NO_NAMES and (word in self._words or word in _GIVEN or word in PLACES)

    def _learn(self, name: str, text: str, start: int) -> None:
        before, end = text[max(start - 24, 0) : start], start + len(name)
        for kind, weight, cue in _CUES_BEFORE:
            if cue.search(before):
                self._vote(name, kind, weight)
        for kind, weight, cue in _CUES_AFTER:
            if cue.match(text, end):
                self._vote(name, kind, weight)

    def _vote(self, name: str, kind: str, weight: float) -> None:
        votes = self._evidence[name]
        votes[kind] = votes.get(kind, 0.0) + weight

    def _kind(self, name: str, said: int) -> str:
        """By list and form first, then by the words that stood beside it."""
        parts = name.split(" ")
        if kind := _by_form(name, parts):
            return kind
        votes = dict(self._evidence.get(name, {}))
        for kind, weight in self._evidence.get(parts[0], {}).items() if len(parts) > 1 else ():
            votes[kind] = votes.get(kind, 0.0) + weight
        best, most = max(votes.items(), key=lambda vote: (vote[1], vote[0]), default=("name", 0.0))
        return best if most >= max(ENOUGH[0], ENOUGH[1] * said) else "name"

    def _of_chinese(self, texts: Sequence[str]) -> Iterator[Named]:
        people = re.compile("|".join(sorted(self._chinese, key=lambda name: (-len(name), name))) or "(?!)")
        for text in texts:
            if not text.isascii():
                yield from (("person", found) for found in people.findall(text))
                yield from (("place", found) for found in _PLACES_ZH.findall(text))
                yield from (("organisation", found) for found in _ORGANISATIONS_ZH.findall(text))
                yield from (named for run in _HAN.findall(text) for named in _by_ending(run))


def _by_form(name: str, parts: Sequence[str]) -> str:
    """The kind that a name gives away itself; an abbreviation or a product (capitals inside) is a mere name."""
    if name in PLACES:
        return "place"
    several = len(parts) > 1
    if name in ORGANISATIONS or (several and ({parts[0], parts[-1]} & ORGANISATION_ENDS or "&" in parts)):
        return "organisation"
    if parts[0] in _GIVEN:
        return "person"
    if several and (parts[-1] in PLACE_ENDS or parts[0] in PLACE_STARTS):
        return "place"
    return "name" if any(part[1:] != part[1:].lower() and "-" not in part for part in parts) else ""


def _perhaps(run: str) -> Iterator[tuple[str, int]]:
    """Surnames with what given names are made of, and 小 or 阿 with a character, where a word may begin and end.

    No everyday words. Each with how much it counts: a full name at the end of a clause is hardly anything else.
    """
    for start, sign in enumerate(run):
        if sign in _FIRST_ZH and (not start or run[start - 1] in _BEFORE_ZH):
            for stop in (start + 3, start + 2):
                name, last = run[start:stop], stop == len(run)
                ends = last or (stop < len(run) and run[stop] in FOLLOW_ZH)
                called = len(name) == 2 and sign in "小阿"
                if ends and (called or is_name(name)) and rarity(name) == 1 and name not in _NO_NAMES_ZH:
                    yield name, TWICE if last and len(name) == 3 else 1
                    break


def _by_ending(run: str) -> Iterator[Named]:
    """Places and organisations by the words that end their names."""
    for chunk in _SPLIT_ZH.split(run):
        for kind, ends in _ENDS_ZH:
            found = ends.match(chunk)
            if found and len(found[0]) <= LONGEST_ZH and not (len(found[0]) < 4 and found[0][-2:] in _NO_AREAS_ZH):
                yield kind, found[0]
                break


def _is_common(word: str) -> bool:
    """An everyday word that somebody wrote with a capital, or all in capitals."""
    if word.isupper() and len(word) > SHORT_NAME:
        return len(open_counter("o200k_base").encode(f" {word.lower()}")) == 1
    return rarity(word.lower()) < (0.8 if word.isupper() else 0.55)


def _in_full(names: Sequence[str]) -> list[str]:
    """A given name alone counts for the full name that is said too, where there is one."""
    full: dict[str, set[str]] = defaultdict(set)
    for name in set(names):
        for part in name.split(" ")[:-1]:
            full[part].add(name)
    return [next(iter(full[name])) if len(full.get(name, ())) == 1 else name for name in names]
