from __future__ import annotations

from pathlib import Path

import pytest

from mnemo_lab.corpora import load
from mnemo_lab.errors import InvalidInput
from mnemo_lab.losses import count_by_code
from mnemo_lab.recording import Span
from tests.corpora.helpers import Write, probe

TALK = [("user", "The port is 5433.", "m1"), ("assistant", "Noted: 端口 5433.", "m2"), ("user", "Thanks", "m3")]


def test_folder_is_one_recording_with_conversations_by_natural_name(tmp_path: Path, write: Write) -> None:
    for n in (10, 2, 1):
        write(f"log/{n}.json", [("user", f"hello {n}", f"m{n}")], id=f"c{n}")
    data = load(tmp_path / "log")
    assert [r.id for r in data.recordings] == ["log"]
    assert [c.id for c in data.conversations] == ["c1", "c2", "c10"]
    assert [m.id for m in data.recordings[0].messages()] == ["m1", "m2", "m10"]
    assert data.name == "log"
    assert data.losses == ()


def test_probe_fields_arrive(tmp_path: Path, write: Write, write_probes: Write) -> None:
    write("log/1.json", TALK)
    derivation = {"op": "sum", "values": [5000, 433.5], "result": 5433}
    line = probe(
        "q1",
        evidence=["m1", "m1"],
        spans=[{"message": "m1", "text": "port"}, {"message": "m1", "text": "5433"}],
        answer="5433",
        aliases=["port 5433"],
        after="m2",
        derivation=derivation,
    )
    write_probes("log/probes.jsonl", line)
    found = load(tmp_path / "log").probes[0]
    assert (found.id, found.category, found.question) == ("q1", "single_fact", "Which port?")
    assert found.evidence == ("m1",)
    assert found.spans == (Span("m1", 4, 8), Span("m1", 12, 16))
    assert found.answers == ("5433", "port 5433")
    assert found.after == "m2"
    assert found.extensions == {"derivation": derivation}
    assert found.answerable


@pytest.mark.parametrize(
    ("written", "read"),
    [("5433", "5433"), ("2.50", "2.50"), ("1e3", "1e3"), ('"x"', "x"), ('""', None), ("null", None)],
)
def test_answers_written_as_numbers_keep_their_digits(
    tmp_path: Path, write: Write, write_probes: Write, written: str, read: str | None
) -> None:
    write("log/1.json", TALK)
    line = f'{{"id": 7, "question": "?", "category": "c", "evidence": ["m1"], "answer": {written}, "weight": 1.5}}'
    write_probes("log/probes.jsonl", line)
    found = load(tmp_path / "log").probes[0]
    assert (found.id, found.answer, found.extensions) == ("7", read, {"weight": 1.5})


def test_unanswerable_needs_no_evidence(tmp_path: Path, write: Write, write_probes: Write) -> None:
    write("log/1.json", TALK)
    line = probe("q1", evidence=[], spans=[], answer="") | {"category": "unanswerable"}
    write_probes("log/probes.jsonl", line, probe("q2", answerable=False))
    data = load(tmp_path / "log")
    assert [p.answerable for p in data.probes] == [False, False]
    assert data.losses == ()


def test_unknown_and_late_evidence_are_listed_and_the_probe_stays(
    tmp_path: Path, write: Write, write_probes: Write
) -> None:
    write("log/1.json", TALK)
    write_probes(
        "log/probes.jsonl",
        probe("q1", evidence=["m1", "m9"]),
        probe("q2", evidence=["m9"]),
        probe("q3", evidence=["m1", "m3"], after="m2", spans=[{"message": "m3", "text": "Thanks"}]),
    )
    data = load(tmp_path / "log")
    assert [p.evidence for p in data.probes] == [("m1",), (), ("m1",)]
    assert data.probes[2].spans == ()
    assert count_by_code(data.losses) == {"late_evidence": 1, "probe_without_evidence": 1, "unknown_evidence": 2}
    assert data.losses[0].pointer == "log/probes.jsonl:1"
    assert data.losses[0].sentence() == "evidence m9 of question q1 does not exist; left out"


