"""``mnemo probes``: questions without labels, from what a conversation itself uses again."""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mnemo_lab.conversation import Conversation

HELP = "mine probes from conversations: no labels, no model"
EXAMPLES = (
    "mnemo probes mine conversation.json -o conversation.probes.jsonl",
    "mnemo probes mine chatgpt.zip --min-turns 10 --masked -o probes.jsonl",
    "mnemo run --conversations chatgpt.zip    # mines and replays in one go",
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    actions = parser.add_subparsers(dest="action", required=True, metavar="mine")
    mine = actions.add_parser("mine", help="things that later messages use again, and where they were introduced")
    mine.add_argument("file", type=Path, metavar="FILE", help="a file, folder or archive in any format that is read")
    mine.add_argument("-o", "--out", type=Path, metavar="probes.jsonl", help="where to write (default: the terminal)")
    mine.add_argument("--from", dest="from_", metavar="F", help="the input's format, instead of detecting it")
    add_mining(mine)


def add_mining(parser: argparse._ActionsContainer) -> None:
    """What ``mnemo run --conversations`` takes too."""
    parser.add_argument(
        "--min-turns", type=int, metavar="D", help="turns between a thing's introduction and its use again (default: 6)"
    )
    parser.add_argument(
        "--masked", action="store_true", help="take the shared rare words out of the questions, against keyword search"
    )


def main(options: argparse.Namespace) -> int:
    from mnemo_lab.probes.lines import to_lines
    from mnemo_lab.probes.mining import MIN_TURNS, mine
    from mnemo_lab.probes.own import unique_conversations

    lines: list[str] = []
    kinds: Counter[str] = Counter()
    conversations = unique_conversations(_read(options.file, options.from_))
    for number, conversation in enumerate(conversations, 1):
        prefix = f"c{number:02}-" if len(conversations) > 1 else ""
        probes = mine(conversation, options.min_turns or MIN_TURNS, masked=options.masked)
        kinds.update(probe.category for probe in probes)
        lines.append(to_lines(probes, conversation.messages, prefix))
    _write("".join(lines), options.out)
    what = ", ".join(f"{kind} {n}" for kind, n in sorted(kinds.items())) or "nothing is used again so late"
    print(f"{len(conversations):,} conversations, {kinds.total():,} probes: {what}", file=sys.stderr)
    return 0 if kinds else 1


def _read(file: Path, wanted: str | None) -> Iterator[Conversation]:
    """The readable conversations by their active path; what was not read is said."""
    from mnemo_lab.formats.convert import read_all
    from mnemo_lab.formats.tree import active_path

    for reading in read_all(file, wanted):
        if reading.conversation is None:
            print(
                f"{reading.place}: {reading.losses[0].sentence() if reading.losses else 'unreadable'}", file=sys.stderr
            )
        else:
            yield active_path(reading.conversation).conversation


def _write(text: str, out: Path | None) -> None:
    from mnemo_lab.formats.files import write_atomically

    if out is None:
        sys.stdout.write(text)
    else:
        write_atomically(out, text.encode())
