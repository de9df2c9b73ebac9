"""What a vendor's own types took is taken: each shared sample is valid for the target it was written for."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from mnemo_lab import registry
from mnemo_lab.formats.source import Source
from mnemo_lab.formats.targets import repair, validate_for

ROOT = Path(__file__).resolve().parents[3]
FOLDER = Path(os.environ.get("MNEMO_SAMPLES_DIR") or ROOT.parent / "shared" / "samples" / "formats")
SAMPLES = {
    "openai-chat": "openai_chat.json",
    "openai-responses": "openai_responses.json",
    "anthropic": "anthropic_messages.json",
    "gemini": "gemini_contents.json",
    "ollama": "ollama_chat.json",
    "hf-messages": "hf_messages.jsonl",
    "sharegpt": "sharegpt.json",
    "langchain": "langchain_messages.json",
}


@pytest.mark.parametrize("name", SAMPLES)
def test_a_sample_is_valid_for_its_own_target(name: str) -> None:
    path = FOLDER / SAMPLES[name]
    if not path.exists():
        pytest.skip(f"no shared sample {path}; set MNEMO_SAMPLES_DIR")
    with Source(path) as source:
        readings = list(registry.resolve("format", name).read(source))
    conversations = [reading.conversation for reading in readings if reading.conversation]
    assert conversations
    for conversation in conversations:
        assert [item for item in validate_for(conversation, name) if item.severity == "error"] == []
        assert repair(conversation, name) == (conversation, ())
