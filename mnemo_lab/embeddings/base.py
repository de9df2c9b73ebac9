"""What an embedder is, and the warning every English-only one owes."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final, Literal, Protocol

from mnemo_lab.errors import InvalidInput
from mnemo_lab.text.language import cjk_share

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Vectors = NDArray[np.float32]

TextKind = Literal["passage", "query"]
REFUSED_SHARE: Final = 0.5
WARNED_SHARE: Final = 0.1


class Embedder(Protocol):
    """Texts to unit-norm float32 rows. ``fingerprint`` names model and weights: vectors of one are comparable."""

    name: str
    dimension: int
    fingerprint: str
    max_tokens: int
    english_only: bool

    def encode(self, texts: Sequence[str], kind: TextKind = "passage") -> Vectors:
        """Vectors of shape ``(len(texts), dimension)``; the empty text has one too."""


def check_language(embedder: Embedder, texts: Sequence[str]) -> None:
    """Refuse mostly Chinese text to an English-only embedder (its characters all become one unknown token).

    Raises ``InvalidInput`` above ``REFUSED_SHARE`` of Chinese, warns above ``WARNED_SHARE``.
    """
    share = cjk_share(texts) if embedder.english_only else 0.0
    if share > REFUSED_SHARE:
        raise InvalidInput(
            f"{embedder.name} reads English only and {share:.0%} of this text is Chinese; "
            "use embedder 'multilingual-e5-small', or 'auto' to choose by language"
        )
    if share > WARNED_SHARE:
        warnings.warn(f"{embedder.name} reads English only and {share:.0%} of this text is Chinese", stacklevel=3)
