"""Anyone's own data: portable conversation documents with an optional ``probes.jsonl``.

A folder of documents (``*.json``, ``*.jsonl``) is one recording, its conversations in the order of the file names;
a folder of such folders is one recording each (also under ``recordings/``); a single file is one recording, with
questions in ``<name>.probes.jsonl`` or, where it is the folder's only document, ``probes.jsonl``. A ``card.toml`` may
give title, licence, and the split and language of each recording.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from mnemo_lab.conversation import Conversation
from mnemo_lab.corpora.base import Corpus, Dataset
from mnemo_lab.corpora.card import CARD_FILE, Card, CardRecording, parse_card
from mnemo_lab.corpora.files import natural
from mnemo_lab.corpora.message_ids import make_unique
from mnemo_lab.corpora.probe_lines import read_probes
from mnemo_lab.errors import InvalidInput
from mnemo_lab.formats import portable as portable_format
from mnemo_lab.formats.faults import Refused, shorten_text
from mnemo_lab.losses import Loss, loss
from mnemo_lab.recording import Probe, Recording
from mnemo_lab.text.language import language_of

PROBES_FILE: Final = "probes.jsonl"
RECORDINGS_FOLDER: Final = "recordings"


@dataclass(frozen=True)
class Source:
    """The files of one recording."""

    id: str
    documents: tuple[Path, ...]
    probes: Path | None


def read(path: Path) -> Dataset:
    """Your own data set, with its ``card.toml`` where there is one."""
    own = path / CARD_FILE
    card = parse_card(own) if own.is_file() else _no_card(path)
    return read_with_card(path, card, path.resolve().stem if path.is_file() else path.resolve().name)


def read_with_card(path: Path, card: Card, name: str) -> Dataset:
    """The recordings at a path under a card; what could not be read is in the losses."""
    sources, losses = sources_of(path)
    recordings: list[Recording] = []
    for source in sources:
        recording, lost = _recording(source, card.recording(source.id))
        losses += lost
        if recording:
            recordings.append(recording)
    if not recordings:
        reasons = "; ".join(dict.fromkeys(item.sentence() for item in losses)) or "no conversation documents (*.json)"
        raise InvalidInput(
            f"{path}: nothing to load: {shorten_text(reasons, 400)}. Put portable documents there "
            "(see datasets/bilingual for an example), one folder a recording, beside an optional probes.jsonl"
        )
    absent = [r.id for r in card.recordings if r.id not in {source.id for source in sources}]
    losses += [_unread(i, f"the card lists the recording {i!r}, but there is no such folder") for i in absent]
    return Dataset.of(name, recordings, card, losses)


def sources_of(path: Path) -> tuple[list[Source], list[Loss]]:
    """The recordings to read at a path, in the order of their names."""
    if path.is_file():
        return [Source(path.stem, (path,), _probes_beside(path))], []
    root = path / RECORDINGS_FOLDER if (path / RECORDINGS_FOLDER).is_dir() else path
    own = _source(root, path.resolve().name)
    below = [
        source for folder in _visible(root) if folder.is_dir() and (source := _source(folder, folder.name)).documents
    ]
    if own.documents and below:
        raise InvalidInput(
            f"{root}: holds documents ({own.documents[0].name} …) beside folders of documents ({below[0].id}/ …); "
            "keep either one recording or one folder a recording"
        )
    if own.documents:
        return [own], []
    stray = "it stands beside the recordings' folders; move its lines into them"
    losses = [loss("unreadable_probe", place=str(own.probes), reason=stray)] if own.probes and below else []
    return below, losses


def _source(folder: Path, name: str) -> Source:
    probes = folder / PROBES_FILE
    return Source(name, tuple(_documents(folder)), probes if probes.is_file() else None)


def _documents(folder: Path) -> list[Path]:
    return [file for file in _visible(folder) if file.suffix.lower() in (".json", ".jsonl") and _is_document(file)]


def _is_document(file: Path) -> bool:
    return file.is_file() and file.name != PROBES_FILE and not file.name.endswith(f".{PROBES_FILE}")


def _visible(folder: Path) -> list[Path]:
    """Entries that are not hidden, ``2`` before ``10``."""
    return sorted((e for e in folder.iterdir() if not e.name.startswith(".")), key=lambda e: natural(e.name))


def _probes_beside(file: Path) -> Path | None:
    own, shared = file.with_name(f"{file.stem}.{PROBES_FILE}"), file.with_name(PROBES_FILE)
    if own.is_file():
        return own
    return shared if shared.is_file() and _documents(file.parent) == [file] else None


def _recording(source: Source, entry: CardRecording | None) -> tuple[Recording | None, list[Loss]]:
    conversations, losses = _conversations(source)
    if not conversations:
        return None, losses
    unique, ids = make_unique(conversations)
    probes: tuple[Probe, ...] = ()
    if source.probes:
        probes, lost = read_probes(source.probes, ids, source.id)
        losses += lost
    if entry is None:
        language = language_of(m.text for m in ids.messages)
        return Recording(source.id, unique, probes, language=language), losses
    return Recording(source.id, unique, probes, entry.split, entry.language), losses


def _conversations(source: Source) -> tuple[list[Conversation], list[Loss]]:
    """All conversations that have messages; a broken or empty document costs only itself."""
    kept: list[Conversation] = []
    losses: list[Loss] = []
    for file in source.documents:
        place = f"{source.id}/{file.name}"
        try:
            for reading in portable_format.read_file(file):
                part = place + reading.place.removeprefix(str(file))
                losses += _placed(reading.losses, part)
                if reading.conversation and reading.conversation.messages:
                    kept.append(reading.conversation)
        except InvalidInput as error:
            losses.append(_unread(place, error.reason if isinstance(error, Refused) else str(error)))
    return kept, losses


def _placed(losses: Iterable[Loss], place: str) -> list[Loss]:
    """Losses of one document under the recording's id: ``<recording>/<file>/conversation/…``."""
    return [Loss(item.code, item.message_id, place + _inside(item.pointer), item.values) for item in losses]


def _inside(pointer: str | None) -> str:
    """A pointer into the document; one to the document itself (``/3``) is part of the place already."""
    return pointer if pointer and pointer.startswith(("/conversation", "/meta", "/version")) else ""


def _unread(place: str, reason: str) -> Loss:
    return loss("unreadable_conversation", pointer=place, place=place, reason=reason)


def _no_card(path: Path) -> Card:
    return Card(name=path.resolve().stem or "data", title="your own data", licence="not stated")


CORPUS: Final = Corpus("portable", read)
