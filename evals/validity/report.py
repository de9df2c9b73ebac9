"""``reports/validity.md``: what was run, what was counted."""

from __future__ import annotations

import platform
from collections.abc import Iterator, Sequence
from dataclasses import fields
from importlib.metadata import PackageNotFoundError, version
from typing import Final

from evals.validity.counting import FAULTS, REFERENCES, Part
from mnemo_lab.strategy import Strategy

PACKAGES: Final = ("langchain-core", "langchain", "llama-index-core", "haystack-ai")
HEAD: Final = """# Is what truncation sends always valid?

Written by `python evals/validity/measure.py` ({seconds:.0f} s on one thread, Python {python}). Conversations are
generated from a seed (`evals/validity/generate.py`): users, assistants, steps of up to four parallel calls with results
in any order, long results, Chinese, emoji, empty and null contents, images, arguments that are no JSON, leading system
messages, a system prompt, a call that is pending at the end, cuts inside a step. Every list is valid; budgets are
{budgets} tokens. Everything goes through the replay; the embedder is `hashing`, the language model `extractive`.

A context counts as

{faults}

`full` and `random` are the ends of every comparison and no contenders: `full` overruns and says so, `random` protects
nothing; that is not counted against them.
"""
PEERS: Final = """
Versions: {versions}.

Peers are called as an agent or chat engine calls them: before every assistant message and before the answer, with our
token counter where one can be set, and with the budget less the system prompt. Their summaries are written by
`extractive`. Overruns are flagged by our accounting; the peer itself says nothing. System messages that lead the list
itself (in a quarter of generated conversations) are protected by Haystack, and the first message of all
by `trim_messages(include_system=True)`; LlamaIndex and LangChain's middleware take them for any other.
"""


def render(parts: Sequence[Part], budgets: Sequence[int]) -> str:
    head = HEAD.format(
        seconds=sum(part.seconds for part in parts),
        python=platform.python_version(),
        budgets=", ".join(f"{budget:,}" for budget in budgets),
        faults="\n".join(f"- **{fault}**: {what}" for fault, what in FAULTS.items()),
    )
    return head + "".join(line for part in parts for line in _part(part))


def _part(part: Part) -> Iterator[str]:
    yield f"\n## {part.name}\n\n{part.how}: {part.contexts:,} contexts, {part.seconds:.0f} s.\n"
    if part.name == "Peers":
        yield PEERS.format(versions=", ".join(f"{name} {_version(name)}" for name in PACKAGES))
    yield f"\n| strategy | contexts | {' | '.join(FAULTS)} |\n|{'---|' * (2 + len(FAULTS))}\n"
    for strategy, tally in part.tallies.items():
        excused = REFERENCES.get(strategy.name, set())
        cells = [f"({tally.faults[f]:,})" if f in excused else f"{tally.faults[f]:,}" for f in FAULTS]
        yield f"| `{_short(strategy)}` | {tally.contexts:,} | {' | '.join(cells)} |\n"
    examples = list(_examples(part))
    if examples:
        yield "\nThe first of each:\n\n" + "".join(examples)


def _examples(part: Part) -> Iterator[str]:
    for strategy, tally in part.tallies.items():
        for fault, case in tally.examples.items():
            if fault not in REFERENCES.get(strategy.name, set()):
                yield f"- {fault}: {case}\n"


def _short(strategy: Strategy) -> str:
    """Its name and the settings that are not its defaults."""
    defaults = {item.name: item.default for item in fields(strategy)}  # type: ignore[arg-type]
    changed = [f"{key}={value!r}" for key, value in strategy.settings().items() if value != defaults[key]]
    return f"{strategy.name}({', '.join(changed)})" if changed else strategy.name


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "not installed"
