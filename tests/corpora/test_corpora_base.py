from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from mnemo_lab.conversation import MISSING, Attachment, Conversation, Message, ToolCall
from mnemo_lab.corpora import Card, Dataset, load
from mnemo_lab.corpora.card import card_names, read_card
from mnemo_lab.corpora.digest import digest_of
from mnemo_lab.errors import InvalidInput, UnknownName
from mnemo_lab.paths import datasets_root
from mnemo_lab.recording import Probe, Recording, Span
from tests.corpora.helpers import Write, probe

FULL = Message(
    "assistant",
    None,
    "m1",
    "2026-01-01",
    "Ann",
    (ToolCall("t1", "run", "{}", {"k": 1}),),
    "t0",
    "m0",
    (Attachment("image", "image/png", "a.png"),),
    {"session": "s1"},
)
QUESTION = Probe("q", "?", "c", ("m1",), (Span("m1", 0, 1),), "a", ("b",), "m1", "2026-01-02", True, {"x": 1})


def recording(message: Message = FULL, question: Probe = QUESTION, name: str = "r") -> Recording:
    return Recording(name, (Conversation((message,), "c"),), (question,))


def test_digest_is_the_same_wherever_the_data_lies(tmp_path: Path, write: Write, write_probes: Write) -> None:
    write("here/1.json", [("user", "hi 😀", "m1")])
    write_probes("here/probes.jsonl", probe("q1", evidence=["m1"]))
    shutil.copytree(tmp_path / "here", tmp_path / "elsewhere" / "under another name")
    first, second = load(tmp_path / "here"), load(tmp_path / "elsewhere" / "under another name")
    assert first.digest == second.digest
    assert first.name != second.name
    assert len(first.digest) == 64


def test_digest_is_pinned() -> None:
    empty = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
    assert digest_of(()) == empty
    plain = Recording("r", (Conversation((Message("user", "hi", "m1"),), "c"),))
    assert digest_of([plain]) == "3dddc2da998ddaedaca0232fa54de7cf77c07898895aa0b3b542837205201006"


@pytest.mark.parametrize(
    "change",
    [
        {"role": "user"},
        {"content": ""},
        {"content": MISSING},
        {"content": "\udc80"},
        {"id": "m2"},
        {"timestamp": None},
        {"name": None},
        {"tool_calls": ()},
        {"tool_call_id": None},
        {"parent_id": None},
        {"attachments": ()},
        {"extensions": {"session": "s2"}},
    ],
)
def test_digest_changes_with_every_field_of_a_message(change: dict[str, object]) -> None:
    assert digest_of([recording(replace(FULL, **change))]) != digest_of([recording()])  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "change",
    [
        {"question": "??"},
        {"category": "d"},
        {"evidence": ()},
        {"spans": ()},
        {"answer": None},
        {"aliases": ()},
        {"after": None},
        {"asked_at": None},
        {"answerable": False},
        {"extensions": {}},
    ],
)
def test_digest_changes_with_every_field_of_a_probe(change: dict[str, object]) -> None:
    assert digest_of([recording(question=replace(QUESTION, **change))]) != digest_of([recording()])  # type: ignore[arg-type]


def test_digest_ignores_order_names_and_splits() -> None:
    one, two = recording(name="one"), recording(replace(FULL, content="other"), name="two")
    assert digest_of([one, two]) == digest_of([replace(two, id="x", split="dev"), one])


def small() -> Dataset:
    kinds = (("a", "dev", "en"), ("b", "test", "en"), ("c", "test", "zh"))
    recordings = [replace(recording(name=i), split=s, language=lang) for i, s, lang in kinds]  # type: ignore[arg-type]
    return Dataset.of("small", recordings, Card(name="small", title="A <small> set", licence="MIT"))


def test_select() -> None:
    data = small()
    assert len(data) == 3
    assert [r.id for r in data.select(split="test")] == ["b", "c"]
    assert [r.id for r in data.select("test", "zh")] == ["c"]
    assert [r.id for r in data.select(recordings=["c", "a"])] == ["a", "c"]
    assert [r.id for r in data.select(recordings="b")] == ["b"]
    assert data.select("test").digest == digest_of(data.recordings[1:])
    assert [p.id for p in data.probes] == ["q", "q", "q"]
    with pytest.raises(UnknownName, match="unknown recording of small 'd'; known: a, b, c"):
        data.select(recordings=["d"])
    with pytest.raises(InvalidInput, match=r"there are: a \(dev, en\), b"):
        data.select("dev", "zh")


