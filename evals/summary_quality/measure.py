"""How much of what is dropped can still be read off a summary.

    python -m evals.summary_quality.measure          # bilingual; LoCoMo where MNEMO_DATA_DIR is set

Writes reports/summary_quality.md. `--split dev` prints the same for the recordings the summariser was designed on.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import product
from math import isnan, nan
from pathlib import Path
from typing import Final, NamedTuple

from evals.summary_quality.prose import HEAD, LEGEND, PER_TOKEN, TARGET
from evals.summary_quality.writers import COUNTER, WRITERS
from mnemo_lab.conversation import Message
from mnemo_lab.corpora.base import load
from mnemo_lab.errors import InvalidInput
from mnemo_lab.recording import Probe, Recording
from mnemo_lab.summaries.quality import KINDS, Facts, per_100_tokens
from mnemo_lab.text.answers import Alternative, answer_alternatives, contains
from mnemo_lab.text.normalise import normalise

REPORT: Final = Path("reports/summary_quality.md")
SETS: Final = ("bilingual", "locomo")
DROPPED: Final = 0.7
"""Share of a recording's messages that is summarised, from its beginning."""
SHARES: Final = (0.25, 0.1, 0.05)
"""Tokens of the summary as shares of those of the messages it stands for."""
COLUMNS: Final = (*KINDS, "answers")
AIM: Final = 0.9
AIM_SHARE: Final = 0.25


class Measured(NamedTuple):
    """One summary. ``kept`` and ``total`` by column; ``tokens`` of the summary."""

    group: str
    recording: str
    writer: str
    share: float
    tokens: int
    kept: dict[str, int]
    total: dict[str, int]

    def of(self, column: str) -> float:
        return self.kept[column] / self.total[column] if self.total[column] else nan


def dropped(recording: Recording) -> list[Message]:
    messages = list(recording.messages())
    return messages[: int(len(messages) * DROPPED)]


def answers_in(messages: Sequence[Message], probes: Iterable[Probe]) -> list[list[Alternative]]:
    """The answers of probes whose evidence is all among the messages, and whose words can be found there at all."""
    ids, text = {message.id for message in messages}, normalise("\n".join(message.text for message in messages))
    found = []
    for probe in probes:
        if probe.answerable and probe.evidence and ids.issuperset(probe.evidence):
            there = [parts for parts in answer_alternatives(probe) if _stands(text, parts)]
            found += [there] if there else []
    return found


def _stands(normalised: str, parts: Alternative) -> bool:
    return all(contains(normalised, part) for part in parts)


def measure(recording: Recording, group: str) -> Iterator[Measured]:
    """Every writer at every size."""
    messages = dropped(recording)
    facts = Facts.of([message.text for message in messages])
    answers = answers_in(messages, recording.probes)
    tokens = sum(COUNTER.count(message.text) for message in messages)
    for name, write in WRITERS.items():
        for share in SHARES:
            summary = write(messages, int(tokens * share))
            survival, text = facts.survival(summary), normalise(summary)
            kept = {kind: survival[kind].kept for kind in KINDS}
            total = {kind: survival[kind].total for kind in KINDS}
            kept["answers"] = sum(any(_stands(text, parts) for parts in ways) for ways in answers)
            total["answers"] = len(answers)
            yield Measured(group, recording.id, name, share, COUNTER.count(summary), kept, total)


def report(found: Sequence[Measured]) -> str:
    groups = list(dict.fromkeys(item.group for item in found))
    parts = [HEAD.format(dropped=f"{DROPPED:.0%}"), _target(found, groups), LEGEND]
    for group in groups:
        parts += [f"## {group}\n\n{_sizes(found, group)}\n", _table(found, group, _cell)]
    parts.append(PER_TOKEN)
    parts += [f"### {group}\n\n" + _table(found, group, _per_token_cell) for group in groups]
    return "\n".join(parts)


