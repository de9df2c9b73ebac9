"""``mnemo export``: any tool's conversations as one portable document."""

from __future__ import annotations

import argparse
from typing import Any

from mnemo_lab.cli.options import add_privacy, add_reporting

HELP = "export a conversation of any format, or a CSV table of messages, as a portable document"
EXAMPLES = (
    "mnemo export -i conversation.json",
    "mnemo export -i messages.csv -o context.json --title 'Port of the staging database' --model gpt-4",
    "mnemo export -i chatgpt.zip -o context.json --conv-id 6501c2f0",
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("-i", "--input-file", required=True, metavar="FILE", help="a file, folder or zip archive")
    parser.add_argument(
        "-o",
        "--output-file",
        default="exported_context.json",
        metavar="FILE",
        help="the portable document (default: exported_context.json)",
    )
    parser.add_argument(
        "--conv-id", metavar="ID", help="which conversation, where there are several; else the id to give it"
    )
    parser.add_argument("--title", help="the title to give it")
    parser.add_argument("--model", help="the model to name")
    parser.add_argument("--system-prompt", metavar="TEXT", help="the system prompt to give it")
    parser.add_argument("--from", dest="from_", metavar="F", help="the input's format, instead of detecting it")
    parser.add_argument(
        "--branches", choices=("active", "all"), default="active", help="the path last seen (default), or every branch"
    )
    add_privacy(parser)
    add_reporting(parser)


def main(options: argparse.Namespace) -> int:
    from datetime import UTC, datetime

    from mnemo_lab.cli.finishing import check_outputs, finish, noted
    from mnemo_lab.cli.options import holds_several, settings_of
    from mnemo_lab.formats.convert import convert

    changes: dict[str, Any] = {name: getattr(options, name) for name in ("title", "model") if getattr(options, name)}
    select = None
    if holds_several(options.input_file, options.from_):
        _check_several(options, changes)
        select = [options.conv_id] if options.conv_id else None
    elif options.conv_id:
        changes["id"] = options.conv_id
    system: dict[str, Any] = {"system": "replace"} if options.system_prompt is not None else {}
    check_outputs(options)
    with noted("export"):
        done = convert(
            options.input_file,
            options.output_file,
            "portable",
            settings_of(options, **system),
            now=datetime.now(UTC),
            wanted=options.from_,
            select=select,
            changes=changes,
        )
    return finish(done, options)


def _check_several(options: argparse.Namespace, changes: dict[str, Any]) -> None:
    from mnemo_lab.errors import InvalidInput

    if not options.conv_id and (changes or options.system_prompt is not None):
        given = ", ".join(f"--{name}" for name in (*changes, *(["system-prompt"] if options.system_prompt else [])))
        raise InvalidInput(
            f"{options.input_file} holds several conversations, and {given} would change them all; "
            f"name one with --conv-id (see: mnemo list {options.input_file})"
        )
