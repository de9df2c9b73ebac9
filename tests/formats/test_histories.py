"""What holds for every reader of a tool's own history: odd values cost little, links hold, large files stream."""

from __future__ import annotations

import copy
import json
import random
import re
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

import pytest

from mnemo_lab.errors import InvalidInput
from mnemo_lab.formats import claude_ai, claude_code, codex
from mnemo_lab.formats.portable import dumps, loads
from mnemo_lab.formats.source import Source
from mnemo_lab.formats.tree import active_path, all_paths
from tests.formats import test_claude_code as session
from tests.formats import test_codex as rollout

NOW: Final = datetime(2026, 3, 1, tzinfo=UTC)
PYTHON_ERROR: Final = re.compile(r"[A-Z]\w+(Error|Exception): ")
CHAT: Final = {
    "uuid": "k",
    "name": "云图",
    "current_leaf_message_uuid": "b",
    "chat_messages": [
        {
            "uuid": "a",
            "sender": "human",
            "text": "",
            "parent_message_uuid": None,
            "content": [{"type": "text", "text": "问", "citations": []}],
            "attachments": [{"file_name": "甲.txt", "file_type": "txt", "extracted_content": "乙"}],
            "files": [{"file_uuid": "f", "file_name": "云.png"}],
        },
        {
            "uuid": "b",
            "sender": "assistant",
            "text": "",
            "parent_message_uuid": "a",
            "created_at": "2026-03-01T08:00:00Z",
            "content": [
                {"type": "thinking", "thinking": "想", "summaries": [{"summary": "s"}]},
                {"type": "tool_use", "id": "t", "name": "f", "input": {"a": 1}},
                {"type": "tool_result", "tool_use_id": "t", "content": [{"type": "text", "text": "一"}]},
                {"type": "text", "text": "答", "start_timestamp": "2026-03-01T08:00:01Z"},
            ],
        },
    ],
}
SESSION: Final = [
    {"type": "summary", "summary": "题", "leafUuid": "r"},
    session.user("u", None, "问"),
    session.assistant("a", "u", "1", {"type": "thinking", "thinking": "想", "signature": "c2ln"}, session.use("t")),
    session.assistant("b", "a", "1", session.use("t2")),
    session.user("r", "a", [session.result("t"), session.text("还有")]),
    session.user("q", "b", [session.result("t2", [session.text("一"), {"type": "image", "source": {}}])]),
    {"type": "system", "subtype": "compact_boundary", "uuid": "c", "parentUuid": None, "logicalParentUuid": "q"},
    session.user("v", "c", "再问", isSidechain=False, isMeta=True),
    session.user("w", "v", "任务", isSidechain=True, agentId="x"),
]
ROLLOUT: Final = [
    rollout.META,
    {"type": "turn_context", "payload": {"model": "m"}},
    rollout.said("user", "问"),
    rollout.thought("想"),
    rollout.call("c"),
    rollout.output("c", [{"type": "input_text", "text": "一"}]),
    rollout.said("assistant", "答"),
    {"type": "compacted", "payload": {"message": "摘要", "replacement_history": []}},
    rollout.event("thread_rolled_back", num_turns=1),
    rollout.said("user", "再问"),
]
ODD: Final[list[Any]] = [
    *(None, True, 0, -1, 1.5, float("nan"), 10**30, "", "x", "a", "t", "user", "assistant", "半\ud83d", [], {}, [None]),
    *([{"type": "tool_result", "content": [{"type": "image"}, 5]}], {"type": "text", "text": 5}, "2026-03-01T08:00:00"),
    *({"type": "tool_use", "name": ["f"], "input": "[1"}, {"type": ["x"]}, {"a": {"b": [1]}}, "tool_result", "message"),
]
CASES: Final = [(claude_ai, CHAT), (claude_code, SESSION), (codex, ROLLOUT)]


def places(value: Any, here: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, item in inner:
        yield (*here, key)
        yield from places(item, (*here, key))


def mutated(value: Any, draw: random.Random) -> Any:
    value = copy.deepcopy(value)
    for _ in range(draw.choice((1, 1, 2, 5))):
        found = list(places(value))
        *way, last = draw.choice(found or [(0,)])
        target = value
        for key in way:
            target = target[key]
        if draw.random() < 0.25:
            del target[last]
        else:
            target[last] = copy.deepcopy(draw.choice(ODD))
    return value


@pytest.mark.parametrize(("reader", "value"), CASES, ids=lambda case: getattr(case, "name", ""))
def test_odd_values_in_any_place(reader: Any, value: Any, tmp_path: Path) -> None:
    """No traceback, not even one that became a loss; links and ids hold, and a portable document takes all of it."""
    draw, lines = random.Random(5), isinstance(value, list)
    path = tmp_path / ("x.jsonl" if lines else "conversations.json")
    for number in range(400):
        odd = mutated(value, draw)
        path.write_text("\n".join(map(json.dumps, odd)) if lines else json.dumps(odd))
        try:
            with Source(path) as source:
                readings = list(reader.read(source))
        except InvalidInput:
            continue
        for reading in readings:
            for item in reading.losses:
                assert not PYTHON_ERROR.match(item.sentence().partition(": ")[2]), f"{number}: {item.sentence()}"
            if reading.conversation is not None:
                check(reading.conversation)


def check(conversation: Any) -> None:
    ids = [message.id for message in conversation.messages if message.id]
    known = set(ids)
    assert len(ids) == len(known)
    assert all(message.parent_id is None or message.parent_id in known for message in conversation.messages)
    assert len(list(all_paths(conversation))) >= 1
    assert active_path(conversation).conversation.messages or not conversation.messages
    assert loads(dumps(conversation, now=NOW)).conversation == conversation


def session_lines(count: int) -> Iterator[str]:
    words = "今天讨论了部署方案，下周三上线。The staging database listens on port 5433. 👩‍👩‍👧 " * 12
    parent = None
    for number in range(count):
        call = f"t{number}"
        yield json.dumps(session.user(f"u{number}", parent, words), ensure_ascii=False)
        yield json.dumps(session.assistant(f"a{number}", f"u{number}", call, session.use(call)), ensure_ascii=False)
        answer = session.user(f"r{number}", f"a{number}", [session.result(call, words)], toolUseResult={"file": words})
        yield json.dumps(answer, ensure_ascii=False)
        parent = f"r{number}"


def test_a_large_session_streams(tmp_path: Path) -> None:
    """25 MB a second is the aim on a quiet machine; half of a third of it is asked of a busy one."""
    path = tmp_path / "s.jsonl"
    path.write_text("\n".join(session_lines(2500)), encoding="utf-8")
    start = time.process_time()
    with Source(path) as source:
        (reading,) = claude_code.read(source)
    took = time.process_time() - start
    assert reading.conversation is not None
    assert len(active_path(reading.conversation).conversation.messages) == 7500
    assert path.stat().st_size / 1e6 / took > 4
