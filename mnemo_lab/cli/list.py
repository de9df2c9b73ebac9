"""``mnemo list``: the conversations in an export or archive."""

from __future__ import annotations

import argparse

from mnemo_lab.cli.options import add_language, add_reading

HELP = "list the conversations of a file, folder or archive: number, id, title, date, messages"
EXAMPLES = ("mnemo list chatgpt.zip", "mnemo list export.zip --select '*weather*'")
_COLUMNS = {"en": ("number", "id", "title", "date", "messages"), "zh": ("序号", "编号", "标题", "日期", "消息数")}
_BROKEN = {"en": "could not be read", "zh": "无法读取"}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("archive", metavar="ARCHIVE", help="a file, folder or zip archive")
    add_reading(parser)
    add_language(parser)


def main(options: argparse.Namespace) -> int:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    from mnemo_lab.cli.loss_table import shown
    from mnemo_lab.formats.detect import choose
    from mnemo_lab.formats.reading import numbered_readings
    from mnemo_lab.formats.source import Source

    table = Table(*_COLUMNS[options.language])
    for column in table.columns:
        column.overflow = "fold"  # an id that is cut could not be given to --select
    broken = 0
    with Source(options.archive) as source:
        for number, reading in numbered_readings(source, choose(source, options.from_), options.select):
            conversation = reading.conversation
            if conversation is None:
                broken += 1
                row = (str(number), "", _BROKEN[options.language], "", "")
            else:
                date = next((m.timestamp[:10] for m in conversation.messages if m.timestamp), "")
                row = (str(number), conversation.id, conversation.title or "", date, str(len(conversation.messages)))
            table.add_row(*(Text(shown(cell)) for cell in row))
    Console(highlight=False).print(table)
    return 1 if broken else 0
