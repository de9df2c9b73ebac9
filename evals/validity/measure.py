"""Whether what truncation sends is always valid: generated conversations and tau-bench, ours and the peers'.

    python evals/validity/measure.py          # 10,000 conversations; tau-bench where MNEMO_DATA_DIR is set

Writes reports/validity.md. Peers are measured where they are installed (``make peers`` installs them). Exits 1 where a
truncation of ours breaks a rule.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

if __name__ == "__main__":  # run as a file: modules are found from the checkout's root
    sys.path[0] = str(Path(__file__).resolve().parents[2])

from evals.validity.chosen import peers, truncations, variants
from evals.validity.counting import Part
from evals.validity.generate import Generator
from evals.validity.report import render
from mnemo_lab.conversation import Conversation
from mnemo_lab.formats.reading import read_all
from mnemo_lab.paths import data_dir
from mnemo_lab.recording import Probe, Recording
from mnemo_lab.replay.view import RecordingView
from mnemo_lab.services import ServicesSpec
from mnemo_lab.strategy import Strategy

REPORT: Final = Path("reports/validity.md")
BUDGETS: Final = (0, 20, 60, 200, 1000)
"""Generated conversations have some 900 tokens: everything from nothing to all fits."""
TAU_BUDGETS: Final = (200, 1000, 1500, 2000, 3000)
"""The policy that leads every trajectory takes 1,300 tokens."""
EVERY_VARIANT: Final = 10
EVERY_PEER: Final = 20


def generated(name: str, strategies: Sequence[Strategy], count: int, spec: ServicesSpec) -> Part:
    """Each conversation at one of the budgets, taken in turn, asked at the end or at a random cut."""
    how = f"{count:,} conversations, each at one of the budgets in turn, asked at the end or at a random cut"
    part, services, started = Part(name, how, strategies), spec.open(), time.perf_counter()
    for number, recording in enumerate(Generator(0).recordings(count)):
        if number % 500 == 499:
            services = spec.open()  # lets go of the texts it has counted
        part.walk(RecordingView(recording, services), [BUDGETS[number % len(BUDGETS)]], services)
    part.seconds = time.perf_counter() - started
    return part


def on_trajectories(
    name: str, strategies: Sequence[Strategy], paths: Iterable[Path], budgets: Sequence[int], spec: ServicesSpec,
    within_steps: bool,
) -> Part:  # fmt: skip
    """Every trajectory where an agent asks its model: before every assistant message; or after every message."""
    part, services, started, count = Part(name, "", strategies), spec.open(), time.perf_counter(), 0
    for path in paths:
        for reading in read_all(path, "tau-bench"):
            assert reading.conversation is not None
            recording = with_probes(reading.conversation, count, within_steps)
            part.walk(RecordingView(recording, services), budgets, services)
            count += 1
    asked = "after every message, half-done steps among them," if within_steps else "before every assistant message"
    part.how = f"{count} trajectories, asked {asked} at {', '.join(f'{b:,}' for b in budgets)} tokens"
    part.seconds = time.perf_counter() - started
    return part


def with_probes(conversation: Conversation, number: int, within_steps: bool) -> Recording:
    """The policy is given as system prompt, which is how every library wants it."""
    first, *rest = conversation.messages
    messages = tuple(replace(m, id=f"m{i}") for i, m in enumerate(rest))
    after = [message.role for message in messages[1:]] + ["assistant"]
    asked = [m for m, role in zip(messages, after, strict=True) if within_steps or role == "assistant"]
    probes = tuple(Probe(m.id, "What was agreed?", "validity", after=m.id) for m in asked)
    whole = replace(conversation, messages=messages, system_prompt=first.text)
    return Recording(f"trajectory-{number}", (whole,), probes, "dev", "en")


def measure(count: int, spec: ServicesSpec) -> list[Part]:
    """Everything, ours first."""
    ours, theirs, folder = truncations(), peers(), data_dir()
    paths = sorted((folder / "tau_bench").glob("*.json")) if folder else []
    parts = [
        generated("Ours", ours, count, spec),
        generated("Ours, one setting changed", variants(ours), count // EVERY_VARIANT, spec),
        on_trajectories("Ours, on tau-bench", ours, paths, TAU_BUDGETS, spec, within_steps=True),
        generated("Peers", theirs, count // EVERY_PEER, spec),
        on_trajectories("Peers, on tau-bench", theirs, paths, TAU_BUDGETS[2:], spec, within_steps=False),
    ]
    return [part for part in parts if part.contexts]


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--conversations", type=int, default=10_000, metavar="N", help="how many are generated")
    parser.add_argument("--out", type=Path, default=REPORT, metavar="FILE", help=f"the report (default: {REPORT})")
    options = parser.parse_args(arguments)
    parts = measure(options.conversations, ServicesSpec(embedder="hashing", cache=""))
    text = render(parts, BUDGETS)
    options.out.parent.mkdir(parents=True, exist_ok=True)
    options.out.write_text(text, encoding="utf-8")
    print(text)
    return int(any(part.broken for part in parts if part.name.startswith("Ours")))


if __name__ == "__main__":
    sys.exit(main())
