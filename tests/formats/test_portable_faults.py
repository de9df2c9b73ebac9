"""Bad input ends in one clear line per fault, never in a traceback."""

from __future__ import annotations

import json
import os
import pickle
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mnemo_lab.conversation import Conversation, DocumentMeta, Message
from mnemo_lab.errors import InvalidInput
from mnemo_lab.formats import portable
from mnemo_lab.formats.faults import pointer, shorten

GOOD: dict[str, Any] = {
    "version": "1.1.0",
    "meta": {"exported_at": "2026-03-01"},
    "conversation": {"messages": [{"role": "user", "content": "hi"}]},
}
META = DocumentMeta("2026-03-01")


def said(data: bytes | str) -> str:
    with pytest.raises(InvalidInput) as caught:
        portable.loads(data, "a.json")
    return str(caught.value)


def refusal(data: bytes | str) -> str | None:
    """Why reading, or writing what was read, was refused; any other error is the test's."""
    try:
        reading = portable.loads(data)
        assert reading.conversation is not None
        portable.dumps(reading.conversation, META)
    except InvalidInput as error:
        return str(error)
    return None


def with_message(**message: Any) -> str:
    return json.dumps(GOOD | {"conversation": {"messages": [{"role": "user", "content": "hi"}, message]}})


@pytest.mark.parametrize(
    ("message", "line"),
    [
        (
            {"role": "robot", "content": "x"},
            "/role: \"robot\" must be 'system', 'user', 'assistant' or 'tool'; map the role to one of these",
        ),
        ({"content": "x"}, "/role: missing; map the role to one of these"),
        (
            {"role": "user", "content": [{"type": "text"}]},
            "/content: an array of 1 must be a string; "
            "join the text parts into one string, and move images and files to attachments",
        ),
        (
            {"role": "user", "content": "x", "timestamp": 1772352000},
            "/timestamp: 1772352000 must be a string; "
            'write ISO 8601 text such as "2026-03-01T12:00:00Z", or leave it out',
        ),
        (
            {"role": "user", "tool_calls": [{"function": {"name": "f", "arguments": {"a/b": 1}}}]},
            "/tool_calls/0/function/arguments: an object with keys a/b must be a string; "
            "write the arguments as JSON text in a string",
        ),
        (
            {"role": "user", "attachments": [{"kind": "video"}]},
            "/attachments/0/kind: \"video\" must be 'image' or 'file'; "
            'use "image" for pictures and "file" for all else',
        ),
        (
            {"role": "user", "tool_calls": {}},
            "/tool_calls: an empty object must be an array; correct it in the tool that wrote the document",
        ),
        (
            {"role": "user", "extensions": "x" * 100},
            f'/extensions: "{"x" * 59}…" must be an object; put the value into an object under a name of its own',
        ),
    ],
)
def test_a_fault_names_file_pointer_value_allowed_and_next_step(message: dict[str, Any], line: str) -> None:
    assert said(with_message(**message)) == "a.json: /conversation/messages/1" + line


def test_at_most_five_faults_are_shown() -> None:
    value = GOOD | {"conversation": {"messages": [{"role": "user", "content": 1}] * 8}}
    lines = said(json.dumps(value)).split("\n")
    assert [line.split(": ")[1] for line in lines[:5]] == [f"/conversation/messages/{i}/content" for i in range(5)]
    assert lines[5:] == ["a.json: and 3 more"]


@pytest.mark.parametrize("content", [{"content": None}, {}])
def test_1_0_0_needs_content(content: dict[str, Any]) -> None:
    value = GOOD | {"version": "1.0.0", "conversation": {"messages": [{"role": "assistant"} | content]}}
    assert "/conversation/messages/0/content: " in said(json.dumps(value))
    assert 'declare version "1.1.0"' in said(json.dumps(value))


@pytest.mark.parametrize(
    ("data", "start"),
    [
        (b"", "a.json: empty; expected a JSON object"),
        (b" \n\t", "a.json: empty"),
        (b"\xef\xbb\xbf", "a.json: empty"),
        (b"[]", "a.json: (document): an array of 0 must be an object with version, meta and conversation"),
        (b"null", "a.json: (document): null must be an object"),
        (b'"1.0.0"', 'a.json: (document): "1.0.0" must be an object'),
        (b'{"version": "1.0.0",\n "meta"', "a.json: line 2 column 8: not JSON (Expecting ':' delimiter)"),
        (b'{"a": "\xff"}', "a.json: byte 7 (0xff) is not UTF-8 text; save the file as UTF-8"),
        (b"\xff\xfe{\x00\x00", "a.json: byte 4 (0x00) is not UTF-16 text"),
        (b"PK\x03\x04 zip", "a.json: line 1 column 1: not JSON"),
        (b'{"a": 1} {"b": 2}', 'a.json: line 1 column 10: found "{\\"b\\": 2}" after the end of the document'),
        (b'{"a": ' + b"1" * 5000 + b"}", "a.json: a number has more digits than can be read"),
        (b"[" * 200_000, "a.json: nested too deeply to be read"),
        (b'{"a":' * 200_000, "a.json: nested too deeply to be read"),
        (b'{"version": "1.0.0"}', "a.json: /meta: missing"),
    ],
)
def test_bytes_that_are_no_document(data: bytes, start: str) -> None:
    assert said(data).startswith(start)


