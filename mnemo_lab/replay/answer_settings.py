"""``[answering]`` of a grid: which model answers what, once the contexts are there."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from mnemo_lab.errors import InvalidInput, UnknownName
from mnemo_lab.language_models.opening import split_kind
from mnemo_lab.replay.reference import ORACLE
from mnemo_lab.strategy_text import parse_strategy

FULL: Final = "full"


class AnswerSettings(BaseModel):
    """Settings of the answering stage; ``mnemo_lab.answering`` does it."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    reader: str = "local:smollm2"
    """The language model that answers."""
    strategies: tuple[str, ...] | None = None
    """Labels or texts of the run's strategies; ``None`` for all but ``full``, which sends everything at any budget."""
    budgets: tuple[int, ...] = Field(default=(1024,), min_length=1)
    probes: int = Field(default=60, ge=1)
    """At most so many questions, the same for every strategy and budget."""
    language: Literal["en", "zh"] | None = None
    """Only recordings in this language: a small model reads but one."""
    max_tokens: int = Field(default=64, ge=1)
    """Longest answer; a model that thinks aloud needs more."""
    judge: str | None = None
    """A language model that grades the answers, and is itself graded on planted ones."""
    cassette: str | None = None
    """File of recorded answers of both models."""

    def check(self, labelled: Mapping[str, str], budgets: Sequence[int]) -> None:
        """Raise ``InvalidInput`` for what a run with these strategies and budgets cannot do."""
        for model in filter(None, (self.reader, self.judge)):
            split_kind(model)
        self.labels(labelled)
        self.budgets_of(budgets)

    def labels(self, labelled: Mapping[str, str]) -> list[str]:
        """The strategies asked for as a run calls them; ``labelled``: its labels with their full texts.

        Raises ``InvalidInput`` for one that the run does not have.
        """
        known = {**labelled, ORACLE: ORACLE}
        if self.strategies is None:
            return [label for label in known if label != FULL]
        return list(dict.fromkeys(_label(text, known) for text in self.strategies))

    def budgets_of(self, have: Sequence[int]) -> list[int]:
        """The budgets asked for, rising; raises ``InvalidInput`` for one that the run does not have."""
        for budget in self.budgets:
            if budget not in have:
                raise InvalidInput(
                    f"answers at {budget} tokens: the run has no such budget; it has {', '.join(map(str, have))}"
                )
        return sorted(set(self.budgets))


def _label(text: str, known: Mapping[str, str]) -> str:
    if text in known:
        return text
    full = str(parse_strategy(text))
    found = next((label for label, whole in known.items() if whole == full), None)
    if found is None:
        raise UnknownName("strategy of this run", text, known)
    return found


def make_settings(given: Mapping[str, Any]) -> AnswerSettings:
    """Validate settings; raises ``InvalidInput`` naming the fault."""
    try:
        return AnswerSettings.model_validate(dict(given))
    except ValidationError as error:
        faults = "; ".join(
            f"{'/'.join(map(str, e['loc']))}: {e['msg']} (got {e['input']!r:.60})" for e in error.errors()
        )
        raise InvalidInput(f"answering: {faults}; known: {', '.join(AnswerSettings.model_fields)}") from None


def beside(raw: object, folder: Path) -> object:
    """The ``[answering]`` table of a grid in ``folder``: a cassette's path in a grid is relative to the grid."""
    if isinstance(raw, dict) and isinstance(raw.get("cassette"), str):
        return raw | {"cassette": str(folder / raw["cassette"])}
    return raw
