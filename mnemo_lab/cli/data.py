"""``mnemo data``: which data sets there are, how to get them, whether they are whole."""

from __future__ import annotations

import argparse
import sys

HELP = "list, fetch and verify data sets"
EXAMPLES = (
    "mnemo data list",
    "mnemo data fetch locomo --accept-licence",
    "mnemo data verify locomo",
    "MNEMO_DATA_DIR=~/data mnemo data verify beam_100k   # a folder of your own",
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    actions = parser.add_subparsers(dest="action", required=True, metavar="list|fetch|verify")
    actions.add_parser("list", help="every data set, its licence, and where it is")
    fetch = actions.add_parser("fetch", help="download a data set and check its sha256")
    fetch.add_argument("name", help="data set or card, see: mnemo data list")
    fetch.add_argument("--accept-licence", action="store_true", help="you have read the licence and accept it")
    verify = actions.add_parser("verify", help="compare every file with the sha256 on its card")
    verify.add_argument("name", help="data set or card, see: mnemo data list")


def main(options: argparse.Namespace) -> int:
    return {"list": _list, "fetch": _fetch, "verify": _verify}[options.action](options)


def _list(options: argparse.Namespace) -> int:
    from rich.console import Console
    from rich.table import Table

    from mnemo_lab.corpora.fetch import status

    table = Table("name", "state", "licence", "what", "where")
    for item in status():
        table.add_row(item.name, item.state, item.licence, item.title, str(item.folder or ""))
    Console().print(table)
    return 0


def _fetch(options: argparse.Namespace) -> int:
    from mnemo_lab.corpora.fetch import fetch

    for path in fetch(options.name, options.accept_licence, _progress):
        print(path)
    return 0


def _progress(file: str, done: int, total: int | None) -> None:
    share = f"{100 * done / total:.0f} %" if total else f"{done / 1e6:.1f} MB"
    print(f"\r{file}: {share} ", end="\n" if total and done >= total else "", file=sys.stderr, flush=True)


def _verify(options: argparse.Namespace) -> int:
    from mnemo_lab.corpora.fetch import verify

    checks = verify(options.name)
    for check in checks:
        state = "ok" if check.ok else f"WRONG: sha256 is {check.found or 'absent'}, expected {check.expected}"
        print(f"{check.file}: {state}")
    if not checks:
        print(f"{options.name}: bundled with the package; its test checks it")
    return 0 if all(check.ok for check in checks) else 1
