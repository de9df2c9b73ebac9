"""Fetching public data sets: only after their licence was accepted, and only the bytes the card names."""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Callable
from dataclasses import dataclass
from http.client import HTTPException
from pathlib import Path
from ssl import SSLError
from typing import IO, Final, Literal
from urllib.error import HTTPError, URLError
from urllib.request import Request, urlopen

from mnemo_lab import registry
from mnemo_lab.corpora.card import Card, CardFile, card_names, read_card
from mnemo_lab.corpora.files import fetched_folder, missing_files, places_of
from mnemo_lab.errors import InvalidInput, MnemoError, UnknownName
from mnemo_lab.paths import datasets_root

Progress = Callable[[str, int, int], None]
"""Called with the file, the bytes received so far and the bytes in all."""
State = Literal["bundled", "present", "fetched", "incomplete", "absent"]
CHUNK: Final = 1 << 16


class FetchFailed(MnemoError):
    """A file could not be fetched, or is not the file that the card names."""


@dataclass(frozen=True)
class DataStatus:
    """Where a data set is: ``present`` in ``MNEMO_DATA_DIR``, ``fetched`` into the cache, and so on."""

    name: str
    title: str
    licence: str
    state: State
    folder: Path | None
    missing: tuple[str, ...]
    size: int


@dataclass(frozen=True)
class FileCheck:
    """One file against its card; ``found`` is ``None`` where there is no such file."""

    file: str
    expected: str
    found: str | None

    @property
    def ok(self) -> bool:
        return self.found == self.expected


def cards_for(name: str) -> list[Card]:
    """The cards behind the name of a card (``beam_100k``) or of a data set (``beam``)."""
    if name in card_names():
        return [read_card(name)]
    known = registry.names("corpus")
    cards = registry.resolve("corpus", name).cards if name in known else ()
    if not cards:
        raise UnknownName("data set with a card", name, {*card_names(), *known} - {"portable"})
    return [read_card(card) for card in cards]


def status(name: str | None = None) -> list[DataStatus]:
    """What is here of one data set, or of all; looks at names only, see ``verify`` for the bytes."""
    cards = cards_for(name) if name else [read_card(card) for card in card_names()]
    return [_status(card) for card in cards]


def _status(card: Card) -> DataStatus:
    folder, state = _found(card)
    missing = missing_files(card, folder) if folder else [file.path for file in card.files]
    if folder and missing:
        state = "incomplete"
    return DataStatus(card.name, card.title, card.licence, state, folder, tuple(missing), card.size)


def _found(card: Card) -> tuple[Path | None, State]:
    """The folder a load would use: the first complete one, else the first that has anything."""
    if not card.files:
        return datasets_root() / card.name, "bundled"
    present = [p for p in places_of(card) if len(missing_files(card, p)) < len(card.files)]
    folder = min(present, key=lambda p: bool(missing_files(card, p)), default=None)
    if folder is None:
        return None, "absent"
    return folder, "fetched" if folder == fetched_folder(card) else "present"


def verify(name: str) -> list[FileCheck]:
    """Every file of a data set with the SHA-256 it must have and has. A bundled set has no files to check."""
    return [check for card in cards_for(name) for check in _checks(card, _found(card)[0])]


def _checks(card: Card, folder: Path | None) -> list[FileCheck]:
    return [FileCheck(f.path, f.sha256, sha256_of(folder / f.path) if folder else None) for f in card.files]


def sha256_of(path: Path) -> str | None:
    """A file's SHA-256, ``None`` where there is no such file."""
    if not path.is_file():
        return None
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def fetch(
    name: str, accept_licence: bool = False, progress: Progress | None = None, timeout: float = 60.0
) -> list[Path]:
    """Fetch what is missing of a data set into the cache and give its folders.

    Raises ``InvalidInput`` where the licence was not accepted and ``FetchFailed`` where a file does not arrive as
    the card names it; what was verified before stays.
    """
    cards = [card for card in cards_for(name) if card.files]
    if not cards:
        raise InvalidInput(f"{name!r} comes with mnemo-lab; there is nothing to fetch")
    if not accept_licence:
        raise InvalidInput(
            "; ".join(map(_terms, cards)) + f". If you accept: `mnemo data fetch {name} --accept-licence`"
        )
    for card in cards:
        for file in card.files:
            _fetch_file(file, fetched_folder(card) / file.path, progress, timeout)
    return [fetched_folder(card) for card in cards]


def _terms(card: Card) -> str:
    where = f" ({card.licence_url})" if card.licence_url else ""
    return f"{card.title} is under {card.licence}{where}" + (f": {card.permits}" if card.permits else "")


def _fetch_file(file: CardFile, target: Path, progress: Progress | None, timeout: float) -> None:
    if sha256_of(target) == file.sha256:
        return
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        _fetch_into(target, file, progress, timeout)
    except OSError as error:
        raise FetchFailed(f"{target}: cannot be written ({error}); check space and permissions") from error


def _fetch_into(target: Path, file: CardFile, progress: Progress | None, timeout: float) -> None:
    """Download beside the target, and rename only what has the right SHA-256."""
    temporary = target.with_name(f".{secrets.token_hex(8)}.part")
    try:
        with temporary.open("xb") as out:
            found = _download(file, out, progress, timeout)
        if found != file.sha256:
            raise FetchFailed(
                f"{file.url}: not the expected file: SHA-256 is {found}, the card says {file.sha256}; "
                "nothing was kept. Try again; if it stays so, the source has changed"
            )
        temporary.replace(target)
    finally:
        temporary.unlink(missing_ok=True)


def _download(file: CardFile, out: IO[bytes], progress: Progress | None, timeout: float) -> str:
    """Write the answer to ``out`` and give its SHA-256; stops where more arrives than the card says."""
    digest, received = hashlib.sha256(), 0
    try:
        with urlopen(Request(file.url, headers={"User-Agent": "mnemo-lab"}), timeout=timeout) as answer:
            while chunk := answer.read(CHUNK):
                received += len(chunk)
                digest.update(chunk)
                out.write(chunk)
                if received > file.size:
                    raise FetchFailed(f"{file.url}: longer than the {file.size} bytes the card says; nothing was kept")
                if progress:
                    progress(file.path, received, file.size)
    except HTTPError as error:
        raise FetchFailed(
            f"{file.url}: the server answers {error.code} {error.reason}; is the address current?"
        ) from None
    except (URLError, HTTPException, TimeoutError, ConnectionError, SSLError) as error:
        reason = getattr(error, "reason", None) or error
        raise FetchFailed(f"{file.url}: cannot be reached ({reason}); check the network and try again") from None
    return digest.hexdigest()
