"""A format of a third party comes in through an entry point, and is detected and read like ours."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from mnemo_lab import registry
from mnemo_lab.formats.convert import read_all

PLUGINS = Path(__file__).resolve().parents[1] / "plugins"


@pytest.fixture
def installed(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.syspath_prepend(str(PLUGINS))
    registry._entries.cache_clear()
    yield
    registry._entries.cache_clear()


@pytest.mark.usefixtures("installed")
def test_a_plugin_is_listed_detected_and_read(tmp_path: Path) -> None:
    path = tmp_path / "talk.acme"
    path.write_text("me> 你好\nbot> hello\nnoise\n", encoding="utf-8")
    assert "acme-chat" in registry.names("format")
    (reading,) = read_all(path)
    assert reading.conversation is not None
    assert [(m.role, m.content) for m in reading.conversation.messages] == [("user", "你好"), ("assistant", "hello")]
