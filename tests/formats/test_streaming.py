"""Values one at a time: whatever is broken costs itself, in the memory of one element."""

from __future__ import annotations

import io
import json
import time
import tracemalloc
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mnemo_lab.errors import InvalidInput
from mnemo_lab.formats import streaming, text_window
from mnemo_lab.formats.json_text import Part
from mnemo_lab.formats.partial_json import partial_value

BROKEN = "broken"


class Slow(io.RawIOBase):
    """A stream made piece by piece, which is never held whole."""

    def __init__(self, pieces: Iterator[bytes]) -> None:
        self._pieces, self._kept = pieces, b""

    def readable(self) -> bool:
        return True

    def read(self, size: int = -1) -> bytes:
        while len(self._kept) < size and (piece := next(self._pieces, b"")):
            self._kept += piece
        given_, self._kept = self._kept[:size], self._kept[size:]
        return given_


def parts(text: str | bytes, **keys: Any) -> list[Part]:
    data = text.encode("utf-8", "surrogatepass") if isinstance(text, str) else text
    return list(streaming.elements(io.BytesIO(data), "a.json", **keys))


def values(text: str | bytes, **keys: Any) -> list[Any]:
    return [BROKEN if part.fault else part.value for part in parts(text, **keys)]


def lines(text: str | bytes) -> list[Any]:
    data = text.encode() if isinstance(text, str) else text
    return [BROKEN if part.fault else part.value for part in streaming.records(io.BytesIO(data), "a.jsonl")]


@pytest.fixture(params=[16, 2**18], ids=["small chunks", "usual chunks"], autouse=True)
def _chunks(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(text_window, "CHUNK", request.param)
    monkeypatch.setattr(text_window.TextWindow.more, "__defaults__", (request.param,))


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("[]", []),
        (' [1, "a", null, {"b": [1]}, -1.5e3] \n', [1, "a", None, {"b": [1]}, -1500.0]),
        ('{"a": 1}', [{"a": 1}]),
        ('{"conversations": [1, 2], "user": {}}', [1, 2]),
        ('{"user": 1, "conversations": [1, 2]}', [{"user": 1, "conversations": [1, 2]}]),
        ('{"conversations": {"a": 1}}', [{"conversations": {"a": 1}}]),
        ('{"a": 1}\n{"b": 2}\n', [{"a": 1}, {"b": 2}]),
        ("[1, 2,]", [1, 2]),
        ('[{"a": 1}{"a": 2}]', [{"a": 1}, {"a": 2}]),
        ('"text"', ["text"]),
    ],
)
def test_whole_values(text: str, found: list[Any]) -> None:
    assert values(text) == found


def test_places_and_pointers() -> None:
    assert [(part.place, part.pointer) for part in parts("[1, x, 3]")] == [
        ("a.json#/0", "/0"),
        ("a.json#/1", "/1"),
        ("a.json#/2", "/2"),
    ]
    (single,) = parts('{"a": 1}')
    assert (single.place, single.pointer) == ("a.json", "")
    assert [(part.place, part.pointer) for part in streaming.records(io.BytesIO(b"1\n\n2\n"), "a")] == [
        ("a:1", "/1"),
        ("a:3", "/3"),
    ]


def talk(number: int, messages: int = 2) -> dict[str, Any]:
    """The messages start with the same key as what holds them."""
    inner = [{"uuid": f"{number}-{n}", "text": f'a "quoted" }}],{{ {n}', "sender": "human"} for n in range(messages)]
    return {"uuid": str(number), "name": "天气", "updated_at": "2026", "chat_messages": inner}


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('"name": "天气"', '"name": \\x'),
        ('"name": "天气"', '"name": "\\x"'),
        ('"name": "天气"', '"name": "天\n气"'),
        ('"name": "天气"', '"name"; 1'),
        ('"name": "天气"', '"name": nul'),
        ('"name": "天气"', '"name": "天气'),
        ('"sender": "human"}, {', '"sender": "human", {'),
        ('"sender": "human"}]}', '"sender": "human"]}'),
        ('"sender": "human"}]}', '"sender": "human"}}'),
        ('"sender": "human"}]}', '"sender": "human"}]'),
        ('"sender": "human"}]}', '"sender": "hum'),
        ('"uuid": "1-1"', '"uuid": ' + "9" * 5000),
    ],
)
def test_a_broken_element_costs_itself(old: str, new: str) -> None:
    first, second, third, fourth = (json.dumps(talk(n), ensure_ascii=False) for n in range(4))
    broken = second.replace(old, new, 1)
    assert broken != second
    assert values(f"[{first}, {broken}, {third}, {fourth}]") == [talk(0), BROKEN, talk(2), talk(3)]


