"""``reports/peers.md`` from finished runs.

python evals/peers/report.py runs/peers_bilingual runs/peers_locomo runs/peers_beam
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Collection, Iterator, Sequence
from importlib.metadata import PackageNotFoundError, version
from math import isnan
from pathlib import Path
from typing import TYPE_CHECKING, Final

if __name__ == "__main__":  # run as a file: modules are found from the checkout's root
    sys.path[0] = str(Path(__file__).resolve().parents[2])

from mnemo_lab.replay.reopen import reopen
from mnemo_lab.replay.run import Run
from mnemo_lab.reporting.compare import pair_of
from mnemo_lab.reporting.selection import answerable, is_reference, of_split
from mnemo_lab.reporting.summary import summarise
from mnemo_lab.statistics import Pair
from mnemo_lab.statistics.intervals import FEWEST_CLUSTERS
from mnemo_lab.strategy_text import parse_strategy

if TYPE_CHECKING:
    import polars as pl

PACKAGES: Final = ("langchain-core", "langchain", "langgraph", "llama-index-core", "haystack-ai")
METRICS: Final = {
    "evidence_recall": "evidence wholly kept word for word",
    "evidence_coverage": "the answer's characters in the evidence, kept word for word",
    "answer_in_context": "the answer stands in what is sent, word for word or in a summary",
}
FEWEST_QUESTIONS: Final = 10
"""Below that nothing is claimed of a metric: answers of BEAM are seldom literal."""
HEADLINE: Final = ("evidence_recall", "answer_in_context")
CELL: Final = ["strategy", "budget_tokens"]
HEAD: Final = """# Truncation: ours and other people's at equal budgets

Written by `python evals/peers/run.py` (`make peers` installs what it needs and runs it). Versions: {versions}.

**How peers are run.** They are strategies under the same replay, accounting and probes as ours (`evals/peers/`). Each
message is handed over as it comes; what keeps a state is called where an agent or chat engine calls it, before every
assistant message and before the answer; its state outlives a conversation of a recording. They get the budget less the
system prompt, and our token counter where they let one be set: LlamaIndex counts texts and neither framing of messages
nor tool calls, so it overruns where it fills its limit. Names in the tables stand with settings that are not their
defaults; defaults are the libraries' own, but for what they leave to the user, which is the budget itself: LangChain's
`trigger`, Haystack's `context_window`, LlamaIndex's `token_limit`.

**Their summaries** are written by `extractive`, the summariser without a model that our `summary` uses, behind a chat
model of each library (LangChain: its documented `summarizer=`, since an extractive summariser would quote the
instructions of the prompt). They may take `summary_share` of the budget: a quarter, which LlamaIndex leaves by default,
or about what our `summary` takes. So the comparison is of what a library summarises when and keeps beside it, not of
language models. What a summary stands for is what was dropped around it. A sentence that our summary quotes counts as
kept in `evidence_coverage`, one that theirs quotes does not: compare summaries by `answer_in_context`.