def test_span_that_is_not_in_the_message(tmp_path: Path, write: Write, write_probes: Write) -> None:
    write("log/1.json", TALK)
    spans = [{"message": "m2", "text": "端口"}, {"message": "m1", "text": "5434"}, {"message": "m1", "text": ""}]
    write_probes("log/probes.jsonl", probe("q1", evidence=["m1", "m2"], spans=spans))
    data = load(tmp_path / "log")
    assert data.probes[0].spans == (Span("m2", 7, 9),)
    assert count_by_code(data.losses) == {"span_not_found": 2}
    assert data.losses[0].severity == "warning"
    assert "5434" in data.losses[0].sentence()


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("{broken", "Expecting property name"),
        ("[1, 2]", "is not an object"),
        ('{"id": "q"}', "question: Field required"),
        ('{"id": "q", "question": "?", "category": "c", "evidence": "m1"}', "evidence"),
        ('{"id": "q", "question": "?", "category": "c", "after": "m9"}', "no message 'm9'"),
        ('{"id": "good", "question": "?", "category": "c"}', "used by an earlier line"),
        ('{"id": "q", "question": "\udcff", "category": "c"}', "can't decode"),
    ],
)
def test_a_broken_probe_line_costs_that_line(
    tmp_path: Path, write: Write, write_probes: Write, line: str, reason: str
) -> None:
    write("log/1.json", TALK)
    good = probe("good", evidence=["m1"])
    path = write_probes("log/probes.jsonl", good, "", "LINE", probe("also", evidence=["m2"]))
    path.write_bytes(path.read_bytes().replace(b"LINE", line.encode("utf-8", "surrogateescape")))
    data = load(tmp_path / "log")
    assert [p.id for p in data.probes] == ["good", "also"]
    broken = [item for item in data.losses if item.code == "unreadable_probe"]
    assert len(broken) == 1
    assert broken[0].pointer == "log/probes.jsonl:3"
    assert reason in broken[0].sentence()


def test_ids_used_in_two_conversations_get_the_conversation_id(
    tmp_path: Path, write: Write, write_probes: Write
) -> None:
    write("log/1.json", [("user", "one", "m1"), ("assistant", "two", "m2", {"parent_id": "m1"})], id="a")
    write("log/2.json", [("user", "three", "m1"), ("assistant", "four", "m7")], id="b")
    write_probes(
        "log/probes.jsonl",
        probe("q1", evidence=["b/m1", "m7", "a/m2"], after="m7"),
        probe("q2", evidence=["m1", "m2"]),
        probe("q3", evidence=["m2"], after="m1"),
    )
    data = load(tmp_path / "log")
    messages = list(data.recordings[0].messages())
    assert [m.id for m in messages] == ["a/m1", "a/m2", "b/m1", "b/m7"]
    assert messages[1].parent_id == "a/m1"
    assert data.probes[0].evidence == ("b/m1", "b/m7", "a/m2")
    assert data.probes[0].after == "b/m7"
    assert data.probes[1].evidence == ("a/m2",)
    assert [p.id for p in data.probes] == ["q1", "q2"]
    assert count_by_code(data.losses) == {"unknown_evidence": 1, "unreadable_probe": 1}
    assert "write <conversation id>/m1" in data.losses[1].sentence()


def test_full_ids_are_understood_where_short_ones_are_unique(tmp_path: Path, write: Write, write_probes: Write) -> None:
    write("log/1.json", TALK, id="a")
    write_probes("log/probes.jsonl", probe("q1", evidence=["a/m1"]))
    data = load(tmp_path / "log")
    assert data.probes[0].evidence == ("m1",)


def test_messages_without_id_are_called_by_their_place(tmp_path: Path, write: Write) -> None:
    write("log/1.json", [("user", "a"), ("assistant", "b", "m0001"), ("user", "c", "x"), ("user", "d", "x")])
    write("log/2.json", [("user", "e", "y")], id="c2")
    data = load(tmp_path / "log")
    assert [m.id for m in data.recordings[0].messages()] == ["m0001", "m0001~2", "x", "x~2", "y"]


def test_conversations_without_or_with_equal_ids(tmp_path: Path, write: Write) -> None:
    write("log/1.json", [("user", "a")], id="")
    write("log/2.json", [("user", "b")], id="same")
    write("log/3.json", [("user", "c")], id="same")
    data = load(tmp_path / "log")
    assert [c.id for c in data.conversations] == ["c01", "same", "same~2"]
    assert [m.id for m in data.recordings[0].messages()] == ["c01/m0001", "same/m0001", "same~2/m0001"]


