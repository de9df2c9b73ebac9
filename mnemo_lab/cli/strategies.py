"""``mnemo strategies``: what can stand in a grid."""

from __future__ import annotations

import argparse

HELP = "list strategies, their parameters and presets"
EXAMPLES = ("mnemo strategies", "mnemo strategies hybrid")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("name", nargs="?", help="one strategy, with what its parameters mean")


def main(options: argparse.Namespace) -> int:
    from mnemo_lab.registry import PRESETS, names
    from mnemo_lab.strategy_text import parse_strategy

    if options.name:
        strategy = parse_strategy(options.name)
        print(f"{strategy}\n\n{_text(strategy)}")
        return 0
    for name in names("strategy"):
        strategy = parse_strategy(name)
        print(f"{strategy}\n    {_text(strategy).splitlines()[0]}")
    for name, text in PRESETS.items():
        print(f"{name} = {text}")
    return 0


def _text(strategy: object) -> str:
    import inspect

    return inspect.getdoc(type(strategy)) or ""
