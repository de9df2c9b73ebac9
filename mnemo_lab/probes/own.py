"""Anyone's own conversations as a data set with mined probes: read, chosen, redacted, kept in a run's folder.

What is kept is an ordinary portable data set (a folder a recording, its ``probes.jsonl``), so that a run over it can be
resumed and reported on without the files it came from.
"""

from __future__ import annotations

import heapq
import json
import shutil
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from mnemo_lab.conversation import Conversation, DocumentMeta
from mnemo_lab.corpora.base import Dataset, load
from mnemo_lab.corpora.card import CARD_FILE, Card
from mnemo_lab.corpora.message_ids import make_unique
from mnemo_lab.corpora.portable import PROBES_FILE
from mnemo_lab.errors import InvalidInput
from mnemo_lab.losses import Loss
from mnemo_lab.probes.lines import to_lines
from mnemo_lab.probes.mining import MIN_TURNS, mine
from mnemo_lab.recording import Recording
from mnemo_lab.text.language import language_of

FOLDER: Final = "dataset"
FEWEST: Final = 20
MOST: Final = 20
TITLE: Final = "your own conversations, probes mined"
LICENCE: Final = "your own data, not stated"
_MARK: Final = "# Written by mnemo run --conversations; it is replaced when the run is made again.\n"
Redact = Callable[[Conversation], tuple[Conversation, tuple[Loss, ...]]]


@dataclass(frozen=True, slots=True)
class Settings:
    """``fewest``: messages of a conversation that is worth a recording; ``most``: conversations, the longest."""

    min_turns: int = MIN_TURNS
    fewest: int = FEWEST
    most: int = MOST
    redact: bool = True
    masked: bool = False


@dataclass(slots=True)
class Taken:
    """What became of the conversations that were read."""

    read: int = 0
    unreadable: int = 0
    short: int = 0
    beyond: int = 0
    barren: int = 0
    kept: int = 0
    probes: int = 0
    losses: Counter[str] = field(default_factory=Counter)

    def sentences(self, settings: Settings) -> list[str]:
        """One sentence for each thing that a user should know."""
        said = {
            f"{self.read:,} conversations read": True,
            f"{self.unreadable:,} could not be read": self.unreadable,
            f"{self.short:,} skipped with fewer than {settings.fewest} messages (--min-messages)": self.short,
            f"{self.beyond:,} left out beyond the {settings.most} longest (--max-conversations)": self.beyond,
            f"{self.barren:,} skipped in which nothing is used again after {settings.min_turns} turns": self.barren,
            f"{self.kept:,} kept, {self.probes:,} probes mined": True,
            "personal data and secrets redacted by rules": settings.redact,
            f"losses in reading: {', '.join(f'{code} {n}' for code, n in sorted(self.losses.items()))}": self.losses,
        }
        return [sentence for sentence, holds in said.items() if holds]


def prepare(files: Sequence[Path], folder: Path, settings: Settings) -> tuple[Dataset, Taken]:
    """Read files of any format and keep the recordings, probes included, in ``folder``.

    Raises ``InvalidInput`` where nothing is left, or ``folder`` holds what this did not write.
    """
    _check_place(folder)
    taken = Taken()
    conversations = longest(_linear(files, taken), settings, taken)
    redact = _redactor() if settings.redact else None
    draft = folder.with_name(f".{folder.name}.draft")
    shutil.rmtree(draft, ignore_errors=True)
    try:
        draft.mkdir(parents=True)
        for number, conversation in enumerate(conversations, 1):
            _keep(conversation, number, draft, settings, redact, taken)
        if not taken.kept:
            raise InvalidInput(_nothing(files, taken, settings))
        (draft / CARD_FILE).write_text(_card(), encoding="utf-8")
        shutil.rmtree(folder, ignore_errors=True)
        draft.rename(folder)
    except OSError as error:
        raise InvalidInput(f"cannot keep the recordings in {folder}: {error.strerror}; choose another --out") from None
    finally:
        shutil.rmtree(draft, ignore_errors=True)
    return load(folder), taken


