"""LoCoMo: ten long conversations of two people in dated sessions, with 1,986 questions.

A sample is one recording with one conversation; its sessions are named in the messages' extensions. All messages of a
session carry the session's time, as the source gives no other, and no time zone. A picture is its caption, written
``[image: …]``; the hidden search ``query`` of a picture is no part of what anyone said and is left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from mnemo_lab.conversation import Conversation, Message
from mnemo_lab.corpora.base import Corpus, Dataset
from mnemo_lab.corpora.card import read_card
from mnemo_lab.corpora.files import read_json, text_of
from mnemo_lab.corpora.locomo_audit import apply_audit, find_audit
from mnemo_lab.errors import InvalidInput
from mnemo_lab.losses import Loss, loss
from mnemo_lab.recording import SESSION_KEY, Probe, Recording
from mnemo_lab.text.normalise import MONTHS

FILE: Final = "locomo10.json"
CATEGORIES: Final = {1: "multi_hop", 2: "temporal", 3: "open_domain", 4: "single_hop", 5: "adversarial"}
"""The true map; several published harnesses have it scrambled."""
DEV_RECORDINGS: Final = 5
_EVIDENCE: Final = re.compile(r"D(\d+):(\d+)")
_WELL_FORMED: Final = re.compile(r"D(?:0|[1-9]\d*):(?:0|[1-9]\d*)")
_SESSION: Final = re.compile(r"session_(\d+)")
_WHEN: Final = re.compile(r"(\d{1,2}):(\d{2}) ([ap])m on (\d{1,2}) ([a-z]+), (\d{4})", re.IGNORECASE)


def read(path: Path) -> Dataset:
    """The set from ``locomo10.json`` or the folder that holds it."""
    file = path / FILE if path.is_dir() else path
    samples = read_json(file)
    if not isinstance(samples, list) or not samples:
        raise InvalidInput(f"{file}: not LoCoMo: expected an array of samples; fetch it with `mnemo data fetch locomo`")
    losses: list[Loss] = []
    recordings = [_sample(file, number, sample, losses) for number, sample in enumerate(samples)]
    return Dataset.of("locomo", recordings, read_card("locomo"), losses)


def read_audited(path: Path) -> Dataset:
    """LoCoMo with the corrections of the audit applied; each stands in the losses as ``probe_corrected``."""
    return apply_audit(read(path), find_audit(path))


def _sample(file: Path, number: int, sample: Any, losses: list[Loss]) -> Recording:
    try:
        name = str(sample["sample_id"])
        conversation = Conversation(
            messages=tuple(_messages(name, sample["conversation"], losses)),
            id=name,
            title=f"{sample['conversation']['speaker_a']} and {sample['conversation']['speaker_b']}",
        )
        ids = frozenset(m.id for m in conversation.messages)
        probes = tuple(_probe(f"locomo_{number}_qa{n}", q, name, ids, losses) for n, q in enumerate(sample["qa"]))
    except (KeyError, TypeError, AttributeError, ValueError) as error:
        what = f"not a LoCoMo sample ({type(error).__name__}: {error})"
        raise InvalidInput(f"{file}#/{number}: {what}; fetch it again with `mnemo data fetch locomo`") from None
    return Recording(name, (conversation,), probes, "dev" if number < DEV_RECORDINGS else "test", "en")


def _messages(recording: str, source: Mapping[str, Any], losses: list[Loss]) -> Iterator[Message]:
    """All messages, sessions in the order of their numbers. A date without a session has no messages."""
    numbers = sorted(int(found[1]) for key in source if (found := _SESSION.fullmatch(key)))
    for number in numbers:
        session = f"session_{number}"
        written = source.get(f"{session}_date_time")
        timestamp = iso_time(written or "")
        if timestamp is None:
            place = f"{recording}/{session}_date_time"
            losses.append(loss("unreadable_timestamp", pointer=place, value=written))
        extensions = {SESSION_KEY: session}
        for entry in source[session]:
            yield Message(
                role="user" if entry["speaker"] == source["speaker_a"] else "assistant",
                content=_content(entry),
                id=entry["dia_id"],
                timestamp=timestamp,
                name=entry["speaker"],
                extensions=extensions,
            )


def _content(entry: Mapping[str, Any]) -> str:
    caption = entry.get("blip_caption")
    return f"{entry['text']} [image: {caption}]".lstrip() if caption else str(entry["text"])


def iso_time(written: str) -> str | None:
    """``1:56 pm on 8 May, 2023`` as ``2023-05-08T13:56:00``; by hand, because ``strptime`` depends on the locale."""
    found = _WHEN.fullmatch(written.strip())
    if not found or found[5].lower() not in MONTHS:
        return None
    hour = int(found[1]) % 12 + (12 if found[3].lower() == "p" else 0)
    month = MONTHS.index(found[5].lower()) + 1
    return f"{found[6]}-{month:02}-{int(found[4]):02}T{hour:02}:{found[2]}:00"


def _probe(name: str, source: Mapping[str, Any], recording: str, ids: frozenset[str], losses: list[Loss]) -> Probe:
    """One question. Of the adversarial ones the evidence stays: it is what lures into a wrong answer."""
    category = CATEGORIES[source["category"]]
    place = f"{recording}/{name}"
    evidence = read_evidence(source["evidence"], name, place, ids, losses)
    if not evidence:
        losses.append(loss("probe_without_evidence", pointer=place, probe=name))
    lure = text_of(source.get("adversarial_answer"))
    return Probe(
        id=name,
        question=source["question"],
        category=category,
        evidence=evidence,
        answer=text_of(source.get("answer")),
        answerable=category != "adversarial",
        extensions={"adversarial_answer": lure} if lure else {},
    )


def read_evidence(
    written: Sequence[str], probe: str, place: str, ids: frozenset[str], losses: list[Loss]
) -> tuple[str, ...]:
    """Evidence ids that exist, once each; what was mended (``D8:6; D9:17``, ``D30:05``) or left out is listed."""
    kept: dict[str, None] = {}
    for raw in written:
        read_as = [f"D{int(session)}:{int(turn)}" for session, turn in _EVIDENCE.findall(raw)]
        if not _WELL_FORMED.fullmatch(raw):
            heard = ", ".join(read_as) or "nothing"
            losses.append(loss("malformed_evidence", pointer=place, raw=raw, probe=probe, read=heard))
        for found in read_as:
            if found in ids:
                kept[found] = None
            else:
                losses.append(loss("unknown_evidence", pointer=place, id=found, probe=probe))
    return tuple(kept)


CORPUS: Final = Corpus("locomo", read, card_name="locomo")
AUDITED: Final = Corpus("locomo_audited", read_audited, card_name="locomo_audit", data="locomo")
