"""BEAM (100k): ten chats with an assistant of about 100k tokens, 20 questions each over ten abilities.

A folder is one recording with one conversation; its batches are sessions. Only the first message of a batch states a
date (``March-15-2024``), without a time of day: that message gets the date as its timestamp and the others get none,
because a batch spans days and nothing says which. The generator's mark ``->-> i,j`` that ends most user texts (and some
answers that copied it) is cut off. Ids are positions, written as text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from mnemo_lab.conversation import Conversation, Message
from mnemo_lab.corpora.base import Corpus, Dataset
from mnemo_lab.corpora.card import read_card
from mnemo_lab.corpora.files import natural, read_json, text_of
from mnemo_lab.errors import InvalidInput
from mnemo_lab.losses import Loss, loss
from mnemo_lab.recording import SESSION_KEY, Probe, Recording
from mnemo_lab.text.normalise import MONTHS

CARD: Final = "beam_100k"
CHAT: Final = "chat.json"
QUESTIONS: Final = "probing_questions.json"
ANSWER_FIELDS: Final = ("answer", "ideal_answer", "ideal_response", "ideal_summary")
DEV_RECORDINGS: Final = 5
_MARK: Final = re.compile(r"\s*->->\s*\d+\s*,\s*[\w/]+\)?\s*\Z")
_ANCHOR: Final = re.compile(r"([A-Za-z]+)-(\d{1,2})-(\d{4})")


def read(path: Path) -> Dataset:
    """The set from the folder that holds the numbered folders."""
    folders = sorted((f for f in path.glob("*/") if (f / CHAT).is_file()), key=lambda f: natural(f.name))
    if not folders:
        hint = "fetch it with `mnemo data fetch beam_100k`"
        raise InvalidInput(f"{path}: not BEAM: expected folders 1, 2, … with {CHAT} and {QUESTIONS}; {hint}")
    losses: list[Loss] = []
    recordings = [_recording(folder, number, losses) for number, folder in enumerate(folders)]
    return Dataset.of("beam", recordings, read_card(CARD), losses)


def _recording(folder: Path, number: int, losses: list[Loss]) -> Recording:
    name = f"beam-{folder.name}"
    chat, questions = read_json(folder / CHAT), read_json(folder / QUESTIONS)
    try:
        conversation = Conversation(tuple(_messages(name, chat, losses)), id=name)
        ids = frozenset(message.id for message in conversation.messages)
        probes = tuple(_probes(name, questions, ids, losses))
    except (KeyError, TypeError, AttributeError, ValueError) as error:
        what = f"not a BEAM chat ({type(error).__name__}: {error})"
        raise InvalidInput(f"{folder}: {what}; fetch it again with `mnemo data fetch beam_100k`") from None
    return Recording(name, (conversation,), probes, "dev" if number < DEV_RECORDINGS else "test", "en")


def _messages(recording: str, chat: Any, losses: list[Loss]) -> Iterator[Message]:
    for batch in chat:
        extensions = {SESSION_KEY: f"batch_{batch['batch_number']}"}
        for entry in (entry for turn in batch["turns"] for entry in turn):
            anchor = entry.get("time_anchor")
            timestamp = iso_date(anchor) if anchor else None
            if anchor and timestamp is None:
                place = f"{recording}/{CHAT}"
                losses.append(loss("unreadable_timestamp", message_id=str(entry["id"]), pointer=place, value=anchor))
            yield Message(
                entry["role"], _unmarked(entry["content"]), str(entry["id"]), timestamp, extensions=extensions
            )


def _unmarked(text: str) -> str:
    """The text without the generator's mark; looked for first, because most answers are long and have none."""
    return _MARK.sub("", text) if "->->" in text else text


def iso_date(anchor: str) -> str | None:
    """``March-15-2024`` as ``2024-03-15``."""
    found = _ANCHOR.fullmatch(anchor.strip())
    if not found or found[1].lower() not in MONTHS:
        return None
    return f"{found[3]}-{MONTHS.index(found[1].lower()) + 1:02}-{int(found[2]):02}"


def _probes(recording: str, questions: Mapping[str, Any], ids: frozenset[str], losses: list[Loss]) -> Iterator[Probe]:
    for ability, items in questions.items():
        for number, item in enumerate(items, 1):
            yield _probe(f"{recording}-{ability}-{number}", ability, item, recording, ids, losses)


def _probe(
    name: str, ability: str, item: Mapping[str, Any], recording: str, ids: frozenset[str], losses: list[Loss]
) -> Probe:
    """One question. What else is said of it (rubric, difficulty, the instruction tested …) goes to the extensions."""
    place = f"{recording}/{name}"
    wanted = tuple(dict.fromkeys(map(str, _flat(item.get("source_chat_ids")))))
    losses += [loss("unknown_evidence", pointer=place, id=i, probe=name) for i in wanted if i not in ids]
    evidence = tuple(i for i in wanted if i in ids)
    answerable = ability != "abstention"
    if answerable and not evidence:
        losses.append(loss("probe_without_evidence", pointer=place, probe=name))
    return Probe(
        id=name,
        question=item["question"],
        category=ability,
        evidence=evidence,
        answer=next((text for field in ANSWER_FIELDS if (text := text_of(item.get(field)))), None),
        answerable=answerable,
        extensions={key: value for key, value in item.items() if key not in ("question", *ANSWER_FIELDS)},
    )


def _flat(value: Any) -> Iterator[Any]:
    """The ids in a list, or in an object of lists (``original_info``, ``updated_info``)."""
    if isinstance(value, Mapping):
        value = list(value.values())
    if isinstance(value, list):
        for item in value:
            yield from _flat(item)
    elif value is not None:
        yield value


CORPUS: Final = Corpus("beam", read, card_name=CARD)
