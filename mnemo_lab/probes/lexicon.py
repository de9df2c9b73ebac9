"""Things that the conversation itself makes known: names, quoted phrases and titles.

They are collected where their form gives them away (a capital inside a sentence, quotation marks) and then
recognised wherever the same words stand.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from mnemo_lab.probes.things import Kind, Mention, Thing, fold
from mnemo_lab.text.key_terms import WORD
from mnemo_lab.text.language import CJK
from mnemo_lab.text.names import NAME, capitalised_names
from mnemo_lab.text.words import STOP

_WORDS: Final = re.compile(rf"{WORD}+(?:-{WORD}+)*")
_AFTER: Final = re.compile(rf" ({NAME})")
_QUOTED: Final = re.compile(r"\"([^\"\n]{3,80})\"|“([^“”\n]{2,80})”|「([^「」\n]{2,60})」|『([^『』\n]{2,60})』")
_TITLE: Final = re.compile(r"《([^《》\n]{2,60})》")
_CJK: Final = re.compile(f"[{CJK}]")
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
        for name in capitalised_names(texts):
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


def goes_on_as(text: str, end: int) -> str:
    """The capitalised word right after a name that ends there: what makes ``Coral Bay`` the ``Coral Bay Library``."""
    found = _AFTER.match(text, end)
    return fold(found[1]) if found else ""
