"""A grid: what to run, as data. Read from TOML or made in Python."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Final, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator

from mnemo_lab.errors import InvalidInput, UnknownName
from mnemo_lab.language_models.opening import split_kind
from mnemo_lab.paths import evals_root
from mnemo_lab.registry import PRESETS, names
from mnemo_lab.replay.answer_settings import AnswerSettings, beside
from mnemo_lab.strategy_text import label_of, parse_strategy
from mnemo_lab.tokens import open_counter

ALWAYS: Final = ("full", "recent", "random", "seed_truncator")
"""Strategies that stand in every leaderboard, with the oracle as reference row."""
SPACING: Final = re.compile(r"""('[^']*'|"[^"]*")|\s*(,)\s*|\s+""")
"""Spaces and commas outside of quotes: inside, ``and`` needs them."""
BUDGETS: Final = (256, 512, 1024, 2048, 4096, 8192)


class Grid(BaseModel):
    """Strategies × budgets over one data set. ``baseline`` is what pairs are tested against, at ``primary_budget``."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    title: str = ""
    question: str = ""
    dataset: str = Field(min_length=1)
    split: Literal["all", "dev", "test"] = "all"
    strategies: tuple[str, ...] = ()
    budgets: tuple[int, ...] = Field(default=BUDGETS, min_length=1)
    baseline: str = "recent"
    primary_budget: int | None = None
    counter: str = "o200k_base"
    embedder: str = "auto"
    seed: int = 0
    language_model: str = ""
    """For strategies that ask one; empty for ``MNEMO_LLM``, else ``extractive``."""
    cassette: str = ""
    """File of its recorded answers; empty for ``MNEMO_CASSETTE``, else none."""
    notes: str = ""
    answering: AnswerSettings | None = None
    """A reader stage that follows the run; ``None`` for none."""

    @field_validator("budgets")
    @classmethod
    def _budgets(cls, value: tuple[int, ...]) -> tuple[int, ...]:
        if any(budget < 0 for budget in value):
            raise ValueError(f"budgets must be 0 or more tokens, got {list(value)}")
        return tuple(sorted(set(value)))

    @property
    def primary(self) -> int:
        """The budget of the confirmatory comparison: 2,048 where it is in the grid, else the nearest."""
        wanted = 2048 if self.primary_budget is None else self.primary_budget
        return min(self.budgets, key=lambda budget: (abs(budget - wanted), budget))

    def labelled(self) -> dict[str, str]:
        """Label → full strategy text, in order; what always stands in the table comes first."""
        texts = dict.fromkeys([*ALWAYS, *self.strategies, *((self.baseline,) if self.baseline != "oracle" else ())])
        return {short_label(text): str(parse_strategy(text)) for text in texts}

    def check(self) -> None:
        """Raise ``InvalidInput`` for a strategy, counter, embedder or model that does not exist, before any run."""
        open_counter(self.counter)
        if self.embedder != "auto" and self.embedder.rsplit("/", 1)[-1] not in names("embedder"):
            raise UnknownName("embedder", self.embedder, ["auto", *names("embedder")])
        if self.language_model:
            split_kind(self.language_model)
        labelled = self.labelled()
        if self.answering is not None:
            self.answering.check(labelled, self.budgets)


def short_label(text: str) -> str:
    """The preset's name, or the strategy as it was typed with spaces made even."""
    if text.strip() in PRESETS:
        return text.strip()
    full = label_of(text)
    name = full.partition("(")[0]
    typed = SPACING.sub(lambda m: m[1] or (", " if m[2] else ""), text)
    return name if typed in (name, f"{name}()") else typed


def find_grid(name: str) -> Path:
    """A grid file by path, or a bundled one by name (``bilingual``)."""
    path = Path(name)
    if path.is_file() or path.suffix:
        return path
    bundled = evals_root() / f"{name}.toml"
    if bundled.exists():
        return bundled
    raise UnknownName("grid", name, [found.stem for found in evals_root().glob("*.toml")])


def read_grid(path: Path) -> Grid:
    """Read a grid file; every fault names the file, the place, the value and what is allowed."""
    try:
        raw = tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise InvalidInput(f"{path}: no such file; grids that come with the project are in evals/") from None
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise InvalidInput(f"{path}: {error}") from None
    if isinstance(given := raw.get("dataset"), str):
        raw["dataset"] = place_of(given, path.parent)  # a path in a grid is relative to the grid
    if isinstance(given := raw.get("cassette"), str) and given:
        raw["cassette"] = str((path.parent / Path(given).expanduser()).resolve())
    raw |= {"answering": beside(raw["answering"], path.parent)} if "answering" in raw else {}
    return make_grid(raw, str(path))


def place_of(dataset: str, folder: Path = Path()) -> str:
    """A data set's name as it is, its path made absolute, so that a run can be opened again from anywhere."""
    path = folder / Path(dataset).expanduser()
    return str(path.resolve()) if dataset and dataset not in names("corpus") and path.exists() else dataset


def make_grid(raw: dict[str, object], source: str = "grid") -> Grid:
    """Validate a grid and check its names."""
    try:
        grid = Grid.model_validate(raw)
    except ValidationError as error:
        faults = "; ".join(
            f"/{'/'.join(map(str, e['loc']))}: {e['msg']} (got {e['input']!r:.60})" for e in error.errors()
        )
        raise InvalidInput(f"{source}: {faults}; known keys: {', '.join(Grid.model_fields)}") from None
    try:
        grid.check()
    except InvalidInput as error:
        raise InvalidInput(f"{source}: {error}") from None
    return grid
