"""Fill the generated parts of README.md: the strategies table, and results from published leaderboards.

python evals/readme.py            # rewrite README.md
python evals/readme.py --check    # exit 1 where the strategies table is out of date
"""

from __future__ import annotations

import inspect
import re
import sys
from pathlib import Path

import polars as pl

from mnemo_lab.registry import PRESETS, names
from mnemo_lab.strategy_text import parse_strategy

ROOT = Path(__file__).resolve().parents[1]
SHOWN = (512, 1024, 2048, 4096)


def strategies_table() -> str:
    rows = ["| strategy, with its defaults | what it does |", "|---|---|"]
    for name in names("strategy"):
        strategy = parse_strategy(name)
        what = " ".join((inspect.getdoc(type(strategy)) or "").split("\n\n")[0].split())
        rows.append(f"| `{strategy}` | {what.replace('``', '`')} |")
    rows += [f"| `{name}` | preset for `{text}` |" for name, text in PRESETS.items()]
    return "\n".join(rows)


def results() -> str:
    """One small table per published leaderboard in ``reports/``."""
    return "\n\n".join(_result(path) for path in sorted((ROOT / "reports").glob("*/leaderboard.csv")))


def _result(path: Path) -> str:
    frame = pl.read_csv(path).filter(
        (pl.col("split") == "test") & (pl.col("category") == "answerable") & pl.col("budget_tokens").is_in(SHOWN)
    )
    name = path.parent.name
    rows = [
        f"**{name}**, test recordings, answerable questions (n = {frame['n'].max()}): evidence recall "
        f"[95 % interval where there are six recordings or more] by token budget (`mnemo run evals/{name}.toml`)",
        "",
        "| strategy | " + " | ".join(f"{budget:,}" for budget in SHOWN) + " |",
        "|---|" + "---|" * len(SHOWN),
    ]
    for strategy in frame["strategy"].unique(maintain_order=True):
        cells = [_cell(frame.filter((pl.col("strategy") == strategy) & (pl.col("budget_tokens") == b))) for b in SHOWN]
        rows.append(f"| `{strategy}` | {' | '.join(cells)} |")
    return "\n".join(rows)


def _cell(row: pl.DataFrame) -> str:
    value, low, high, used, budget = row.select(
        "evidence_recall", "evidence_recall_lo", "evidence_recall_hi", "context_tokens", "budget_tokens"
    ).row(0)
    mark = "†" if used > budget else ""
    return f"{value:.3f}{mark}" if low is None else f"{value:.3f}{mark} [{low:.2f}, {high:.2f}]"


def filled(text: str, part: str, content: str) -> str:
    """README text with the block between ``<!-- part -->`` and ``<!-- /part -->`` replaced."""
    pattern = re.compile(f"(<!-- {part} -->\n).*?(<!-- /{part} -->)", re.DOTALL)
    return pattern.sub(lambda match: f"{match[1]}{content}\n{match[2]}", text)


def main() -> int:
    readme = ROOT / "README.md"
    text = readme.read_text(encoding="utf-8")
    new = filled(text, "strategies", strategies_table())
    if "--check" in sys.argv:
        return int(new != text)
    note = "† the whole history is sent, whatever the budget: the upper end, not a contender."
    readme.write_text(filled(new, "results", f"{results()}\n\n{note}"), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
