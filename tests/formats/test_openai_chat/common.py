"""What the tests of request formats share: samples, laws, any conversation, what the SDKs accept."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping
from functools import cache
from itertools import groupby
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st

from mnemo_lab.conversation import MISSING, Attachment, Conversation, Message, ToolCall
from mnemo_lab.errors import InvalidInput
from mnemo_lab.formats.base import Reading, Sample, WriteOptions, Written
from mnemo_lab.formats.source import Source
from mnemo_lab.losses import Loss

ROOT = Path(__file__).resolve().parents[3]
PLACES = [os.environ.get("MNEMO_SAMPLES_DIR"), ROOT.parent / "shared" / "samples" / "formats"]
SAMPLES = next((Path(place) for place in PLACES if place and Path(place).is_dir()), None)
PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGNwaDgAAAKEAYEml6crAAAAAElFTkSuQmCC"
PDF = "JVBERi0xLjQK"
SYSTEM = "你是一名简洁的气象助手。回答不超过两句。"
FINAL = "云图显示东侧有雨带；杭州今天小雨，18°C，出门请带伞。"
WEATHER = '{"city":"杭州","temp_c":18,"sky":"小雨"}'
FEW = settings(
    max_examples=int(os.environ.get("MNEMO_EXAMPLES", "60")), deadline=None, suppress_health_check=list(HealthCheck)
)


def sample_path(name: str) -> Path:
    if SAMPLES is None or not (SAMPLES / name).exists():
        pytest.skip(f"the sample {name} is not here; set MNEMO_SAMPLES_DIR")
    return SAMPLES / name


def readings(form: ModuleType, path: Path) -> list[Reading]:
    with Source(path) as source:
        return list(form.read(source))


def read_value(form: ModuleType, folder: Path, value: Any, name: str = "a.json") -> Reading:
    """The one reading of a value, or of raw text or bytes."""
    data = (
        value if isinstance(value, bytes) else value.encode() if isinstance(value, str) else json.dumps(value).encode()
    )
    path = folder / name
    path.write_bytes(data)
    [reading] = readings(form, path)
    return reading


def read_back(form: ModuleType, folder: Path, value: Any) -> Conversation:
    conversation = read_value(form, folder, value).conversation
    assert conversation is not None
    return conversation


def written(form: ModuleType, *conversations: Conversation, model: str | None = None, **extra: Any) -> Written:
    return form.write(conversations, WriteOptions(model=model, extra=extra))


def body(form: ModuleType, conversation: Conversation, **extra: Any) -> dict[str, Any]:
    return json.loads(written(form, conversation, **extra).data)


def codes(losses: Iterable[Loss]) -> list[str]:
    return sorted(loss.code for loss in losses)


def talk(*messages: Message, **fields: Any) -> Conversation:
    return Conversation(messages, **fields)


def no_constant(name: str) -> Any:
    raise AssertionError(f"{name} is not JSON")


# ------------------------------------------------------------------------------------------- any conversation

TEXTS = st.one_of(
    st.sampled_from(
        ["", " ", "\n", "你好，世界", "مرحبا", "שלום", "नमस्ते", "👩‍👩‍👧‍👦", "a\ud83d", "\x00", "{}", '{"a":1}', "[1]"]
    ),
    st.text(max_size=12),
    st.text(st.characters(), max_size=6),
)
IDS = st.one_of(
    st.sampled_from(["", "a", "call_1", "dup", "x.y", "x_y", "编号", "k" * 90, "msg_1"]), st.text(max_size=5)
)
CONTENTS: st.SearchStrategy[Any] = st.one_of(TEXTS, st.none(), st.just(MISSING))
JSON = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), TEXTS),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(TEXTS, inner, max_size=3)),
    max_leaves=6,
)
ARGUMENTS = st.one_of(
    st.dictionaries(TEXTS, st.one_of(TEXTS, st.integers(), st.booleans()), max_size=3).map(json.dumps),
    st.sampled_from(["", "{}", "[]", "{", "null", '{"a":NaN}', '{"a":1e999}', '{"a":1,"a":2}', "[" * 5000, "名"]),
)
REASONING = st.lists(
    st.fixed_dictionaries(
        {"text": TEXTS},
        optional={
            "signature": TEXTS,
            "data": TEXTS,
            "provider": st.sampled_from(["anthropic", "google", "openai", "xai"]),
            "model": st.sampled_from(["m", "n"]),
            "id": IDS,
        },
    ),
    max_size=2,
)
CITATIONS = st.lists(
    st.fixed_dictionaries(
        {"type": st.sampled_from(["url_citation", "char_location", "web_search_result_location", "x"])},
        optional={
            **{key: st.integers(-1, 9) for key in ("start", "end", "start_index", "end_index", "document_index")},
            **{key: st.integers(0, 9) for key in ("start_char_index", "end_char_index")},
            **dict.fromkeys(("url", "title", "cited_text", "encrypted_index"), TEXTS),
        },
    ),
    max_size=2,
)
EXTENSIONS = st.fixed_dictionaries(
    {},
    optional={
        "reasoning": st.one_of(REASONING, JSON),
        "citations": st.one_of(CITATIONS, JSON),
        "refusal": st.one_of(TEXTS, JSON),
        "is_error": st.booleans(),
        "hidden": st.booleans(),
        "other-tool": JSON,
    },
)
ATTACHMENTS = st.builds(
    Attachment,
    kind=st.sampled_from(["image", "file"]),
    media_type=st.sampled_from(
        [None, "image/png", "image/tiff", "application/pdf", "text/plain", "audio/wav", "audio/ogg", "audio/*", ""]
    ),
    reference=st.sampled_from([None, "https://example.org/x.png", "gs://b/x", "pixel.png", "C:\\x.png", ""]),
    data=st.sampled_from([None, PIXEL, PDF, "", "NOT_BASE64!", "5bim5Lye"]),
    name=st.one_of(st.none(), TEXTS),
)
CALLS = st.builds(ToolCall, id=IDS, name=st.one_of(st.just("run"), TEXTS), arguments=ARGUMENTS)


@st.composite
def messages(draw: st.DrawFn, extensions: st.SearchStrategy[Any] = EXTENSIONS) -> Message:
    role = draw(st.sampled_from(["system", "user", "assistant", "tool"]))
    odd = draw(st.integers(0, 9)) == 0
    return Message(
        role=role,
        content=draw(CONTENTS),
        id=draw(IDS),
        timestamp=draw(st.sampled_from([None, "2026-03-01T00:00:00Z"])),
        name=draw(st.one_of(st.none(), TEXTS)),
        tool_calls=tuple(draw(st.lists(CALLS, max_size=3))) if role == "assistant" or odd else (),
        tool_call_id=draw(st.one_of(st.none(), IDS)) if role == "tool" or odd else None,
        parent_id=draw(st.one_of(st.none(), IDS)) if odd else None,
        attachments=tuple(draw(st.lists(ATTACHMENTS, max_size=2))),
        extensions=draw(extensions),
    )


def conversations(extensions: st.SearchStrategy[Any] = EXTENSIONS) -> st.SearchStrategy[Conversation]:
    return st.builds(
        Conversation,
        messages=st.lists(messages(extensions), max_size=7).map(tuple),
        id=IDS,
        title=st.one_of(st.none(), TEXTS),
        model=st.sampled_from([None, "m", "gemini-3-pro"]),
        system_prompt=st.one_of(st.none(), TEXTS),
        extensions=extensions,
    )


def with_own_junk(name: str) -> st.SearchStrategy[Any]:
    """Extensions under a format's own name that its reader did not write."""
    keys = ["fields", "parts", "items", "role", "system", "content", "file_id", "thoughtSignature", "system_blocks"]
    junk = st.dictionaries(st.sampled_from(keys), JSON, max_size=4)
    return st.builds(lambda one, two: {**one, name: two}, EXTENSIONS, st.one_of(junk, JSON))


