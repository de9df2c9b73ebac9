"""Publish runs: copy what may be shared from run folders into ``reports/``, then fill README.

    mnemo run evals/bilingual.toml && mnemo run evals/locomo.toml
    python evals/publish.py runs/bilingual runs/locomo

Leaderboard and figures hold numbers only and are published for every run. The report quotes conversations, so it is
published only for the bundled ones, which are ours.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parents[1]
OURS: Final = ("bilingual",)
KEPT_OF_MANIFEST: Final = ("created", "grid", "strategies", "embedders", "threads", "commit", "machine", "versions")


def publish(run: Path, reports: Path) -> Path:
    """One run's shareable part in ``reports/<name>``."""
    manifest = json.loads((run / "manifest.json").read_text(encoding="utf-8"))
    name = manifest["dataset"]["name"]
    target = reports / name
    shutil.rmtree(target, ignore_errors=True)
    (target / "figures").mkdir(parents=True)
    shutil.copy(run / "leaderboard.csv", target)
    for figure in sorted((run / "figures").glob("*.png")):
        shutil.copy(figure, target / "figures")
    kept = {key: manifest[key] for key in KEPT_OF_MANIFEST} | {
        "dataset": {key: manifest["dataset"][key] for key in ("name", "digest", "licence", "recordings")}
    }
    text = json.dumps(kept, indent=2, ensure_ascii=False) + "\n"
    (target / "manifest.json").write_text(text, encoding="utf-8")
    if name in OURS:
        shutil.copy(run / "report.md", target)
        shutil.copy(run / "report.html", target)
    return target


def main() -> int:
    if len(sys.argv) < 2:
        print(__doc__)
        return 2
    for run in sys.argv[1:]:
        print(publish(Path(run), ROOT / "reports"))
    return subprocess.run([sys.executable, str(ROOT / "evals" / "readme.py")], check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
