"""``mnemo truncate``: conversations of any format cut to a budget, and what that kept and lost."""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from mnemo_lab.cli.options import add_preparing, add_privacy, add_reading, add_reporting

if TYPE_CHECKING:
    from rich.table import Table

    from mnemo_lab.formats.convert import Converted
    from mnemo_lab.formats.preparing import Cut
    from mnemo_lab.losses import Language, Loss

HELP = "cut conversations to a token budget, and report what was kept, what was lost and why"
EXAMPLES = (
    "mnemo truncate chat.json -o short.json --max-tokens 4096",
    "mnemo truncate chat.json -o short.json --max-tokens 8000 --strategy 'tool_trim(keep_results=2)' --report cut.json",
    "mnemo truncate export.zip -o short/ --target-model gpt-4 --strategy summary --note en     # every conversation",
    "mnemo truncate chat.json -o request.json --to anthropic --max-tokens 2000 --strategy 'recent(low_water=0.5)'",
)
SHOWN: Final = 20
"""Conversations in the table on the terminal; the report has all."""
_WORDS: Final[dict[str, dict[str, str]]] = {
    "en": {
        "columns": "conversation|tokens|cut to|budget|messages|kept|part|represented|lost",
        "total": "in all: {count}",
        "more": "and {count} more; --report FILE has them all",
        "failed": "not written",
        "lost": "lost, {count}: {sentence}",
        "fell_back": "summary: {reason}",
    },
    "zh": {
        "columns": "对话|词元|裁剪后|预算|消息|保留|部分|代表|丢失",
        "total": "共 {count} 个",
        "more": "另有 {count} 个；--report FILE 列出全部",
        "failed": "未写入",
        "lost": "丢失 {count} 条：{sentence}",
        "fell_back": "摘要：{reason}",
    },
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("input", metavar="FILE", help="a file, folder or zip archive in any format that can be read")
    parser.add_argument(
        "-o", "--output", required=True, metavar="OUT", help="a file, or a folder for one file each (DIR/)"
    )
    parser.add_argument(
        "--to", metavar="F", help="another format to write (default: the input's, or portable where that is only read)"
    )
    parser.add_argument(
        "--report", type=Path, metavar="R.json", help="write there what was kept and lost: an array, one each"
    )
    parser.add_argument("--note", choices=("en", "zh", "off"), help="say in the text how many messages were left out")
    add_reading(parser)
    add_preparing(parser)
    add_privacy(parser)
    add_reporting(parser)


def main(options: argparse.Namespace) -> int:
    from datetime import UTC, datetime

    from rich.console import Console

    from mnemo_lab.cli.finishing import check_outputs, finish, noted
    from mnemo_lab.cli.options import settings_of
    from mnemo_lab.formats.convert import convert

    check_outputs(options)
    _check_report(options)
    strategy = _strategy(options.strategy, options.note)
    with noted("truncate"):
        done = convert(
            options.input,
            options.output,
            options.to,
            settings_of(options, strategy=strategy, hold=True),
            now=datetime.now(UTC),
            wanted=options.from_,
            select=options.select,
        )
    if options.report:
        _write_report(options.report, done, strategy, options.target_model)
    status = finish(done, options)
    console = Console(highlight=False)
    console.print(_table(done.cuts, options.language))
    for line in _lines(done.cuts, options.language):
        console.print(line, markup=False, soft_wrap=True)
    return status


def _check_report(options: argparse.Namespace) -> None:
    from mnemo_lab.errors import InvalidInput

    report = options.report
    if report is None:
        return
    if report.is_dir() or not report.resolve().parent.is_dir():
        what = "is a directory" if report.is_dir() else f"the directory {report.parent} does not exist; create it first"
        raise InvalidInput(f"{report}: {what}")
    if report.resolve() in (Path(options.input).resolve(), Path(options.output).resolve()):
        raise InvalidInput(f"--report {report}: is the input or the output; name another file")


def _strategy(text: str | None, note: str | None) -> str:
    """The strategy's full text, with omission notes where they are asked for."""
    from dataclasses import replace

    from mnemo_lab.errors import InvalidInput
    from mnemo_lab.registry import names
    from mnemo_lab.strategy_text import parse_strategy

    strategy = parse_strategy(text or "recent")
    if note is None:
        return str(strategy)
    if "note" not in strategy.settings():
        able = ", ".join(name for name in names("strategy") if "note" in parse_strategy(name).settings())
        raise InvalidInput(f"--note {note}: {strategy.name} has no omission notes; strategies that have: {able}")
    changed: Any = strategy
    return str(replace(changed, note=note))


def _write_report(path: Path, done: Converted, strategy: str, model: str | None) -> None:
    import json

    from mnemo_lab.formats.files import write_atomically

    rows = [
        {
            "number": cut.number,
            "conversation": cut.conversation,
            "path": str(cut.path) if cut.path else None,
            "strategy": strategy,
            "model": model,
            "written_tokens": cut.tokens if cut.path else None,
            **(cut.report.as_dict() if cut.report else {}),
            "losses": [_row(item) for item in cut.losses],
        }
        for cut in done.cuts
    ]
    text = json.dumps(rows, ensure_ascii=False, indent=2, allow_nan=False)
    write_atomically(path, (text + "\n").encode("utf-8", "replace"))


def _row(item: Loss) -> dict[str, str | None]:
    said = {"en": item.sentence("en"), "zh": item.sentence("zh")}
    return {"code": item.code, "severity": item.severity, "id": item.message_id, "pointer": item.pointer, **said}


def _table(cuts: Sequence[Cut], language: Language) -> Table:
    from rich import box
    from rich.table import Table
    from rich.text import Text

    from mnemo_lab.cli.loss_table import shown

    words = _WORDS[language]
    name, *columns = words["columns"].split("|")
    table = Table(name, box=box.SIMPLE, show_footer=False)
    table.columns[0].overflow = "fold"
    for column in columns:
        table.add_column(column, justify="right", no_wrap=True)
    totals = [0] * len(columns)
    for cut in cuts:
        numbers = _numbers(cut)
        totals = (
            [total + number for total, number in zip(totals, numbers or totals, strict=True)] if numbers else totals
        )
        if table.row_count < SHOWN:
            cells = [f"{number:,}" for number in numbers] or [words["failed"]]
            table.add_row(Text(shown(cut.conversation)), *cells, style=None if cut.path else "red")
    if len(cuts) > SHOWN:
        table.add_row(words["more"].format(count=len(cuts) - SHOWN), style="dim")
    if len(cuts) > 1:
        table.add_section()
        table.add_row(words["total"].format(count=len(cuts)), *(f"{total:,}" for total in totals))
    return table


def _numbers(cut: Cut) -> list[int]:
    """As the columns say; nothing where the conversation was not written."""
    found = cut.report
    if cut.path is None or found is None:
        return []
    kept = [len(ids) for ids in (found.whole, found.in_part, found.represented, found.lost)]
    return [found.tokens_before, found.tokens_after, found.budget, sum(kept), *kept]


def _lines(cuts: Sequence[Cut], language: Language) -> Iterator[str]:
    """Why messages were lost, and what befell summaries."""
    from mnemo_lab.cli.loss_table import shown

    words = _WORDS[language]
    reports = [cut.report for cut in cuts if cut.path and cut.report]
    lost = Counter(item.sentence(language) for report in reports for item in report.lost)
    for sentence, count in lost.most_common(SHOWN):
        yield words["lost"].format(count=f"{count:,}", sentence=sentence)
    for reason in dict.fromkeys(reason for report in reports for reason in report.summarising.reasons):
        yield shown(words["fell_back"].format(reason=reason))
