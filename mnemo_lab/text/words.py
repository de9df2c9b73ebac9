"""Words for keyword search in any script: one function for writing and for querying."""

from __future__ import annotations

import re
import threading
import unicodedata
from functools import lru_cache
from typing import Any, Final

from mnemo_lab.text.language import CJK

_RUN: Final = re.compile(rf"[{CJK}]+|[^\W_{CJK}]+(?:[._'’-][^\W_{CJK}]+)*")
_PART: Final = re.compile(r"[^\W_]+")
_IS_CJK: Final = re.compile(f"[{CJK}]")
STOP: Final = frozenset(
    """a an and are as at be but by for if in into is it no not of on or such that the their then there these they
    this to was will with did do does what when where who which how why has have had i you he she his her him my
    your me we our us from about""".split()
)
"""Lucene's English stop words, question words, auxiliaries and pronouns: +5 points of recall@10 on LoCoMo's
development recordings, mostly from the question words."""
_local = threading.local()


def words(text: str) -> list[str]:
    """Search terms of a text: stemmed Latin words, compound identifiers whole and in parts, Chinese bigrams.

    ``E-4417`` gives ``e-4417``, ``e`` and ``4417``; a run of Chinese characters gives its characters and its
    pairs, so that a two-character word is found and a single character is too.
    """
    found: list[str] = []
    for run in _RUN.findall(unicodedata.normalize("NFKC", text).casefold()):
        if _IS_CJK.match(run):
            found += run
            found += (run[i : i + 2] for i in range(len(run) - 1))
        else:
            found += _latin(run)
    return found


@lru_cache(maxsize=65536)
def _latin(run: str) -> tuple[str, ...]:
    parts = _PART.findall(run.replace("'s", "").replace("’s", ""))
    stems = tuple(_stem(part) for part in parts if part not in STOP)
    return stems if len(parts) < 2 else (run, *stems)


def _stem(word: str) -> str:
    return str(_stemmer().stemWord(word)) if word.isalpha() else word


def _stemmer() -> Any:
    """A Snowball English stemmer; one per thread, since it is not thread-safe."""
    if not hasattr(_local, "stemmer"):
        import Stemmer

        _local.stemmer = Stemmer.Stemmer("english")
    return _local.stemmer