**What is counted.** Kept messages are mapped back by id and compared word for word. A context over its budget counts
with what it holds, which favours it; the share of such contexts stands in the last table of every data set, with
errors by our validator that the recording did not have itself, and contexts that are empty though the newest unit fits.
"""
READ: Final = """
Claims are about test recordings; answerable questions. In brackets the 95 % interval over recordings, where there are
six or more; below that a number is conditional on these recordings. † more than the budget on average.
"""


def write_report(runs: Sequence[Run], out: Path) -> None:
    parts = [HEAD.format(versions=", ".join(f"{name} {_version(name)}" for name in PACKAGES)), READ]
    parts += [line for run in runs for line in _set(run)]
    out.parent.mkdir(parents=True, exist_ok=True)
    out.write_text("".join(parts), encoding="utf-8")


def _set(run: Run) -> Iterator[str]:
    rows = answerable(of_split(run.rows, "test"))
    recordings = rows["recording"].n_unique()
    yield f"\n## {run.dataset.name}: {recordings} test recordings\n"
    yield from _against(run)
    for metric, what in METRICS.items():
        board = summarise(rows, CELL, metric)
        yield f"\n**{metric}** ({what}; n = {board['n'].max()})\n\n"
        yield _row("strategy", [f"{budget:,}" for budget in run.grid.budgets])
        yield f"|---|{'---|' * len(run.grid.budgets)}\n"
        for label in _order(run):
            yield _row(_named(label), [_cell(board, label, budget, metric) for budget in run.grid.budgets])
    yield from _faults(run)


def _against(run: Run) -> Iterator[str]:
    """The best of ours that sees no query, as chosen on development recordings, against every peer."""
    budget, peers = run.grid.primary, [label for label in _order(run) if _kind(label) == "peer"]
    best = {metric: _best(run, metric) for metric in HEADLINE}
    pairs = {(m, label): pair_of(run, best[m], label, m, budget, "test") for m in HEADLINE for label in peers}
    yield (
        f"\nThe best of ours that sees no query, chosen on development recordings at {budget:,} tokens, less each peer "
        f"at {budget:,} tokens on test recordings (p: sign-flip permutation over recordings, unadjusted):\n\n"
    )
    yield _row("peer", [f"{metric}: `{best[metric]}` less peer" for metric in HEADLINE])
    yield f"|---|{'---|' * len(HEADLINE)}\n"
    for label in peers:
        yield _row(f"`{label}`{_excess(run, label)}", [_pair(pairs[metric, label]) for metric in HEADLINE])
    for metric in HEADLINE:
        here = {label: pairs[metric, label] for label in peers}
        behind = [f"`{label}`{_excess(run, label)}" for label, pair in here.items() if pair.difference <= 0]
        yield f"\n{metric}, {_asked(here.values())}: {_claim(best[metric], len(peers), behind, here.values())}\n"


def _asked(pairs: Collection[Pair]) -> str:
    """How many questions and recordings a comparison rests on, and the least p that so many recordings can give."""
    questions, recordings = min(pair.n for pair in pairs), min(pair.clusters for pair in pairs)
    floor = max(pair.smallest_p for pair in pairs)
    few = f", so no interval, and p cannot be below {floor:.2g}" if recordings < FEWEST_CLUSTERS else ""
    return f"{questions} questions of {recordings} recordings{few}"


def _claim(ours: str, peers: int, behind: Sequence[str], pairs: Collection[Pair]) -> str:
    if min(pair.n for pair in pairs) < FEWEST_QUESTIONS:
        return f"fewer than {FEWEST_QUESTIONS} questions, so nothing is claimed."
    found = f"`{ours}` keeps more than {peers - len(behind)} of {peers} peers"
    return f"{found}; not more than {', '.join(behind)}." if behind else f"{found}."


def _excess(run: Run, label: str) -> str:
    """That a peer sends more than the primary budget on average, and how much."""
    import polars as pl

    budget = run.grid.primary
    here = (pl.col("strategy") == label) & (pl.col("budget_tokens") == budget)
    used = answerable(of_split(run.rows, "test")).filter(here)["context_tokens"].mean()
    return f" (sends {used:,.0f})" if isinstance(used, float) and used > budget else ""


def _best(run: Run, metric: str) -> str:
    board = summarise(answerable(of_split(run.rows, "dev")), CELL, metric)
    ours = [label for label in _order(run) if _kind(label) == "ours"]
    return max(ours, key=lambda label: _value(board, label, run.grid.primary, metric) or 0.0)


def _order(run: Run) -> list[str]:
    kinds = ["ours", "ours, sees the query", "peer", "reference"]
    return sorted(run.labels, key=lambda label: kinds.index(_kind(label)))


def _kind(label: str) -> str:
    if is_reference(label) or label == "random":
        return "reference"
    strategy = parse_strategy(label)
    if type(strategy).__module__.startswith("mnemo_peers"):
        return "peer"
    sees = strategy.uses_query and strategy.settings().get("similar", 1)  # budgeted without it reads no query
    return "ours, sees the query" if sees else "ours"


def _named(label: str) -> str:
    return f"{_kind(label)}: `{label}`"


def _row(first: str, cells: Sequence[str]) -> str:
    return f"| {first} | {' | '.join(cells)} |\n"


def _part(board: pl.DataFrame, label: str, budget: int) -> pl.DataFrame:
    import polars as pl

    return board.filter((pl.col("strategy") == label) & (pl.col("budget_tokens") == budget))


def _value(board: pl.DataFrame, label: str, budget: int, column: str) -> float | None:
    part = _part(board, label, budget)
    return part[column].item() if len(part) else None


def _cell(board: pl.DataFrame, label: str, budget: int, metric: str) -> str:
    value = _value(board, label, budget, metric)
    if value is None:
        return "failed"
    low, high, used = (_value(board, label, budget, name) for name in ("lo", "hi", "context_tokens"))
    mark = "†" if used and used > budget else ""
    return f"{value:.3f}{mark}" if low is None else f"{value:.3f}{mark} [{low:.2f}, {high:.2f}]"


def _pair(pair: Pair) -> str:
    span = "" if isnan(pair.lo) else f" [{pair.lo:+.3f}, {pair.hi:+.3f}]"
    return f"{pair.difference:+.3f}{span}, p = {pair.p_permutation:.3f}"


def _faults(run: Run) -> Iterator[str]:
    """Over all recordings, probes and budgets: validity is nothing that was tuned."""
    import polars as pl

    board = run.rows.group_by("strategy").agg(
        pl.len().alias("contexts"),
        pl.col("error").is_not_null().sum().alias("failed"),
        (pl.col("violations") > 0).sum().alias("invalid"),
        pl.col("over_budget").sum().alias("over"),
        (pl.col("silent_empty") > 0).sum().alias("empty"),
        *(
            pl.col("context_tokens").filter(pl.col("budget_tokens") == budget).mean().alias(str(budget))
            for budget in run.grid.budgets
        ),
    )
    used = [f"tokens at {budget:,}" for budget in run.grid.budgets]
    yield "\n**Validity and size**, all recordings and budgets\n\n"
    yield _row("strategy", ["contexts", "invalid", "over budget", "empty", "failed", *used])
    yield f"|---|{'---|' * (5 + len(used))}\n"
    for label in _order(run):
        row = board.filter(pl.col("strategy") == label).row(0, named=True)
        counts = [f"{row[name]:,}" for name in ("contexts", "invalid", "over", "empty", "failed")]
        yield _row(_named(label), [*counts, *(f"{row[str(b)] or 0:,.0f}" for b in run.grid.budgets)])
    for strategy, error in run.rows.filter(pl.col("error").is_not_null()).select("strategy", "error").unique().rows():
        yield f"\n- failed: `{strategy}`: {error[:200]}\n"


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "not installed"


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("runs", nargs="+", type=Path, metavar="RUN", help="run folders")
    parser.add_argument("--out", type=Path, default=Path("reports/peers.md"), metavar="FILE", help="the report")
    options = parser.parse_args(arguments)
    write_report([reopen(folder) for folder in options.runs], options.out)
    return 0


if __name__ == "__main__":
    sys.exit(main())
