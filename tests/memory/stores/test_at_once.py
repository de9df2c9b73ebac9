"""Many processes and threads at once, and processes that die: nothing acknowledged is lost."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from pathlib import Path
from typing import Final

import pytest

from mnemo_lab.memory.decision import Decision
from mnemo_lab.memory.stores import MemoryStore, open_store
from mnemo_lab.memory.stores.checks import embedded_text
from mnemo_lab.storage.database import StoreBusy
from tests.memory.stores.material import ALL, AT, EMBEDDER, KINDS, ON_DISK, add, decide, ids, item, open_kind
from tests.store.material import start

WRITERS: Final = 8
EACH: Final = {"json": 12, "sqlite": 60, "encrypted": 20}
DATABASES: Final = [param for param in ON_DISK if "json" not in param.values]


def write_some(store: MemoryStore, who: int, count: int) -> None:
    """Items of its own, and one that everybody counts up, by reading it inside the write."""
    for number in range(count):
        with store.write("anna") as writing:
            new = item(f"w{who}-{number:03d}", f"note number{number} of writer{who}")
            old = writing.get("shared")
            assert old is not None
            counted = old.with_(value=str(int(old.value) + 1))
            writing.put(Decision("anna", "edit", "counts", AT, (old,), (counted, new)))
            if number % 10 == who:
                assert writing.search(f"number{number}", 3, "keyword")[0].score > 0
        if number % 20 == who:
            store.search("anna", f"writer{who}", 3, "vector")
        store.touch("anna", ["shared"], AT)


@pytest.mark.parametrize("kind", ON_DISK)
def test_eight_processes_lose_nothing(kind: str, tmp_path: Path) -> None:
    with open_kind(kind, tmp_path) as store:
        add(store, item("shared", "counter 0"))
    each = EACH[kind]

    def work(who: int) -> None:
        with open_kind(kind, tmp_path, patience=60) as mine:
            write_some(mine, who, each)

    children = [start(lambda who=who: work(who)) for who in range(WRITERS)]  # type: ignore[misc]
    assert [os.waitpid(child, 0)[1] for child in children] == [0] * WRITERS
    with open_kind(kind, tmp_path) as store:
        found = store.items("anna")
        assert set(ids(found)) == {"shared", *(f"w{w}-{n:03d}" for w in range(WRITERS) for n in range(each))}
        shared = store.get("anna", "shared")
        assert (int(shared.value), shared.access_count) == (WRITERS * each, WRITERS * each)
        assert [decision.id for decision in store.log("anna")] == list(range(1, WRITERS * each + 2))
        for who in range(WRITERS):
            mine = [id for id in ids(found) if id.startswith(f"w{who}-")]
            assert mine == sorted(mine), "each one's own order"
        assert len(store.search("anna", "note", 9999, "keyword")) == WRITERS * each + 1
        assert len(store.search("anna", "note", 9999, "vector")) == WRITERS * each + 1
        assert store.check() == []


@pytest.mark.parametrize("kind", KINDS)
def test_threads_share_a_store(kind: str, tmp_path: Path) -> None:
    faults: list[object] = []
    with open_kind(kind, tmp_path) as store:
        add(store, item("shared", "counter 0"))

        def guarded(who: int) -> None:
            try:
                write_some(store, who, 8)
                for hit in store.search("anna", "note", 99, "keyword"):
                    assert store.get("anna", hit.item.id).content == hit.item.content
            except BaseException as error:
                faults.append(error)

        threads = [threading.Thread(target=guarded, args=(who,)) for who in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert faults == [] == store.check()
        assert int(store.get("anna", "shared").value) == 32 and len(store.items("anna")) == 33


def test_others_search_while_one_writes(tmp_path: Path) -> None:
    """Nobody waits for a writer but writers, not even for vectors that are there."""
    with open_kind("sqlite", tmp_path, patience=0.2) as store:
        add(store, item("a", "one"), item("b", "two"))
        store.search("anna", "one", 1, "vector")
        seen: list[object] = []

        def look() -> None:
            seen.extend(ids(store.search("anna", "one", 1, by)) for by in ("keyword", "vector"))  # type: ignore[arg-type]
            try:
                store.touch("anna", ["a"], AT)
            except StoreBusy as error:
                seen.append(str(error))

        with store.write("anna") as writing:
            writing.put(Decision("anna", "add", "r", AT, after=(item("c", "one one"),)))
            assert len(writing.search("one", 9, "vector")) == 3
            thread = threading.Thread(target=look)
            thread.start()
            thread.join()
        assert seen == [["a"], ["a"], f"{tmp_path / 'm.db'} was held by another process for 0.2 s; try again"]
        assert ids(store.search("anna", embedded_text(item("a", "one")), 9, "vector"))[:2] == ["a", "c"]


def test_json_waits_its_turn(tmp_path: Path) -> None:
    with open_kind("json", tmp_path) as first, open_kind("json", tmp_path, patience=0.05) as second:
        with first.write("anna") as writing:
            writing.put(Decision("anna", "add", "r", AT, after=(item("a", "one"),)))
            with pytest.raises(StoreBusy, match=r"m.json was held by another process for 0.05 s; try again"):
                second.touch("anna", ["a"], AT)
            assert second.items("anna") == []
        assert ids(second.search("anna", "one", 1, "keyword")) == ["a"]


@pytest.mark.parametrize("kind", DATABASES)
def test_another_process_changes_what_is_indexed_here(kind: str, tmp_path: Path) -> None:
    with open_kind(kind, tmp_path) as store:
        add(store, item("a", "alpha"), item("b", "beta"), item("c", "gamma"))
        alpha = embedded_text(item("?", "alpha"))
        assert (
            ids(store.search("anna", "alpha", 1, "keyword")) == ["a"] == ids(store.search("anna", alpha, 1, "vector"))
        )

        def work() -> None:
            with open_kind(kind, tmp_path) as other:
                other.forget("anna", ["b"])
                old = other.get("anna", "a")
                decide(other, (old,), (old.with_(content="delta"),), "edit")
                add(other, item("d", "alpha"))
                other.search("anna", "x", 1, "vector")

        assert os.waitpid(start(work), 0)[1] == 0
        assert (
            ids(store.search("anna", "alpha", 1, "keyword")) == ["d"] == ids(store.search("anna", alpha, 1, "vector"))
        )
        assert set(ids(store.search("anna", "x", 9, "vector"))) == {"a", "c", "d"}
        delta = embedded_text(store.get("anna", "a"))
        assert store.vector_scores("anna", delta, ["a"]) == pytest.approx([1], abs=1e-3) and "delta" in delta
        assert store.check() == []


BRIEF: Final = """
import sys
from pathlib import Path
from tests.memory.stores.material import add, ids, item, open_kind
with open_kind("sqlite", Path(sys.argv[1])) as store:
    add(store, item(sys.argv[2], "note"))
    print(*ids(store.items("anna")))
