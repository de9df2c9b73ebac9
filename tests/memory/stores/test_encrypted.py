"""SQLCipher: no file holds a plain sentence, and every wrong way to open one is explained."""

from __future__ import annotations

import sqlite3
import sys
import types
from pathlib import Path

import pytest

from mnemo_lab.errors import InvalidInput, MissingDependency
from mnemo_lab.memory.stores import open_store
from mnemo_lab.storage.keys import VARIABLE
from tests.memory.stores.material import EMBEDDER, add, ids, item, needs_cipher, open_kind
from tests.memory.stores.test_forget import fill, left
from tests.store.material import every_byte

KEY = "correct horse 电池"


@pytest.fixture(autouse=True)
def no_key(monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither in the environment nor in a keyring."""
    monkeypatch.delenv(VARIABLE, raising=False)
    monkeypatch.setitem(sys.modules, "keyring", None)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    with open_store(tmp_path / "m.db", EMBEDDER, key=KEY) as store:
        add(store, item("a", "the vault opens with seven turns"))
    return tmp_path / "m.db"


@needs_cipher
def test_no_file_holds_a_plain_sentence(tmp_path: Path) -> None:
    with open_store(tmp_path / "m.db", EMBEDDER, key=KEY) as store:
        fill(store)
        names = {path.name for path in tmp_path.iterdir()}
        assert names == {"m.db", "m.db-wal", "m.db-shm"} and (tmp_path / "m.db-wal").stat().st_size > 100_000
        there = every_byte(tmp_path)
        assert left(tmp_path) == [] and b"topic" not in there and b"anna" not in there and b"SQLite" not in there
        assert {path.stat().st_mode & 0o777 for path in tmp_path.iterdir()} == {0o600}
        assert store.forget("anna", ["gone-1"]).files == ("m.db",)
    assert left(tmp_path) == [] and b"kept0" not in every_byte(tmp_path)
    with open_store(tmp_path / "m.db", EMBEDDER, key=KEY) as store:
        assert store.facts().kind == "SQLCipher" and store.check() == []


@needs_cipher
def test_the_key_comes_from_the_environment_or_a_keyring(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[tuple[str, str]] = []
    ring = types.ModuleType("keyring")
    ring.get_password = lambda *who: asked.append(who) or KEY  # type: ignore[attr-defined, func-returns-value]
    monkeypatch.setitem(sys.modules, "keyring", ring)
    with open_store(path) as store:
        assert ids(store.items("anna")) == ["a"]
    with open_store(path.with_name("new.db"), encrypted=True) as store:
        assert store.facts().kind == "SQLCipher"
    assert asked == [("mnemo-lab", "memory")] * 2
    with open_store(path.with_name("plain.db")) as store:
        assert store.facts().kind == "SQLite"
    monkeypatch.setenv(VARIABLE, KEY)
    for name in ("m.db", "fresh.db"):
        with open_store(path.with_name(name)) as store:
            assert store.facts().kind == "SQLCipher"
    with open_store(path.with_name("open.db"), encrypted=False) as store:
        assert store.facts().kind == "SQLite"
    assert len(asked) == 2


@needs_cipher
def test_no_key(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for encrypted, place in ((None, path), (True, path), (True, path.with_name("new.db"))):
        with pytest.raises(InvalidInput, match=r"encrypted.*, and there is no key; set MNEMO_MEMORY_KEY, or keep one"):
            open_store(place, encrypted=encrypted)
    assert not path.with_name("new.db").exists()
    ring = types.ModuleType("keyring")

    def locked(*_: str) -> str:
        raise RuntimeError("the keyring is locked")

    ring.get_password = locked  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "keyring", ring)
    with pytest.raises(InvalidInput, match="the keyring is locked"):
        open_store(path)
    for empty in ("", "a\0b"):
        with pytest.raises(InvalidInput, match="at least one character"):
            open_store(path, key=empty)


@needs_cipher
def test_the_wrong_key(path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(
        InvalidInput, match=r"cannot be read with this key .* it is the wrong one, or the file is damaged"
    ):
        open_store(path, key="other")
    with open_store(path, key=KEY) as store:
        assert ids(store.items("anna")) == ["a"]
    assert capfd.readouterr().err == ""


@needs_cipher
def test_a_plain_file_and_a_key(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with open_kind("sqlite", tmp_path) as store:
        add(store, item("a", "plain"))
    path = tmp_path / "m.db"
    with pytest.raises(InvalidInput, match="is a plain file, and a key is given; open it without a key, or export it"):
        open_store(path, key=KEY)
    with pytest.raises(InvalidInput, match="is a plain file, and encrypted=True"):
        open_store(path, encrypted=True)
    monkeypatch.setenv(VARIABLE, KEY)
    with pytest.raises(InvalidInput, match="is a plain file, and MNEMO_MEMORY_KEY is set"):
        open_store(path)
    with open_store(path, encrypted=False) as store:
        assert ids(store.items("anna")) == ["a"]


@needs_cipher
def test_an_encrypted_file_opened_as_plain(path: Path) -> None:
    with pytest.raises(InvalidInput, match="encrypted=False, and the file is encrypted"):
        open_store(path, encrypted=False)
    with pytest.raises(sqlite3.DatabaseError):
        sqlite3.connect(path).execute("SELECT * FROM items")


def test_the_package_is_missing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "sqlcipher3", None)
    with pytest.raises(MissingDependency, match=r"pip install 'mnemo-lab.encrypted.'"):
        open_store(tmp_path / "m.db", key=KEY)
    assert list(tmp_path.iterdir()) == []


def test_what_cannot_be_encrypted(tmp_path: Path) -> None:
    for place in (":memory:", tmp_path / "m.json"):
        with pytest.raises(InvalidInput, match="only a SQLite file can be encrypted"):
            open_store(place, key=KEY)
        with pytest.raises(InvalidInput, match="only a SQLite file can be encrypted"):
            open_store(place, encrypted=True)


def test_noise_is_no_plain_store(tmp_path: Path) -> None:
    (tmp_path / "m.db").write_bytes(b"no database at all, but long enough" * 99)
    with pytest.raises(InvalidInput, match=r"is encrypted .or no store at all., and there is no key"):
        open_store(tmp_path / "m.db")
    with pytest.raises(InvalidInput, match="encrypted=False, and the file is encrypted"):
        open_store(tmp_path / "m.db", encrypted=False)
