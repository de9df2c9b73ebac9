"""Vectors on disk: found again, torn or damaged segments ignored, merged without loss, two writers at once."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from mnemo_lab.embeddings.vector_store import MERGE_AT, VectorStore

SIZE = 8


def key(number: int) -> bytes:
    return number.to_bytes(8, "big") * 2


def vector(number: int) -> np.ndarray:
    return np.full(SIZE, number + 1, dtype=np.float32)


def put(store: VectorStore, *numbers: int) -> None:
    store.put([key(n) for n in numbers], np.stack([vector(n) for n in numbers]))


def held(store: VectorStore, *numbers: int) -> set[int]:
    found = store.get([key(n) for n in numbers])
    for n in numbers:
        if key(n) in found:
            assert np.array_equal(found[key(n)], vector(n))
    return {n for n in numbers if key(n) in found}


def test_found_in_this_and_in_another_store(tmp_path: Path) -> None:
    store = VectorStore(tmp_path / "new" / "folder", SIZE)
    assert held(store, 1) == set()
    put(store, 5, 1, 3)
    put(store, 2**63)
    assert held(store, 1, 2, 3, 5, 2**63) == {1, 3, 5, 2**63}
    assert held(VectorStore(tmp_path / "new" / "folder", SIZE), 5, 4) == {5}
    assert store.get([]) == {}


def test_keys_that_share_their_first_half_do_not_answer_for_each_other(tmp_path: Path) -> None:
    store = VectorStore(tmp_path, SIZE)
    put(store, 1)
    assert store.get([key(1)[:8] + key(2)[:8], key(2)[:8] + key(1)[:8]]) == {}


def test_merging_keeps_everything(tmp_path: Path) -> None:
    store, other = VectorStore(tmp_path, SIZE), VectorStore(tmp_path, SIZE)
    everything = range(3 * MERGE_AT)
    for n in everything:
        put(store, n)
        if n % 5 == 0:
            assert held(other, *range(n + 1)) == set(range(n + 1))
    assert held(store, *everything) == held(other, *everything) == set(everything)
    assert len(list(tmp_path.glob("*.keys.npy"))) < MERGE_AT
    assert len(list(tmp_path.glob("*.keys.npy"))) == len(list(tmp_path.glob("*.vectors.npy")))


def test_two_writers_of_the_same_and_of_other_keys(tmp_path: Path) -> None:
    one, two = VectorStore(tmp_path, SIZE), VectorStore(tmp_path, SIZE)
    for n in range(MERGE_AT + 5):
        put(one, n, 10_000)
        put(two, n, 20_000 + n)
    wanted = {*range(MERGE_AT + 5), 10_000, *range(20_000, 20_000 + MERGE_AT + 5)}
    assert held(one, *wanted) == held(two, *wanted) == wanted


WRITER = """
import sys, numpy as np
from pathlib import Path
from mnemo_lab.embeddings.vector_store import VectorStore
store = VectorStore(Path(sys.argv[1]), 8)
for n in range(int(sys.argv[2]), int(sys.argv[3])):
    store.put([n.to_bytes(8, "big") * 2], np.full((1, 8), n + 1, dtype=np.float32))
"""


def test_two_processes_write_and_merge_at_once(tmp_path: Path) -> None:
    starts = (0, 100)
    writers = [
        subprocess.Popen([sys.executable, "-c", WRITER, str(tmp_path), str(s), str(s + 70)], stderr=subprocess.PIPE)
        for s in starts
    ]
    for writer in writers:
        _, said = writer.communicate()
        assert writer.returncode == 0, said.decode()
    wanted = {n for s in starts for n in range(s, s + 70)}
    assert held(VectorStore(tmp_path, SIZE), *wanted) == wanted


@pytest.mark.parametrize(
    "junk",
    [
        b"",
        b"junk",
        b"PK\x03\x04",
        b"\x93NUMPY\x01\x00",
        b"\x93NUMPY\x01\x00\x10\x00{'a':(((         ",
        b"\x80\x04junk",
        None,
    ],
)
@pytest.mark.parametrize("part", ["keys", "vectors"])
def test_a_damaged_segment_is_ignored(tmp_path: Path, part: str, junk: bytes | None) -> None:
    """Empty, torn, of another kind, or (``None``) cut short: it is only a cache."""
    put(VectorStore(tmp_path, SIZE), 1)
    put(VectorStore(tmp_path, SIZE), 2, 3)
    (path,) = (p for p in tmp_path.glob(f"*.{part}.npy") if p.name.startswith("00000002"))
    path.write_bytes(path.read_bytes()[:-5] if junk is None else junk)
    store = VectorStore(tmp_path, SIZE)
    assert held(store, 1, 2, 3) == {1}
    put(store, 2)
    assert held(store, 1, 2) == {1, 2}


def test_segments_of_another_shape_are_ignored(tmp_path: Path) -> None:
    put(VectorStore(tmp_path, SIZE), 1)
    assert held(VectorStore(tmp_path, SIZE + 1), 1) == set()
    np.save(tmp_path / "x.keys.npy", np.zeros(3, dtype=np.uint64))
    np.save(tmp_path / "x.vectors.npy", np.ones((3, SIZE), dtype=np.float32))
    (tmp_path / "y.keys.npy").write_bytes(b"")
    assert held(VectorStore(tmp_path, SIZE), 1) == {1}


def test_a_block_the_disk_never_wrote_is_no_vector(tmp_path: Path) -> None:
    put(VectorStore(tmp_path, SIZE), 1, 2)
    (path,) = tmp_path.glob("*.vectors.npy")
    raw = path.read_bytes()
    path.write_bytes(raw[: -4 * SIZE] + b"\0" * 4 * SIZE)
    assert held(VectorStore(tmp_path, SIZE), 1, 2) == {1}


def test_a_draft_is_never_read(tmp_path: Path) -> None:
    store = VectorStore(tmp_path, SIZE)
    put(store, 1)
    for path in tmp_path.glob("*.npy"):
        path.rename(path.with_name(f".{path.name}.draft"))
    assert held(VectorStore(tmp_path, SIZE), 1) == set()
    assert held(store, 1) == set(), "nor one that was deleted meanwhile"
