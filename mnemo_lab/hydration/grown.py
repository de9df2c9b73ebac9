"""An array that grows at its end without being copied at every step."""

from __future__ import annotations

from typing import Any, Final

FIRST: Final = 64


class Grown:
    """Rows of one type in a buffer that doubles; ``view`` is what is there now, not a copy."""

    def __init__(self, dtype: str, width: int = 0) -> None:
        """``width``: columns of a matrix, 0 for a plain array."""
        import numpy as np

        self._rows: Any = np.empty((FIRST, width) if width else FIRST, dtype=dtype)
        self._size = 0

    def __len__(self) -> int:
        return self._size

    @property
    def view(self) -> Any:
        return self._rows[: self._size]

    def append(self, value: Any) -> None:
        self.extend([value])

    def extend(self, values: Any) -> None:
        import numpy as np

        size = self._size + len(values)
        if size > len(self._rows):
            rows = np.empty((max(size, 2 * len(self._rows)), *self._rows.shape[1:]), dtype=self._rows.dtype)
            rows[: self._size] = self.view
            self._rows = rows
        if len(values):
            self._rows[self._size : size] = values
        self._size = size
