"""What stands beside an index file and says what is in it. Both are replaced so that a crash leaves old or new."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final

from mnemo_lab.storage.files import digest, draft, place, remove

VERSION: Final = 1


@dataclass(frozen=True, slots=True)
class Manifest:
    """``ids`` as ranges, both ends included. ``layout`` is what ``variant`` was laid out as, for ``built_for`` vectors.

    ``store`` and ``namespace`` tell whose vectors they are; ``digest`` is the sha256 of ``file``.
    """

    store: str
    namespace: int
    kind: str
    model: str
    fingerprint: str
    dimension: int
    variant: str
    layout: str
    built_for: int
    count: int
    ids: tuple[tuple[int, int], ...]
    file: str
    digest: str
    version: int = VERSION


def read(path: Path) -> Manifest | None:
    """The manifest whose file is there and whole, else ``None``: the index is then made from the database."""
    try:
        value = json.loads(path.read_text(encoding="utf-8"))
        manifest = Manifest(**value | {"ids": tuple((int(first), int(last)) for first, last in value["ids"])})
        whole = manifest.version == VERSION and digest(path.with_name(manifest.file)) == manifest.digest
    except (OSError, ValueError, TypeError, KeyError):
        return None
    return manifest if whole else None


def file_of(path: Path) -> str:
    """The file a manifest names, whole or not; ``""`` where it cannot be read."""
    try:
        return str(json.loads(path.read_text(encoding="utf-8"))["file"])
    except (OSError, ValueError, TypeError, KeyError):
        return ""


def write(path: Path, manifest: Manifest) -> None:
    text = json.dumps(asdict(manifest))
    place(draft(path, lambda file: file.write_text(text, encoding="utf-8")), path)


def ranges(ids: Iterable[int]) -> tuple[tuple[int, int], ...]:
    """Runs of consecutive ids: ``{1, 2, 3, 7}`` as ``((1, 3), (7, 7))``."""
    runs: list[list[int]] = []
    for key in sorted(ids):
        if runs and key == runs[-1][1] + 1:
            runs[-1][1] = key
        else:
            runs.append([key, key])
    return tuple((first, last) for first, last in runs)


def members(runs: Sequence[tuple[int, int]], most: int) -> set[int]:
    """The ids of ``ranges``; raises ``ValueError`` where that would be more than ``most``."""
    if sum(last - first + 1 for first, last in runs) > most:
        raise ValueError(f"more than {most} ids")
    return {key for first, last in runs for key in range(first, last + 1)}


def remove_others(manifest: Path, kept: str) -> list[str]:
    """Remove index files and drafts that stand beside a manifest but ``kept``; their names."""
    stem = manifest.stem
    beside = [path for path in manifest.parent.iterdir() if path.name.startswith((f"{stem}-", f"{stem}."))]
    return remove([path for path in beside if path != manifest and path.name != kept])
