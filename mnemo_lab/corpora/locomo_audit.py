"""The LoCoMo audit: 156 corrections of answers and evidence lists, applied over the original.

Many corrected answers carry remarks for a human reader: ``Cakes (answer is correct, D25:19 should be D25:20)``,
``six months (correct answer, …)``, ``portraits (D17:13)``. The answer to compare with is the text without them; the
remark itself, the original answer and the original evidence stay in the probe's extensions under ``audit``. Where
nothing but a remark is given, the original answer stands.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from mnemo_lab.corpora.base import Dataset
from mnemo_lab.corpora.card import read_card
from mnemo_lab.corpora.files import locate, read_json, text_of
from mnemo_lab.errors import InvalidInput
from mnemo_lab.losses import Loss, loss
from mnemo_lab.recording import Probe, Recording

CARD: Final = "locomo_audit"
FILE: Final = "errors.json"
AUDIT_KEY: Final = "audit"
_REMARK: Final = re.compile(r"\s*\((?:(?:but|answer is correct|correct answer)\b[^()]*|[^()]*\bD\d+:\d+[^()]*)\)")
_ONLY_REMARK: Final = re.compile(r"the golden answer\b.*\bcorrect\b", re.IGNORECASE)


def find_audit(locomo: Path) -> Path:
    """The audit's file: with LoCoMo, beside its folder, under ``MNEMO_DATA_DIR`` or fetched."""
    folder = locomo if locomo.is_dir() else locomo.parent
    card = read_card(CARD)
    beside = [folder.resolve().parent / name / FILE for name in card.places]
    for file in (folder / FILE, *beside):
        if file.is_file():
            return file
    return locate(card) / FILE


def apply_audit(data: Dataset, file: Path) -> Dataset:
    """The data set with every correction that fits; raises ``InvalidInput`` where the file is no audit."""
    entries = _entries(file)
    losses: list[Loss] = []
    recordings = [_recording(recording, entries, losses) for recording in data.recordings]
    applied = {probe.id for recording in recordings for probe in recording.probes if AUDIT_KEY in probe.extensions}
    losses = [item for item in data.losses if not _replaced(item, applied)] + losses
    known = {probe.id for probe in data.probes}
    for name in sorted(entries.keys() - known):
        losses.append(loss("correction_not_applied", probe=name, reason="there is no such question"))
    return Dataset.of("locomo_audited", recordings, read_card(CARD), losses)


def _entries(file: Path) -> dict[str, Mapping[str, Any]]:
    value = read_json(file)
    try:
        return {str(entry["question_id"]): entry for entry in value}
    except (TypeError, KeyError):
        raise InvalidInput(f"{file}: not the LoCoMo audit; fetch it with `mnemo data fetch {CARD}`") from None


def _replaced(item: Loss, applied: set[str]) -> bool:
    """Whether a loss speaks of evidence that the audit has replaced."""
    return item.code.endswith("_evidence") and dict(item.values).get("probe") in applied


def _recording(recording: Recording, entries: Mapping[str, Mapping[str, Any]], losses: list[Loss]) -> Recording:
    ids = frozenset(message.id for message in recording.messages())
    probes = tuple(
        _corrected(probe, entries[probe.id], recording.id, ids, losses) if probe.id in entries else probe
        for probe in recording.probes
    )
    return replace(recording, probes=probes)


def _corrected(
    probe: Probe, entry: Mapping[str, Any], recording: str, ids: frozenset[str], losses: list[Loss]
) -> Probe:
    place = f"{recording}/{probe.id}"
    if entry.get("question") != probe.question:
        reason = "the audit has another question under this id"
        losses.append(loss("correction_not_applied", pointer=place, probe=probe.id, reason=reason))
        return probe
    wanted = tuple(dict.fromkeys(entry.get("correct_evidence", probe.evidence)))
    evidence = tuple(name for name in wanted if name in ids)
    losses += [loss("unknown_evidence", pointer=place, id=i, probe=probe.id) for i in wanted if i not in ids]
    answer = corrected_answer(text_of(entry.get("correct_answer")), probe.answer)
    kind = str(entry.get("error_type", "")).lower()
    changed = _changed(probe, answer, evidence)
    losses.append(loss("probe_corrected", pointer=place, probe=probe.id, kind=kind, changed=changed))
    if not evidence:
        losses.append(loss("probe_without_evidence", pointer=place, probe=probe.id))
    original = {"error_type": kind, "answer": probe.answer, "evidence": list(probe.evidence)}
    audit = original | {"correct_answer": entry.get("correct_answer")}
    return replace(probe, answer=answer, evidence=evidence, extensions={**probe.extensions, AUDIT_KEY: audit})


def _changed(probe: Probe, answer: str | None, evidence: tuple[str, ...]) -> str:
    parts = ["answer"] * (answer != probe.answer) + ["evidence"] * (evidence != probe.evidence)
    return " and ".join(parts) or "nothing"


def corrected_answer(corrected: str | None, original: str | None) -> str | None:
    """The audit's answer without its remarks; the original where it says no more than that this is correct."""
    if not corrected or _ONLY_REMARK.match(corrected):
        return original
    return _REMARK.sub("", corrected).strip() or original
