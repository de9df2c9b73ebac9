"""The SQuAD v1.1 measures written down again from the paper and its published description; knows nothing of ours."""

from __future__ import annotations

import re
import string
from collections import Counter


def normalised(text: str) -> list[str]:
    text = "".join(c for c in text.lower() if c not in set(string.punctuation))
    return re.sub(r"\b(a|an|the)\b", " ", text).split()


def exact(prediction: str, truth: str) -> float:
    return float(normalised(prediction) == normalised(truth))


def f1(prediction: str, truth: str) -> float:
    said, wanted = normalised(prediction), normalised(truth)
    same = sum((Counter(said) & Counter(wanted)).values())
    if same == 0:
        return 0.0
    precision, recall = same / len(said), same / len(wanted)
    return 2 * precision * recall / (precision + recall)