def test_a_first_element_that_is_broken_costs_itself() -> None:
    first, second = (json.dumps(talk(n), ensure_ascii=False) for n in range(2))
    for broken in (first.replace('"human"', "\\x"), first.replace('"human"}]}', '"human"}]')):
        assert values(f"[{broken}, {second}]") == [BROKEN, talk(1)]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("[abc, 1]", [BROKEN, 1]),
        ('[abc{"a": 1}]', [BROKEN, {"a": 1}]),
        ("[}, 1]", [BROKEN, 1]),
        ('["\\q", 1]', [BROKEN, 1]),
        ("[1, 2", [1, 2, BROKEN]),
        ('[1, {"a": ', [1, BROKEN, BROKEN]),
        ('["abc', [BROKEN, BROKEN]),
        ("[1] x", [1, BROKEN]),
        ('{"a": 1} x', [{"a": 1}, BROKEN]),
        ('{"a": ', [BROKEN]),
        ("nonsense", [BROKEN]),
        (f"[{'9' * 5000}, 1]", [BROKEN, 1]),
        ("[1, -, 2]", [1, BROKEN, 2]),
    ],
)
def test_faults(text: str, found: list[Any]) -> None:
    assert values(text) == found


def test_faults_say_where_in_the_file() -> None:
    text = "[" + ", ".join(['{"aa": 1}'] * 50) + ', {"aa": oops}]'
    fault = parts(text)[-1].fault
    assert fault is not None
    assert str(fault).startswith(f"a.json#/50: not JSON (Expecting value at character {text.index('oops')}) near ")
    torn = parts(text[:-6])[-2].fault
    assert torn is not None and "the text ends there: it may be cut off" in torn.reason


def test_nesting_without_end() -> None:
    deep = "[" * 200_000 + "]" * 200_000
    assert values(f"[1, {deep}, 2]") == [1, BROKEN, 2]
    assert values(deep) == [BROKEN]
    assert values('{"a":' * 200_000) == [BROKEN]
    assert lines(f"1\n{deep}\n2") == [1, BROKEN, 2]
    assert json.dumps(partial_value(deep)) in (deep[200_000 - n : 200_000 + n] for n in (100, 101)), (
        "as deep as anyone looks"
    )


def test_an_element_that_is_too_long_is_passed_over(monkeypatch: pytest.MonkeyPatch) -> None:
    if text_window.CHUNK > 1000:
        pytest.skip("what stands in the first chunk is read")
    monkeypatch.setattr(text_window, "MAX_ELEMENT", 1000)
    long = json.dumps({"a": 'x"' * 5000})
    assert values(f'[{{"a": 1}}, {long}, {{"a": 2}}]') == [{"a": 1}, BROKEN, {"a": 2}]
    assert lines(f"1\n{long}\n2\n") == [1, BROKEN, 2]
    assert values(f'[1, "{"x" * 5000}') == [1, BROKEN, BROKEN]
    fault = parts(long)[0].fault
    assert fault is not None and "a value of more than 1,000 characters; split the file" in fault.reason


def test_an_endless_element_takes_no_more_memory_than_is_allowed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(text_window, "MAX_ELEMENT", 2**20)
    if text_window.CHUNK < 1000:
        pytest.skip("the same, slower")
    pieces = iter([b'[{"a": 1, "b": 2}, {"a": "', *[b"x" * 2**16] * 1600, b'"}, {"a": 3, "b": 4}]'])
    tracemalloc.start()
    found = [BROKEN if part.fault else part.value for part in streaming.elements(Slow(pieces), "a")]  # type: ignore[arg-type]
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert found == [{"a": 1, "b": 2}, BROKEN, {"a": 3, "b": 4}]
    assert peak < 20 * 2**20, "of 100 MB"


def test_strings_of_10_mb_and_memory_of_one() -> None:
    if text_window.CHUNK < 1000:
        pytest.skip("the same, slower")
    size, count = 10_000_000, 12
    piece = json.dumps({"id": 1, "text": "天" + "x" * size}, ensure_ascii=True).encode()
    pieces = (b"[" + piece if n == 0 else b"," + piece for n in range(count))
    tracemalloc.start()
    started = time.perf_counter()
    lengths = [len(part.value["text"]) for part in streaming.elements(Slow(pieces), "a") if not part.fault]  # type: ignore[arg-type]
    took, peak = time.perf_counter() - started, tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert lengths == [size + 1] * count
    assert took < 20
    assert peak < 160_000_000, "twelve of them are 120 MB, and 240 MB once decoded"


def test_many_small_elements_are_fast() -> None:
    if text_window.CHUNK < 1000:
        pytest.skip("the same, slower")
    count = 200_000
    data = b"[" + b", ".join(b'{"id": %d, "text": "x"}' % n for n in range(count)) + b"]"
    started = time.perf_counter()
    assert sum(part.value["id"] for part in streaming.elements(io.BytesIO(data), "a")) == count * (count - 1) // 2
    assert time.perf_counter() - started < 10, "half a second where nothing else runs"
    broken = data.replace(b'"x"', b"x")[: 2**19]
    started = time.perf_counter()
    assert all(part.fault for part in streaming.elements(io.BytesIO(broken), "a"))
    assert time.perf_counter() - started < 30


