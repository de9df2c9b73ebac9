"""The index files are a copy that the database makes true, whatever happened to them."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from mnemo_lab.conversation import ConversationInfo, Message, ToolCall
from mnemo_lab.errors import InvalidInput, UnknownName
from mnemo_lab.hydration.index import description_text
from mnemo_lab.privacy import Redactor
from mnemo_lab.retrieval.index_text import index_passages
from mnemo_lab.storage.vectors import HALF, WHOLE, from_bytes, to_bytes
from mnemo_lab.store import ConversationStore, rebuild_index
from mnemo_lab.store.manifest import Manifest, members, ranges, read
from mnemo_lab.store.store import BATCH, SIGNALS
from mnemo_lab.vectors.variants import VARIANTS
from tests.store.material import (
    EMBEDDER,
    OtherEmbedder,
    checkpoint,
    conversations,
    every_byte,
    fill,
    info,
    note,
)


class Counting(type(EMBEDDER)):  # type: ignore[misc]
    """Counts the texts it embeds."""

    def __init__(self) -> None:
        self.texts = 0

    def encode(self, texts: Any, kind: Any = "passage") -> Any:
        self.texts += len(texts) if kind == "passage" else 0
        return super().encode(texts, kind)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A store with two conversations and a checkpoint, indexed, saved and closed."""
    with ConversationStore(tmp_path / "s", EMBEDDER) as store:
        fill(store)
        store.put_checkpoint("anna", checkpoint())
        store.index("anna")
    return tmp_path / "s"


def truth(query: str, kind: str = "message") -> dict[str, float]:
    """Best cosine of every item's texts with the query, by a product in double precision."""
    vector = EMBEDDER.encode([query], "query")[0].astype(np.float64)
    if kind == "checkpoint":
        return {"k1": float(EMBEDDER.encode([description_text(checkpoint())])[0] @ vector)}
    messages = [message for conversation in conversations() for message in conversation.messages]
    return {m.id: float((EMBEDDER.encode(index_passages(m, True)) @ vector).max()) for m in messages}


def found(store: ConversationStore, query: str = "staging database port", k: int = 99) -> dict[str, float]:
    return {item.item.id: item.score for item in store.search("anna", query, k)}


@pytest.mark.parametrize("query", ["staging database port 5433", "发布会的预算是多少", "orders table rows", ""])
def test_search_equals_a_product(folder: Path, query: str) -> None:
    with ConversationStore(folder, EMBEDDER) as store:
        for kind in ("message", "checkpoint"):
            hits = store.search("anna", query, 99, kind)  # type: ignore[arg-type]
            expected = truth(query, kind)
            assert {hit.item.id: hit.score for hit in hits} == pytest.approx(expected, abs=1e-3)
            assert [hit.score for hit in hits] == sorted((hit.score for hit in hits), reverse=True)
            best = store.search("anna", query, 3, kind)  # type: ignore[arg-type]
            assert [hit.score for hit in best] == pytest.approx(sorted(expected.values())[:-4:-1], abs=1e-3)
        assert store.search("anna", query, 0) == []
        assert all(
            hit.conversation == ("c1" if int(hit.item.id[1:]) < 10 else "c2") for hit in store.search("anna", "x", 99)
        )


def test_a_long_message_is_one_hit(tmp_path: Path) -> None:
    """It scores as its best passage does, and leaves room for others."""
    long = Message("user", " ".join(f"Bees like flower{n} very much indeed, they say." for n in range(400)), "long")
    with ConversationStore(tmp_path, EMBEDDER) as store:
        store.append("anna", info(), [long, note(1), note(2)])
        assert store.index("anna") == len(index_passages(long, True)) + 2 > 5
        ids = [hit.item.id for hit in store.search("anna", "bees flower", 3)]
        assert ids[0] == "long" and set(ids) == {"long", "m1", "m2"}


def test_half_precision_moves_a_cosine_by_less_than_a_thousandth() -> None:
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(500, 384)).astype(np.float32)
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    again = from_bytes([to_bytes(row, HALF) for row in rows], HALF, 384)
    assert np.abs(again @ rows.T - rows @ rows.T).max() < 1e-3
    assert (from_bytes([to_bytes(row, WHOLE) for row in rows], WHOLE, 384) == rows).all()


def test_nothing_is_embedded_twice(folder: Path) -> None:
    embedder = Counting()
    with ConversationStore(folder, embedder) as store:
        assert store.index("anna") == 0
        store.append("anna", info("c3"), [note(100)])
        assert store.index("anna") == 1 and embedder.texts == 1
        assert store.rebuild("anna") == 20
    shutil.rmtree(folder / "index")
    with ConversationStore(folder, embedder) as store:
        assert len(found(store)) == 19 and store.index("anna") == 0
    assert rebuild_index(folder) == {"anna": 20}
    assert embedder.texts == 1