def test_empty_and_broken_documents_cost_only_themselves(tmp_path: Path, write: Write) -> None:
    write("log/1.json", TALK, id="good")
    write("log/2.json", [], id="empty")
    (tmp_path / "log" / "3.json").write_text("{torn")
    (tmp_path / "log" / "4.json").write_text('{"mapping": {}}')
    data = load(tmp_path / "log")
    assert [c.id for c in data.conversations] == ["good"]
    assert count_by_code(data.losses) == {"empty_conversation": 1, "unreadable_conversation": 2}
    assert [item.pointer for item in data.losses] == ["log/2.json/conversation/messages", "log/3.json", "log/4.json"]


def test_sub_folders_are_recordings_with_split_and_language_of_the_card(
    tmp_path: Path, write: Write, write_probes: Write
) -> None:
    write("set/recordings/one/1.json", [("user", "Hello", "m1")])
    write("set/recordings/zwei/1.json", [("user", "你好，数据库的端口是多少？", "m1")])
    write("set/recordings/drei/1.json", [("user", "Hallo", "m1")])
    write_probes("set/recordings/one/probes.jsonl", probe("q1", evidence=["m1"]), probe("q2", evidence=["m9"]))
    (tmp_path / "set" / "card.toml").write_text(
        'title = "Mine"\nlicence = "MIT"\n[[recordings]]\nid = "one"\nsplit = "dev"\n'
        '[[recordings]]\nid = "drei"\nsplit = "dev"\nlanguage = "de"\n[[recordings]]\nid = "gone"\n'
    )
    data = load(tmp_path / "set")
    found = [(r.id, r.split, r.language) for r in data.recordings]
    assert found == [("drei", "dev", "de"), ("one", "dev", "en"), ("zwei", "test", "zh")]
    assert data.card.title == "Mine"
    assert "gone" in data.losses[-1].sentence()
    assert [r.id for r in data.select(split="dev").recordings] == ["drei", "one"]
    assert count_by_code(data.select(recordings=["zwei"]).losses) == {"unreadable_conversation": 1}
    assert count_by_code(data.select(language="en").losses)["unknown_evidence"] == 1


def test_single_file_with_probes_beside_it(tmp_path: Path, write: Write, write_probes: Write) -> None:
    file = write("log/talk.json", TALK)
    write_probes("log/probes.jsonl", probe("shared", evidence=["m1"]))
    assert [p.id for p in load(file).probes] == ["shared"]
    write("log/other.json", TALK)
    assert load(file).probes == ()
    write_probes("log/talk.probes.jsonl", probe("own", evidence=["m1"]))
    assert [p.id for p in load(file).probes] == ["own"]
    assert load(file).recordings[0].id == "talk"


def test_several_documents_in_one_file(tmp_path: Path, write: Write) -> None:
    a, b = write("a.json", TALK, id="a").read_text(), write("b.json", TALK, id="b").read_text()
    (tmp_path / "all.jsonl").write_text(f"{a}\n{b}\n")
    data = load(tmp_path / "all.jsonl")
    assert [c.id for c in data.conversations] == ["a", "b"]
    assert data.counts["messages"] == 6


@pytest.mark.parametrize(
    ("prepare", "message"),
    [
        (lambda folder: None, "no conversation documents"),
        (lambda folder: (folder / "x.json").write_text("{}"), "/version"),
        (lambda folder: (folder / "card.toml").write_text("title = 3"), "licence: Field required"),
        (lambda folder: (folder / "card.toml").write_text("="), "cannot be read as TOML"),
    ],
)
def test_nothing_to_load_says_why(tmp_path: Path, prepare, message: str) -> None:  # type: ignore[no-untyped-def]
    prepare(tmp_path)
    with pytest.raises(InvalidInput, match=message):
        load(tmp_path)


def test_documents_beside_folders_of_documents_are_refused(tmp_path: Path, write: Write) -> None:
    write("log/1.json", TALK)
    write("log/sub/1.json", TALK)
    with pytest.raises(InvalidInput, match="either one recording or one folder a recording"):
        load(tmp_path / "log")
