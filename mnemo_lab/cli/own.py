"""``mnemo run --conversations``: anyone's own export, with probes mined from it; no labels, no model."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from mnemo_lab.cli.probes import add_mining
from mnemo_lab.errors import InvalidInput

if TYPE_CHECKING:
    from mnemo_lab.probes.own import Settings
    from mnemo_lab.replay.grid import Grid

STRATEGIES: Final = ("bm25", "dense", "hybrid")
LIMITS: Final = {"min_turns": "min_turns", "fewest": "min_messages", "most": "max_conversations"}
"""Settings and the options that give them."""
TITLE: Final = "Keeping what matters in your own conversations"
QUESTION: Final = (
    "Which way of choosing context brings back what later messages use again? Nobody wrote these questions: they are "
    "mined from the conversations."
)
WHAT_IT_MEANS: Final = (
    "Mined probes. A question is a later message of the conversation itself that uses a rare thing again (a path, "
    "an error code, an identifier, a number, a title, a quoted phrase, a name, a Chinese term) which was "
    "introduced at least {turns} turns earlier and not mentioned since; the evidence is the message that "
    "introduced it. Nobody has checked them: of links read by hand in recordings the miner had not been tuned on, "
    "about four in five were right, nearly all between an agent's calls and fewer in small talk "
    "(reports/mined_probes.md). There is no gold answer, so answer in context is undefined. Since the thing "
    "stands word for word in question and evidence, keyword search (bm25) is favoured over search by meaning; "
    "since nothing younger than {turns} turns counts, keeping the newest messages (recent) looks worse at small "
    "budgets than it is. Compare strategies by the order, not by the figures; an order that --masked, without the "
    "shared words, gives too is to be trusted, and a few points between bm25, dense and hybrid are a tie."
)
MASKED: Final = (
    " The things used again, and every other rare word that question and evidence share, were taken out of the "
    "questions (--masked), so that keyword search has no head start."
)


def add_conversations(parser: argparse._ActionsContainer) -> None:
    parser.add_argument(
        "--conversations", nargs="+", type=Path, metavar="FILE", help="exports in any format that is read"
    )
    add_mining(parser)
    parser.add_argument("--min-messages", type=int, metavar="N", help="skip shorter conversations (default: 20)")
    parser.add_argument("--max-conversations", type=int, metavar="N", help="only the N longest (default: 20)")
    parser.add_argument("--no-redact", action="store_true", help="keep personal data and secrets in the run's folder")


def changes(options: argparse.Namespace) -> dict[str, Any]:
    """What the command line says of a grid, the data set apart."""
    names = ("strategies", "budgets", "baseline", "split", "language_model")
    given = {name: getattr(options, name) for name in names if getattr(options, name) is not None}
    return {name: tuple(value) if isinstance(value, list) else value for name, value in given.items()}


def own_grid(options: argparse.Namespace, out: Path) -> Grid:
    """The grid over recordings that are first prepared under ``out``; a grid file gives strategies and budgets."""
    from mnemo_lab.probes.own import FOLDER, prepare
    from mnemo_lab.replay.grid import find_grid, make_grid, read_grid

    if options.dataset is not None:
        raise InvalidInput("--dataset and --conversations name two sources; give one of them")
    base = read_grid(find_grid(options.grid)).model_dump() if options.grid else {"strategies": STRATEGIES}
    place = str((out / FOLDER).resolve())
    raw = base | changes(options) | {"dataset": place, "title": TITLE, "question": QUESTION}
    make_grid(raw, options.grid or "command line")  # a strategy that does not exist is said before anything is read
    settings = _settings(options)
    _, taken = prepare(options.conversations, out / FOLDER, settings)
    sentences = taken.sentences(settings)
    if not options.quiet:
        print("\n".join(sentences), file=sys.stderr)
    meaning = WHAT_IT_MEANS.format(turns=settings.min_turns) + (MASKED if settings.masked else "")
    return make_grid(raw | {"notes": f"{meaning} Here: {'; '.join(sentences)}."}, options.grid or "command line")


def _settings(options: argparse.Namespace) -> Settings:
    from mnemo_lab.probes.own import Settings

    given = {name: getattr(options, option) for name, option in LIMITS.items()}
    for name, value in given.items():
        if value is not None and value < 1:
            raise InvalidInput(f"--{LIMITS[name].replace('_', '-')} is {value}; use 1 or more")
    known = {name: value for name, value in given.items() if value is not None}
    return Settings(**known, redact=not options.no_redact, masked=options.masked)
