"""Things that the conversation itself makes known: names, quoted phrases and titles.

They are collected where their form gives them away (a capital inside a sentence, quotation marks) and then
recognised wherever the same words stand.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from mnemo_lab.probes.things import WORD, Kind, Mention, Thing, fold
from mnemo_lab.text.language import CJK
from mnemo_lab.text.normalise import MONTHS
from mnemo_lab.text.words import STOP

_WORDS: Final = re.compile(rf"{WORD}+(?:-{WORD}+)*")
_NAME: Final = rf"(?<!{WORD})(?<![/\\@#'’.-])[A-Z\u00c0-\u00de][^\W\d_{CJK}]+(?![\w/\\@(]|[.-]\w)"
"""One capitalised word. Identifiers and paths are things by their shape and none of these."""
_NAMES: Final = re.compile(rf"{_NAME}(?: {_NAME})*")
_AFTER: Final = re.compile(rf" ({_NAME})")
_LOWER: Final = re.compile(r"(?<![\w'’-])[a-z][a-z'’-]+")
_OPENS: Final = re.compile(r"(?:^|[.!?…:;|>*#`\"“”'‘(\[\n•]|\n\s*(?:[-+]|\d+[.)]))\s*$")
_BEFORE: Final = 12
"""Characters before a word that say whether it opens something."""
_QUOTED: Final = re.compile(r"\"([^\"\n]{3,80})\"|“([^“”\n]{2,80})”|「([^「」\n]{2,60})」|『([^『』\n]{2,60})』")
_TITLE: Final = re.compile(r"《([^《》\n]{2,60})》")
_CJK: Final = re.compile(f"[{CJK}]")
_COMMON: Final = (
    "sept monday tuesday wednesday thursday friday saturday sunday mon tue tues wed thu thur fri sat sun i "
    "i'm i'll i've i'd i’m i’ll i’ve i’d ok okay mr mrs ms dr hi hello hey god yes no thanks thank wow bye sir "
    "congrats madam english christmas easter api url id pdf csv json html css sql http https usb cpu gpu ram tv "
    "diy faq pm am uk us usa eu mom mum dad mama papa"
)
_NO_NAMES: Final = frozenset([*_COMMON.split(), *MONTHS, *(month[:3] for month in MONTHS)])
LONGEST: Final = 8
"""Words of an entry."""


class Lexicon:
    """Names, quoted phrases and titles of a conversation, and where a text mentions them.

    Who speaks is addressed all the time: the names of ``speakers`` are left out.
    """

    def __init__(self, texts: Sequence[str], speakers: Iterable[str] = ()) -> None:
        self._by_first: dict[str, dict[tuple[str, ...], Kind]] = defaultdict(dict)
        self._written: dict[str, Kind] = {}
        present = {word for speaker in speakers for word in fold(speaker).split()}
        for name in _names(texts):
            if fold(name) not in present:
                self._add(name, "name")
        for text in texts:
            for kind, surface in _marked(text):
                self._add(surface, kind)
        written = sorted(self._written, key=lambda key: (-len(key), key))
        self._any = re.compile("|".join(map(re.escape, written)), re.IGNORECASE) if written else None

    def _add(self, surface: str, kind: Kind) -> None:
        """With Chinese characters it is found as a piece of text, otherwise as words."""
        key = fold(surface)
        if _CJK.search(key):
            self._written[key] = kind
            return
        words = tuple(_WORDS.findall(key))
        if words and len(words) <= LONGEST:
            self._by_first[words[0]][words] = kind

    def mentions(self, text: str) -> Iterator[Mention]:
        """The longest entry at each place."""
        yield from self._of_words(text)
        if self._any:
            for found in self._any.finditer(text):
                key = fold(found[0])
                if key in self._written:
                    yield Mention(Thing(self._written[key], key), found.start(), found.end())

    def _of_words(self, text: str) -> Iterator[Mention]:
        words = [(fold(m[0]), m.start(), m.end()) for m in _WORDS.finditer(text)]
        place = 0
        while place < len(words):
            found = self._longest([word for word, _, _ in words[place : place + LONGEST]])
            if found:
                last = words[place + len(found) - 1]
                yield Mention(Thing(self._by_first[found[0]][found], " ".join(found)), words[place][1], last[2])
            place += max(len(found), 1)

    def _longest(self, here: Sequence[str]) -> tuple[str, ...]:
        entries = self._by_first.get(here[0], {})
        fitting = (words for words in entries if tuple(here[: len(words)]) == words)
        return max(fitting, key=len, default=())


def _marked(text: str) -> Iterator[tuple[Kind, str]]:
    for found in _TITLE.finditer(text):
        yield "title", found[1].strip()
    for found in _QUOTED.finditer(text):
        surface = next(filter(None, found.groups())).strip(" .,!?。，！？")
        chinese = len(_CJK.findall(surface))
        words = [word for word in _WORDS.findall(surface.casefold()) if word not in STOP]
        if chinese >= 3 or (not chinese and len(words) >= 2):
            yield "quoted", surface


def _names(texts: Sequence[str]) -> set[str]:
    """Capitalised words that stand inside a sentence at least once, and nowhere in small letters.

    Of neighbours the first decides: ``Additional Considerations`` as a heading makes no name.
    """
    small = {word for text in texts for word in _LOWER.findall(text)}
    found = {
        name
        for text in texts
        for run in _NAMES.finditer(text)
        if not _opens(text, run.start())
        for name in run[0].split(" ")
    }
    return {name for name in found if not _is_common(name, small)}


def _opens(text: str, start: int) -> bool:
    """Whether a sentence, a line or a quotation begins here."""
    return bool(_OPENS.search(text[max(start - _BEFORE, 0) : start]))


def goes_on_as(text: str, end: int) -> str:
    """The capitalised word right after a name that ends there: what makes ``Coral Bay`` the ``Coral Bay Library``."""
    found = _AFTER.match(text, end)
    return fold(found[1]) if found else ""


def _is_common(word: str, small: set[str]) -> bool:
    folded = word.casefold()
    return len(word) < 3 or folded in small or folded in _NO_NAMES or folded in STOP
