"""Threads and processes at once, and processes that die: nothing acknowledged is lost, no ghost is found."""

from __future__ import annotations

import os
import random
import signal
import sqlite3
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Final

import pytest

from mnemo_lab.store import ConversationStore
from mnemo_lab.store import manifest as files
from tests.store.material import EMBEDDER, OtherEmbedder, checkpoint, every_byte, info, note, start

WRITERS: Final = 3
STRIDE: Final = 3
SECRET: Final = "the vault opens with seven turns 七转开门"


def test_threads_share_a_store(tmp_path: Path) -> None:
    """Every message once, and a reader never sees half an append."""
    faults: list[object] = []
    with ConversationStore(tmp_path, EMBEDDER) as store:

        def write(who: int) -> None:
            for number in range(15):
                store.append("anna", info(f"c{who}"), [note(2 * number), note(2 * number + 1)])
                store.index("anna")

        def read() -> None:
            try:
                for _ in range(25):
                    names = [found.id for found in store.conversations("anna")]
                    faults.extend(name for name in names if len(store.read("anna", name).messages) % 2)
                    store.search("anna", "note number3", 5)
            except Exception as error:
                faults.append(error)

        threads = [threading.Thread(target=write, args=(who,)) for who in range(WRITERS)]
        threads += [threading.Thread(target=read) for _ in range(2)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert faults == []
        for who in range(WRITERS):
            assert [m.id for m in store.read("anna", f"c{who}").messages] == [f"m{n}" for n in range(30)]
        assert len(store.search("anna", "note", 1000)) == 30 * WRITERS


def test_processes_write_into_one_conversation(tmp_path: Path) -> None:
    """They open a new store at the same moment, write, index and save it; a reader looks on meanwhile."""
    folder = tmp_path / "new"

    def write(who: int) -> None:
        with ConversationStore(folder, EMBEDDER) as store:
            for number in range(20):
                store.append("anna", info(), [note(100 * who + number)])
                if number % 5 == who:
                    store.index("anna")
                if number == 10:
                    store.rebuild("anna")

    children = [start(lambda who=who: write(who)) for who in range(WRITERS)]  # type: ignore[misc]
    with ConversationStore(folder, EMBEDDER) as reader:
        seen = 0
        while children:
            gone, status = os.waitpid(children[0], os.WNOHANG)
            if gone:
                assert status == 0
                children.pop(0)
            now = len(reader.read("anna", "c").messages) if reader.conversations("anna") else 0
            assert now >= seen, "a reader never goes back"
            seen = now
        ids = [message.id for message in reader.read("anna", "c").messages]
        assert len(ids) == len(set(ids)) == 20 * WRITERS
        for who in range(WRITERS):
            expected = [f"m{100 * who + number}" for number in range(20)]
            assert [key for key in ids if key in expected] == expected
        reader.index("anna")
        assert {found.item.id for found in reader.search("anna", "note", 999)} == set(ids)


def test_another_process_forgets(tmp_path: Path) -> None:
    """An index in memory drops what another process took out, before its next search."""
    with ConversationStore(tmp_path, EMBEDDER) as store:
        for name in ("c1", "c2"):
            store.append("anna", info(name), [note(1, f"{name} {SECRET}")])
        store.index("anna")
        assert len(store.search("anna", SECRET, 9)) == 2

        def forget() -> None:
            with ConversationStore(tmp_path, EMBEDDER) as other:
                other.forget("anna", "c1")
                other.append("anna", info("c3"), [note(1, "something else")])
                other.index("anna")

        _, status = os.waitpid(start(forget), 0)
        assert status == 0
        assert [found.conversation for found in store.search("anna", SECRET, 9)] == ["c2", "c3"]
    assert b"c1 the vault" not in every_byte(tmp_path)


def test_another_process_takes_everything(tmp_path: Path) -> None:
    """An unsaved index of a namespace that is gone, or of another model by now, is not written."""
    with ConversationStore(tmp_path, EMBEDDER) as store:
        for name in ("anna", "bob"):
            store.append(name, info(), [note(1, SECRET)])
            store.index(name)

        def change() -> None:
            with ConversationStore(tmp_path, OtherEmbedder()) as other:
                other.forget("anna", "c")
                other.rebuild("bob", embed=True)

        _, status = os.waitpid(start(change), 0)
        assert status == 0 and store.search("anna", SECRET, 9) == []
    assert {path.name[:2] for path in (tmp_path / "index").iterdir()} == {"2-"}
    manifest = files.read(tmp_path / "index" / "2-message.json")
    assert manifest is not None and (manifest.model, manifest.count) == ("other", 1)


class Deadly:
    """Kills its own process at the ``at``-th step: a statement to SQLite, or a call that changes or syncs a file."""

    CALLS: Final = ("open", "fsync", "replace", "unlink", "mkdir")

    def __init__(self, at: int) -> None:
        self.left = self.at = at

    def step(self, *_: object) -> None:
        self.left -= 1
        if not self.left:
            os.kill(os.getpid(), signal.SIGKILL)

    def arm(self) -> None:
        for name in self.CALLS:
            setattr(os, name, self._before(getattr(os, name)))
        connect = sqlite3.connect

        def traced(*args: object, **options: object) -> sqlite3.Connection:
            connection: sqlite3.Connection = connect(*args, **options)  # type: ignore[call-overload]
            connection.set_trace_callback(self.step)
            return connection

        sqlite3.connect = traced  # type: ignore[assignment]
        faiss_write = __import__("faiss").write_index

        def torn(index: object, path: str) -> None:
            """Dies with half of the file written."""
            faiss_write(index, path)
            if self.left == 1:
                with Path(path).open("r+b") as file:
                    file.truncate(Path(path).stat().st_size // 2)
            self.step()

        __import__("faiss").write_index = torn

    def _before(self, call: Callable[..., object]) -> Callable[..., object]:
        def counted(*args: object, **options: object) -> object:
            self.step()
            return call(*args, **options)

        return counted


OPERATIONS: Final = (
    ("append", lambda store: store.append("anna", info("c1"), [note(1), note(2, SECRET)])),
    ("index", lambda store: store.index("anna")),
    ("append", lambda store: store.append("anna", info("c2"), [note(3), note(4)])),
    ("checkpoint", lambda store: store.put_checkpoint("anna", checkpoint(summary=SECRET))),
    ("index", lambda store: store.index("anna")),
    ("save", lambda store: store.rebuild("anna")),
    ("forget", lambda store: store.forget("anna", "c1")),
    ("append", lambda store: store.append("anna", info("c2"), [note(5)])),
    ("index", lambda store: store.index("anna")),
    ("close", lambda store: store.close()),
)
STATES: Final = (
    (),
    (1, 2),
    (1, 2),
    (1, 2, 3, 4),
    (1, 2, 3, 4),
    (1, 2, 3, 4),
    (1, 2, 3, 4),
    (3, 4),
    (3, 4, 5),
    (3, 4, 5),
    (3, 4, 5),
)
"""Messages after each operation."""


def live_until(folder: Path, at: int, acknowledged: int) -> int:
    """Work in a process that dies at a step; how many steps it took where it lived (in 1,000), else 0."""
    read, write = os.pipe()

    def work() -> None:
        deadly = Deadly(at)
        deadly.arm()
        store = ConversationStore(folder, EMBEDDER)
        for number, (_, operation) in enumerate(OPERATIONS):
            operation(store)
            os.write(acknowledged, bytes([number + 1]))
        os.write(write, (at - deadly.left).to_bytes(4, "little"))

    child = start(work)
    os.close(write)
    _, status = os.waitpid(child, 0)
    with os.fdopen(read, "rb") as stream:
        steps = int.from_bytes(stream.read(4), "little")
    assert status in (0, signal.SIGKILL)
    return steps


def check(folder: Path, done: int) -> None:
    """The store is what ``done`` acknowledged operations made it, or one more."""
    possible = [STATES[done], STATES[min(done + 1, len(OPERATIONS))]]
    with ConversationStore(folder, EMBEDDER) as store:
        names = [found.id for found in store.conversations("anna")]
        messages = [message for name in names for message in store.read("anna", name).messages]
        here = tuple(int(message.id[1:]) for message in messages)
        assert here in possible
        store.index("anna")
        found = store.search("anna", SECRET, 99)
        assert sorted(item.item.id for item in found) == sorted(message.id for message in messages)
        kept = store.checkpoints("anna")
        assert len(store.search("anna", SECRET, 99, "checkpoint")) == len(kept)
        assert len(kept) == ("c1" in names and done >= 4) or done == 3
    if done >= 6 and "c1" not in names:
        everything = every_byte(folder)
        assert SECRET.encode() not in everything
        assert EMBEDDER.encode([f"user: {SECRET}"])[0].tobytes() not in everything
    with sqlite3.connect(folder / "store.db") as connection:
        assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        assert connection.execute("PRAGMA foreign_key_check").fetchall() == []
    manifests = list((folder / "index").glob("*.json"))
    assert all(files.read(manifest) for manifest in manifests)
    assert len(list((folder / "index").iterdir())) == 2 * len(manifests), "nothing is left lying about"


@pytest.mark.parametrize("part", range(2))
def test_a_crash_at_any_step(tmp_path: Path, part: int) -> None:
    """Killed before every third statement or change of a file, a process for each (``STRIDE`` 1: before all)."""
    read, write = os.pipe()
    steps = live_until(tmp_path / "whole", 1_000_000, write)
    assert list(os.read(read, 100)) == list(range(1, len(OPERATIONS) + 1)) and steps > 150
    for at in range(1 + part * STRIDE, steps + 1, 2 * STRIDE):
        folder = tmp_path / f"{at}"
        assert live_until(folder, at, write) == 0
        os.set_blocking(read, False)
        try:
            done = os.read(read, 100)[-1]
        except BlockingIOError:
            done = 0
        check(folder, done)


def test_kill_9_at_any_moment(tmp_path: Path) -> None:
    """A process that writes and indexes as fast as it can is killed, again and again, on one store."""
    acknowledged, random_times = 0, random.Random(5)
    for _ in range(8):
        read, write = os.pipe()

        def work(first: int = acknowledged, write: int = write) -> None:
            with ConversationStore(tmp_path, EMBEDDER) as store:
                number = max([first, *(len(store.read("anna", c.id).messages) for c in store.conversations("anna"))])
                while True:
                    store.append("anna", info(), [note(number)])
                    os.write(write, number.to_bytes(4, "little"))
                    store.index("anna")
                    number += 1
                    if number % 7 == 0:
                        store.rebuild("anna")

        child = start(work)
        os.close(write)
        with os.fdopen(read, "rb") as stream:
            first = stream.read(4)
            time.sleep(random_times.uniform(0.0, 0.25))
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
            rest = first + stream.read()
        acknowledged = int.from_bytes(rest[-4:], "little") + 1
        with ConversationStore(tmp_path, EMBEDDER) as store:
            ids = [message.id for message in store.read("anna", "c").messages]
            assert ids in ([f"m{n}" for n in range(acknowledged)], [f"m{n}" for n in range(acknowledged + 1)])
            store.index("anna")
            found = store.search("anna", "note", 10_000)
            assert sorted(item.item.id for item in found) == sorted(ids)
