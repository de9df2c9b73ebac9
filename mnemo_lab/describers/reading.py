"""The messages of a stretch as sentences of prose: code blocks, list marks and the middle of long texts left out."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Final, NamedTuple

from mnemo_lab.conversation import Message, Role
from mnemo_lab.text.sentences import sentences

HEAD: Final = 700
"""Characters read at the beginning of a message; what matters of a longer one stands there or at its end."""
TAIL: Final = 300
SHORT: Final = 240
"""Characters up to which a message of a model is read as a person's is."""
ENDING: Final = 3
"""Sentences that end a longer one."""
_CODE: Final = re.compile(r"^[ \t]*(```|~~~).*?(?:^[ \t]*\1[ \t]*$|\Z)", re.DOTALL | re.MULTILINE)
_LEADING: Final = re.compile(r"(?:[-*+>|#•·=\s]+|\d{1,3}(?:[.)](?!\d)|、)\s*|\[[ xX]\]\s*)+")
_TRAILING: Final = " \t*|_=-#"
_PROSE: Final = re.compile(r"[^\W\d_]")
_CODE_LINE: Final = re.compile(
    r"[;{}]$|^(?:import|from|def|class|return|const|let|var|if|for|while) .*[:=({]|^</?\w+.*>$|^@\w+"
)


class Sentence(NamedTuple):
    """A sentence or line as written: ``at`` is the place of its message in the stretch, ``told`` whether a person or
    a short message says it, or it opens or ends a long one that a model wrote."""

    text: str
    at: int
    role: Role
    told: bool


def prose(text: str) -> str:
    """A message's text without its code blocks; of a long one its beginning and its end."""
    if "```" in text or "~~~" in text:
        text = _CODE.sub("\n", text)
    if len(text) <= HEAD + TAIL:
        return text
    head, tail = text[:HEAD], text[-TAIL:]
    return f"{head[: _last_end(head)]}\n{tail[_first_end(tail) :]}"


def read(messages: Sequence[Message]) -> list[Sentence]:
    """All sentences of what people and models said, in order; results of tools are not said."""
    found = []
    for at, message in enumerate(messages):
        if message.role in ("user", "assistant"):
            texts = list(said(prose(message.text)))
            short = message.role == "user" or bool(message.name) or len(message.text) <= SHORT
            last = len(texts) - ENDING
            found += [Sentence(t, at, message.role, short or i == 0 or i >= last) for i, t in enumerate(texts)]
    return found


def said(text: str) -> Iterator[str]:
    """Sentences without the marks of lists and headings; lines of code and of signs alone are none."""
    for start, end in sentences(text):
        lead = _LEADING.match(text, start, end)
        sentence = text[lead.end() if lead else start : end].rstrip(_TRAILING)
        if _PROSE.search(sentence) and not _CODE_LINE.search(sentence):
            yield sentence


def shortened(text: str, limit: int) -> str:
    """One line of at most ``limit`` characters, cut at a word, with an ellipsis where something was cut."""
    text = " ".join(text.split())
    if len(text) <= limit:
        return text
    head = text[: limit - 1]
    blank = head.rfind(" ")
    return f"{head[:blank] if blank > limit // 2 else head}…"


def joined(texts: Iterable[str]) -> str:
    """Sentences in one line; a semicolon parts those that end without a mark."""
    said = ""
    for text in texts:
        if said and said[-1].isalnum():
            said += ";"
        said += f" {text}" if said and (said[-1].isascii() or text[0].isascii()) else text
    return said


def distinct(texts: Iterable[str]) -> list[str]:
    """Texts in order, without those that say the same but for case and marks."""
    found: dict[str, str] = {}
    for text in texts:
        found.setdefault(re.sub(r"\W+", "", text).casefold(), text)
    return [text for key, text in found.items() if key]


def _last_end(head: str) -> int:
    return max(head.rfind("\n"), head.rfind(". ") + 1, head.rfind("。") + 1, 0) or len(head)


def _first_end(tail: str) -> int:
    ends = [at + 1 for at in (tail.find("\n"), tail.find(". "), tail.find("。")) if at >= 0]
    return min(ends, default=tail.find(" ") + 1)