def test_shows_itself_in_a_notebook() -> None:
    html = small()._repr_html_()
    assert "A &lt;small&gt; set" in html
    assert "<td>c</td><td>test</td><td>zh</td><td>1</td><td>1</td><td>1</td>" in html
    assert "3 in all" in html


def test_load_says_what_is_missing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MNEMO_DATA_DIR", str(tmp_path / "data"))
    monkeypatch.setenv("MNEMO_CACHE_DIR", str(tmp_path / "cache"))
    with pytest.raises(InvalidInput) as error:
        load("locomo")
    said = str(error.value)
    for part in (
        "mnemo data fetch locomo",
        "MNEMO_DATA_DIR",
        "CC BY-NC 4.0",
        str(tmp_path / "cache" / "data" / "locomo"),
    ):
        assert part in said
    (tmp_path / "data" / "beam_100k" / "1").mkdir(parents=True)
    with pytest.raises(InvalidInput, match=r"beam_100k lacks 1/chat.json, .* and 16 more"):
        load("beam")
    with pytest.raises(InvalidInput, match="no such file or folder"):
        load("locomo", tmp_path / "nowhere")
    with pytest.raises(InvalidInput, match="no such file or folder"):
        load("some/where")
    with pytest.raises(InvalidInput, match=r"unknown data set 'locmo'.*Did you mean 'locomo'.*Nor is it a file"):
        load("locmo")
    with pytest.raises(InvalidInput, match="give a path"):
        load("portable")
    with pytest.raises(UnknownName, match="unknown corpus"):
        load("nothing", tmp_path)


def test_bundled_cards() -> None:
    assert card_names() == [
        "beam_100k",
        "bilingual",
        "intent",
        "locomo",
        "locomo_audit",
        "memory_events",
        "privacy",
        "qmsum",
        "tiage",
    ]
    locomo = read_card("locomo")
    assert locomo.files[0].sha256 == "79fa87e90f04081343b8c8debecb80a9a6842b76a7aa537dc9fdf651ea698ff4"
    assert locomo.files[0].size == 2805274
    assert "3eb6f2c585f5e1699204e3c3bdf7adc5c28cb376" in locomo.files[0].url
    beam = read_card("beam_100k")
    assert [f.path for f in beam.files[:3]] == ["1/chat.json", "1/probing_questions.json", "2/chat.json"]
    assert len(beam.files) == 20
    assert not list(datasets_root().rglob("__init__.py"))
    with pytest.raises(UnknownName, match="unknown data card"):
        read_card("nothing")


@pytest.mark.parametrize("path", ["../x", "/etc/passwd", "", "a\\b"])
def test_card_paths_stay_inside(path: str) -> None:
    file = {"path": path, "url": "https://example.org/x", "sha256": "0" * 64, "size": 1}
    with pytest.raises(ValueError, match="relative path"):
        Card.model_validate({"name": "n", "title": "t", "licence": "l", "files": [file]})


def test_card_urls_are_https() -> None:
    file = {"path": "x", "url": "http://example.org/x", "sha256": "0" * 64, "size": 1}
    with pytest.raises(ValueError, match="https"):
        Card.model_validate({"name": "n", "title": "t", "licence": "l", "files": [file]})


def test_bilingual_set_and_its_card() -> None:
    card = read_card("bilingual")
    dev = [r.id for r in card.recordings if r.split == "dev"]
    assert dev == ["en-home", "zh-webapp"]
    assert len(card.recordings) == 10
    assert {r.language for r in card.recordings if r.id.startswith("zh")} == {"zh"}
    data = load("bilingual")
    assert data.losses == ()
    assert {r.id: (r.split, r.language) for r in data} == {r.id: (r.split, r.language) for r in card.recordings}
    assert all(p.evidence and p.spans for p in data.probes if p.answerable)
    if card.counts:
        assert data.counts == card.counts