def tree_of(result: Written) -> Any:
    """The written JSON, read as strictly as a server reads it."""
    return json.loads(result.data.decode("utf-8"), parse_constant=no_constant)


def check_law(form: ModuleType, folder: Path, conversation: Conversation) -> None:
    """Write, read, write, read: the second reading equals the first but for what the second writing lists."""
    first = read_back(form, folder, written(form, conversation).data)
    again = written(form, first)
    second = read_back(form, folder, again.data)
    if first == second:
        return
    assert codes(again.losses), (first, second)
    assert plain(first) == plain(second)


def plain(conversation: Conversation) -> Any:
    """What no listed loss of a second writing may touch: who says what, and which result answers which call."""
    order: dict[str, int] = {}
    rows: list[Any] = []
    for message in conversation.messages:
        for call in message.tool_calls:
            order[call.id] = len(order)
        rows.append((message.role, message.text, len(message.tool_calls), order.get(message.tool_call_id or "", -1)))
    while rows and rows[0][:2] == ("system", conversation.system_prompt):
        del rows[0]
    # Ollama pairs by order alone, and its writer puts the results of a step in the order of the calls.
    runs = [sorted(run) if is_result else list(run) for is_result, run in groupby(rows, lambda row: row[0] == "tool")]
    return conversation.system_prompt, runs


