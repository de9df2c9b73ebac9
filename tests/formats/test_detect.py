"""Which format a file has: ranked, with reasons, and never a silent guess."""

from __future__ import annotations

import json
import sqlite3
import types
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from mnemo_lab.errors import InvalidInput, UnknownName
from mnemo_lab.formats import detect, samples
from mnemo_lab.formats.base import Detection, Sample
from mnemo_lab.formats.detect import candidates, choose, format_named, sample_of, writer_named
from mnemo_lab.formats.source import Source
from mnemo_lab.paths import datasets_root

PORTABLE = {"version": "1.0.0", "meta": {"exported_at": "2026-03-01"}, "conversation": {"messages": []}}
CHATGPT = {"title": "t", "mapping": {}, "current_node": "a", "create_time": 1.0}


def sampled(path: Path, data: bytes | str | Any) -> Sample:
    raw = data if isinstance(data, bytes) else (data if isinstance(data, str) else json.dumps(data)).encode()
    path.write_bytes(raw)
    with Source(path) as source:
        return sample_of(source)


def test_a_file_of_one_value(tmp_path: Path) -> None:
    found = sampled(tmp_path / "a.json", json.dumps(PORTABLE, indent=2))
    assert found == Sample(str(tmp_path / "a.json"), ("a.json",), PORTABLE)
    assert found.first == PORTABLE


def test_an_array_is_cut_to_its_first_elements(tmp_path: Path) -> None:
    found = sampled(tmp_path / "a.json", list(range(1000)))
    assert found.value == list(range(20)) and found.first == 0


def test_lines(tmp_path: Path) -> None:
    lines = "".join(json.dumps({"n": n}) + "\n" for n in range(100))
    found = sampled(tmp_path / "a.txt", lines)
    assert found.value is None and found.records == tuple({"n": n} for n in range(20)) and found.first == {"n": 0}
    one = sampled(tmp_path / "one.jsonl", '{"n": 1}\n')
    assert one.records == ({"n": 1},)
    torn = sampled(tmp_path / "torn.jsonl", '{"n": 1, "x\n{"n": 2}\n{"n": 3, "x": [1, 2')
    assert torn.records == ({"n": 2}, {"n": 3, "x": [1]})
    pretty = sampled(tmp_path / "pretty.jsonl", json.dumps(PORTABLE, indent=2))
    assert pretty.value == PORTABLE


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-be", "utf-32"])
def test_encodings(tmp_path: Path, encoding: str) -> None:
    text = json.dumps({"标题": "云图 🌦️"}, ensure_ascii=False)
    assert sampled(tmp_path / "a.json", text.encode(encoding)).value == {"标题": "云图 🌦️"}
    assert sampled(tmp_path / "a.jsonl", f"{text}\n{text}\n".encode(encoding)).records == ({"标题": "云图 🌦️"},) * 2


def test_what_is_larger_than_the_sample_is_cut_where_it_holds(tmp_path: Path) -> None:
    """Also in the middle of one huge text, and of a character."""
    for size in range(4):
        long = {
            **PORTABLE,
            "conversation": {"title": "t" * size, "messages": [{"role": "user", "content": "云" * 400_000}]},
        }
        found = sampled(tmp_path / "a.json", json.dumps(long, ensure_ascii=False))
        assert found.value["meta"] == PORTABLE["meta"]
        assert found.value["conversation"] == {"title": "t" * size, "messages": [{"role": "user"}]}
    many = sampled(tmp_path / "b.json", [{"id": n, "mapping": {"a": "x" * 9000}} for n in range(200)])
    assert [element["id"] for element in many.value] == list(range(20))
    first = sampled(tmp_path / "c.jsonl", json.dumps({"type": "a", "text": "x" * 400_000}) + '\n{"type": "b"}\n')
    assert first.records == ({"type": "a"},)


@pytest.mark.parametrize(
    "text", ["", " ", "nonsense", "[" * 100_000, '{"a": ' * 50_000, "\x00\x01", "\ufeff", "[1, x]", "<html>"]
)
def test_nothing_breaks_the_sample(tmp_path: Path, text: str) -> None:
    found = sampled(tmp_path / "a.json", text)
    assert found.members == ("a.json",) and found.records == ()
    for name in detect.readable():
        format_named(name).detect(found)
    with Source(tmp_path / "a.json") as source, pytest.raises(InvalidInput, match=r"a\.json: no format fits"):
        choose(source)


def test_an_archive_is_judged_by_its_conversations(tmp_path: Path) -> None:
    members = {
        "a/user.json": {"email": "x"},
        "a/b/conversations-000.json": [CHATGPT],
        "a/message_feedback.json": [],
        "0.png": "",
    }
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as made:
        for name, value in members.items():
            made.writestr(name, json.dumps(value))
    with Source(tmp_path / "a.zip") as source:
        assert sample_of(source).value == [CHATGPT]
        assert set(sample_of(source).members) == set(members)
        assert choose(source).name == "chatgpt"


