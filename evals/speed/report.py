"""The table with what another person needs to judge it: machine, load, versions, commit, command."""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Final

from evals.speed.session import Session
from evals.speed.table import as_markdown, as_text
from mnemo_lab.replay import manifest

BESIDE: Final = ("bm25s", "langchain-core", "transformers")
"""Packages that only the limits use."""
NOISY: Final = 0.5
"""Load beside the measurement itself from which on times are not to be trusted."""


def write_report(session: Session, out: Path) -> str:
    """Write Markdown to ``out``; returns the same for a terminal."""
    facts = _facts(session)
    out.parent.mkdir(parents=True, exist_ok=True)
    head = "\n".join(f"- {fact}" for fact in facts)
    out.write_text(f"# Speed\n\n{_legend(session)}\n\n{as_markdown(session.rows)}\n\n{head}\n", encoding="utf-8")
    return "\n".join([as_text(session.rows), "", *facts, f"written to {out}"])


def _legend(session: Session) -> str:
    return (
        "Medians of at least five samples after a warm-up, ours and the limit in turns; a ratio is the median of "
        "neighbouring samples' ratios (ours ÷ limit, lower is better) and holds on another machine, milliseconds do "
        f"not. {session.threads} thread{'s' if session.threads > 1 else ''}."
    )


def _facts(session: Session) -> list[str]:
    machine = manifest.machine()
    loads = [value for value in (session.load_before, session.load_after) if value is not None]
    before = session.load_before or 0.0
    noisy = before > NOISY
    return [
        f"command: `{session.command}`, {session.seconds:.0f} s, commit {manifest.commit() or 'unknown'}",
        f"machine: {machine['cpu']}, {machine['cores']} cores, {machine['system']}, threads {session.threads}",
        f"load before and after: {', '.join(f'{value:.2f}' for value in loads) or 'unknown'}"
        + (" (**the machine was busy: measure again**)" if noisy else ""),
        "versions: " + ", ".join(f"{name} {number}" for name, number in {**manifest.versions(), **_beside()}.items()),
    ]


def _beside() -> dict[str, str]:
    found = {}
    for package in BESIDE:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            found[package] = "not installed"
    return found
