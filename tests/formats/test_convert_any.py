"""Any conversation to any target by any settings: written or clearly refused, and taken when it is read again."""

from __future__ import annotations

import tempfile
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mnemo_lab.conversation import Conversation
from mnemo_lab.errors import InvalidInput
from mnemo_lab.formats import portable
from mnemo_lab.formats.convert import convert, read_all
from mnemo_lab.formats.detect import readable, writable
from mnemo_lab.formats.preparing import Settings
from mnemo_lab.formats.targets import validate_for
from mnemo_lab.registry import names
from tests.formats.test_openai_chat.common import conversations

NOW = datetime(2026, 3, 1, tzinfo=UTC)
SETTINGS = st.fixed_dictionaries(
    {
        "branches": st.sampled_from(["active", "all"]),
        "system": st.sampled_from(["keep", "drop"]),
        "repair": st.sampled_from(["placeholder", "drop", "error"]),
        "max_tokens": st.sampled_from([None, None, 20, 200]),
        "strategy": st.sampled_from([None, "recent()"]),
        "redact": st.booleans(),
    }
).filter(lambda given_: given_["max_tokens"] or not given_["strategy"])


@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(conversations(), min_size=1, max_size=2), st.sampled_from(writable()), SETTINGS)
def test_any_conversation_to_any_target(given_: list[Conversation], to: str, chosen: dict[str, Any]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "in.jsonl"
        try:
            texts = [portable.dumps(conversation, now=NOW) for conversation in given_]
        except InvalidInput:  # what no JSON document can say
            return
        path.write_text(f"[{','.join(texts)}]", encoding="utf-8")
        try:
            done = convert(path, f"{folder}/out/", to, Settings(**chosen), now=NOW)
        except InvalidInput as error:
            assert "nothing to write" in str(error)
            return
        for item in done.losses:
            assert item.loss.sentence("en") and item.loss.sentence("zh")
        assert len(done.paths) == done.contents.conversations
        if to in readable() and to in names("target"):
            for file in done.paths:
                taken_again(file, to)


def taken_again(file: Path, to: str) -> None:
    for reading in read_all(file, to):
        if reading.conversation is not None:
            errors = [item for item in validate_for(reading.conversation, to) if item.severity == "error"]
            assert not errors, f"{to}: {[item.sentence() for item in errors]}\n{file.read_text()}"
