"""Histories are found below a home folder, by name, and nothing there is changed."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from mnemo_lab.formats.discover import TOOLS, discover


def _put(path: Path, text: str = "{}\n", when: int = 1_700_000_000) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    os.utime(path, (when, when))
    return path


@pytest.mark.skipif(sys.platform != "linux", reason="folders of settings differ by system")
def test_every_tool_is_found_newest_first(tmp_path: Path) -> None:
    old = _put(tmp_path / ".claude/projects/-home-me-app/a.jsonl", when=1_600_000_000)
    new = _put(tmp_path / ".claude/projects/-home-me-app/b.jsonl", "{}\n{}\n")
    _put(tmp_path / ".codex/sessions/2026/03/01/rollout-2026-03-01T10-00-00-x.jsonl")
    _put(tmp_path / ".gemini/tmp/abc/chats/session-1.json")
    _put(tmp_path / ".lmstudio/conversations/1772352000000.conversation.json")
    _put(tmp_path / "jan/threads/t1/messages.jsonl")
    _put(tmp_path / ".config/Code/User/workspaceStorage/w/chatSessions/s.json")
    _put(tmp_path / ".config/Cursor/User/globalStorage/state.vscdb")
    found = {history.tool.name: history for history in discover(tmp_path)}
    assert list(found) == [tool.name for tool in TOOLS]
    assert found["Claude Code"].files == (new, old)
    assert found["Claude Code"].size == 9


def test_nothing_is_found_in_an_empty_home(tmp_path: Path) -> None:
    assert discover(tmp_path) == []


def test_looking_changes_nothing(tmp_path: Path) -> None:
    path = _put(tmp_path / ".claude/projects/p/a.jsonl")
    before = path.stat()
    discover(tmp_path)
    assert (path.stat().st_mtime, path.stat().st_size) == (before.st_mtime, before.st_size)


def test_a_moved_folder_is_heeded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = _put(tmp_path / "elsewhere/projects/p/a.jsonl")
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path / "elsewhere"))
    found = [history for history in discover() if history.tool.name == "Claude Code"]
    assert found[0].files == (path,)
