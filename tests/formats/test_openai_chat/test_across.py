"""Every sample of a request format, written as each of the others and taken by its SDK."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from mnemo_lab.conversation import Conversation
from mnemo_lab.formats import anthropic, gemini, ollama, openai_chat, openai_responses
from tests.formats import test_anthropic, test_gemini, test_ollama, test_openai_responses
from tests.formats.test_openai_chat import test_write
from tests.formats.test_openai_chat.common import read_back, readings, sample_path, tree_of, written

SAMPLES = {
    "openai_chat.json": openai_chat,
    "openai_chat_legacy_function.json": openai_chat,
    "openai_responses.json": openai_responses,
    "anthropic_messages.json": anthropic,
    "gemini_contents.json": gemini,
    "ollama_chat.json": ollama,
    **{
        f"breakages/{name}.json": openai_chat
        for name in (
            "01_orphan_tool_result_after_trim",
            "02_call_without_all_results",
            "03_tool_result_not_adjacent",
            "05_duplicate_tool_ids",
            "06_lone_surrogate",
            "12_consecutive_roles",
            "13_developer_and_late_system",
            "30_image_variants",
        )
    },
}
TARGETS: dict[str, tuple[ModuleType, str, Callable[[Any], None]]] = {
    "openai-chat": (openai_chat, "messages", test_write.accepted_by_openai),
    "openai-responses": (openai_responses, "input", test_openai_responses.accepted),
    "anthropic": (anthropic, "messages", test_anthropic.accepted),
    "gemini": (gemini, "contents", test_gemini.accepted),
    "ollama": (ollama, "messages", test_ollama.accepted),
}


def spoken(conversation: Conversation) -> str:
    """All that anybody says, refusals too, without white space."""
    texts = [conversation.system_prompt or ""]
    texts += [text for m in conversation.messages for text in (m.text, str(m.extensions.get("refusal", "")))]
    return "".join("".join(texts).split())


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("name", SAMPLES)
def test_samples_across(name: str, target: str, tmp_path: Path) -> None:
    [reading] = readings(SAMPLES[name], sample_path(name))
    assert reading.conversation is not None
    form, key, accepted = TARGETS[target]
    result = written(form, reading.conversation)
    accepted(tree_of(result)[key])
    again = read_back(form, tmp_path, result.data)
    late = any(loss.code in ("system_moved", "late_tool_result") for loss in result.losses)
    one, two = spoken(reading.conversation), spoken(again)
    assert (sorted(one) if late else one) == (sorted(two) if late else two)