@pytest.mark.parametrize(
    "lure", ['[{"id": 1, "t": [', ',{"id": 1, "t": [1', ',{"id": 1, "t": "', '{"id": 1, "t": ', '"', "[,"]
)
def test_what_looks_like_elements_does_not_take_for_ever(lure: str) -> None:
    if text_window.CHUNK < 1000:
        pytest.skip("the same, slower")
    text = '[{"id": 0, "t": 1}, {"id": 0, "t": \\x' + lure * 100_000
    started = time.perf_counter()
    found = values(text)
    assert found[0] == {"id": 0, "t": 1} and BROKEN in found
    assert time.perf_counter() - started < 20


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-32-le"])
def test_encodings(encoding: str) -> None:
    record = {"a": "云图 🌦️", "b": ["é"] * 20}
    text = json.dumps([record, record], ensure_ascii=False)
    assert values(text.encode(encoding)) == [record, record]
    both = json.dumps(record, ensure_ascii=False)
    assert lines(f"{both}\r\n{both}\r\n".encode(encoding)) == [record, record]


def test_a_byte_that_is_no_text_costs_its_character() -> None:
    """As half a surrogate pair, which the cleaner replaces and lists."""
    assert values(b'[{"a": "\xe4\xbd\xa0\xff\xe5\xa5\xbd"}, {"b": 1}]') == [{"a": "你\udcff好"}, {"b": 1}]
    assert values(b'["\xed\xa0\xbd\xe4\xbd\xa0\xe5\xa5\xbd"]') == ["\ud83d你好"]
    assert values('["\ud83d"]'.encode("utf-16", "surrogatepass")) == ["\ud83d"]


@pytest.mark.parametrize("encoding", ["latin-1", "cp1252", "gb18030", "big5"])
def test_another_encoding_is_refused_not_guessed(encoding: str) -> None:
    text = '[{"a": "é à ü"}]' if encoding in ("latin-1", "cp1252") else '[{"a": "今天天氣很好，我們去公園"}]'
    for read in (streaming.elements, streaming.records):
        with pytest.raises(InvalidInput, match=r"a: byte 0x.. and \d+ more are not UTF-8 text; save the file as UTF-8"):
            list(read(io.BytesIO(text.encode(encoding)), "a"))


def test_nothing_at_all() -> None:
    for empty in (b"", b"  \n ", b"\xef\xbb\xbf"):
        with pytest.raises(InvalidInput, match=r"a\.json: empty; expected JSON"):
            parts(empty)
        assert lines(empty) == []


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ('{"a": 1}\n{"b": 2}', [{"a": 1}, {"b": 2}]),
        ('{"a": 1}{"b": 2}\n{"c": 3}', [{"a": 1}, {"b": 2}, {"c": 3}]),
        ('{"a": 1} junk\n2\n', [{"a": 1}, BROKEN, 2]),
        ('{"a": 1}\n{"b": "cut o', [{"a": 1}, BROKEN]),
        ('{"a": "\u2028\x85"}\n\n \r\n2', [{"a": "\u2028\x85"}, 2]),
        ("1\n\x00\x00\x00\x00", [1, BROKEN]),
        (f"{'9' * 5000}\n1", [BROKEN, 1]),
    ],
)
def test_lines(text: str, found: list[Any]) -> None:
    assert lines(text) == found


def test_a_line_that_is_cut_off_says_so() -> None:
    (part,) = streaming.records(io.BytesIO(b'{"a": "x'), "a")
    assert part.fault is not None and part.fault.reason.endswith("; the last line is cut off")


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=8,
)


@given(st.lists(JSON, max_size=6), st.booleans(), st.sampled_from([None, 1, 2]))
def test_any_array_arrives(found: list[Any], ascii_: bool, indent: int | None) -> None:
    assert values(json.dumps(found, ensure_ascii=ascii_, indent=indent)) == found


@given(st.binary(max_size=200) | st.text('[]{}",:\\ua1 \n', max_size=80).map(str.encode))
def test_any_bytes_end(data: bytes) -> None:
    for read in (streaming.elements, streaming.records):
        try:
            for part in read(io.BytesIO(data), "a"):
                assert part.fault is None or part.fault.reason
        except InvalidInput as error:
            assert str(error).startswith("a: ")


@given(JSON, st.data())
def test_the_start_of_a_value_gives_what_it_holds(value: Any, data: st.DataObject) -> None:
    """Every scalar in the partial value stands in the whole one at the same place."""
    text = json.dumps(value)
    cut = text[: data.draw(st.integers(0, len(text)))]
    assert agrees(partial_value(cut), value)
    assert partial_value(text) == (value if isinstance(value, list | dict) else None)


def agrees(part: Any, whole: Any) -> bool:
    if isinstance(part, list):
        return isinstance(whole, list) and all(map(agrees, part, whole)) and len(part) <= len(whole)
    if isinstance(part, dict):
        return isinstance(whole, dict) and all(key in whole and agrees(item, whole[key]) for key, item in part.items())
    return part is None or part == whole
