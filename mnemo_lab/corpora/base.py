"""Data sets: recordings with a card, what did not arrive, and a digest; and how they are loaded by name or path."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from html import escape
from pathlib import Path

from mnemo_lab import registry
from mnemo_lab.conversation import Conversation
from mnemo_lab.corpora.card import Card, read_card
from mnemo_lab.corpora.digest import digest_of
from mnemo_lab.corpora.files import locate
from mnemo_lab.errors import InvalidInput, UnknownName
from mnemo_lab.losses import Loss, count_by_code
from mnemo_lab.recording import SESSION_KEY, Probe, Recording, Split

StrPath = str | os.PathLike[str]


@dataclass(frozen=True)
class Dataset:
    """Recordings under one name. The ``pointer`` of a loss starts with its recording's id and a slash."""

    name: str
    recordings: tuple[Recording, ...]
    card: Card
    losses: tuple[Loss, ...]
    digest: str

    @classmethod
    def of(cls, name: str, recordings: Iterable[Recording], card: Card, losses: Iterable[Loss] = ()) -> Dataset:
        """A data set with its digest computed."""
        kept = tuple(recordings)
        return cls(name, kept, card, tuple(losses), digest_of(kept))

    def __len__(self) -> int:
        return len(self.recordings)

    def __iter__(self) -> Iterator[Recording]:
        return iter(self.recordings)

    @property
    def conversations(self) -> tuple[Conversation, ...]:
        return tuple(c for recording in self.recordings for c in recording.conversations)

    @property
    def probes(self) -> tuple[Probe, ...]:
        return tuple(p for recording in self.recordings for p in recording.probes)

    @property
    def counts(self) -> dict[str, int]:
        """How much of what there is; a card's ``counts`` must agree. Usable probes have evidence."""
        return {
            "recordings": len(self.recordings),
            "conversations": len(self.conversations),
            "sessions": sum(_sessions(c) for c in self.conversations),
            "messages": sum(len(c.messages) for c in self.conversations),
            "probes": len(self.probes),
            "usable_probes": sum(bool(p.evidence) for p in self.probes),
        }

    def select(
        self,
        split: Split | None = None,
        language: str | None = None,
        recordings: Iterable[str] | None = None,
    ) -> Dataset:
        """The recordings of a split, a language or these ids; raises ``InvalidInput`` where none is left."""
        wanted = None if recordings is None else _known_ids(recordings, self)
        kept = [
            r
            for r in self.recordings
            if (split is None or r.split == split)
            and (language is None or r.language == language)
            and (wanted is None or r.id in wanted)
        ]
        if not kept:
            have = ", ".join(f"{r.id} ({r.split}, {r.language})" for r in self.recordings)
            raise InvalidInput(
                f"{self.name}: no recording has split={split!r} and language={language!r}; there are: {have}"
            )
        return Dataset.of(self.name, kept, self.card, self._losses_of({r.id for r in kept}))

    def _losses_of(self, ids: set[str]) -> list[Loss]:
        others = {r.id for r in self.recordings} - ids
        return [item for item in self.losses if (item.pointer or "").partition("/")[0] not in others]

    def _repr_html_(self) -> str:
        counts = self.counts
        head = f"<b>{escape(self.name)}</b>: {escape(self.card.title)} (licence: {escape(self.card.licence)})"
        lost = ", ".join(f"{code} {n}" for code, n in count_by_code(self.losses).items())
        columns = ("recording", "split", "language", "conversations", "messages", "probes")
        rows = "".join(map(_row, self.recordings))
        total = f"<tr><th>{len(self)} in all</th><th></th><th></th><th>{counts['conversations']}</th>"
        total += f"<th>{counts['messages']}</th><th>{counts['probes']}</th></tr>"
        table = f"<table><tr>{''.join(f'<th>{c}</th>' for c in columns)}</tr>{rows}{total}</table>"
        return f"{head}{table}<p>losses: {escape(lost) or 'none'}; digest {self.digest[:12]}</p>"


def _row(recording: Recording) -> str:
    messages = sum(len(c.messages) for c in recording.conversations)
    cells = (recording.id, recording.split, recording.language, len(recording.conversations), messages)
    return f"<tr>{''.join(f'<td>{escape(str(c))}</td>' for c in (*cells, len(recording.probes)))}</tr>"


def _sessions(conversation: Conversation) -> int:
    """Named sessions of a conversation; one without names is one session."""
    return len({m.extensions.get(SESSION_KEY) for m in conversation.messages})


def _known_ids(wanted: Iterable[str], data: Dataset) -> set[str]:
    ids = {wanted} if isinstance(wanted, str) else set(wanted)
    known = [r.id for r in data.recordings]
    for unknown in sorted(ids.difference(known)):
        raise UnknownName(f"recording of {data.name}", unknown, known)
    return ids


@dataclass(frozen=True)
class Corpus:
    """A kind of data set: how it is read and, where it has a bundled card, where it is found.

    ``card`` describes it; ``data`` names the card whose files are read, where that is another one.
    """

    name: str
    reader: Callable[[Path], Dataset]
    card_name: str | None = None
    data: str | None = None
    finder: Callable[[], Path] | None = None

    @property
    def card(self) -> Card | None:
        return read_card(self.card_name) if self.card_name else None

    @property
    def cards(self) -> tuple[str, ...]:
        """Names of all cards whose files it needs."""
        return tuple(dict.fromkeys(name for name in (self.data, self.card_name) if name))

    def read(self, path: StrPath) -> Dataset:
        """Read the data set at a path; raises ``InvalidInput`` saying what is missing."""
        place = Path(path).expanduser()
        if not place.exists():
            raise InvalidInput(f"{place}: no such file or folder; check the path (current directory: {Path.cwd()})")
        return self.reader(place)

    def find(self) -> Path:
        """Where the data set lies; raises ``InvalidInput`` with the next step."""
        if self.finder:
            return self.finder()
        if not self.cards:
            raise InvalidInput(f"{self.name} has no place of its own; give a path: load({self.name!r}, path)")
        return locate(read_card(self.cards[0]))


def load(name: StrPath, path: StrPath | None = None) -> Dataset:
    """A data set by name (bundled, under ``MNEMO_DATA_DIR`` or fetched), or your own by path.

    Your own is a folder or file of portable documents with an optional ``probes.jsonl``; see
    ``mnemo_lab.corpora.portable``. With ``path``, the named kind is read from there.
    """
    known = registry.names("corpus")
    if path is not None or (isinstance(name, str) and name in known):
        corpus: Corpus = registry.resolve("corpus", os.fspath(name))
        return corpus.read(corpus.find() if path is None else path)
    place = Path(name).expanduser()
    if place.exists() or len(place.parts) > 1 or place.suffix:
        portable: Corpus = registry.resolve("corpus", "portable")
        return portable.read(place)
    try:
        raise UnknownName("data set", os.fspath(name), known)
    except UnknownName as error:
        raise InvalidInput(f"{error} Nor is it a file or folder in {Path.cwd()}.") from None
