"""QMSum (validation part): 35 meetings of several people, with the stretches in which each topic is discussed.

A meeting is one recording; its utterances are user messages that carry the speaker's name, so that each is a turn. A
stretch of a topic opens where the source says that it begins; what lies between two stretches belongs to the one before
it, and what lies before the first is an opening of its own. Every third meeting is for development.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from mnemo_lab.conversation import Conversation, Message
from mnemo_lab.corpora.base import Corpus, Dataset
from mnemo_lab.corpora.card import read_card
from mnemo_lab.corpora.topics import TOPIC_KEY
from mnemo_lab.errors import InvalidInput
from mnemo_lab.formats.files import read_bytes
from mnemo_lab.recording import Recording

FILE: Final = "data_ALL_jsonl_val.jsonl"
DEV_EVERY: Final = 3


def read(path: Path) -> Dataset:
    """The set from the file or the folder that holds it; raises ``InvalidInput``."""
    file = path / FILE if path.is_dir() else path
    lines = [line for line in read_bytes(file).splitlines() if line.strip()]
    recordings = [_meeting(file, number, line) for number, line in enumerate(lines)]
    return Dataset.of("qmsum", recordings, read_card("qmsum"))


def _meeting(file: Path, number: int, line: bytes) -> Recording:
    name = f"qmsum-{number}"
    try:
        messages = tuple(_messages(name, json.loads(line)))
    except (KeyError, TypeError, AttributeError, ValueError, RecursionError) as error:
        what = f"not a QMSum meeting ({type(error).__name__}: {error}); fetch it again with `mnemo data fetch qmsum`"
        raise InvalidInput(f"{file}: line {number + 1}: {what}") from None
    return Recording(name, (Conversation(messages, name),), (), "test" if number % DEV_EVERY else "dev", "en")


def _messages(name: str, source: Mapping[str, Any]) -> Iterator[Message]:
    starts = {0: "opening"}
    for topic in source["topic_list"]:
        starts |= {int(first): str(topic["topic"]) for first, _ in topic["relevant_text_span"]}
    label = ""
    for at, entry in enumerate(source["meeting_transcripts"]):
        label = f"{at}: {starts[at]}" if at in starts else label
        yield Message(
            "user", str(entry["content"]), f"{name}-{at}", name=str(entry["speaker"]), extensions={TOPIC_KEY: label}
        )


CORPUS: Final = Corpus("qmsum", read, card_name="qmsum")
