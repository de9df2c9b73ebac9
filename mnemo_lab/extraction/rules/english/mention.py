"""Whom and what the words he, she and it may mean: the last ones named, also in the messages before."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from mnemo_lab.conversation import Message
from mnemo_lab.extraction.rules.english.lexicon import kinds_of, word_set
from mnemo_lab.extraction.rules.english.scene import Scene, is_name, relative_in
from mnemo_lab.extraction.rules.english.words import Sentence, Word, sentences

_SHE: Final = re.compile(r"\b(?:he|she|his|her)\b", re.IGNORECASE)
_KINDS: Final = word_set("telling kinds")
_BACK: Final = 4


def earlier(before: Sequence[Message], text: str, scene: Scene) -> None:
    """Who was spoken of in the last messages, where ``text`` says he or she."""
    if _SHE.search(text):
        for message in before[-_BACK:]:
            if message.role == "user":
                for sentence in sentences(message.text):
                    mention(sentence, scene)


def mention(sentence: Sentence, scene: Scene) -> None:
    """``my daughter Elsie`` is she in what follows; ``Sublime Text`` is it."""
    words = sentence.words
    for place, word in enumerate(words):
        if word.low in ("my", "our"):
            _somebody(words, place, scene)
        elif word.text[:1].isupper() and word.low != "i":
            size = 2 if is_name(words[min(place + 1, len(words) - 1)]) else 1
            pair = words[place : place + size]
            if _KINDS & set(kinds_of([part.low for part in pair])):
                scene.last = pair


def _somebody(words: list[Word], place: int, scene: Scene) -> None:
    noun = words[place + 1 : place + 3]
    at = relative_in(noun)
    if at is not None:
        name = next((word for word in words[place + 2 + at : place + 4 + at] if word.low != ","), noun[at])
        scene.person = name.text if is_name(name) else noun[at].text
