"""Things that can be told by their shape: paths, error codes, identifiers, numbers.

A *thing* is a kind and a key, its normal form: two messages use the same thing where kind and key are equal.
"""

from __future__ import annotations

import builtins
import errno
import re
import unicodedata
from collections.abc import Iterator
from typing import Final, Literal, NamedTuple

from mnemo_lab.text.key_terms import AMOUNT, MEASURE, WORD
from mnemo_lab.text.language import CJK

Kind = Literal["path", "error_code", "identifier", "number", "title", "quoted", "name", "cjk", "phrase"]
KINDS: Final[tuple[Kind, ...]] = (
    "path", "error_code", "identifier", "number", "title", "quoted", "name", "cjk", "phrase",
)  # fmt: skip
"""From the most telling shape to the least: a stretch of text belongs to the first kind that claims it."""

_FILES: Final = frozenset(
    "bash bat c cc cfg conf cpp cs css csv db diff docx env gif go gz h hpp html ini ipynb java jpeg jpg js json jsonl "
    "jsx key kt less lock log lua m4v md mp3 mp4 npz parquet patch pdf pem php pl png po pptx ps1 py r rb rs rst scss "
    "service sh sql sqlite svg swift tar tex tf toml ts tsv tsx txt vue wav webp xlsx xml yaml yml zip".split()
)
_URL: Final = rf"https?://[^\s<>\"'`)\]}}{CJK}，。；、（）「」《》]+"
_TOKEN: Final = rf"(?:[A-Za-z]:\\|~?/|\.{{1,2}}/|[@#])?{WORD}+(?:(?:::|->|[._/:@#+-]){WORD}+)*"
_SCAN: Final = re.compile(f"(?P<url>{_URL})|(?P<amount>{AMOUNT})|(?P<token>{_TOKEN})")
_ERROR: Final = re.compile(r"ERR(?:OR)?[_-]\w+|[A-Z]{1,5}-?\d{3,6}|[A-Za-z]+(?:Error|Exception)|SIG[A-Z]{3,4}")
_COMMON: Final = frozenset([*dir(builtins), "console.log"])
"""``ValueError`` and its like are everyone's, not this conversation's."""
_VERSION: Final = re.compile(r"[a-z]+-?\d{1,3}")
"""``int64``, ``utf-8``, ``python3``: kinds and versions of what everyone has."""
_MADE_UP: Final = re.compile(r"[^\W_]_+[^\W_]|[a-z][A-Z]|::|@.+\.")
"""snake_case, camelCase, ``a::b``, an address: letters that no language puts together so."""


class Thing(NamedTuple):
    kind: Kind
    key: str


class Mention(NamedTuple):
    """A thing in a text, at characters ``start`` to ``end - 1``."""

    thing: Thing
    start: int
    end: int


def fold(text: str) -> str:
    """Width and case away, white space made even: how keys are compared."""
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())


def shapes(text: str) -> Iterator[Mention]:
    """Every thing that its shape gives away, from left to right."""
    for found in _SCAN.finditer(text):
        surface = found[0].rstrip(".:,;!?#/\\+-") if found.lastgroup == "url" else found[0]
        kind = _kind(found.lastgroup, surface)
        if kind:
            key = re.sub("[,，]", "", surface) if kind == "number" else surface
            yield Mention(Thing(kind, fold(key)), found.start(), found.start() + len(surface))


def _kind(group: str | None, surface: str) -> Kind | None:
    if group == "url":
        return "path"
    if group == "amount" or surface.replace(".", "", 1).isdecimal():
        return "number" if _is_telling(surface) else None
    return _kind_of_token(surface)


def _kind_of_token(token: str) -> Kind | None:
    if token in _COMMON:
        return None
    if _is_path(token):
        return "path"
    if _ERROR.fullmatch(token) or token in errno.errorcode.values():
        return "error_code"
    return "identifier" if _is_identifier(token) else None


def _is_path(token: str) -> bool:
    parts = token.split("/")
    name, dot, ending = parts[-1].rpartition(".")
    if dot and name and ending.lower() in _FILES and not name.isdecimal():
        return True
    return len(parts) > 2 and (not parts[0].strip("~.") or any(c in token for c in "_.-"))


def _is_identifier(token: str) -> bool:
    if (
        len(token) < 4
        or MEASURE.fullmatch(token)
        or _VERSION.fullmatch(token)
        or ("/" in token and not re.search(r"[\d_]", token))
    ):
        return False
    if any(map(str.isdecimal, token)):
        return any(map(str.isalpha, token))
    return bool(_MADE_UP.search(token)) and not _is_a_call(token)


def _is_a_call(token: str) -> bool:
    """``document.querySelector``, ``np.isNan``: an interface that everyone uses, unless a part of it is made up."""
    return "." in token and "_" not in token and "@" not in token


def _is_telling(number: str) -> bool:
    """At least three digits, two of them between the zeros at either end, and no year."""
    digits = re.sub(r"\D", "", number)
    year = len(digits) == len(number) == 4 and digits[:2] in ("19", "20")
    return len(digits) >= 3 and len(digits.strip("0")) >= 2 and not year


def is_long_number(key: str) -> bool:
    """Four digits between the zeros at either end: hardly ever the same by chance."""
    return len(re.sub(r"\D", "", key).strip("0")) >= 4
