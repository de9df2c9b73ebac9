"""A report as Markdown."""

from __future__ import annotations

from mnemo_lab.reporting.document import Block, Cases, Document, Lines, Text
from mnemo_lab.reporting.figures import Drawn
from mnemo_lab.reporting.tables import Table, md, to_markdown
from mnemo_lab.reporting.worst import Case, Shown


def to_md(document: Document) -> str:
    parts = [f"# {md(document.title)}", md(document.question), md(document.scope)]
    for section in document.sections:
        parts += [f"## {md(section.title)}", *(_block(block) for block in section.blocks)]
    return "\n\n".join(filter(None, parts)) + "\n"


def _block(block: Block) -> str:
    if isinstance(block, Text):
        return f"**{md(block.strong)}** {md(block.text)}" if block.strong else md(block.text)
    if isinstance(block, Lines):
        return "\n".join(f"- {md(item)}" for item in block.items)
    if isinstance(block, Table):
        return to_markdown(block)
    if isinstance(block, Cases):
        return "\n\n".join(_case(case) for case in block.cases)
    return _figure(block)


def _figure(drawn: Drawn) -> str:
    key = "; ".join(f"{md(number)} {md(label)}" for number, label in drawn.key.items())
    key = f" Key: {key}." if key else ""
    return f"![{md(drawn.title)}]({drawn.png})\n\n*{md(drawn.title)}.* {md(drawn.caption)}{key}"


def _case(case: Case) -> str:
    answer = f" → {md(case.answer)}" if case.answer else ""
    lines = [f"**{md(case.category)}**, {md(case.recording)}: {md(case.question)}{answer}", ""]
    lines += [f"- evidence ({_rank(shown)}): {_line(shown)}" for shown in case.evidence]
    lines += [
        f"- retrieved {shown.rank}{' (evidence)' * shown.is_evidence}: {_line(shown)}" for shown in case.retrieved
    ]
    return "\n".join(lines)


def _rank(shown: Shown) -> str:
    return f"rank {shown.rank}" if shown.rank else "not ranked"


def _line(shown: Shown) -> str:
    return md(" ".join(filter(None, [shown.time, f"{shown.role}:", shown.text])))