def test_a_torn_end_is_called_one() -> None:
    assert "the text ends here, it may be cut off: export it again" in said(json.dumps(GOOD)[:-9].rstrip())


@pytest.mark.parametrize("number", ["NaN", "Infinity", "-Infinity", "1e999"])
def test_numbers_json_lacks_are_refused_with_their_place(number: str) -> None:
    text = with_message(role="user", extensions={"a/b": {"~": "@"}}).replace('"@"', number)
    assert said(text).startswith("a.json: /conversation/messages/1/extensions/a~1b/~0: ")
    assert "is not a number JSON has; use null" in said(text)


@pytest.mark.parametrize("depth", [300, 900, 5_000])
def test_depth_either_arrives_again_or_is_refused(depth: int) -> None:
    text = with_message(role="user", extensions={"deep": "@"}).replace('"@"', "[" * depth + "]" * depth)
    found = refusal(text)
    assert found is None if depth == 300 else found is not None and "nested too deeply" in found


def test_what_json_cannot_hold_is_not_written() -> None:
    loop: dict[str, Any] = {}
    loop["again"] = loop
    bad: list[tuple[Any, str]] = [
        ({"t": META}, r"/conversation/extensions/t: DocumentMeta\(.* \(DocumentMeta\) is not a JSON value"),
        ({"t": float("nan")}, "/conversation/extensions/t: nan is not a number JSON has"),
        ({"t": 10**5000}, "/conversation/extensions/t: an integer of more than 4,000 digits"),
        ({1: 2}, "/conversation/extensions: key 1 must be a string"),
        (loop, "contain themselves"),
    ]
    for extensions, match in bad:
        with pytest.raises(InvalidInput, match=match):
            portable.dumps(Conversation((), extensions=extensions), META)
    with pytest.raises(InvalidInput, match='/conversation/messages/0/role: "robot" must be'):
        portable.dumps(Conversation((Message("robot"),)), META)  # type: ignore[arg-type]


def test_paths_that_cannot_be_read(tmp_path: Path) -> None:
    bad = {str(tmp_path / "no.json"): "no such file", str(tmp_path): "is a directory", "a\0b": "cannot be read"}
    for path, match in bad.items():
        with pytest.raises(InvalidInput, match=match):
            portable.read_file(path)


def test_paths_that_cannot_be_written(tmp_path: Path) -> None:
    for path, match in [(tmp_path / "no" / "a.json", "create .*no first"), (tmp_path, "is a directory")]:
        with pytest.raises(InvalidInput, match=match):
            portable.write_file(Conversation(()), path, META)


def test_a_failed_write_leaves_the_old_file_and_nothing_else(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a.json"
    path.write_text("old")
    path.chmod(0o640)

    def fail(*_: object) -> None:
        raise OSError("disk full")

    with monkeypatch.context() as patched:
        patched.setattr(os, "replace", fail)  # what Path.replace calls
        with pytest.raises(InvalidInput, match="disk full"):
            portable.write_file(Conversation(()), path, META)
    assert (path.read_text(), list(tmp_path.iterdir())) == ("old", [path])
    link = tmp_path / "link.json"
    link.symlink_to(path)
    portable.write_file(Conversation(()), link, META)
    assert link.is_symlink()
    assert path.read_text().startswith('{\n  "version": "1.0.0"')
    assert path.stat().st_mode & 0o777 == 0o640


@settings(max_examples=300, deadline=None)
@given(st.data())
def test_damaged_bytes_are_read_or_refused_and_nothing_else(data: st.DataObject) -> None:
    good = json.dumps(GOOD).encode()
    at = data.draw(st.integers(0, len(good)))
    damaged = good[:at] + data.draw(st.binary(max_size=3)) + good[at + data.draw(st.integers(0, 6)) :]
    assert (refusal(damaged) or "<memory>: ").startswith("<memory>: ")


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=4),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["role", "content", "messages"]), inner)
    ),
    max_leaves=6,
)


@settings(max_examples=200, deadline=None)
@given(
    st.sampled_from(["1.0.0", "1.1.0", "1.2.0"]),
    st.dictionaries(st.sampled_from(["meta", "conversation"]), json_values),
)
def test_values_of_any_type_are_read_or_refused_and_nothing_else(version: str, value: dict[str, Any]) -> None:
    found = refusal(json.dumps(value | {"version": version}))
    assert (found or "<memory>: /").startswith("<memory>: /")


@pytest.mark.parametrize(
    "data", ['{"version": "\\ud83d"}', '{"a": "\ud83d" x}', '{"\\ud83d": NaN, "version": "1.1.0"}']
)
def test_refusals_can_always_be_printed(data: str) -> None:
    assert said(data).encode()


def test_the_version_is_judged_before_the_values() -> None:
    assert said('{"a": NaN}').startswith("a.json: /version: missing")


def test_refusals_survive_the_way_between_processes() -> None:
    with pytest.raises(InvalidInput) as caught:
        portable.loads("{}", "a.json")
    assert str(pickle.loads(pickle.dumps(caught.value))) == str(caught.value)


def test_pointers_and_short_values() -> None:
    assert pointer(["a/b", "~", 0, ""]) == "/a~1b/~0/0/"
    assert [shorten(v) for v in (None, True, 1.5, {}, [1], {"a": 1})] == [
        "null", "true", "1.5", "an empty object", "an array of 1", "an object with keys a",
    ]  # fmt: skip
    assert len(shorten("字" * 99)) == 62
