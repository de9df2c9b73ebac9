"""TIAGE: 400 dialogues of two strangers of about 16 utterances, each marked where the topic shifts.

A dialogue is one recording; its utterances are user messages, so that each is a turn. The topic of an utterance stands
in its extensions. ``anno_train.json`` is the development half and ``anno_dev.json`` the test half.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate
from pathlib import Path
from typing import Any, Final

from mnemo_lab.conversation import Conversation, Message
from mnemo_lab.corpora.base import Corpus, Dataset
from mnemo_lab.corpora.card import read_card
from mnemo_lab.corpora.files import read_json
from mnemo_lab.corpora.topics import TOPIC_KEY
from mnemo_lab.errors import InvalidInput
from mnemo_lab.recording import Recording, Split

FILES: Final[dict[str, Split]] = {"anno_train.json": "dev", "anno_dev.json": "test"}
SHIFT: Final = "1"
"""The mark of an utterance that shifts the topic; ``0`` does not, ``-1`` is the first one."""


def read(path: Path) -> Dataset:
    """The set from the folder that holds both files; raises ``InvalidInput``."""
    recordings = [found for name, split in FILES.items() for found in _file(path / name, split)]
    return Dataset.of("tiage", recordings, read_card("tiage"))


def _file(file: Path, split: Split) -> list[Recording]:
    dialogues = read_json(file)
    hint = "fetch it with `mnemo data fetch tiage`"
    if not isinstance(dialogues, dict) or not dialogues:
        raise InvalidInput(f"{file}: not TIAGE: expected an object of dialogues; {hint}")
    try:
        return [_dialogue(f"tiage-{split}-{name}", entries, split) for name, entries in dialogues.items()]
    except (TypeError, ValueError) as error:
        raise InvalidInput(f"{file}: not a TIAGE dialogue ({type(error).__name__}: {error}); {hint}") from None


def _dialogue(name: str, entries: Sequence[Sequence[Any]], split: Split) -> Recording:
    texts, marks = zip(*((text, mark) for text, mark in entries), strict=True)
    topics = accumulate(int(str(mark) == SHIFT) for mark in marks)
    messages = tuple(
        Message("user", str(text), f"{name}-{number}", extensions={TOPIC_KEY: str(topic)})
        for number, (text, topic) in enumerate(zip(texts, topics, strict=True))
    )
    return Recording(name, (Conversation(messages, name),), (), split, "en")


CORPUS: Final = Corpus("tiage", read, card_name="tiage")
