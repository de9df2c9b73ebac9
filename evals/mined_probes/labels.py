"""Hand-made verdicts on mined links, by ids alone; what a verdict means is said in the report."""

from __future__ import annotations

import json
from collections import defaultdict
from pathlib import Path
from typing import Final, NamedTuple

from mnemo_lab.corpora.base import Dataset
from mnemo_lab.probes import mine

FILE: Final = Path(__file__).with_name("labels.jsonl")
Link = tuple[str, str, str, str]
"""Data set, recording, the later message, the evidence message."""


class Share(NamedTuple):
    right: int
    read: int
    mined: int = 0

    @property
    def precision(self) -> float:
        return self.right / self.read if self.read else float("nan")


def verdicts(path: Path = FILE, look: int | None = None) -> dict[Link, bool]:
    """Whether each link that was read is right; ``look`` 1: read before anyone had read links of that data set."""
    found = {}
    for line in path.read_text(encoding="utf-8").splitlines():
        item = json.loads(line)
        if look in (None, item["look"]):
            link = item["set"], item["recording"], item["question"], item["evidence"]
            found[link] = item["verdict"] == "right"
    return found


def first_looks(path: Path = FILE) -> dict[str, Share]:
    """Precision by data set over the links that were read first."""
    by_set: dict[str, list[bool]] = defaultdict(list)
    for (name, *_), right in verdicts(path, look=1).items():
        by_set[name].append(right)
    return {name: Share(sum(items), len(items)) for name, items in by_set.items()}


def links_of(data: Dataset) -> list[Link]:
    """What the miner finds today."""
    return [
        (data.name, recording.id, probe.id.removeprefix("mined-"), evidence)
        for recording in data
        for probe in mine(recording)
        for evidence in probe.evidence
    ]


def today(data: Dataset, path: Path = FILE) -> Share:
    """Precision of what the miner finds today, over those links that were ever read."""
    known, links = verdicts(path), links_of(data)
    read = [known[link] for link in links if link in known]
    return Share(sum(read), len(read), len(links))
