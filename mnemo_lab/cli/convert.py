"""``mnemo convert``: conversations from any tool's format to another's, with every loss listed."""

from __future__ import annotations

import argparse

from mnemo_lab.cli.options import add_preparing, add_privacy, add_reading, add_reporting

HELP = "convert conversations from one tool's format to another's, and list what was lost"
EXAMPLES = (
    "mnemo convert chatgpt.zip -o chats/ --to portable           # one file a conversation",
    "mnemo convert chat.json -o request.json --to anthropic --target-model claude-sonnet-4 --max-tokens 4096",
    "mnemo convert export.zip -o one.md --to markdown --select 3 --language zh",
    "mnemo convert chat.json -o shared.json --to mnemosyne@1.0.0 --redact --map secrets.json --losses losses.json",
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("input", metavar="IN", help="a file, folder or zip archive")
    parser.add_argument(
        "-o", "--output", required=True, metavar="OUT", help="a file, or a folder for one file each (DIR/)"
    )
    parser.add_argument(
        "--to", required=True, metavar="F", help="the target's format, e.g. portable, anthropic, markdown"
    )
    add_reading(parser)
    add_preparing(parser)
    add_privacy(parser)
    add_reporting(parser)


def main(options: argparse.Namespace) -> int:
    from datetime import UTC, datetime

    from mnemo_lab.cli.finishing import check_outputs, finish, noted
    from mnemo_lab.cli.options import settings_of
    from mnemo_lab.formats.convert import convert

    check_outputs(options)
    with noted("convert"):
        done = convert(
            options.input,
            options.output,
            options.to,
            settings_of(options),
            now=datetime.now(UTC),
            wanted=options.from_,
            select=options.select,
        )
    return finish(done, options)
