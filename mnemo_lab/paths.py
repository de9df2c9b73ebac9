"""Where things are kept: caches that may be deleted, bundled data, and data the user brings."""

from __future__ import annotations

import os
from pathlib import Path

from platformdirs import user_cache_path

from mnemo_lab.errors import InvalidInput


def cache_root() -> Path:
    """``MNEMO_CACHE_DIR``, else the platform's user cache folder. Everything below may be deleted."""
    chosen = os.environ.get("MNEMO_CACHE_DIR")
    return Path(chosen).expanduser() if chosen else user_cache_path("mnemo-lab")


def datasets_root() -> Path:
    """The bundled ``datasets`` folder: inside an installed wheel, else beside the package in a checkout."""
    package = Path(__file__).resolve().parent
    for folder in (package / "_datasets", package.parent / "datasets"):
        if (folder / "bilingual").is_dir():
            return folder
    raise InvalidInput(
        f"the bundled data sets are neither in {package / '_datasets'} nor beside it; reinstall mnemo-lab"
    )


def evals_root() -> Path:
    """The bundled grids: inside an installed wheel, else beside the package in a checkout."""
    package = Path(__file__).resolve().parent
    inside = package / "_evals"
    return inside if inside.is_dir() else package.parent / "evals"


def data_dir() -> Path | None:
    """``MNEMO_DATA_DIR``, the folder with data sets the user keeps, or ``None``."""
    chosen = os.environ.get("MNEMO_DATA_DIR")
    return Path(chosen).expanduser() if chosen else None
