"""Import this before ``mnemo_peers``: the package of peers is found from the checkout, installed or not."""

from __future__ import annotations

import sys
import tomllib
from pathlib import Path
from typing import Final

FOLDER: Final = Path(__file__).resolve().parents[2] / "evals" / "peers"
sys.path.append(str(FOLDER))

POINTS: Final[dict[str, str]] = tomllib.loads((FOLDER / "pyproject.toml").read_text())["project"]["entry-points"][
    "mnemo_lab.strategy"
]
"""What the package registers."""
