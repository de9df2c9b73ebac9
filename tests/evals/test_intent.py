"""What ``reports/intent.md`` says is true of the weights that are shipped."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from evals.intent.train import LANGUAGES, confusion, learn, read_utterances
from mnemo_lab.corpora.card import read_card
from mnemo_lab.embeddings import fingerprint_of, open_embedder
from mnemo_lab.hydration.triggers.intent import CLASSES, WEIGHTS, load_classifier

REPORT = Path(__file__).resolve().parents[2] / "reports" / "intent.md"


def test_the_data_are_as_the_card_says() -> None:
    utterances = read_utterances()
    counts = Counter(u.label for u in utterances) + Counter(u.split for u in utterances)
    assert {"utterances": len(utterances), **counts} == read_card("intent").counts
    texts = {split: {u.text for u in utterances if u.split == split} for split in ("train", "test")}
    assert not texts["train"] & texts["test"] and len(set.union(*texts.values())) == len(utterances)


@pytest.mark.parametrize(("name", "language"), [("all-MiniLM-L6-v2", "en"), ("multilingual-e5-small", "zh")])
def test_shipped_weights_are_as_good_as_reported(name: str, language: str) -> None:
    used = [u for u in read_utterances() if u.split == "test" and u.language == language]
    table = confusion(load_classifier(fingerprint_of(name)), open_embedder(name, ""), used, form=0)
    section = REPORT.read_text(encoding="utf-8").split(f"## {name}\n")[1]
    row = re.search(rf"^\| {language} \| (\d+) \| ([\d.]+) \| [\d.]+ \| [\d.]+ \|(.*)$", section, re.MULTILINE)
    assert row is not None and int(row[1]) == len(used) == table.sum()
    assert float(row[2]) == pytest.approx(np.trace(table) / table.sum(), abs=0.013), "one utterance off at most"
    recalls = [float(cell) for cell in row[3].split("|")[: len(CLASSES)]]
    assert recalls == pytest.approx(list(np.diag(table) / table.sum(axis=1)), abs=0.06)


def test_learning_again_gives_the_shipped_weights() -> None:
    """Vectors differ in their last bits with what is embedded together."""
    learned = learn("all-MiniLM-L6-v2", "")
    shipped = load_classifier(learned.classifier.embedder)
    assert learned.languages == LANGUAGES["all-MiniLM-L6-v2"] and (WEIGHTS / "all-MiniLM-L6-v2.json").is_file()
    assert learned.classifier.weights == pytest.approx(shipped.weights, abs=0.01)
    assert learned.classifier.bias == pytest.approx(shipped.bias, abs=0.01)
