from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from mnemo_lab.conversation import Message
from mnemo_lab.errors import InvalidInput, MnemoError
from mnemo_lab.language_models import local, open_language_model
from mnemo_lab.language_models.base import Completion
from mnemo_lab.language_models.cassette import RecordedModel
from mnemo_lab.language_models.errors import (
    BrokenAnswer,
    ContextTooLong,
    Declined,
    LanguageModelError,
    NotRecorded,
    Refused,
    Unavailable,
)

ASK = [Message("system", "Answer briefly."), Message("user", "密码是 4711。What is the code?", id="m1")]


class Oracle:
    """Answers with the number of times it was asked; one error after the other first."""

    name, fingerprint, window = "openai:oracle", "oracle-1", 100

    def __init__(self, *errors: MnemoError) -> None:
        self.errors, self.asked = list(errors), 0

    def chat(self, messages: Sequence[Message], max_tokens: int) -> Completion:
        self.asked += 1
        if self.errors:
            raise self.errors.pop(0)
        return Completion(f"答案 {self.asked}", 7, 2, "length", 5)

    def stream(self, messages: Sequence[Message], max_tokens: int) -> Iterator[str | Completion]:
        raise NotImplementedError


def lines(path: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def test_an_answer_is_recorded_once_and_replayed_exactly(tmp_path: Path) -> None:
    path, oracle = tmp_path / "a" / "c.jsonl", Oracle()
    model = RecordedModel(oracle, path)
    done = model.chat(ASK, 9)
    assert done == ("答案 1", 7, 2, "length", 5) and model.chat(ASK, 9) == done and oracle.asked == 1
    off = Oracle(*[Unavailable("off")] * 9)
    again = RecordedModel(off, path)
    assert again.chat(ASK, 9) == done and list(again.stream(ASK, 9)) == ["答案 1", done] and off.asked == 0
    assert (again.name, again.fingerprint, again.window) == ("openai:oracle", "oracle-1", 100)
    [line] = lines(path)
    assert line["head"] == "2 messages: Answer briefly." and "4711" not in str(line), "what was asked is not kept"
    assert "答案" in path.read_text(encoding="utf-8"), "a person can read the answers"


@pytest.mark.parametrize("error", [Declined("filtered: 不行"), BrokenAnswer("sent no chat completion")])
def test_an_answer_that_failed_for_good_is_replayed_as_it_failed(tmp_path: Path, error: LanguageModelError) -> None:
    path = tmp_path / "c.jsonl"
    oracle = Oracle(error)
    for inner in (oracle, Oracle(*[Unavailable("off")] * 9)):
        with pytest.raises(type(error), match=str(error)):
            RecordedModel(inner, path).chat(ASK, 9)
    [line] = lines(path)
    assert line["failed"] == {"kind": type(error).__name__, "message": str(error)} and oracle.asked == 1
    assert "answer" not in line and line["window"] == 100


def test_what_makes_another_question(tmp_path: Path) -> None:
    oracle = Oracle()
    model = RecordedModel(oracle, tmp_path / "c.jsonl")
    first = model.chat(ASK, 9)
    same = [replace(message, id="other", timestamp="2025-01-01") for message in ASK]
    assert model.chat(same, 9) == first and oracle.asked == 1, "ids and times are not sent"
    model.chat(ASK, 10)
    model.chat(ASK[:1], 9)
    model.chat([ASK[0], replace(ASK[1], role="assistant")], 9)
    other = Oracle()
    other.fingerprint = "oracle-2"
    RecordedModel(other, tmp_path / "c.jsonl").chat(ASK, 9)
    assert (oracle.asked, other.asked) == (4, 1)


def test_too_long_a_prompt_is_an_answer_too(tmp_path: Path) -> None:
    path = tmp_path / "c.jsonl"
    for oracle in (Oracle(ContextTooLong("too long", 64, 80)), Oracle()):
        model = RecordedModel(oracle, path)
        with pytest.raises(ContextTooLong, match="too long") as caught:
            model.chat(ASK, 9)
        assert (caught.value.limit, caught.value.asked) == (64, 80)
    assert len(lines(path)) == 1


@pytest.mark.parametrize("error", [Refused("filtered"), LanguageModelError("x")])
def test_other_errors_are_not_kept(tmp_path: Path, error: MnemoError) -> None:
    model = RecordedModel(Oracle(error), tmp_path / "c.jsonl")
    with pytest.raises(type(error)):
        model.chat(ASK, 9)
    assert model.chat(ASK, 9).text == "答案 2"


@pytest.mark.parametrize("error", [Unavailable("cannot be reached"), InvalidInput("needs a key")])
def test_a_hole_is_no_error_that_anything_falls_back_from(tmp_path: Path, error: MnemoError) -> None:
    path = tmp_path / "c.jsonl"
    says = (
        rf"{path}: no recorded answer of openai:oracle to '2 messages: Answer briefly.'.*{error}.*MNEMO_CASSETTE={path}"
    )
    with pytest.raises(NotRecorded, match=says) as caught:
        RecordedModel(Oracle(error), path).chat(ASK, 9)
    assert not isinstance(caught.value, LanguageModelError) and not path.exists()


def test_a_torn_last_line_is_mended(tmp_path: Path) -> None:
    path = tmp_path / "c.jsonl"
    RecordedModel(Oracle(), path).chat(ASK, 9)
    whole = path.read_bytes()
    path.write_bytes(whole + b'{"key": "torn')
    model = RecordedModel(Oracle(), path)
    assert model.chat(ASK, 9).text == "答案 1"
    model.chat(ASK, 10)
    assert path.read_bytes().startswith(whole) and [line["max_tokens"] for line in lines(path)] == [9, 10]


@pytest.mark.parametrize("content", ["no json\n", '{"other": 1}\n', "[1]\n"])
def test_a_file_that_is_no_cassette(tmp_path: Path, content: str) -> None:
    path = tmp_path / "c.jsonl"
    path.write_text(content)
    with pytest.raises(InvalidInput, match=f"{path}: not a cassette"):
        RecordedModel(Oracle(), path).chat(ASK, 9)


def test_a_folder_that_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(InvalidInput, match="cannot be written"):
        RecordedModel(Oracle(), tmp_path / "file" / "c.jsonl").chat(ASK, 9)


def test_a_local_model_replays_where_it_is_not(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("xllamacpp", reason="make local")
    path = str(tmp_path / "c.jsonl")
    asked = [Message("user", "Say: blue.")]
    recorded = open_language_model("local:smollm2", path)
    done, window = recorded.chat(asked, 6), recorded.window

    monkeypatch.setattr(local, "_LOADED", {})
    monkeypatch.setitem(local.PACKAGED, "smollm2", ("no_such_package", local.PACKAGED["smollm2"][1]))
    replayed = open_language_model("local:smollm2", path)
    assert (replayed.chat(asked, 6), replayed.window, replayed.fingerprint) == (done, window, recorded.fingerprint)
    with pytest.raises(NotRecorded, match="'no_such_package'; install it with: make local"):
        replayed.chat(asked, 7)


def test_weights_that_have_gone_are_known_by_what_was_recorded(tmp_path: Path) -> None:
    class Gone(Oracle):
        name = "local:/gone.gguf"

        @property
        def fingerprint(self) -> str:  # type: ignore[override]
            raise InvalidInput("no such file")

    class There(Oracle):
        name, fingerprint = "local:/gone.gguf", "weights-1"

    path = tmp_path / "c.jsonl"
    RecordedModel(There(), path).chat(ASK, 9)
    assert RecordedModel(Gone(), path).chat(ASK, 9).text == "答案 1"
    with pytest.raises(InvalidInput, match="no such file"):
        RecordedModel(Gone(), tmp_path / "empty.jsonl").chat(ASK, 9)
