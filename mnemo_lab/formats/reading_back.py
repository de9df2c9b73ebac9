"""What was written, read again and judged: a writer may leave out more than the target's rules foresee."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path

from mnemo_lab.formats.base import Reading, Written
from mnemo_lab.formats.detect import format_named
from mnemo_lab.formats.source import Source
from mnemo_lab.formats.targets import find_target, validate_for
from mnemo_lab.losses import Loss, loss


def refusals(written: Written, target: str, count: int) -> dict[int, list[Loss]]:
    """By position of the conversation among the ``count`` in the file, why the target would refuse what was written."""
    found: dict[int, list[Loss]] = {}
    title = find_target(target).title
    for position, reading in enumerate(_readings(written.data, target)):
        errors = validate_for(reading.conversation, target) if reading.conversation else reading.losses
        reasons = [item.sentence() for item in errors if item.severity == "error"]
        if reasons:
            lost = [loss("refused_by_target", target=title, reason=reason) for reason in reasons]
            found.setdefault(min(position, count - 1), []).extend(lost)
    return found


def _readings(data: bytes, target: str) -> Iterator[Reading]:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "written"
        path.write_bytes(data)
        with Source(path) as source:
            yield from format_named(target).read(source)
