"""The entry of ``mnemo``: one sub-command per module, nothing heavy imported before a command runs."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from importlib import import_module
from keyword import iskeyword
from typing import Final

COMMANDS: Final = (
    *("run", "answer", "report", "data", "strategies", "probes", "chat", "store"),
    *("memory", "inspect", "list", "convert", "truncate", "export", "import", "validate", "discover"),
)
"""Modules of this package (``import_`` for the word that Python keeps); each has ``HELP``, ``EXAMPLES``,
``add_arguments`` and ``main``."""


def build_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="mnemo",
        description="Replay recorded conversations through competing ways of choosing context, and compare.",
        epilog=_examples("mnemo run evals/bilingual.toml", "mnemo inspect my_conversation.json", "mnemo data list"),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="store_true", help="print the version and exit")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND")
    for name in COMMANDS:
        module = import_module(f"mnemo_lab.cli.{name}{'_' if iskeyword(name) else ''}")
        command = commands.add_parser(
            name,
            help=module.HELP,
            description=module.HELP,
            epilog=_examples(*module.EXAMPLES),
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )
        module.add_arguments(command)
        command.set_defaults(main=module.main)
    return parser


def _examples(*lines: str) -> str:
    return "examples:\n" + "\n".join(f"  {line}" for line in lines)


def run(arguments: Sequence[str] | None = None) -> int:
    """Parse and run; the exit status. 0 done, 2 something given was wrong, 130 stopped by the user."""
    parser = build_parser()
    options = parser.parse_args(arguments)
    if options.version:
        from mnemo_lab import __version__

        print(f"mnemo-lab {__version__}")
        return 0
    if options.command is None:
        parser.print_help()
        return 0
    from mnemo_lab.errors import MnemoError

    try:
        status: int = options.main(options)
        sys.stdout.flush()
    except MnemoError as error:
        print(f"mnemo {options.command}: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print(f"\nmnemo {options.command}: stopped; the same command goes on where it was", file=sys.stderr)
        return 130
    except BrokenPipeError:  # `mnemo … | head` closed the pipe: not an error
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # nor is what is still in the buffer
        return 0
    return status


if __name__ == "__main__":
    sys.exit(run())