def check_type(kind: Any, value: Any) -> None:
    """Raise where an SDK's type refuses a value. Its iterables are checked only while they are walked."""
    adapter = adapter_of(kind)
    walk(adapter.validate_python(value))


@cache
def adapter_of(kind: Any) -> Any:
    from pydantic import TypeAdapter

    return TypeAdapter(kind)


def walk(value: Any) -> None:
    if isinstance(value, str | bytes):
        return
    if isinstance(value, Mapping):
        value = value.values()
    if isinstance(value, Iterable):
        for item in value:
            walk(item)


def sample_of(value: Any = None, records: tuple[Any, ...] = ()) -> Sample:
    return Sample("a.json", ("a.json",), value, records)


def score(form: ModuleType, value: Any = None, records: tuple[Any, ...] = ()) -> float:
    found = form.detect(sample_of(value, records))
    return found.score if found else 0.0


def check_reading(form: ModuleType, folder: Path, value: Any) -> None:
    path = folder / "a.json"
    path.write_text(json.dumps(value))
    try:
        for reading in readings(form, path):
            assert all(loss.sentence("en") for loss in reading.losses)
            assert not any("Error" in loss.sentence("en") for loss in reading.losses if loss.severity == "error")
            assert reading.conversation is None or written(form, reading.conversation).data
    except InvalidInput as error:
        assert str(path) in str(error)


def bodies(roles: Iterable[str], key: str, entries: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    """Bodies that are nearly right: known roles and parts with junk in them."""
    entry = st.fixed_dictionaries(
        {"role": st.sampled_from(sorted(roles))}, optional={"content": entries, "parts": entries}
    )
    return st.fixed_dictionaries({key: st.lists(entry, max_size=4)})


PARTS = [
    "text",
    "image_url",
    "input_audio",
    "file",
    "refusal",
    "thinking",
    "tool_use",
    "tool_result",
    "image",
    "document",
]
PART_KEYS = "text image_url input_audio file refusal source content input id url data media_type functionCall".split()
NEARLY = bodies(
    ["system", "developer", "user", "assistant", "tool", "function", "odd", "model"],
    "messages",
    st.one_of(
        JSON,
        st.lists(
            st.builds(
                lambda kind, rest: {"type": kind, **rest},
                st.sampled_from(PARTS),
                st.dictionaries(
                    st.sampled_from(PART_KEYS), st.one_of(JSON, st.fixed_dictionaries({"url": TEXTS})), max_size=4
                ),
            ),
            max_size=3,
        ),
    ),
)
