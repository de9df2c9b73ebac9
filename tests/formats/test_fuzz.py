"""Damaged files end in a clear error or a list of losses: never in a traceback, a hang or unbounded memory.

Every sample that is there is damaged in many ways; ``MNEMO_FUZZ`` sets how many inputs in all (default 20,000).
"""

from __future__ import annotations

import os
import random
import resource
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from mnemo_lab import registry
from mnemo_lab.conversation import Conversation
from mnemo_lab.errors import InvalidInput
from mnemo_lab.formats.base import WriteOptions, Writer
from mnemo_lab.formats.convert import read_all
from tests.conversations import office_recording

ROOT = Path(__file__).resolve().parents[2]
SAMPLES = Path(os.environ.get("MNEMO_SAMPLES_DIR") or ROOT.parent / "shared" / "samples" / "formats")
INPUTS = int(os.environ.get("MNEMO_FUZZ", "20000"))
SLOWEST_SECONDS = 5.0
LARGEST_SAMPLE = 200_000
WRITERS = [n for n in registry.names("format") if isinstance(registry.resolve("format", n), Writer)]
READERS = [n for n in registry.names("format") if hasattr(registry.resolve("format", n), "read")]


def own_samples() -> list[tuple[str, bytes]]:
    """What our own writers make of a bilingual conversation with a tool call."""
    conversation = office_recording().conversations[0]
    made = []
    for name in WRITERS:
        if name in READERS:
            writer = registry.resolve("format", name)
            options = WriteOptions(now=None)
            data = writer.write([conversation], options).data if name != "portable" else _portable(conversation)
            made.append((f"own-{name}{writer.suffix}", data))
    return made


def _portable(conversation: Conversation) -> bytes:
    from datetime import UTC, datetime

    from mnemo_lab.formats.portable import dumps

    return dumps(conversation, now=datetime(2026, 3, 1, tzinfo=UTC)).encode()


def samples() -> list[tuple[str, bytes]]:
    found = own_samples()
    if SAMPLES.is_dir():
        files = sorted(path for path in SAMPLES.rglob("*") if path.is_file() and path.stat().st_size < LARGEST_SAMPLE)
        found += [(path.name, path.read_bytes()) for path in files]
    return found


def damaged(data: bytes, draw: random.Random) -> bytes:
    """One of many ways in which a file breaks: cut, flipped, repeated, emptied, with JSON's own words swapped."""
    kind = draw.randrange(9)
    place, length = draw.randrange(len(data) + 1), draw.choice((1, 2, 8, 64, 512))
    if kind == 0:
        return data[:place]
    if kind == 1:
        return data[:place] + draw.randbytes(length) + data[place + length :]
    if kind == 2:
        return data[:place] + data[place + length :]
    if kind == 3:
        return data[:place] + data[place : place + length] * draw.choice((2, 50)) + data[place + length :]
    if kind == 4:
        return data[:place] + draw.choice(WORDS) + data[place:]
    old, new = draw.choice(WORDS), draw.choice(WORDS)
    if kind == 5:
        return data.replace(old, new, draw.choice((1, 3, 10**6)))
    if kind == 6:
        return data.replace(b'"', draw.choice((b"'", b"", b'""')), draw.randrange(1, 5))
    if kind == 7:
        return draw.choice((b"\xef\xbb\xbf", b"\xff\xfe", b"\x00", b"[" * 5000, b'{"a":' * 3000)) + data
    return data.decode("utf-8", "replace").encode(draw.choice(("utf-16", "utf-8", "gb18030", "latin-1")), "replace")


WORDS = [
    b"null", b"true", b"[]", b"{}", b'""', b"NaN", b"-1", b"1e400", b"99999999999999999999", b'"\\ud83d"', b'"role"',
    b'"user"', b'"assistant"', b'"content"', b'"id"', b'"text"', b'"parts"', b'"type"', b'"messages"', b'"mapping"',
    b'"tool"', b'"parent"', b'"children"', b"\n", b",", b":", b"[", b"}", b'"x"', b"0", b"1.5", b'"2026-13-45"',
]  # fmt: skip


def inputs() -> Iterator[tuple[str, bytes]]:
    draw, kept = random.Random(20261130), samples()
    for number in range(INPUTS):
        name, data = kept[number % len(kept)]
        for _ in range(draw.choice((1, 1, 2, 4))):
            data = damaged(data, draw)
        yield name, data


def test_damaged_files_never_end_in_a_traceback(tmp_path: Path) -> None:
    draw, before = random.Random(1), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    slowest = 0.0
    for number, (name, data) in enumerate(inputs()):
        path = tmp_path / name
        path.write_bytes(data)
        wanted = draw.choice(READERS) if number % 4 == 0 else None  # by force too: --from may name the wrong format
        start = time.perf_counter()
        try:
            for reading in read_all(path, wanted):
                for item in reading.losses:
                    item.sentence("en")
                    item.sentence("zh")
        except InvalidInput as error:
            assert str(error)
        except Exception as error:
            pytest.fail(f"input {number} made from {name} (--from {wanted}): {type(error).__name__}: {error}")
        slowest = max(slowest, time.perf_counter() - start)
    assert slowest < SLOWEST_SECONDS
    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    assert grown < 600_000, f"memory grew by {grown / 1000:.0f} MB"
