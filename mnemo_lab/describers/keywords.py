"""Keywords: what a stretch is about and the stretches before it are not, as it is written."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import lru_cache
from itertools import combinations
from math import log
from typing import Final

from mnemo_lab.describers.wordlists import listed
from mnemo_lab.text.language import CJK
from mnemo_lab.text.words import STOP, words
from mnemo_lab.tokens import open_counter

MOST: Final = 40
PRIOR: Final = 4
"""Stretches after which what they say counts as much as how common a word is in general."""
COMMON: Final = (1_500, 30_000)
"""Token numbers of the words that tell nothing, and of those that tell all."""
LEAST: Final = 0.3
"""What a common word tells that is no stop word and new."""
LONGEST: Final = 6
LONGEST_ONCE: Final = 4
"""Chinese characters of a term, and of one that stands there once."""
ONCE: Final = 0.7
"""Factor for a Chinese term that stands there once: nothing but the marks around it says where it ends."""
TALK: Final = listed("talk")
_TALK_ZH: Final = listed("talk_zh")
HOLDING: Final = frozenset(
    "的了是不在我你他她它们这那就都也还和与及很吗呢吧啊哦嗯呀嘛把被给让会能要可以没有什么怎么一个两几三四五六七八九十零百千万"
    "上下里中前后来去到说看想做用好对多少再又先才只最更太从为因所如果但而或每其之着过得地您请谢该些跟谁哪"
    "天年月日号今明昨点分半次吃买放写算加等找走按带拿开关全已正刚别行"
)
"""Characters that hold sentences together, and numerals: no term holds one."""
_HARD: Final = "".join(
    HOLDING - set("上下中前后正分全点行加开关算等找用说看想做对好多少天年月日号来去到里先过地得再最更按带")
)
"""Those of them that are no parts of other words."""
_RUN: Final = re.compile(f"[{CJK}]{{2,}}")
_WORD: Final = re.compile(rf"(?<![\w'’@/.-])[^\W\d_{CJK}][^\W_{CJK}]*(?:-[^\W_{CJK}]+)*(?:['’]\w+)?(?![\w@/(=])")
_NUMBER: Final = re.compile(r"\d[\d.,:]*")
_IS_CJK: Final = re.compile(f"[{CJK}]")
_PART: Final = re.compile(rf"[^\W{CJK}]+|[{CJK}]")

Terms = list[tuple[str, str]]
"""The form in which a term is counted, and how it is written."""


def terms_of(text: str, without: frozenset[str] = frozenset()) -> Terms:
    """Words of a sentence that may tell something, and (key with a blank) neighbours of them; no Chinese."""
    found: Terms = []
    before, start, end = "", 0, -1
    for match in _WORD.finditer(text):
        surface = match[0]
        key = _key(surface)
        if not key or key in without:
            before = ""
            continue
        found.append((key, surface))
        if before and match.start() == end + 1 and text[end] == " ":
            found.append((f"{before} {key}", f"{text[start:end]} {surface}"))
        before, start, end = key, match.start(), match.end()
    return found


class Keywords:
    """Terms weighed by how often they are said here, how few stretches before said them, and how rare they are.

    How rare a word is in general is told by its number in a byte-pair encoding, which merges what is frequent first.
    """

    def __init__(self) -> None:
        self._seen: Counter[str] = Counter()
        self._stretches = 0
        self._told: dict[str, float] = {}

    def add(self, terms: Iterable[Terms], texts: Iterable[str]) -> None:
        """A stretch whose terms are not new any more."""
        found = {key for sentence in terms for key, _ in sentence if " " not in key}
        found.update(pair for text in texts for run in _RUN.findall(text) for pair in _pairs(run))
        self._seen.update(found)
        self._stretches += 1
        self._told.clear()

    def of(self, terms: Iterable[Terms], texts: Sequence[str]) -> tuple[str, ...]:
        """The terms that tell most, best first, none part of another; as they are written."""
        said = Counter(term for sentence in terms for term in sentence)
        counts: dict[str, float] = {}
        for (key, _), n in said.items():
            counts[key] = counts.get(key, 0) + n
        counts = {key: n for key, n in counts.items() if n > 1 or " " not in key}
        counts.update(_chinese(texts))
        weights = {key: n * self.telling(key) for key, n in counts.items()}
        kept: list[str] = []
        for key in sorted(weights, key=lambda key: -weights[key]):
            if len(kept) == MOST or weights[key] <= 0:
                break
            if not any(_within(key, other) or _within(other, key) for other in kept):
                kept.append(key)
        forms: dict[str, dict[str, int]] = {key: {} for key in kept}
        for (key, surface), n in said.items():
            if key in forms:
                forms[key][surface] = n
        return tuple(_form(key, forms[key]) for key in kept)

    def worth(self, terms: Terms, text: str) -> float:
        """About how many telling terms a sentence holds."""
        latin = {key for key, _ in terms if " " not in key}
        chinese = {chunk for run in _RUN.findall(text) for chunk in chunks(run) if len(chunk) > 1}
        said = sum(map(self.telling, latin)) + sum(ONCE * len(chunk) / 2 * self.telling(chunk) for chunk in chinese)
        return said + len(_NUMBER.findall(text)) / 2

    def telling(self, key: str) -> float:
        """From 0 for a term that tells nothing to 1 for one that is new and rare; a phrase tells what its words do."""
        known = self._told.get(key)
        if known is None:
            parts = key.split(" ")
            if len(parts) > 1:
                known = sum(map(self.telling, parts)) / len(parts) ** 0.5
            else:
                known = 0.0 if key in _TALK_ZH else self._new(key) * (LEAST + (1 - LEAST) * rarity(key))
            self._told[key] = known
        return known

    def _new(self, key: str) -> float:
        """From 1 for a term of no stretch before down to near 0 for one of all."""
        seen = min(self._seen[pair] for pair in _pairs(key)) if _IS_CJK.match(key) else self._seen[key]
        new = log((self._stretches + 1) / (seen + 0.5)) / log((self._stretches + 1) / 0.5)
        known = self._stretches / (self._stretches + PRIOR)
        return known * max(new, 0.0) + 1 - known


@lru_cache(maxsize=65536)
def rarity(word: str) -> float:
    """From 0 for the most common words of the world at large to 1 for a rare one."""
    tokens = open_counter("o200k_base").encode(word if _IS_CJK.match(word) else f" {word}")
    low, high = map(log, COMMON)
    return min(max((log(tokens[0] + 1) - low) / (high - low), 0.0), 1.0) if len(tokens) == 1 else 1.0


@lru_cache(maxsize=65536)
def _key(surface: str) -> str:
    """The stem; nothing for a stop word, a short word or a contraction, nor for an identifier, which is an entity."""
    word = surface.casefold().removesuffix("'s").removesuffix("’s")
    if len(word) < 3 or word in STOP or word in TALK or not word.replace("-", "").isalpha():
        return ""
    return next(iter(words(word)), "") if word.isalpha() else word


def _within(key: str, other: str) -> bool:
    return key in other if _IS_CJK.match(key) else f" {key} " in f" {other} "


def _form(key: str, forms: Mapping[str, int]) -> str:
    """As it is written most often; in small letters where it is that too."""
    best = max(forms, key=lambda form: (forms[form], form), default=key).removesuffix("'s").removesuffix("’s")
    return best.lower() if best.lower() in forms else best


def _chinese(texts: Sequence[str]) -> dict[str, float]:
    """Chinese terms with how often they stand there: what recurs, as long as it is, and what stands between the
    characters that hold sentences together."""
    parts = [part for text in texts for run in _RUN.findall(text) for part in _parts(run)]
    counts = Counter(gram for part in parts for gram in _grams(part))
    for pieces in {tuple(part) for part in parts}:
        for start, stop in combinations(range(len(pieces) + 1), 2):
            n = counts.get("".join(pieces[start:stop]), 0)
            for inner in ("".join(pieces[start + 1 : stop]), "".join(pieces[start : stop - 1])):
                if n > 1 and counts.get(inner) == n:
                    del counts[inner]
    once = {chunk: ONCE for part in parts if 1 < len(chunk := _alone(part)) <= LONGEST_ONCE}
    return {**once, **{gram: n for gram, n in counts.items() if n > 1}}


def _grams(pieces: Sequence[str]) -> Iterator[str]:
    for start, stop in combinations(range(len(pieces) + 1), 2):
        gram = "".join(pieces[start:stop])
        if 1 < len(gram) <= LONGEST:
            yield gram


def _alone(pieces: Sequence[str]) -> str:
    """A term that stands there once: a character before a whole word is none of it (调 of 调微信)."""
    return "".join(pieces[len(pieces) > 1 and len(pieces[0]) == 1 < len(pieces[1]) :])


def chunks(run: str) -> list[str]:
    """What stands between the characters that hold sentences together."""
    return ["".join(part) for part in _parts(run)]


@lru_cache(maxsize=4096)
def _parts(run: str) -> list[list[str]]:
    """The same as whole words and characters."""
    found: list[list[str]] = [[]]
    for piece in _pieces(run):
        kept = piece.strip(_HARD)
        if kept and (len(kept) > 1 or (kept == piece and kept not in HOLDING)):
            found[-1].append(kept)
        elif found[-1]:
            found.append([])
    return [part for part in found if part]


def _pieces(run: str) -> Iterator[str]:
    """Words as far as the byte-pair encoding has merged them, else characters."""
    import tiktoken

    ids = open_counter("o200k_base").encode(run)  # which provides the table
    held = b""
    for piece in tiktoken.get_encoding("o200k_base").decode_tokens_bytes(ids):
        held += piece
        with suppress(UnicodeDecodeError):
            yield held.decode()
            held = b""


def _pairs(run: str) -> list[str]:
    return [run[at : at + 2] for at in range(max(len(run) - 1, 1))]