def _remove(path: Path) -> None:
    path.unlink()


def _cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


def _flip(path: Path) -> None:
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 0xFF
    path.write_bytes(data)


def _other_values(path: Path) -> None:
    path.write_text(json.dumps({"version": 1, "ids": [[1, 10**15]], "file": 3}))


def _huge(path: Path) -> None:
    value = json.loads(path.read_text())
    path.write_text(json.dumps(value | {"ids": [[1, 10**15]], "count": 10**15}))


def _list(path: Path) -> None:
    path.write_text("[]")


@pytest.mark.parametrize("harm", [_remove, _cut, _flip, _other_values, _huge, _list])
@pytest.mark.parametrize("what", ["1-message.json", "1-message-*.faiss"])
def test_damaged_files_are_made_anew(folder: Path, harm: Callable[[Path], None], what: str) -> None:
    (path,) = (folder / "index").glob(what)
    if path.suffix == ".faiss" and harm in (_huge,):
        return
    harm(path)
    with ConversationStore(folder, EMBEDDER) as store:
        assert found(store) == pytest.approx(truth("staging database port"), abs=1e-3)
    manifest = read(folder / "index" / "1-message.json")
    assert manifest is not None and manifest.count == 18


def test_the_manifest_says_what_is_in_the_index(folder: Path) -> None:
    manifest = read(folder / "index" / "1-message.json")
    assert manifest is not None
    assert (manifest.model, manifest.fingerprint, manifest.dimension) == ("hashing", "hashing-256-v1", 256)
    assert (manifest.variant, manifest.layout, manifest.count) == ("auto", "flat", 18)
    assert members(manifest.ids, 100) == set(range(1, 19))


@pytest.mark.parametrize("behind", ["index", "database"])
def test_one_is_older_than_the_other(folder: Path, tmp_path: Path, behind: str) -> None:
    """Missing vectors are added; ghosts go, and their ids can be given again without being mistaken for the old."""
    shutil.copytree(folder, tmp_path / "old")
    with ConversationStore(folder, EMBEDDER) as store:
        store.append("anna", info("c3"), [note(77, "penguins in the pool")])
        store.index("anna")
    if behind == "index":
        shutil.rmtree(folder / "index")
        shutil.copytree(tmp_path / "old" / "index", folder / "index")
    else:
        shutil.copy(tmp_path / "old" / "store.db", folder / "store.db")
    with ConversationStore(folder, EMBEDDER) as store:
        assert ("m77" in found(store, "penguins in the pool")) == (behind == "index")
    with ConversationStore(folder, EMBEDDER) as store:
        store.append("anna", info("c4"), [note(78, "camels on the roof")])
        store.index("anna")
        hits = found(store, "camels on the roof")
        assert max(hits, key=hits.__getitem__) == "m78" and hits["m78"] > 0.8
        assert len(hits) == (20 if behind == "index" else 19)


def test_a_checkpoint_in_a_restored_database_is_not_mistaken(folder: Path, tmp_path: Path) -> None:
    """Its vector comes with it and gets the id of one that only the index file knows."""
    shutil.copy(folder / "store.db", tmp_path / "old.db")
    with ConversationStore(folder, EMBEDDER) as store:
        lost = EMBEDDER.encode(["penguins"])[0].tolist()
        store.put_checkpoint("anna", checkpoint("lost", embedding=lost, embedder=EMBEDDER.fingerprint))
        store.index("anna")
    shutil.copy(tmp_path / "old.db", folder / "store.db")
    with ConversationStore(folder, EMBEDDER) as store:
        new = EMBEDDER.encode(["camels"])[0].tolist()
        store.put_checkpoint("anna", checkpoint("new", embedding=new, embedder=EMBEDDER.fingerprint))
    with ConversationStore(folder, EMBEDDER) as store:
        scores = {hit.item.id: hit.score for hit in store.search("anna", "camels", 9, "checkpoint")}
        assert scores["new"] == pytest.approx(1.0) and scores.keys() == {"k1", "new"}


