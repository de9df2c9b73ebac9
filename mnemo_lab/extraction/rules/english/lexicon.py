"""What words mean: kinds of things, nouns that name an attribute, verbs and their forms; from ``lexicon/``."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Final, Literal, NamedTuple, cast

FOLDER: Final = Path(__file__).parent / "lexicon"
_KINDS: Final = ("style", "tech", "life", "people", "places")
LONGEST: Final = 3
"""Words of the longest entry that is looked up."""
Tense = Literal["base", "present", "past", "participle", "ing"]


class Form(NamedTuple):
    """A form of a verb."""

    lemma: str
    tense: Tense


def _lines(name: str) -> Iterator[str]:
    for line in (FOLDER / f"{name}.txt").read_text(encoding="utf-8").splitlines():
        if line and not line.startswith("#"):
            yield line


@cache
def _sets() -> dict[str, frozenset[str]]:
    rows = (line.partition(": ") for line in _lines("sets"))
    return {name: frozenset(word.replace("_", " ") for word in words.split()) for name, _, words in rows}


def word_set(name: str) -> frozenset[str]:
    """A set of small words of ``sets.txt``, named by the file that uses it."""
    return _sets()[name]


@cache
def kinds() -> dict[str, tuple[str, ...]]:
    """Every kind an entry has, the more telling file first."""
    found: dict[str, tuple[str, ...]] = {}
    for file in _KINDS:
        for line in _lines(file):
            kind, _, entries = line.partition(":")
            for entry in entries.split(", "):
                known = found.get(entry.strip(), ())
                if kind not in known:
                    found[entry.strip()] = (*known, kind)
    return found


@cache
def ambiguous() -> frozenset[str]:
    """Entries that are everyday words unless they are written with a capital."""
    return frozenset(word for line in _lines("ambiguous") for word in line.split())


@cache
def attributes() -> dict[str, tuple[str, str]]:
    """Noun to scope (``user`` or ``project``) and attribute; where a noun has both, the user's stands under
    ``my`` and the noun."""
    found: dict[str, tuple[str, str]] = {}
    for line in _lines("attributes"):
        head, _, nouns = line.partition(":")
        scope, _, attribute = head.partition(" ")
        for noun in nouns.split(", "):
            key = f"my {noun.strip()}" if scope == "user" else noun.strip()
            found.setdefault(key, (scope, attribute))
    return found


@cache
def verb_classes() -> dict[str, frozenset[str]]:
    """Lemma to its classes."""
    found: dict[str, set[str]] = {}
    for line in _lines("verbs"):
        name, _, lemmas = line.partition(":")
        for lemma in lemmas.split():
            found.setdefault(lemma, set()).add(name)
    return {lemma: frozenset(names) for lemma, names in found.items()}


@cache
def forms() -> dict[str, Form]:
    """Form to verb; past and participle of regular verbs look alike and are ``past``."""
    found: dict[str, Form] = {}
    irregular = [_row(line) for line in _lines("irregular")]
    odd = {row.lemma for row in irregular if row.tense in ("past", "participle")}
    for lemma in verb_classes():
        found.setdefault(lemma, Form(lemma, "base"))
        found.setdefault(_third(lemma), Form(lemma, "present"))
        for stem in _stems(lemma):
            found.setdefault(stem + "ing", Form(lemma, "ing"))
            if lemma not in odd:
                found.setdefault(stem + "ed", Form(lemma, "past"))
    for row in irregular:
        found[row.form] = Form(row.lemma, row.tense)
    return found


class _Row(NamedTuple):
    form: str
    lemma: str
    tense: Tense


def _row(line: str) -> _Row:
    form, lemma, tense = line.split()
    return _Row(form, lemma, cast(Tense, tense))


def _third(lemma: str) -> str:
    if lemma.endswith(("s", "sh", "ch", "x", "z", "o")):
        return lemma + "es"
    return lemma[:-1] + "ies" if _consonant_y(lemma) else lemma + "s"


def _stems(lemma: str) -> Iterator[str]:
    """What ``ed`` and ``ing`` are put to."""
    if lemma.endswith("e") and not lemma.endswith("ee"):
        yield lemma[:-1]
    elif _consonant_y(lemma):
        yield lemma
        yield lemma[:-1] + "i"
    else:
        yield lemma
        if len(lemma) > 2 and lemma[-1] not in "aeiouwxy" and lemma[-2] in "aeiou" and lemma[-3] not in "aeiou":
            yield lemma + lemma[-1]


def _consonant_y(lemma: str) -> bool:
    return len(lemma) > 1 and lemma[-1] == "y" and lemma[-2] not in "aeiou"


def kinds_of(words: list[str]) -> tuple[str, ...]:
    """Kinds of a thing by all its words, else by its last ones (the head), else by its first ones."""
    known = kinds()
    whole = known.get(" ".join(words))
    if whole:
        return whole
    size = len(words)
    for length in range(min(LONGEST, size), 0, -1):
        for part in (words[size - length :], words[:length]):
            found = known.get(" ".join(part)) or _single(part, known)
            if found:
                return found
    return ()


def _single(part: list[str], known: dict[str, tuple[str, ...]]) -> tuple[str, ...] | None:
    """The kinds of a plural."""
    last = part[-1]
    return known.get(" ".join([*part[:-1], last[:-1]])) if last.endswith("s") and len(last) > 3 else None


def attribute_of(noun: list[str], own: bool) -> tuple[str, str] | None:
    """Scope and attribute that a noun names, by its longest known end; ``own``: after ``my``."""
    known = attributes()
    for at in range(len(noun)):
        name = " ".join(noun[at:])
        order = (f"my {name}", name) if own else (name,)
        for key in order:
            if key in known:
                return known[key]
    return None
