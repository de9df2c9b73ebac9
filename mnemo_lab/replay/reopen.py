"""A run from its folder: grid and data set as the manifest names them."""

from __future__ import annotations

from pathlib import Path

from mnemo_lab.corpora.base import Dataset, load
from mnemo_lab.errors import InvalidInput
from mnemo_lab.replay.grid import make_grid
from mnemo_lab.replay.run import Run, open_run
from mnemo_lab.replay.store import MANIFEST, RunStore


def reopen(folder: Path, data: Dataset | None = None) -> Run:
    """Open a run again, over ``data`` where its data set has no place of its own.

    Raises ``InvalidInput`` where the data set has changed since.
    """
    manifest = RunStore(folder).read_manifest() if folder.is_dir() else None
    if manifest is None:
        raise InvalidInput(
            f"{folder}: no run here ({MANIFEST} is missing); make one with: mnemo run GRID.toml --out {folder}"
        )
    grid = make_grid(manifest["grid"], f"{folder / MANIFEST}")
    run = open_run(grid, load(grid.dataset) if data is None else data, folder)
    if run.dataset.digest != manifest["dataset"]["digest"]:
        raise InvalidInput(
            f"{folder}: the data set {grid.dataset!r} has changed since this run (digest {run.dataset.digest[:12]}, "
            f"then {manifest['dataset']['digest'][:12]}); run it again into a new folder"
        )
    # As it was then: the environment may name another endpoint now, and the rows would not be found.
    run.model_fingerprint = manifest.get("language_model", {}).get("fingerprint")
    return run