def test_dropped_checkpoints_are_found_no_more(folder: Path) -> None:
    """Neither by this store, whose index is open, nor by the next; messages stay."""
    with ConversationStore(folder, EMBEDDER) as store:
        for name, conversation in (("k2", "c1"), ("k3", "c2")):
            store.put_checkpoint("anna", checkpoint(name, conversation))
        store.index("anna")
        assert len(store.search("anna", "staging", 9, "checkpoint")) == 3
        assert store.drop_checkpoints("anna", but={"k1", "k2", "k3"}) == store.drop_checkpoints("bob", but=()) == 0
        assert store.drop_checkpoints("anna", but={"k2"}) == 2
        assert [hit.item.id for hit in store.search("anna", "staging", 9, "checkpoint")] == ["k2"]
    with ConversationStore(folder, EMBEDDER) as store:
        for by in SIGNALS:
            assert [hit.item.id for hit in store.search("anna", "staging", 9, "checkpoint", by)] == ["k2"]
        assert len(found(store)) == 18


def test_an_index_of_another_store_is_not_taken(folder: Path, tmp_path: Path) -> None:
    with ConversationStore(tmp_path / "b", EMBEDDER) as store:
        store.append("anna", info(), [note(n, f"other{n}") for n in range(18)])
        store.index("anna")
    shutil.rmtree(folder / "index")
    shutil.copytree(tmp_path / "b" / "index", folder / "index")
    with ConversationStore(folder, EMBEDDER) as store:
        assert found(store) == pytest.approx(truth("staging database port"), abs=1e-3)


def test_another_model_is_an_error_that_names_rebuild(folder: Path) -> None:
    message = (
        r"namespace 'anna' holds vectors of hashing \(hashing-256-v1, 256 dimensions\) and this embedder is other "
        rf"\(other-v2, 256\); open the store with hashing, .*: mnemo store rebuild {folder} --embedder other"
    )
    with ConversationStore(folder, OtherEmbedder()) as store:
        for call in (lambda: store.search("anna", "port", 3), lambda: store.index("anna")):
            with pytest.raises(InvalidInput, match=message):
                call()
        assert store.rebuild("anna", embed=True) == 19
        assert found(store) == pytest.approx(truth("staging database port"), abs=1e-3)
        assert store.checkpoints("anna")[0].embedder == "other-v2"
    with ConversationStore(folder, EMBEDDER) as store, pytest.raises(InvalidInput, match="holds vectors of other "):
        store.search("anna", "port", 3)
    assert rebuild_index(folder, EMBEDDER) == {"anna": 19}
    with ConversationStore(folder, EMBEDDER) as store:
        assert len(found(store)) == 18
        with pytest.raises(UnknownName, match="unknown namespace 'bob'; known: anna"):
            store.rebuild("bob", embed=True)


def test_namespaces_may_have_different_models(folder: Path) -> None:
    with ConversationStore(folder, OtherEmbedder()) as store:
        store.append("bob", info(), [note(1)])
        store.index("bob")
        assert [hit.item.id for hit in store.search("bob", "note", 3)] == ["m1"]
    assert rebuild_index(folder) == {"anna": 19, "bob": 1}


def test_without_an_embedder_rows_work_and_vectors_ask_for_one(folder: Path) -> None:
    with ConversationStore(folder) as store:
        store.append("anna", info("c3"), [note(1)])
        store.forget("anna", "c1")
        assert store.rebuild("anna") == 8
        for call in (lambda: store.index("anna"), lambda: store.search("anna", "x", 1)):
            with pytest.raises(InvalidInput, match="opened without an embedder; give it one"):
                call()


@pytest.mark.parametrize("variant", VARIANTS)
def test_variants_are_kept_saved_and_changed(tmp_path: Path, variant: str) -> None:
    count = 2_100
    with ConversationStore(tmp_path, EMBEDDER, variant) as store:
        store.append("anna", info(), [note(n, f"entry{n} topic{n % 50}") for n in range(count)])
        store.index("anna")
        best = store.search("anna", "user: entry77 topic27", 5)
        assert best[0].item.id == "m77" and best[0].score > 0.99
    manifest = read(tmp_path / "index" / "1-message.json")
    assert manifest is not None
    assert manifest.layout == (variant if count >= VARIANTS[variant].least else "flat")
    with ConversationStore(tmp_path, EMBEDDER, variant) as store:
        assert store.search("anna", "user: entry77 topic27", 5) == best
    with ConversationStore(tmp_path, EMBEDDER, "flat") as store:
        assert store.search("anna", "user: entry77 topic27", 5)[0] == pytest.approx(best[0])
        store.append("anna", info("d"), [note(1)])
        store.index("anna")
    assert (read(tmp_path / "index" / "1-message.json") or manifest).layout == "flat"


