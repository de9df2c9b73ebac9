"""Histories that tools keep on this computer: where they are, looked at by name only, never written to."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Final


@dataclass(frozen=True, slots=True)
class Tool:
    """A tool's history: patterns below its folders. ``format`` is the reader's name, ``None`` where there is none yet.

    ``home_variable`` is the environment variable that moves the tool's folder; ``roots`` are tried otherwise, with
    ``{home}``, ``{config}`` (per-user settings of the system) filled in.
    """

    name: str
    format: str | None
    roots: tuple[str, ...]
    pattern: str
    home_variable: str | None = None


TOOLS: Final = (
    Tool("Claude Code", "claude-code", ("{home}/.claude",), "projects/*/*.jsonl", "CLAUDE_CONFIG_DIR"),
    Tool("Codex", "codex", ("{home}/.codex",), "sessions/*/*/*/rollout-*.jsonl", "CODEX_HOME"),
    Tool("Gemini CLI", None, ("{home}/.gemini",), "tmp/*/chats/session-*.json*"),
    Tool("LM Studio", None, ("{home}/.lmstudio", "{home}/.cache/lm-studio"), "conversations/**/*.conversation.json"),
    Tool("Jan", None, ("{home}/jan", "{config}/Jan/data"), "threads/*/messages.jsonl"),
    Tool(
        "VS Code",
        None,
        ("{config}/Code/User", "{config}/Code - Insiders/User", "{config}/VSCodium/User"),
        "workspaceStorage/*/chatSessions/*.json*",
    ),
    Tool("Cursor", None, ("{config}/Cursor/User",), "globalStorage/state.vscdb"),
)


@dataclass(frozen=True, slots=True)
class History:
    """What one tool keeps: files from newest to oldest, their bytes in all, and the newest change."""

    tool: Tool
    files: tuple[Path, ...]
    size: int
    newest: datetime | None


def discover(home: Path | None = None) -> list[History]:
    """Every tool's history below a home folder (default: the user's); tools without files are left out."""
    found = []
    for tool in TOOLS:
        files = sorted(set(_files(tool, home or Path.home(), home is None)), key=_changed, reverse=True)
        if files:
            newest = datetime.fromtimestamp(_changed(files[0]), UTC)
            found.append(History(tool, tuple(files), sum(_size(path) for path in files), newest))
    return found


def _files(tool: Tool, home: Path, heed_environment: bool) -> Iterator[Path]:
    moved = os.environ.get(tool.home_variable) if tool.home_variable and heed_environment else None
    for root in [Path(moved)] if moved else _roots(tool, home):
        if root.is_dir():
            yield from (path for path in root.glob(tool.pattern) if path.is_file())


def _roots(tool: Tool, home: Path) -> list[Path]:
    return [Path(root.format(home=home, config=config)) for root in tool.roots for config in _config_folders(home)]


def _config_folders(home: Path) -> list[Path]:
    """Where applications of this system keep a user's settings."""
    if sys.platform == "darwin":
        return [home / "Library" / "Application Support"]
    if sys.platform == "win32":
        return [home / "AppData" / "Roaming"]
    return [home / ".config"]


def _changed(path: Path) -> float:
    try:
        return path.stat().st_mtime
    except OSError:
        return 0.0


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0
