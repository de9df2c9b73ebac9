"""The table from a target model to the one to run in Ollama."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from importlib.resources import files
from pathlib import Path
from typing import Any

from mnemo_lab.errors import InvalidInput


def suggested_model(target: str, table: Path | None = None) -> str:
    """The Ollama model for a target; a name with a tag (``qwen3:8b``) is one already.

    Raises ``InvalidInput`` for a table that is not one.
    """
    if ":" in target:
        return target
    raw = _read(table)
    models: Mapping[str, str] = raw["models"]
    wanted = target.rsplit("/", 1)[-1].lower()
    fitting = [name for name in models if wanted.startswith(name.lower())]
    return models[max(fitting, key=len)] if fitting else str(raw["default"])


def _read(table: Path | None) -> dict[str, Any]:
    place = str(table or "ollama_models.toml")
    try:
        text = (table or files("mnemo_lab.cli").joinpath("ollama_models.toml")).read_text(encoding="utf-8")
        raw = tomllib.loads(text)
    except OSError as error:
        raise InvalidInput(f"{place}: cannot be read ({error.strerror or error}); check the path") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise InvalidInput(f"{place}: not TOML ({error})") from None
    models = raw.get("models")
    if not isinstance(raw.get("default"), str) or not isinstance(models, dict):
        raise InvalidInput(f'{place}: needs default = "…" and a table [models] of names, as in the bundled one')
    wrong = [name for name, value in models.items() if not isinstance(value, str)]
    if wrong:
        raise InvalidInput(
            f"{place}: the model for {wrong[0]!r} must be text in quotes (and the name, if it has a dot)"
        )
    return raw