"""


def test_who_opens_and_closes_takes_no_locks_along(tmp_path: Path) -> None:
    """A second store of one process is opened and closed; then another process comes and goes. If the first one's
    locks had gone, that process would have removed the log which the first one writes into."""

    def elsewhere(id: str) -> list[str]:
        command = [sys.executable, "-c", BRIEF, str(tmp_path), id]
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout.split()

    with open_kind("sqlite", tmp_path) as first:
        add(first, item("a", "one"))
        for again in (lambda: open_kind("sqlite", tmp_path), lambda: open_store(tmp_path / "m.db")):
            again().close()
        assert elsewhere("b") == ["a", "b"]
        add(first, item("c", "three"))
        assert elsewhere("d") == ["a", "b", "c", "d"]


ENDLESS: Final = """
import sys
from pathlib import Path
from tests.memory.stores.material import add, item, open_kind
store = open_kind(sys.argv[1], Path(sys.argv[2]))
for number in range(1000):
    add(store, item(f"i{number:04d}", f"note number{number}"))
    print(f"i{number:04d}", flush=True)
    if number == int(sys.argv[3]):
        store.search("anna", "note", 1, "vector")
"""


@pytest.mark.parametrize("kind", ON_DISK)
@pytest.mark.parametrize("after", [3, 170])
def test_kill_9_loses_no_acknowledged_write(kind: str, after: int, tmp_path: Path) -> None:
    """Of 1,000 writes, killed after some; what was printed had returned."""
    command = [sys.executable, "-c", ENDLESS, kind, str(tmp_path), "100"]
    child = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert child.stdout is not None
    acknowledged = [child.stdout.readline().strip() for _ in range(after)]
    os.kill(child.pid, signal.SIGKILL)
    acknowledged += child.stdout.read().split()
    assert child.wait() == -signal.SIGKILL
    with open_kind(kind, tmp_path) as store:
        found = ids(store.items("anna", ALL))
        assert len(acknowledged) < 1000 and found[: len(acknowledged)] == acknowledged
        assert len(found) - len(acknowledged) in (0, 1)
        assert [decision.id for decision in store.log("anna")] == list(range(1, len(found) + 1))
        assert len(store.search("anna", "note", 9999, "vector")) == len(found)
        assert len(store.search("anna", "note", 9999, "keyword")) == len(found)
        assert store.check() == []
        assert add(store, item("next", "goes on"))[0].id == len(found) + 1
    assert not list(tmp_path.glob("*.draft")) and EMBEDDER.dimension == 256