def _target(found: Sequence[Measured], groups: Iterable[str]) -> str:
    lines = []
    for group in groups:
        ours = [i for i in found if (i.group, i.writer, i.share) == (group, "extractive", AIM_SHARE)]
        means = {column: _mean(item.of(column) for item in ours) for column in ("identifiers", "numbers")}
        said = ", ".join(f"{column} {_shown(mean)}" for column, mean in means.items())
        low = [column for column, mean in means.items() if mean < AIM]
        lines.append(f"- {group}: {said}: {'missed for ' + ' and '.join(low) if low else 'reached'}")
    behind = "; ".join(_behind(found, groups)) or "nowhere"
    return TARGET.format(aim=f"{AIM:.0%}", share=f"{AIM_SHARE:.0%}", lines="\n".join(lines), behind=behind)


def _behind(found: Sequence[Measured], groups: Iterable[str]) -> Iterator[str]:
    """Cells of the tables in which the first writer is not the best."""
    ours = next(iter(WRITERS))
    for group, share, column in product(groups, SHARES, COLUMNS):
        here = [i for i in found if (i.group, i.share) == (group, share)]
        means = {writer: _mean(i.of(column) for i in here if i.writer == writer) for writer in WRITERS}
        best = max(means, key=lambda writer: (means[writer], writer == ours))
        if means[best] > means[ours]:
            yield f"{group} at {share:.0%}, {column} ({best} {_shown(means[best])}, ours {_shown(means[ours])})"


def _sizes(found: Sequence[Measured], group: str) -> str:
    some = {item.recording: item.total for item in found if item.group == group}
    counts = (f"{sum(total[column] for total in some.values()):,} {column}" for column in COLUMNS)
    return f"{len(some)} recordings ({', '.join(some)}): {', '.join(counts)}."


def _table(found: Sequence[Measured], group: str, cell: Callable[[Sequence[Measured], str], str]) -> str:
    lines = [f"| tokens | writer | {' | '.join(COLUMNS)} |", "|" + "---|" * (2 + len(COLUMNS))]
    for share in SHARES:
        for writer in WRITERS:
            items = [i for i in found if (i.group, i.writer, i.share) == (group, writer, share)]
            cells = [cell(items, column) for column in COLUMNS]
            lines.append(f"| {share:.0%} | {writer} | {' | '.join(cells)} |")
    return "\n".join([*lines, ""])


def _cell(items: Sequence[Measured], column: str) -> str:
    values = [value for item in items if not isnan(value := item.of(column))]
    return f"{_shown(_mean(values))} ({_shown(min(values))}–{_shown(max(values))})" if values else "—"


def _per_token_cell(items: Sequence[Measured], column: str) -> str:
    mean = _mean(per_100_tokens(item.kept[column], item.total[column], item.tokens) for item in items)
    return "—" if isnan(mean) else f"{mean:.2f}"


def _mean(values: Iterable[float]) -> float:
    """Of what is defined; NaN of nothing."""
    defined = [value for value in values if not isnan(value)]
    return sum(defined) / len(defined) if defined else nan


def _shown(value: float) -> str:
    return f"{value:.2f}"


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sets", nargs="+", default=SETS, choices=SETS, help="data sets (default: all that are here)")
    parser.add_argument("--split", default="test", choices=("test", "dev"), help="dev is printed only (default: test)")
    parser.add_argument("--out", type=Path, default=REPORT, metavar="FILE", help=f"the report (default: {REPORT})")
    options = parser.parse_args(arguments)
    found: list[Measured] = []
    for name in options.sets:
        try:
            data = load(name).select(split=options.split)
        except InvalidInput as error:
            print(f"{name}: left out: {error}", file=sys.stderr)
            continue
        for recording in sorted(data, key=lambda recording: recording.language):
            found += measure(recording, f"{name}, {recording.language}")
    if not found:
        return 2
    text = report(found)
    if options.split == "test":
        options.out.parent.mkdir(parents=True, exist_ok=True)
        options.out.write_text(text, encoding="utf-8")
    print(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
