"""Finding a data set's files, and reading JSON with errors a user can act on."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from mnemo_lab.corpora.card import Card
from mnemo_lab.errors import InvalidInput
from mnemo_lab.formats.files import read_bytes
from mnemo_lab.paths import cache_root, data_dir


def fetched_folder(card: Card) -> Path:
    """Where ``mnemo data fetch`` puts the data set."""
    return cache_root() / "data" / card.name


def places_of(card: Card) -> list[Path]:
    """Where the data set may lie, in the order it is looked for: ``MNEMO_DATA_DIR``, then the fetched copy."""
    own = data_dir()
    kept = [own / name for name in card.places] if own else []
    return [*kept, fetched_folder(card)]


def missing_files(card: Card, folder: Path) -> list[str]:
    """Those of the card's files that a folder does not have."""
    return [file.path for file in card.files if not (folder / file.path).is_file()]


def locate(card: Card) -> Path:
    """The folder that holds all of the data set's files; raises ``InvalidInput`` with the next step."""
    partial = ""
    for folder in places_of(card):
        missing = missing_files(card, folder)
        if not missing:
            return folder
        if folder.is_dir() and not partial:
            partial = f"{folder} lacks {_few(missing)}; "
    where = partial or f"looked in {', '.join(map(str, places_of(card)))}; "
    raise InvalidInput(
        f"the data set {card.name!r} ({card.title}) is not here: {where}"
        f"fetch it with `mnemo data fetch {card.name}` (licence: {card.licence}), "
        f"or set MNEMO_DATA_DIR to the folder that holds {card.places[0]}/"
    )


def _few(names: list[str], limit: int = 4) -> str:
    more = len(names) - limit
    return ", ".join(names[:limit]) + (f" and {more} more" if more > 0 else "")


def read_json(path: Path) -> Any:
    """A JSON file's value; raises ``InvalidInput``."""
    try:
        return json.loads(read_bytes(path))
    except (ValueError, RecursionError) as error:
        raise InvalidInput(f"{path}: not readable as JSON ({error}); fetch or export the file again") from None


def text_of(value: Any) -> str | None:
    """A gold answer as text: data sets write years and counts as JSON numbers."""
    if value is None or isinstance(value, str):
        return value or None
    return json.dumps(value, ensure_ascii=False)


def natural(name: str) -> list[tuple[int, str]]:
    """A sort key under which ``2.json`` comes before ``10.json``."""
    return [(int(part), "") if part.isdecimal() else (0, part) for part in re.split(r"(\d+)", name) if part]
