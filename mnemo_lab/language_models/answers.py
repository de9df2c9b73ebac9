"""The JSON object in a language model's answer, with what usually is wrong about it.

Read are: objects in fences or in prose, trailing commas, single and curly quotes, bare words, comments, Python's words
for true, false and null, line breaks and quotation marks inside texts, and answers that end early.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection
from contextlib import suppress
from typing import Any, Final

from mnemo_lab.language_models.errors import BrokenAnswer
from mnemo_lab.language_models.reading import without_thoughts

LONGEST: Final = 100_000
"""Characters of an answer that are read."""
_TRIES: Final = 20
"""Opening braces that are tried."""
_NEXT: Final = r"""\s*(?:[}\]:：]|\Z|[,，]\s*(?:["“'{\[}\]\d/#-]|\Z|[Tt]rue|[Ff]alse|null|None))"""
_TOKEN: Final = re.compile(
    rf"""["“'](?P<text>(?:\\(?:.|\Z)|[^"”'\\]|["”'](?!{_NEXT}))*+)["”']?|(?P<comment>//[^\n]*|/\*.*?(?:\*/|\Z)|\#[^\n]*)"""
    r"""|(?P<open>[{\[])|(?P<close>[}\]])|(?P<sign>[,:，：])|(?P<word>[^\s,:，：{}\[\]"“'/#][^,:，：{}\[\]"“'/#\n]*)""",
    re.DOTALL,
)
"""A mark ends a text where a colon, a bracket, nothing or a comma and a next value follow it."""
_SIGNS: Final = {"，": ",", "：": ":"}
_VALUE: Final = re.compile(r"true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?")
_WORDS: Final = {"True": "true", "False": "false", "None": "null", "NaN": "null", "nan": "null", "undefined": "null"}
_CLOSING: Final = {"{": "}", "[": "]"}
_HALF: Final = re.compile(r"\\u[dD][89abAB]\w\w(?!\\u[dD][c-fC-F])|(?<!\\u[dD][89abAB]\w\w)\\u[dD][c-fC-F]\w\w")
"""Half of a pair of surrogates."""
_MARK: Final = re.compile(r'(\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))|\\|"')
"""An escape that JSON knows, one that it does not, and a mark that must be one."""


def read_object(answer: str, keys: Collection[str]) -> dict[str, Any]:
    """The first object with one of ``keys``; raises ``BrokenAnswer`` saying what was there instead."""
    text = without_thoughts(answer[:LONGEST])
    if text.lstrip().startswith('"{') and '\\"' in text:  # an object written as a JSON text
        with suppress(ValueError):
            text = str(json.loads(text))
    text = _HALF.sub("\ufffd", text)
    begins = [match.start() for match in re.finditer(r"\{", text)][:_TRIES]
    for start in begins:
        for given in (text, mended(text[start:])):
            found = _object(given, start if given is text else 0)
            if any(key in found for key in keys):
                return found
    if not text.strip():
        raise BrokenAnswer("the answer is empty")
    wanted = ", ".join(keys)
    raise BrokenAnswer("the answer holds no JSON object" if not begins else f"no object has any of the keys {wanted}")


def _object(text: str, start: int) -> dict[str, Any]:
    with suppress(ValueError, RecursionError):
        found = json.JSONDecoder(strict=False).raw_decode(text, start)[0]
        if isinstance(found, dict):
            return found
    return {}


def mended(text: str) -> str:
    """JSON for what begins as an object, as far as it goes; what ends early is closed."""
    parts: list[str] = []
    closing: list[str] = []
    for token in _TOKEN.finditer(text):
        kind = token.lastgroup
        if kind == "open":
            closing.append(_CLOSING[token[0]])
            parts.append(token[0])
        elif kind == "close":
            if parts[-1] in (",", ":"):
                parts[-1] = "" if parts[-1] == "," else ":null"
            parts.append(closing.pop())
            if not closing:
                break
        elif kind == "text":
            parts.append(_text(token["text"]))
        elif kind == "sign":
            parts.append(_SIGNS.get(token[0], token[0]))
        elif kind == "word":
            parts.append(_word(token[0].strip()))
    return _closed(parts, closing)


def _word(word: str) -> str:
    word = _WORDS.get(word, word)
    return word if _VALUE.fullmatch(word) else _text(word)


def _text(inner: str) -> str:
    return f'"{_MARK.sub(_escaped, inner)}"'


def _escaped(mark: re.Match[str]) -> str:
    return mark[1] or ("" if mark[0] == "\\" else '\\"')


def _closed(parts: list[str], closing: list[str]) -> str:
    """Without a member that has no value yet."""
    if closing and parts[-1] == ":":
        parts.append("null")
    is_name = len(parts) > 1 and parts[-2] in ("{", ",") and parts[-1] not in ("}", "]", "{")
    if closing and closing[-1] == "}" and is_name:
        parts.pop()
    if closing and parts[-1] == ",":
        parts.pop()
    return "".join([*parts, *reversed(closing)])
