from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

Write = Callable[..., Path]


def probe(name: str, **fields: Any) -> dict[str, Any]:
    return {"id": name, "question": "Which port?", "category": "single_fact"} | fields