def dataset_of(
    conversations: Iterable[Conversation], min_turns: int = MIN_TURNS, *, masked: bool = False, name: str = "mined"
) -> Dataset:
    """Conversations in memory, one recording each, with mined probes; those without any are left out.

    Raises ``InvalidInput`` where none has probes.
    """
    recordings: list[Recording] = []
    for number, conversation in enumerate(conversations, 1):
        unique = make_unique([conversation])[0]
        probes = tuple(mine(unique[0], min_turns, masked=masked))
        if probes:
            language = language_of(m.text for m in unique[0].messages)
            recordings.append(Recording(f"{number:02}", unique, probes, language=language))
    if not recordings:
        raise InvalidInput(f"nothing is used again after {min_turns} turns in any conversation; lower min_turns")
    return Dataset.of(name, recordings, Card(name=name, title=TITLE, licence=LICENCE))


def unique_conversations(conversations: Iterable[Conversation]) -> tuple[Conversation, ...]:
    """With the message ids under which probes beside the file find them (``load`` makes the same)."""
    return make_unique([conversation for conversation in conversations if conversation.messages])[0]


def longest(conversations: Iterable[Conversation], settings: Settings, taken: Taken) -> list[Conversation]:
    """The ``most`` longest with at least ``fewest`` messages, in their order; no more of them are held."""
    heap: list[tuple[int, int, Conversation]] = []
    for number, conversation in enumerate(conversations):
        if len(conversation.messages) < settings.fewest:
            taken.short += 1
            continue
        heapq.heappush(heap, (len(conversation.messages), -number, conversation))
        if len(heap) > settings.most:
            heapq.heappop(heap)
            taken.beyond += 1
    return [conversation for _, _, conversation in sorted(heap, key=lambda item: -item[1])]


def _linear(files: Iterable[Path], taken: Taken) -> Iterator[Conversation]:
    """Every readable conversation by its active path."""
    from mnemo_lab.formats.convert import read_all
    from mnemo_lab.formats.tree import active_path

    for file in files:
        for reading in read_all(file):
            taken.read += 1
            taken.losses.update(item.code for item in reading.losses if item.severity != "info")
            if reading.conversation is None:
                taken.unreadable += 1
                continue
            conversation, losses = active_path(reading.conversation)
            taken.losses.update(item.code for item in losses)
            yield conversation


def _redactor() -> Redact:
    try:
        from mnemo_lab.privacy import Redactor
    except ImportError as error:
        raise InvalidInput(f"cannot redact ({error}); install the package whole, or say --no-redact") from None
    return Redactor().redact_conversation


def _keep(
    conversation: Conversation, number: int, root: Path, settings: Settings, redact: Redact | None, taken: Taken
) -> None:
    """Write one recording, unless nothing can be mined from it."""
    from mnemo_lab.formats.portable import read_file, write_file
    from mnemo_lab.formats.safe_names import safe_stem

    if redact is not None:
        conversation = redact(conversation)[0]
    place = root / f"{number:02}-{safe_stem(conversation.title or conversation.id)[:40]}"
    place.mkdir()
    document = place / "conversation.json"
    write_file(conversation, document, DocumentMeta("", "mnemo-lab"), now=datetime.now(UTC))
    written = next(iter(read_file(document))).conversation  # as it will be loaded: mended characters, its own ids
    assert written is not None
    messages = make_unique([written])[1].messages
    probes = mine(written, settings.min_turns, masked=settings.masked)
    if not probes:
        shutil.rmtree(place)
        taken.barren += 1
        return
    (place / PROBES_FILE).write_text(to_lines(probes, messages), encoding="utf-8")
    taken.kept += 1
    taken.probes += len(probes)


def _card() -> str:
    return f"{_MARK}title = {json.dumps(TITLE)}\nlicence = {json.dumps(LICENCE)}\n"


def _check_place(folder: Path) -> None:
    """Only what an earlier run wrote is replaced."""
    card = folder / CARD_FILE
    head = card.read_text(encoding="utf-8", errors="replace") if card.is_file() else ""
    if folder.exists() and not head.startswith(_MARK):
        raise InvalidInput(f"{folder}: is there and was not written by mnemo run --conversations; choose another --out")


def _nothing(files: Sequence[Path], taken: Taken, settings: Settings) -> str:
    what = "; ".join(taken.sentences(settings))
    hint = "lower --min-messages or --min-turns, or give longer conversations"
    return f"{', '.join(map(str, files))}: no probes to ask: {what}. Next: {hint}"
