"""Entities by type: told by their form, by the words beside them, or by a short list of what everyone knows."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Final

from mnemo_lab.describers.names import Names
from mnemo_lab.text.key_terms import WORD, Term, shaped_terms
from mnemo_lab.text.language import CJK

KINDS: Final = (
    "person", "organisation", "place", "name", "title", "date", "time", "number", "version", "identifier", "code",
    "path", "url", "email",
)  # fmt: skip
"""In this order. A ``name`` is one whose kind could not be told: a product, a pet."""
MOST: Final = 12
"""Entities of a kind."""
_MONTHS: Final = "(?:January|February|March|April|May|June|July|August|September|October|November|December)"
_NOT_MEASURED: Final = (
    r"(?![\w%/]|[.,]\d| ?(?:[cmk]?m|kg|[KMG]B|ms|years?|hours?|million|percent)\b| ?[年月日元块米岁°])"
)
_LINKS: Final = r"(?:is|was|to|from|with|and|or|at|on|in|for|of|by|the|version|using|than|runs?) "
"""What may stand before a version and is not what it is the version of."""
_SHAPES: Final = (
    ("url", ("://", "www."), rf"(?:https?://|www\.)[^\s<>\"'`)\]}}{CJK}，。；、（）「」《》]*[^\s<>\"'`)\]}}{CJK}，。；、（）「」《》.:;,!?]"),
    ("email", ("@",), r"[\w.+-]+@[\w-]+\.[\w.-]*\w"),
    ("title", ("《",), r"《[^《》\n]{1,40}》"),
    ("title", ('"', "“"), r"(?<=[\"“])(?=[A-Z])[^\"”“\n]{3,60}(?=[\"”])"),
    ("date", ("20", "19"), rf"(?<!\d )(?<!(?:st|nd|rd|th|of) )\b{_MONTHS},? (?:19|20)\d\d\b"),
    ("date", ("年",), r"(?:19|20)\d\d ?年(?: ?\d{1,2} ?月)?(?! ?\d)"),
    ("time", (":",), r"(?<![\d:.-])\d{1,2}:\d\d(?::\d\d)?(?: ?[ap]\.?m\b)?(?![\d:])"),
    ("time", ("am", "pm", "午"), r"\b\d{1,2} ?[ap]m\b|[上下]午[\d一二两三四五六七八九十]+点半?"),
    ("version", (".",), rf"(?<![\w.])(?:(?!{_LINKS})[A-Za-z][\w+#-]* )?v?\d+(?:\.\d+){{2}}(?:-\w+)?{_NOT_MEASURED}"),
    ("version", (".",), rf"(?<!{WORD})(?:[A-Z][\w+#]* v?|v)\d+\.\d+{_NOT_MEASURED}"),
)  # fmt: skip
"""Kind, signs one of which the text must hold, pattern; a stretch of text belongs to the first that claims it."""
_PATTERNS: Final = tuple((kind, signs, re.compile(pattern)) for kind, signs, pattern in _SHAPES)
_TICKED: Final = re.compile(r"`([^`\s]{2,48})`")
_SHAPED: Final = re.compile(r"\d|\w[_/@]\w|\w\.[a-z]|[a-z][A-Z]|::|(?:^|\s)[~/.]\w")
_FILE: Final = re.compile(
    r"\.(?:bash|bat|cfg|conf|cpp|css|csv|db|docx?|env|gif|go|html?|ini|ipynb|java|jpe?g|jsonl?|jsx?|kt|lock|log|lua|md"
    r"|mp[34]|npz|parquet|patch|pdf|pem|php|png|pptx?|ps1|py|rb|rs|rst|scss|sh|sql|sqlite|svg|tar|tex|toml|tsv|tsx?|txt"
    r"|vue|wav|xlsx?|xml|ya?ml|zip)$",
    re.IGNORECASE,
)
_CODE: Final = re.compile(r"\w_\w|[a-z][A-Z]|::|\(\)$|^\w+\.\w+$")
_UNIT: Final = re.compile(
    r"%|[°℃]C?| ?(?:[cmk]?m²?|k?g|[kM]?W|[KMGT]i?B|ms|dB|l/s)\b"
    r"| (?:percent|per cent|seconds?|minutes?|hours?|days?|weeks?|months?|years?|dollars?|euros?|pounds?|miles?"
    r"|users?|people|times|tokens?|rows?)\b"
    r"| ?(?:分钟|小时|公斤|公里|厘米|毫米|[间块元天年月周位秒米人次条点岁个万级倍期版名套份张台层楼])"
)
_DAY: Final = re.compile(r"m\d+d\d+")
_LETTER: Final = re.compile(r"[A-Za-z]")


class Entities:
    """What a stretch names. Names that a stretch before made known are found again where only their form is lacking."""

    def __init__(self) -> None:
        self._names = Names()

    def learn(self, texts: Sequence[str], speakers: Iterable[str] = ()) -> list[tuple[str, str]]:
        """Know the names of a stretch; each time one is said, with its kind."""
        return self._names.of(texts, speakers)

    def of(self, texts: Sequence[str], speakers: Iterable[str] = ()) -> dict[str, tuple[str, ...]]:
        """Kinds with their entities as written, those said most often first; the names are known from now on."""
        counts: dict[str, Counter[str]] = {kind: Counter() for kind in KINDS}
        for kind, surface in self.learn(texts, speakers):
            counts[kind][surface] += 1
        for text in texts:
            for _, kind, surface in sorted(_shaped(text)):
                counts[kind][surface] += 1
        taken: set[str] = set()
        found = {kind: tuple(_ranked(counts[kind], taken)) for kind in KINDS}
        return {kind: names for kind, names in found.items() if names}


def _ranked(counts: Counter[str], taken: set[str]) -> Iterator[str]:
    """The most frequent, one for those that differ in case alone, none of a kind before."""
    for surface, _ in islice(counts.most_common(), MOST):
        if surface.casefold() not in taken:
            taken.add(surface.casefold())
            yield surface


def _shaped(text: str) -> Iterator[tuple[int, str, str]]:
    """What its shape gives away: place, kind and surface."""
    for kind, signs, pattern in _PATTERNS:
        if any(sign in text for sign in signs):
            for match in pattern.finditer(text):
                if kind != "title" or match[0][0] == "《" or _is_title(match[0]):
                    yield match.start(), kind, match[0].rstrip(",.")
                    text = _without(text, match)
    if "`" in text:
        for match in _TICKED.finditer(text):
            if _LETTER.search(match[1]):
                yield match.start(), _of_identifier(match[1], "code"), match[1]
                text = _without(text, match)
    if _SHAPED.search(text):
        for term in shaped_terms(text):
            yield from _of_term(text, term)


def _without(text: str, match: re.Match[str]) -> str:
    return f"{text[: match.start()]}{' ' * len(match[0])}{text[match.end() :]}"


def _of_term(text: str, term: Term) -> Iterator[tuple[int, str, str]]:
    surface = text[term.start : term.end]
    if term.kind == "identifier":
        yield term.start, _of_identifier(surface, "identifier"), surface
    elif _DAY.fullmatch(term.key):
        yield term.start, "date", surface
    elif surface.count(".") > 1 or surface[0] in "vV":
        yield term.start, "identifier" if surface.count(".") > 2 else "version", surface
    else:
        unit = _UNIT.match(text, term.end)
        sign = text[term.start - 1] if term.start and text[term.start - 1] in "£$€¥~±" else ""
        if unit or sign or sum(map(str.isdigit, surface)) > 1:
            of_day = unit is not None and unit[0].strip() in ("月", "号")
            yield term.start, "date" if of_day else "number", f"{sign}{surface}{unit[0] if unit else ''}"


def _of_identifier(surface: str, otherwise: str) -> str:
    if _FILE.search(surface) or surface[0] in "/~" or surface.startswith(("./", "../")) or surface.count("/") > 2:
        return "path"
    if otherwise == "identifier" and surface[0].isupper() and surface.isalpha():
        return "name"  # as products are written
    return "code" if _CODE.search(surface) else otherwise


def _is_title(quoted: str) -> bool:
    """Whether most words are capitalised."""
    parts = quoted.split()
    return len(parts) < 10 and sum(part[0].isupper() for part in parts) * 2 > len(parts)
