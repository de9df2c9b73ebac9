"""A report as data: sections of blocks, which HTML and Markdown both show."""

from __future__ import annotations

from dataclasses import dataclass

from mnemo_lab.reporting.figures import Drawn
from mnemo_lab.reporting.tables import Table
from mnemo_lab.reporting.worst import Case


@dataclass(frozen=True, slots=True)
class Text:
    """A paragraph; ``strong`` is the part in front that stands out."""

    text: str
    strong: str = ""


@dataclass(frozen=True, slots=True)
class Lines:
    """A list."""

    items: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Cases:
    """Lost probes; ``ranked`` says whether the strategy has shortlists to show."""

    cases: tuple[Case, ...]
    ranked: bool = True


Block = Text | Lines | Table | Drawn | Cases


@dataclass(frozen=True, slots=True)
class Section:
    """A heading with what stands below it; ``anchor`` is its id in the page."""

    anchor: str
    title: str
    blocks: tuple[Block, ...]


@dataclass(frozen=True, slots=True)
class Document:
    title: str
    question: str
    scope: str
    sections: tuple[Section, ...]


KINDS: dict[type, str] = {Text: "text", Lines: "lines", Table: "table", Drawn: "figure", Cases: "cases"}


def kind_of(block: Block) -> str:
    """The name under which a template knows a block."""
    return KINDS[type(block)]
