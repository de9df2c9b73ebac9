"""Options that several commands on conversation files share."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from mnemo_lab.formats.preparing import Settings


def add_reading(parser: argparse.ArgumentParser) -> None:
    """How a file is read, and what of it."""
    parser.add_argument("--from", dest="from_", metavar="F", help="the input's format, instead of detecting it")
    parser.add_argument("--select", nargs="+", metavar="ID|TITLE|N", help="only these conversations (see: mnemo list)")


def add_language(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--language", choices=("en", "zh"), default="en", help="language of what is said (default: en)")


def add_reporting(parser: argparse.ArgumentParser) -> None:
    """What is said of losses, and how the command ends."""
    parser.add_argument("--losses", type=Path, metavar="FILE.json", help="write every loss there")
    parser.add_argument("--strict", action="store_true", help="end with status 3 where a loss is an error")
    add_language(parser)


def add_privacy(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--redact", action="store_true", help="replace personal data and secrets by placeholders")
    parser.add_argument(
        "--map", type=Path, metavar="FILE", help="with --redact: write what each placeholder stands for"
    )


def add_preparing(parser: argparse.ArgumentParser) -> None:
    """What is changed on the way."""
    parser.add_argument(
        "--branches", choices=("active", "all"), default="active", help="the path last seen (default), or every branch"
    )
    parser.add_argument("--system", choices=("keep", "replace", "drop"), default="keep", help="the system prompt")
    parser.add_argument("--system-prompt", metavar="TEXT", help="the new one, with --system replace")
    parser.add_argument(
        "--repair",
        choices=("placeholder", "drop", "error"),
        default="placeholder",
        help="what the target would refuse: fill in (default), leave out, or do not mend",
    )
    parser.add_argument("--max-tokens", type=int, metavar="N", help="cut to N tokens (default: do not cut)")
    parser.add_argument(
        "--strategy", metavar="S", help="how to cut, e.g. 'recent(keep_last_n=20)' (see: mnemo strategies)"
    )
    parser.add_argument("--target-model", metavar="M", help="whose tokens and window count, and what the file names")
    parser.add_argument("--force", action="store_true", help="write even what the target would refuse")


def holds_several(path: str, wanted: str | None, select: Sequence[str] | None = None) -> bool:
    """Whether a file holds more than one conversation (of those selected); the rest is not read."""
    from itertools import islice

    from mnemo_lab.formats.reading import read_all

    return len(list(islice(read_all(path, wanted, select), 2))) > 1


def settings_of(options: argparse.Namespace, **more: Any) -> Settings:
    """The settings that a command line says."""
    from mnemo_lab import __version__
    from mnemo_lab.formats.preparing import Settings

    names = ("branches", "system", "system_prompt", "repair", "max_tokens", "strategy", "redact", "force", "language")
    given: dict[str, Any] = {name: getattr(options, name) for name in names if hasattr(options, name)}
    given["model"] = getattr(options, "target_model", None)
    return Settings(**(given | {"exporter": f"mnemo-lab {__version__}"} | more))
