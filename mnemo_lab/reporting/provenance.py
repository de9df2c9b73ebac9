"""What was run: enough for another person to run it again, and what went wrong."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mnemo_lab.losses import count_by_code
from mnemo_lab.replay.run import Run
from mnemo_lab.reporting import wording as say
from mnemo_lab.reporting.document import Block, Lines, Section, Text
from mnemo_lab.reporting.tables import Row, Table

LOSSES_SHOWN = 8


def what_was_run(run: Run) -> Section:
    manifest = run.manifest()
    blocks: list[Block] = [_facts(run, manifest), _strategies(manifest), *_errors(run), *_losses(run)]
    if run.grid.notes:
        blocks.insert(0, Text(run.grid.notes))
    return Section("run", "What was run", tuple(blocks))


def _facts(run: Run, manifest: Mapping[str, Any]) -> Table:
    machine, versions = manifest.get("machine", {}), manifest.get("versions", {})
    counts = run.dataset.counts
    facts = {
        "data set": f"{run.dataset.name}: {run.dataset.card.title}",
        "licence": run.dataset.card.licence,
        "digest": run.dataset.digest,
        "size": ", ".join(f"{n:,} {name.replace('_', ' ')}" for name, n in counts.items()),
        "recordings": ", ".join(f"{r.id} ({r.split}, {r.language})" for r in run.dataset.recordings),
        "split": run.grid.split,
        "budgets": ", ".join(f"{b:,}" for b in run.grid.budgets) + f"; primary {run.grid.primary:,}",
        "baseline": run.grid.baseline,
        "counter": run.grid.counter,
        "embedder": "; ".join(f"{lang}: {name}" for lang, name in manifest.get("embedders", {}).items()),
        "seed": str(run.grid.seed),
        "made": str(manifest.get("created", "")),
        "commit": manifest.get("commit") or "outside of a checkout",
        "machine": ", ".join(str(machine[key]) for key in ("cpu", "system") if machine.get(key)),
        "cores": f"{machine.get('cores')}, load {machine.get('load_1min')} when it began",
        "threads": str(manifest.get("threads", "")),
        "versions": ", ".join(f"{name} {number}" for name, number in versions.items()),
        "rows": f"{run.rows.height:,} in schema {manifest.get('row_schema')}",
    }
    return Table(("what", "value"), tuple(Row.of(k, v) for k, v in facts.items() if v), texts=2)


def _strategies(manifest: Mapping[str, Any]) -> Table:
    rows = [Row.of(label, text) for label, text in manifest.get("strategies", {}).items()]
    rows.append(Row.of("oracle", "reference: the gold evidence itself through the same packer", reference=True))
    return Table(("strategy", "with all its settings"), tuple(rows), "Strategies", texts=2)


def _errors(run: Run) -> list[Block]:
    import polars as pl

    failed = run.rows.filter(pl.col("error").is_not_null())
    if not failed.height:
        return [Text("No strategy failed.")]
    found = failed.group_by(["strategy", "error"], maintain_order=True).agg(
        pl.len().alias("rows"), pl.col("recording").n_unique().alias("recordings")
    )
    rows = [
        Row.of(r["strategy"], say.shorten(r["error"], 300), f"{r['rows']:,}", str(r["recordings"]))
        for r in found.iter_rows(named=True)
    ]
    columns = ("strategy", "error", "rows", "recordings")
    return [Table(columns, tuple(rows), "Errors: these rows have no metrics", texts=2)]


def _losses(run: Run) -> list[Block]:
    losses = run.dataset.losses
    if not losses:
        return [Text("Nothing was lost in reading the data set.")]
    counts = ", ".join(f"{code} {n:,}" for code, n in count_by_code(losses).items())
    lines = [
        f"{item.pointer}: {item.sentence()}" if item.pointer else item.sentence() for item in losses[:LOSSES_SHOWN]
    ]
    if len(losses) > LOSSES_SHOWN:
        lines.append(f"and {len(losses) - LOSSES_SHOWN:,} more")
    return [Text(f"Lost or changed in reading the data set: {counts}."), Lines(tuple(lines))]
