"""Data cards: what a data set is, who may do what with it, and which bytes it consists of."""

from __future__ import annotations

import tomllib
from functools import cache
from pathlib import Path, PurePosixPath
from typing import Any, Final
from urllib.parse import urlsplit

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator

from mnemo_lab.errors import InvalidInput, UnknownName
from mnemo_lab.paths import datasets_root
from mnemo_lab.recording import Split

CARD_FILE: Final = "card.toml"
_LOOPBACK: Final = {"localhost", "127.0.0.1", "::1"}


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class CardFile(_Part):
    """One file to fetch: where it lies below the data set's folder, and what it must be."""

    path: str
    url: str
    sha256: str = Field(pattern="^[0-9a-f]{64}$")
    size: int = Field(ge=0)

    @field_validator("path")
    @classmethod
    def _inside(cls, path: str) -> str:
        if not path or "\\" in path or PurePosixPath(path).is_absolute() or ".." in PurePosixPath(path).parts:
            raise ValueError("must be a relative path inside the data set's folder")
        return path

    @field_validator("url")
    @classmethod
    def _secure(cls, url: str) -> str:
        parts = urlsplit(url)
        if parts.scheme != "https" and not (parts.scheme == "http" and parts.hostname in _LOOPBACK):
            raise ValueError("must be an https address")
        return url


class CardRecording(_Part):
    """A recording's place in the dev/test split, and its language."""

    id: str
    split: Split = "test"
    language: str = "en"


class Card(_Part):
    """A data set's card. ``permits`` says in plain words what may be done with it.

    ``folders`` are the names under which the data set may lie in ``MNEMO_DATA_DIR`` (none: its own name);
    ``counts`` are what ``Dataset.counts`` must give.
    """

    name: str
    title: str
    licence: str
    url: str | None = None
    commit: str | None = None
    licence_url: str | None = None
    licence_note: str | None = None
    permits: str | None = None
    citation: str | None = None
    folders: tuple[str, ...] = ()
    files: tuple[CardFile, ...] = ()
    counts: dict[str, int] = Field(default_factory=dict)
    recordings: tuple[CardRecording, ...] = ()

    @property
    def places(self) -> tuple[str, ...]:
        """Folder names to look for, the usual one first."""
        return self.folders or (self.name,)

    @property
    def size(self) -> int:
        """Bytes to fetch."""
        return sum(file.size for file in self.files)

    def recording(self, recording_id: str) -> CardRecording | None:
        return next((found for found in self.recordings if found.id == recording_id), None)


def parse_card(path: Path) -> Card:
    """The card in a TOML file; raises ``InvalidInput`` naming every fault."""
    try:
        values: dict[str, Any] = tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise InvalidInput(f"{path}: no such card") from None
    except (OSError, ValueError) as error:
        raise InvalidInput(f"{path}: cannot be read as TOML ({error}); mend the file") from None
    try:
        return Card.model_validate({"name": path.resolve().parent.name, **values})
    except ValidationError as error:
        faults = "; ".join(f"{'.'.join(map(str, item['loc']))}: {item['msg']}" for item in error.errors())
        raise InvalidInput(f"{path}: {faults}; mend these fields of the card") from None


@cache
def _bundled(path: Path) -> Card:
    return parse_card(path)


def read_card(name: str) -> Card:
    """The bundled card of that name; raises ``UnknownName``."""
    path = datasets_root() / name / CARD_FILE
    if name not in card_names():
        raise UnknownName("data card", name, card_names())
    return _bundled(path)


def card_names() -> list[str]:
    """Names of all bundled cards."""
    return sorted(path.parent.name for path in datasets_root().glob(f"*/{CARD_FILE}"))
