"""``mnemo discover``: histories that tools keep on this computer, and how to bring them over."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mnemo_lab.conversation import Conversation
    from mnemo_lab.formats.discover import History

HELP = "find the conversation histories that tools keep on this computer (read-only), and export them"
EXAMPLES = (
    "mnemo discover",
    "mnemo discover --export my_history/ --tool 'Claude Code' --newest 50",
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--export", type=Path, metavar="DIR", help="write what can be read as portable documents there")
    parser.add_argument("--tool", action="append", metavar="NAME", help="only this tool (may be given again)")
    parser.add_argument("--newest", type=int, metavar="N", help="at most the N newest files of each tool")
    parser.add_argument("--home", type=Path, metavar="DIR", help="look below this folder instead of your home")
    parser.add_argument("--no-redact", action="store_true", help="keep personal data and secrets in what is exported")


def main(options: argparse.Namespace) -> int:
    from mnemo_lab.errors import UnknownName
    from mnemo_lab.formats.discover import TOOLS, discover

    names = [tool.name for tool in TOOLS]
    for name in options.tool or ():
        if name not in names:
            raise UnknownName("tool", name, names)
    found = [h for h in discover(options.home) if not options.tool or h.tool.name in options.tool]
    _show(found)
    if options.export is None or not found:
        return 0
    return _export(found, options)


def _show(found: list[History]) -> None:
    from rich.console import Console
    from rich.table import Table

    if not found:
        print("no histories found; name a file yourself: mnemo inspect FILE")
        return
    table = Table("tool", "files", "MB", "newest", "read as", "newest file")
    for history in found:
        newest = f"{history.newest:%Y-%m-%d}" if history.newest else ""
        size, reader = f"{history.size / 1e6:.1f}", history.tool.format or "not yet"
        table.add_row(history.tool.name, str(len(history.files)), size, newest, reader, str(history.files[0]))
    Console().print(table)


def _export(found: list[History], options: argparse.Namespace) -> int:
    """One portable document per conversation; a file that cannot be read costs itself."""
    from datetime import UTC, datetime

    from mnemo_lab.errors import MnemoError
    from mnemo_lab.formats.convert import read_all
    from mnemo_lab.formats.portable import write_file as write_portable

    written = failed = 0
    now = datetime.now(UTC)
    for history in found:
        if history.tool.format is None:
            print(f"{history.tool.name}: its format is not read yet", file=sys.stderr)
            continue
        folder = options.export / history.tool.format
        folder.mkdir(parents=True, exist_ok=True)
        for path in history.files[: options.newest]:
            try:
                for number, reading in enumerate(read_all(path, history.tool.format)):
                    if reading.conversation is None or not reading.conversation.messages:
                        failed += 1
                        continue
                    conversation = _redacted(reading.conversation, options)
                    write_portable(conversation, folder / f"{path.stem}-{number:02d}.json", now=now)
                    written += 1
            except MnemoError as error:
                failed += 1
                print(f"{path}: {error}", file=sys.stderr)
    print(f"{written} conversations written below {options.export}, {failed} could not be read")
    return 0


def _redacted(conversation: Conversation, options: argparse.Namespace) -> Conversation:
    if options.no_redact:
        return conversation
    from mnemo_lab.privacy import Redactor

    return Redactor().redact_conversation(conversation)[0]