def test_a_database(tmp_path: Path) -> None:
    with sqlite3.connect(tmp_path / "state.vscdb") as base:
        base.execute("create table cursorDiskKV (key text, value blob)")
    with Source(tmp_path / "state.vscdb") as source:
        assert sample_of(source).sqlite
        with pytest.raises(
            InvalidInput, match=r"no format fits \(an SQLite database\); name it with --from; readable: "
        ):
            choose(source)


def judging(**scores: float) -> dict[str, types.SimpleNamespace]:
    def make(name: str, score: float) -> types.SimpleNamespace:
        def read(source: Source) -> Iterator[Any]:
            return iter(())

        return types.SimpleNamespace(
            name=name, title=name.upper(), read=read, detect=lambda sample: Detection(score, f"looks like {name}")
        )

    return {name: make(name, score) for name, score in scores.items()}


@pytest.fixture
def source(tmp_path: Path) -> Iterator[Source]:
    (tmp_path / "a.json").write_text("{}")
    with Source(tmp_path / "a.json") as opened:
        yield opened


def only(monkeypatch: pytest.MonkeyPatch, **scores: float) -> None:
    made = judging(**scores)
    monkeypatch.setattr(detect, "known", lambda: sorted(made))
    monkeypatch.setattr(detect, "_load", made.__getitem__)


def test_the_surest_is_chosen(source: Source, monkeypatch: pytest.MonkeyPatch) -> None:
    only(monkeypatch, a=0.3, b=0.9, c=0.8, d=0.0)
    assert [(item.name, item.score, item.reason) for item in candidates(source)] == [
        ("b", 0.9, "looks like b"),
        ("c", 0.8, "looks like c"),
        ("a", 0.3, "looks like a"),
    ]
    assert choose(source).name == "b"
    assert choose(source, "a").name == "a", "--from overrides"


def test_two_that_are_close_are_not_guessed_between(source: Source, monkeypatch: pytest.MonkeyPatch) -> None:
    only(monkeypatch, a=0.95, b=0.9, c=0.2)
    with pytest.raises(InvalidInput) as caught:
        choose(source)
    first, *rest = str(caught.value).splitlines()
    assert first == f"{source.path}: could be more than one format; name it with --from:"
    assert [line.split() for line in rest] == [
        ["--from", "a", "0.95", "looks", "like", "a"],
        ["--from", "b", "0.90", "looks", "like", "b"],
        ["--from", "c", "0.20", "looks", "like", "c"],
    ]
    only(monkeypatch, a=0.6, b=0.5)
    assert choose(source).name == "a", "0.1 apart is apart"


def test_one_that_is_unsure_is_not_taken(source: Source, monkeypatch: pytest.MonkeyPatch) -> None:
    only(monkeypatch, a=0.49)
    with pytest.raises(
        InvalidInput, match=r"no format fits well; name it with --from:\n  --from a +0\.49  looks like a\nread"
    ):
        choose(source)
    only(monkeypatch, a=0.5)
    assert choose(source).name == "a"


def test_names() -> None:
    assert format_named("mnemosyne").name == "portable" == writer_named("mnemosyne").name
    with pytest.raises(UnknownName, match=r"unknown format 'chatgtp'.*Did you mean 'chatgpt'\?"):
        format_named("chatgtp")
    with pytest.raises(InvalidInput, match="format 'chatgpt' can be read but not written; writable: "):
        writer_named("chatgpt")
    assert "portable" in detect.writable() and "chatgpt" in detect.readable() and "csv" in detect.readable()


def test_a_file_from_nowhere_says_what_was_seen(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    with (
        Source(tmp_path / "empty") as opened,
        pytest.raises(InvalidInput, match=r"no format fits \(nothing to read in it\)"),
    ):
        choose(opened)
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as made:
        made.writestr("../up.json", "{}")
    with Source(tmp_path / "a.zip") as opened, pytest.raises(InvalidInput, match="its name leads out of the archive"):
        choose(opened)
    (tmp_path / "a.json").write_text('{"foo": 1, "bar": 2}')
    with Source(tmp_path / "a.json") as opened, pytest.raises(InvalidInput, match="an object with keys foo, bar"):
        choose(opened)


def test_beside_the_conversations() -> None:
    """The order in which members of an archive are looked at."""
    members = ("z/user.json", "b.md", "a.jsonl", "x/y/conversations.json", "deep/er/b.json")
    assert samples._telling(members) == [
        "x/y/conversations.json",
        "a.jsonl",
        "deep/er/b.json",
        "z/user.json",
        "b.md",
    ]


@pytest.mark.parametrize("name", ["zh-pandas", "en-travel"])
def test_a_document_with_one_message_a_line_is_one_document(name: str) -> None:
    path = datasets_root() / "bilingual" / "recordings" / name / "01.json"
    with Source(path) as source:
        best = candidates(source)[0]
    assert (best.name, best.score) == ("portable", 0.95)
