"""Several documents in one file: a broken one costs only itself."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest

from mnemo_lab.conversation import Conversation, Message
from mnemo_lab.errors import InvalidInput
from mnemo_lab.formats import portable
from mnemo_lab.formats.base import Detection, Reading
from mnemo_lab.formats.samples import sample_of
from mnemo_lab.formats.source import Source

NOW = datetime(2026, 3, 1, tzinfo=UTC)
HEAD = '{"version": "1.0.0", "meta": {"exported_at": "2026-03-01"}, "conversation": {"messages": '


def good(number: int) -> str:
    # U+2028 and U+0085 are no line ends in JSON.
    message = {"role": "user", "content": f'c{number} \u2028\x85 }}],{{ " \\'}
    return HEAD + json.dumps([message], ensure_ascii=False) + "}}"


def read(tmp_path: Path, text: str, name: str = "a.json") -> list[Reading]:
    path = tmp_path / name
    path.write_text(text, encoding="utf-8", newline="")
    return list(portable.read_file(path))


def arrived(readings: list[Reading]) -> list[str | None]:
    return [r.conversation.messages[0].text.split()[0] if r.conversation else None for r in readings]


def reason(reading: Reading) -> str:
    (lost,) = reading.losses
    assert (lost.code, lost.severity) == ("unreadable_conversation", "error")
    assert dict(lost.values)["place"] == reading.place
    return dict(lost.values)["reason"]


def test_an_array_arrives_in_order_with_places(tmp_path: Path) -> None:
    readings = read(tmp_path, f" [{good(0)},\n {good(1)} , {good(2)}]\n")
    assert arrived(readings) == ["c0", "c1", "c2"]
    assert [r.place for r in readings] == [f"{tmp_path}/a.json#/{i}" for i in range(3)]
    assert all(r.losses == () and r.meta is not None for r in readings)


@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("name", ["a.jsonl", "a.json"])
def test_lines_arrive_in_order_with_places(tmp_path: Path, name: str, end: str) -> None:
    readings = read(tmp_path, end.join([good(0), "", good(1), good(2)]), name)
    assert arrived(readings) == ["c0", "c1", "c2"]
    assert [r.place for r in readings] == [f"{tmp_path}/{name}:{i}" for i in (1, 3, 4)]


BROKEN = {
    "wrong value": (HEAD + '[{"role": "robot", "content": ""}]}}', '/conversation/messages/0/role: "robot" must be'),
    "two faults": (HEAD + '[{"role": 1, "content": 2}]}}', "; /conversation/messages/0/content: 2 must be a string"),
    "other version": (HEAD.replace("1.0.0", "3.0.0") + "[]}}", "another major version"),
    "no object": ("17", "17 must be an object"),
    "no JSON": ("nope", "not JSON"),
    "bad escape": (HEAD + r'[{"role": "user", "content": "\x ]}, {"}]}}', "not JSON (Invalid \\escape"),
    "trailing comma": (HEAD + "[],}}", "not JSON"),
    "no bracket": (HEAD + "[", "not JSON"),
    "bracket too many": ("]" + HEAD + "[]}}", "not JSON"),
    "bracket of another": (HEAD[:-2] + '[", "', "not JSON"),
    "open string": (HEAD + '[{"role": "user', "not JSON"),
    "too deep": ("[" * 9000 + "]" * 9000, "nested too deeply"),
    "NaN": (HEAD + '[], "x": NaN}}', "/conversation/x: nan is not a number JSON has"),
}


@pytest.mark.parametrize("case", BROKEN)
def test_a_broken_document_in_an_array_costs_only_itself(tmp_path: Path, case: str) -> None:
    broken, expected = BROKEN[case]
    readings = read(tmp_path, f"[{good(0)},{broken},{good(1)},{good(2)}]")
    assert arrived(readings) == ["c0", None, "c1", "c2"]
    assert expected in reason(readings[1])
    assert (readings[1].place, readings[1].losses[0].pointer) == (f"{tmp_path}/a.json#/1", "/1")


@pytest.mark.parametrize("case", BROKEN)
def test_a_broken_line_costs_only_itself(tmp_path: Path, case: str) -> None:
    broken, expected = BROKEN[case]
    for lines, found in [
        ([good(0), broken, good(1)], ["c0", None, "c1"]),
        ([good(0), good(1), broken], ["c0", "c1", None]),
    ]:
        readings = read(tmp_path, "\n".join(lines), "a.jsonl")
        assert arrived(readings) == found
        assert expected in reason(readings[found.index(None)])


def test_a_broken_first_line_costs_only_itself(tmp_path: Path) -> None:
    assert arrived(read(tmp_path, "\n".join([HEAD, good(1), good(2)]))) == [None, "c1", "c2"]


def test_the_place_of_a_torn_line_counts_from_the_top_of_the_file(tmp_path: Path) -> None:
    readings = read(tmp_path, "\n".join([good(0), good(1), '{"version": ]']))
    assert reason(readings[2]).startswith("line 3 column 13: not JSON")


@pytest.mark.parametrize(
    ("text", "found", "expected"),
    [
        (f"[{good(0)},{good(1)}", ["c0", "c1", None], "the array has no end"),
        (f"[{good(0)},", ["c0", None], "the array has no end"),
        (f"[{good(0)}, {good(1)[:70]}", ["c0", None], "not JSON"),
        (f"[{good(0)} {good(1)}, {good(2)}]", ["c0", None, "c1", "c2"], "expected , or ]"),
        (f"[{good(0)} nope, {good(1)}]", ["c0", None, "c1"], "expected , or ]"),
        (f"[{good(0)} nope]", ["c0", None], "expected , or ]"),
        (f"[{good(0)}] and more", ["c0", None], 'not JSON (Expecting value) near "'),
        (f"[{good(0)}], {good(1)}]", ["c0", None, "c1"], "not JSON"),
        ("[", [None], "the array has no end"),
    ],
)
def test_a_torn_array_gives_what_is_whole(tmp_path: Path, text: str, found: list[str | None], expected: str) -> None:
    readings = read(tmp_path, text)
    assert arrived(readings) == found
    assert expected in reason(readings[found.index(None)])


def test_an_empty_array_has_no_documents(tmp_path: Path) -> None:
    assert read(tmp_path, "[ ]") == []


def test_a_torn_single_document_is_an_error_with_line_and_column(tmp_path: Path) -> None:
    pretty = portable.dumps(Conversation((Message("user", "a"), Message("user", "b", extensions={"e": [{}]}))), now=NOW)
    with pytest.raises(InvalidInput, match=r"a\.json: line \d+ column \d+: not JSON"):
        read(tmp_path, pretty[:-20])
    with pytest.raises(InvalidInput, match="/conversation: missing"):
        read(tmp_path, '{"version": "1.0.0", "meta": {"exported_at": ""}}')


def test_a_pretty_document_named_jsonl_is_one_document(tmp_path: Path) -> None:
    conversation = Conversation((Message("user", "a"),))
    (reading,) = read(tmp_path, portable.dumps(conversation, now=NOW), "a.jsonl")
    assert reading.conversation == conversation


def test_detection(tmp_path: Path) -> None:
    written = portable.dumps(Conversation((Message("user", "a"),)), now=NOW)
    for data in (
        written.encode(),
        b"\xef\xbb\xbf" + written.encode(),
        written.encode("utf-16"),
        f"[{written}".encode(),
    ):
        found = judged(tmp_path, data[:400])
        assert found is not None
        assert found.score == pytest.approx(0.95)
    weak = judged(tmp_path, written.partition('"conversation"')[0].encode())
    assert weak is not None
    assert weak.score == pytest.approx(0.6)
    others = [
        b"",
        b"PK",
        b'{"messages": [], "version": "1.0.0"}',
        b'[{"mapping": {}}]',
        b'{"version": 3}',
        b"\xff",
    ]
    assert [judged(tmp_path, head) for head in others] == [None] * len(others)


def judged(tmp_path: Path, data: bytes) -> Detection | None:
    (tmp_path / "a.json").write_bytes(data)
    with Source(tmp_path / "a.json") as source:
        return portable.detect(sample_of(source))


def test_readings_come_one_by_one(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text("\n".join([good(0), good(1)]))
    readings = portable.read_file(tmp_path / "a.jsonl")
    assert arrived([next(readings)]) == ["c0"]
    assert arrived([next(readings)]) == ["c1"]
    assert next(readings, None) is None
