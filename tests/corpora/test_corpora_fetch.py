from __future__ import annotations

import hashlib
import json
import threading
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from mnemo_lab.corpora import Card, fetch, load
from mnemo_lab.corpora.card import CardFile
from mnemo_lab.errors import InvalidInput, UnknownName

SAMPLE = {"sample_id": "s", "conversation": {"speaker_a": "A", "speaker_b": "B", "session_1": []}, "qa": []}
DATA = json.dumps([SAMPLE]).encode()


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: object) -> None:
        pass


@pytest.fixture
def served(tmp_path: Path) -> Iterator[str]:
    folder = tmp_path / "served"
    folder.mkdir()
    (folder / "locomo10.json").write_bytes(DATA)
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(folder)))
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()
    thread.join()


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("MNEMO_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.delenv("MNEMO_DATA_DIR", raising=False)
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    return tmp_path / "cache" / "data" / "locomo"


def use(monkeypatch: pytest.MonkeyPatch, url: str, sha256: str | None = None, size: int = len(DATA)) -> Card:
    digest = sha256 or hashlib.sha256(DATA).hexdigest()
    file = CardFile(path="locomo10.json", url=url, sha256=digest, size=size)
    terms = {"permits": "look at it", "licence_url": "https://example.org/terms"}
    card = Card(name="locomo", title="Little LoCoMo", licence="CC BY-NC 4.0", files=(file,), **terms)
    monkeypatch.setattr(fetch, "read_card", lambda name: card)
    monkeypatch.setattr("mnemo_lab.corpora.base.read_card", lambda name: card)
    return card


def test_fetch_then_load(served: str, cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    use(monkeypatch, f"{served}/locomo10.json")
    assert fetch.status("locomo")[0].state == "absent"
    seen: list[tuple[str, int, int]] = []
    folders = fetch.fetch("locomo", accept_licence=True, progress=lambda *step: seen.append(step))
    assert folders == [cache]
    assert (cache / "locomo10.json").read_bytes() == DATA
    assert seen == [("locomo10.json", len(DATA), len(DATA))]
    assert sorted(p.name for p in cache.iterdir()) == ["locomo10.json"]
    assert [r.id for r in load("locomo")] == ["s"]
    assert fetch.status("locomo")[0].state == "fetched"
    assert [check.ok for check in fetch.verify("locomo")] == [True]
    fetch.fetch("locomo", accept_licence=True, progress=lambda *step: seen.append(step))
    assert len(seen) == 1


def test_licence_must_be_accepted(served: str, cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    use(monkeypatch, f"{served}/locomo10.json")
    with pytest.raises(InvalidInput) as error:
        fetch.fetch("locomo")
    for part in ("CC BY-NC 4.0", "https://example.org/terms", "look at it", "--accept-licence"):
        assert part in str(error.value)
    assert not cache.exists()


def test_wrong_hash_names_both_and_keeps_nothing(served: str, cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    use(monkeypatch, f"{served}/locomo10.json", sha256="0" * 64)
    with pytest.raises(fetch.FetchFailed) as error:
        fetch.fetch("locomo", accept_licence=True)
    assert "0" * 64 in str(error.value)
    assert hashlib.sha256(DATA).hexdigest() in str(error.value)
    assert list(cache.iterdir()) == []


def test_longer_answers_are_cut_off(served: str, cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    use(monkeypatch, f"{served}/locomo10.json", size=10)
    with pytest.raises(fetch.FetchFailed, match="longer than the 10 bytes"):
        fetch.fetch("locomo", accept_licence=True)
    assert list(cache.iterdir()) == []


def test_missing_page(served: str, cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    use(monkeypatch, f"{served}/gone.json")
    with pytest.raises(fetch.FetchFailed, match=r"gone\.json: the server answers 404"):
        fetch.fetch("locomo", accept_licence=True)
    assert list(cache.iterdir()) == []


def test_no_server(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    use(monkeypatch, "http://127.0.0.1:9/x")
    with pytest.raises(fetch.FetchFailed, match="cannot be reached"):
        fetch.fetch("locomo", accept_licence=True)


def test_cache_that_cannot_be_written(
    served: str, tmp_path: Path, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    use(monkeypatch, f"{served}/locomo10.json")
    (tmp_path / "cache").write_text("a file where a folder should be")
    with pytest.raises(fetch.FetchFailed, match="cannot be written"):
        fetch.fetch("locomo", accept_licence=True)


def test_verify_finds_changed_and_missing_files(served: str, cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    card = use(monkeypatch, f"{served}/locomo10.json")
    assert [(c.file, c.found, c.ok) for c in fetch.verify("locomo")] == [("locomo10.json", None, False)]
    cache.mkdir(parents=True)
    (cache / "locomo10.json").write_bytes(DATA + b" ")
    (check,) = fetch.verify("locomo")
    assert check.expected == card.files[0].sha256
    assert check.found == hashlib.sha256(DATA + b" ").hexdigest()
    assert not check.ok
    fetch.fetch("locomo", accept_licence=True)
    assert fetch.verify("locomo")[0].ok


def test_names(cache: Path) -> None:
    assert [card.name for card in fetch.cards_for("beam")] == ["beam_100k"]
    assert [card.name for card in fetch.cards_for("locomo_audited")] == ["locomo", "locomo_audit"]
    assert {s.name: s.state for s in fetch.status()} == {
        "beam_100k": "absent",
        "bilingual": "bundled",
        "intent": "bundled",
        "memory_events": "bundled",
        "qmsum": "absent",
        "tiage": "absent",
        "locomo": "absent",
        "locomo_audit": "absent",
        "privacy": "bundled",
    }
    with pytest.raises(InvalidInput, match="nothing to fetch"):
        fetch.fetch("bilingual", accept_licence=True)
    with pytest.raises(UnknownName, match="unknown data set with a card 'portable'"):
        fetch.fetch("portable", accept_licence=True)
    assert fetch.verify("bilingual") == []


def test_incomplete_and_kept_data(tmp_path: Path, cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MNEMO_DATA_DIR", str(tmp_path))
    (tmp_path / "beam_100k" / "1").mkdir(parents=True)
    (tmp_path / "beam_100k" / "1" / "chat.json").write_text("[]")
    (found,) = fetch.status("beam")
    assert (found.state, found.folder, len(found.missing)) == ("incomplete", tmp_path / "beam_100k", 19)


def test_real_files_match_their_cards(public_data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MNEMO_DATA_DIR", str(public_data))
    for name in ("locomo_audited", "beam"):
        assert {s.state for s in fetch.status(name)} == {"present"}
        checks = fetch.verify(name)
        assert all(check.ok for check in checks)
    assert len(checks) == 20