def test_the_file_is_written_when_it_is_due(tmp_path: Path) -> None:
    """Not at every message, and not only at the end."""
    with ConversationStore(tmp_path, EMBEDDER) as store:
        for start in (0, 999):
            store.append("anna", info(), [note(n) for n in range(start, start + 999)])
            store.index("anna")
            manifest: Manifest | None = read(tmp_path / "index" / "1-message.json")
            assert (manifest.count if manifest else 0) == (0 if not start else 999 + BATCH)


def test_redaction_comes_before_everything(tmp_path: Path) -> None:
    """Text, names of files, arguments, title and checkpoint: neither written nor embedded."""

    mail, phone, key = "maria.lopez@example.org", "13800138000", "sk-proj-4fK9sLq2mXv7Rb1TzYc8Wd3Ne6Gh5Jp0"
    said = [
        Message("user", f"Write to {mail} at once", "m1", name="Zelda Qwerty"),
        Message("user", f"我的手机号是{phone}", "m2"),
        Message("assistant", "", "m3", tool_calls=(ToolCall("t", "send", json.dumps({"to": mail, "key": key})),)),
        Message("user", f"{mail} again, says Zelda Qwerty", "m4"),
    ]
    vector = tuple(map(float, EMBEDDER.encode([mail])[0]))
    made = checkpoint(
        conversation="c",
        summary=f"{mail}; 发布会",
        entities={"person": ("Zelda Qwerty",), "number": (phone,)},
        open_items=(f"call {phone}",),
        embedding=vector,
        embedder=EMBEDDER.fingerprint,
    )
    redactor = Redactor()
    with ConversationStore(tmp_path, EMBEDDER, redactor=redactor) as store:
        store.append("anna", ConversationInfo("c", f"Mail to {mail}"), said)
        store.put_checkpoint("anna", made)
        store.index("anna")
        clean = store.read("anna", "c")
        placeholder = clean.messages[3].text.split()[0]
        assert clean.messages[0].text == f"Write to {placeholder} at once" and clean.title == f"Mail to {placeholder}"
        assert redactor.mapping[placeholder] == mail
        (kept,) = store.checkpoints("anna")
        assert kept.summary == f"{placeholder}; 发布会"
        assert kept.entities["person"] == (clean.messages[0].name,) != ("Zelda Qwerty",)
        assert kept.embedding != vector and store.search("anna", f"user: {mail}", 1)[0].score < 0.9
        assert store.search("anna", "lopez qwerty 13800138000", 9, by="keyword") == []
    data = every_byte(tmp_path).lower()
    assert not [word for word in ("lopez", phone, key, "zelda", "qwerty") if word.lower().encode() in data]
    assert "发布会".encode() in data


def test_what_can_be_searched_is_named(folder: Path) -> None:
    with ConversationStore(folder, EMBEDDER) as store:
        with pytest.raises(UnknownName, match="unknown kind of item 'messages'; known: checkpoint, message"):
            store.search("anna", "x", 1, "messages")  # type: ignore[arg-type]
        with pytest.raises(UnknownName, match="unknown signal 'words'; known: keyword, vector"):
            store.search("anna", "x", 1, by="words")  # type: ignore[arg-type]


def test_ranges() -> None:
    assert ranges([]) == () and members((), 0) == set()
    assert ranges({1, 2, 3, 7, 9, 10}) == ((1, 3), (7, 7), (9, 10))
    assert members(((1, 3), (7, 7)), 4) == {1, 2, 3, 7}
    with pytest.raises(ValueError, match="more than 3"):
        members(((1, 3), (7, 7)), 3)


def test_a_message_takes_little_beside_its_vector(tmp_path: Path) -> None:
    """Below 2 KB for a message of 170 characters, as LoCoMo's are, with its vector of 384 in both places."""

    class Wide(type(EMBEDDER)):  # type: ignore[misc]
        dimension, fingerprint = 384, "wide"

        def encode(self, texts: Any, kind: Any = "passage") -> Any:
            rng = np.random.default_rng(len(texts))
            rows = rng.normal(size=(len(texts), 384)).astype(np.float32)
            return rows / np.linalg.norm(rows, axis=1, keepdims=True)

    text = "I went to the lake with my sister on Saturday, and we talked about the plans for the summer house. " * 2
    messages = [Message("user", f"{n} {text}"[:170], f"D{n}", "2023-05-08T13:56:00Z", "Caroline") for n in range(3_000)]
    with ConversationStore(tmp_path, Wide()) as store:
        store.append("anna", info(), messages)
        store.index("anna")
    size = sum(path.stat().st_size for path in tmp_path.rglob("*") if path.is_file()) / len(messages)
    assert size - 384 * 4 < 2_000
