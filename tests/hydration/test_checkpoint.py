"""Checkpoints as JSON, and their way through a portable document by the package's own writer and reader."""

from __future__ import annotations

import json
from dataclasses import fields, replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mnemo_lab.conversation import Conversation, ConversationInfo, DocumentMeta, Message
from mnemo_lab.corpora.base import load
from mnemo_lab.errors import InvalidInput
from mnemo_lab.formats import portable
from mnemo_lab.hydration.checkpoint import EXTENSION, Checkpoint, attach, attached
from mnemo_lab.hydration.memory import HydratingMemory
from mnemo_lab.services import ServicesSpec
from mnemo_lab.strategy_text import parse_strategy

FULL = Checkpoint(
    id="c-0",
    conversation="c",
    start="m1",
    stop="m9",
    summary="user: 改用 PostgreSQL 17.2。",
    keywords=("数据库", "PostgreSQL"),
    entities={"person": ("陈志强",), "version": ("PostgreSQL 17.2",)},
    decisions=("Oak, not vinyl.",),
    task_state="answered: When?",
    intent="迁移",
    outcomes=("备份已经上传了。",),
    open_items=("还没通知客服",),
    created_at="2026-03-01T10:00:00Z",
    trigger="every(n=5)",
    score=0.25,
    describer="extractive",
    embedding=(0.6, -0.8),
    embedder="hashing-256-v1",
)
BARE = Checkpoint("c-1", "c", "m1", "m1")
CONVERSATION = Conversation((Message("user", "hi", "m1"),), "c", extensions={"other": {"a": 1}})


def through_a_document(conversation: Conversation) -> Conversation:
    text = portable.dumps(conversation, DocumentMeta("2026-03-01T00:00:00Z"))
    found = portable.loads(text).conversation
    assert found is not None
    return found


@pytest.mark.parametrize("checkpoint", [FULL, BARE], ids=["full", "bare"])
def test_json_and_back(checkpoint: Checkpoint) -> None:
    assert Checkpoint.from_json(json.loads(json.dumps(checkpoint.to_json()))) == checkpoint
    assert set(checkpoint.to_json()) == {field.name for field in fields(Checkpoint)}


TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
LISTS = st.lists(TEXT, max_size=3).map(tuple)


@given(
    st.builds(
        Checkpoint, id=TEXT, conversation=TEXT, start=TEXT, stop=TEXT, summary=TEXT, keywords=LISTS, decisions=LISTS,
        entities=st.dictionaries(TEXT, LISTS, max_size=3), outcomes=LISTS, open_items=LISTS, score=st.floats(-1, 1),
        embedding=st.none() | st.lists(st.floats(-1, 1, width=32), max_size=4).map(tuple),
    )
)  # fmt: skip
def test_any_checkpoint_travels_in_a_document(checkpoint: Checkpoint) -> None:
    assert attached(through_a_document(attach(CONVERSATION, [checkpoint, FULL]))) == [checkpoint, FULL]


def test_other_extensions_stay_and_older_checkpoints_go() -> None:
    once = attach(CONVERSATION, [FULL, BARE])
    again = through_a_document(attach(once, [BARE]))
    assert attached(again) == [BARE] and again.extensions["other"] == {"a": 1}
    assert attached(CONVERSATION) == [] and EXTENSION not in CONVERSATION.extensions


def test_a_second_conversation_gets_what_the_first_was_cut_into(tmp_path: Path) -> None:
    """Real checkpoints with vectors, written to a file and read again; their messages are found by id."""
    recording = load("bilingual").select(recordings=["zh-webapp"]).recordings[0]
    first = replace(recording.conversations[0], messages=recording.conversations[0].messages[:40], id="first")
    memory = parse_strategy("checkpoint(trigger='every(n=4)')").start(
        ServicesSpec(embedder="hashing", cache="").open(), "n"
    )
    assert isinstance(memory, HydratingMemory)
    memory.begin(ConversationInfo("first"))
    memory.observe(list(first.messages))
    memory.end()
    made = memory.checkpoints
    portable.write_file(attach(first, made), tmp_path / "first.json", DocumentMeta("2026-03-01T00:00:00Z"))
    (reading,) = portable.read_file(tmp_path / "first.json")
    assert reading.conversation is not None
    came = attached(reading.conversation)
    assert came == made and len(made) > 3 and all(c.conversation == "first" for c in came)
    ids = [message.id for message in reading.conversation.messages]
    places = [(ids.index(c.start), ids.index(c.stop)) for c in came]
    assert places[0][0] == 0 and places[-1][1] == len(ids) - 1
    assert all(a[1] + 1 == b[0] for a, b in pairwise(places))


def test_fields_of_a_later_version_are_ignored_and_absent_ones_take_their_default() -> None:
    value = {"id": "c-1", "conversation": "c", "start": "m1", "stop": "m1", "mood": "sunny", "summary": None}
    assert Checkpoint.from_json(value) == BARE


@pytest.mark.parametrize(
    ("field", "given", "fault"),
    [
        ("id", None, "checkpoint None: id must be a text, not None"),
        ("start", 7, "checkpoint 'c-0': start must be a text, not 7"),
        ("summary", ["x"], r"checkpoint 'c-0': summary must be a text"),
        ("keywords", "a, b", "checkpoint 'c-0': keywords must be a list of texts"),
        ("decisions", [1], "checkpoint 'c-0': decisions must be a list of texts"),
        ("entities", ["Ann"], "checkpoint 'c-0': entities must be an object of lists"),
        ("entities", {"person": "Ann"}, "checkpoint 'c-0': entities/person must be a list of texts"),
        ("score", "high", "checkpoint 'c-0': score must be of finite numbers"),
        ("embedding", [0.1, "x"], "checkpoint 'c-0': embedding must be of finite numbers"),
        ("embedding", [float("nan")], "checkpoint 'c-0': embedding must be of finite numbers"),
    ],
)
def test_what_is_malformed_is_named(field: str, given: Any, fault: str) -> None:
    with pytest.raises(InvalidInput, match=fault):
        attached(replace(CONVERSATION, extensions={EXTENSION: [{**FULL.to_json(), field: given}]}))


@pytest.mark.parametrize("value", ["x", {"id": "c"}, ["x"], [None]])
def test_what_is_no_list_of_checkpoints_is_refused(value: Any) -> None:
    with pytest.raises(InvalidInput, match="checkpoint"):
        attached(replace(CONVERSATION, extensions={EXTENSION: value}))
