"""The JSON object in a language model's answer, however it is wrapped and whatever is broken about it.

Read are: objects in fences or in prose, trailing commas and missing ones, single and curly quotes, bare keys, comments,
Python's words for true, false and null, line breaks and quotation marks inside texts, and answers that end early.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection
from contextlib import suppress
from typing import Any, Final

from mnemo_lab.language_models.errors import BrokenAnswer

DEEPEST: Final = 40
"""Brackets in one another."""
_TRIES: Final = 20
"""Opening braces that are tried."""
_THOUGHT: Final = re.compile(r"<think(?:ing)?>.*?(?:</think(?:ing)?>|\Z)", re.DOTALL | re.IGNORECASE)
_GAP: Final = r"(?:\s|//[^\n]*|/\*.*?\*/|#[^\n]*|\ufeff)"
_BLANK: Final = re.compile(f"{_GAP}+", re.DOTALL)
_SEPARATORS: Final = re.compile(r"[\s,，;；]+")
_QUOTES: Final = {'"': '"', "'": "'", "“": "”", "‘": "’", "「": "」", "`": "`"}
_BARE: Final = re.compile(r"[^\s:：,，{}\[\]\"'“”][^:：,，{}\[\]\n\"“”]*")
_VALUE: Final = re.compile(r"[^,，}\]\n]+")
_NUMBER: Final = re.compile(r"-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?")
_WORDS: Final = {"true": True, "false": False, "null": None, "none": None, "nan": None, "undefined": None}
_ESCAPES: Final = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f"}
_UNICODE: Final = re.compile(r"\\u([0-9a-fA-F]{4})")
_KEY: Final = r"[\w\- \\]+[\"'”’」]?\s*"
_NEXT_MEMBER: Final = re.compile(
    rf"""[,，]{_GAP}*(?:["'“‘「]?{_KEY}(?:[:：]|\Z)|["'“‘「}}\]]?\Z|[}}\]])|["'“‘「]{_KEY}[:：]""", re.DOTALL
)
_NEXT_ITEM: Final = re.compile(
    rf"""[,，]{_GAP}*(?:["'“‘「\[{{}}\]]|-?\d|true\b|false\b|null\b|\Z)|["“「\[{{]""", re.DOTALL
)
LONGEST: Final = 100_000
"""Characters of an answer that are read."""


def read_object(answer: str, keys: Collection[str]) -> dict[str, Any]:
    """The first object with one of ``keys``; raises ``BrokenAnswer`` saying what was there instead."""
    text = _THOUGHT.sub("", answer[:LONGEST])
    if text.lstrip().startswith('"{') and '\\"' in text:  # an object written as a JSON text
        with suppress(ValueError):
            text = str(json.loads(text))
    begins = [match.start() for match in re.finditer(r"\{", text)][:_TRIES]
    for start in begins:
        found = _at(text, start)
        if any(key in found for key in keys):
            return found
    if not text.strip():
        raise BrokenAnswer("the answer is empty")
    wanted = ", ".join(keys)
    raise BrokenAnswer("the answer holds no JSON object" if not begins else f"no object has any of the keys {wanted}")


def _at(text: str, start: int) -> dict[str, Any]:
    try:
        found = json.JSONDecoder(strict=False).raw_decode(text, start)[0]
    except (ValueError, RecursionError):
        found = _Reader(text, start).value(0)
    return found if isinstance(found, dict) else {}


class _Reader:
    """Reads as a person would: what is missing is thought of, what ends early ends there. It always moves on."""

    def __init__(self, text: str, at: int) -> None:
        self.text, self.at = text, at
        self._cut = False
        """Whether the answer ended inside a text."""

    def value(self, depth: int) -> Any:
        """Raises ``BrokenAnswer`` where it is too deep."""
        if depth > DEEPEST:
            raise BrokenAnswer(f"the answer has more than {DEEPEST} brackets in one another")
        self._skip(_BLANK)
        sign = self._sign
        if sign == "{":
            return self._object(depth)
        if sign == "[":
            return self._array(depth)
        if sign in _QUOTES:
            return self._string(_NEXT_MEMBER if depth else None)
        return self._word()

    def _object(self, depth: int) -> dict[str, Any]:
        found: dict[str, Any] = {}
        self.at += 1
        while True:
            self._between()
            if self._sign in ("", "}", "]"):
                self.at += self._sign == "}"
                return found
            before = self.at
            key = self._key()
            self._skip(_BLANK)
            if self._sign in (":", "："):
                self.at += 1
                self._skip(_BLANK)
                found[key] = None if self._sign in ("", ",", "}") else self.value(depth + 1)
            elif self.at == before:
                self.at += 1

    def _key(self) -> str:
        if self._sign in _QUOTES:
            return self._string(None, is_key=True).strip()
        bare = _BARE.match(self.text, self.at)
        self.at = bare.end() if bare else self.at
        return bare[0].strip() if bare else ""

    def _array(self, depth: int) -> list[Any]:
        found: list[Any] = []
        self.at += 1
        while True:
            self._between()
            if self._sign in ("", "]", "}"):
                self.at += self._sign == "]"
                return found
            before = self.at
            item = self._string(_NEXT_ITEM) if self._sign in _QUOTES else self.value(depth + 1)
            if not (self._cut and isinstance(item, str)):
                found.append(item)
            self.at += self.at == before

    def _string(self, follows: re.Pattern[str] | None, is_key: bool = False) -> str:
        """A text up to the mark that ends it: one that another member or item, or a bracket, comes after."""
        closing = _QUOTES[self._sign]
        self.at += 1
        parts: list[str] = []
        while self.at < len(self.text):
            sign = self.text[self.at]
            if sign == "\\":
                parts.append(self._escape())
                continue
            self.at += 1
            if sign == closing and self._ends(follows, is_key):
                break
            parts.append(sign)
        else:
            self._cut = True
        return "".join(parts).encode("utf-16", "surrogatepass").decode("utf-16", "replace")

    def _ends(self, follows: re.Pattern[str] | None, is_key: bool) -> bool:
        blank = _BLANK.match(self.text, self.at)
        at = blank.end() if blank else self.at
        after = self.text[at : at + 1]
        if is_key:
            return after in (":", "：", "")
        if after in ("", "}", "]") or follows is None:
            return True
        return follows.match(self.text, at) is not None

    def _escape(self) -> str:
        coded = _UNICODE.match(self.text, self.at)
        if coded:
            self.at = coded.end()
            return chr(int(coded[1], 16))
        sign = self.text[self.at + 1 : self.at + 2]
        self.at += 2
        return _ESCAPES.get(sign, sign if not sign.isalnum() else f"\\{sign}")

    def _word(self) -> Any:
        found = _VALUE.match(self.text, self.at)
        if not found:
            return None
        self.at = found.end()
        word = found[0].split("//")[0].strip()
        if word.casefold() in _WORDS:
            return _WORDS[word.casefold()]
        return json.loads(word) if _NUMBER.fullmatch(word) and not re.match(r"-?0\d", word) else word

    @property
    def _sign(self) -> str:
        return self.text[self.at : self.at + 1]

    def _skip(self, pattern: re.Pattern[str]) -> bool:
        found = pattern.match(self.text, self.at)
        self.at = found.end() if found else self.at
        return found is not None

    def _between(self) -> None:
        while self._skip(_BLANK) or self._skip(_SEPARATORS):
            pass
