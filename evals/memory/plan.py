"""What is measured: evals/memory.toml as data."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Final

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from mnemo_lab.errors import InvalidInput
from mnemo_lab.extraction.moments import Moments
from mnemo_lab.memory.decay import Decay

FILE: Final = Path(__file__).resolve().parents[1] / "memory.toml"


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class When(_Part):
    """When facts are extracted, and what that is called."""

    label: str
    every: int = Field(ge=0)
    signals: bool
    end: bool

    @property
    def moments(self) -> Moments:
        return Moments(self.every, self.signals, self.end)


class Fade(_Part):
    """A way to fade: the default's weights with another floor, or half-lives (days) by category."""

    label: str
    floor: float = Field(ge=0, le=1)
    half_lives: dict[str, float] = {}

    @property
    def decay(self) -> Decay:
        return Decay(floor=self.floor, half_lives=self.half_lives)


class Fading(_Part):
    """The corpus of many days; ``ages`` are the upper ends (days) of the groups that are reported."""

    days: int = Field(ge=1)
    crowd: int = Field(ge=0)
    recent: int = Field(ge=1)
    seeds: int = Field(ge=1)
    depth: int = Field(ge=1)
    ages: tuple[int, ...]
    decays: tuple[Fade, ...]


class Sizes(_Part):
    """Numbers of memories that are searched, and how many distractors the real embedder reads, by language."""

    items: tuple[int, ...]
    probes: int = Field(ge=1)
    embedded: dict[str, int]
    noise: float = Field(gt=0)


class Injecting(_Part):
    """Room for the block in tokens, and memories of other things beside the scenario's own."""

    tokens: tuple[int, ...]
    crowd: int = Field(ge=0)


class Plan(_Part):
    """All of it; ``draws`` of the bootstrap, ``depth`` memories are looked at for an answer."""

    draws: int = Field(ge=100)
    seed: int
    depth: int = Field(ge=1)
    as_of_depth: int = Field(ge=1)
    moments: tuple[When, ...]
    fading: Fading
    sizes: Sizes
    injecting: Injecting


def read_plan(file: Path = FILE) -> Plan:
    """Raises ``InvalidInput`` for what is no plan."""
    if not file.is_file():
        raise InvalidInput(f"{file}: no such file of settings; leave --plan out for evals/memory.toml")
    try:
        return Plan.model_validate(tomllib.loads(file.read_text(encoding="utf-8")))
    except (ValidationError, tomllib.TOMLDecodeError) as error:
        raise InvalidInput(f"{file.name}: {error}") from error
