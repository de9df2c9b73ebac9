"""``reports/intent.md``: the card of the classifier behind the trigger ``intent``."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np
from numpy.typing import NDArray

from evals.intent.train import FORMS, Learned, Utterance, confusion, read_utterances
from mnemo_lab.embeddings import open_embedder
from mnemo_lab.hydration.triggers.intent import CLASSES, Intent

HEAD = """# The trigger `intent`: what its classifier knows

Written by `python -m evals.intent.train`. Multinomial logistic regression over the vector of one message, four
classes: *done* (a task is finished or thanked for), *decision* (something is settled or changed for good), *topic*
(another topic is opened), *none*. It learned from the training half of `datasets/intent` ({train} utterances); held
out are {test}. The set grew twice after looks at held-out accuracy and at development conversations (372 utterances
at first, 0.64 in English, 0.76 in Chinese; then more of all classes, then small talk as *none*, because the trigger
fired on it), in both halves, and everything was learned anew: held out is not unseen. **A language model wrote all of
them**: these figures say how well it tells apart what one author calls by these names. In conversations the classes
are rarer and less clear; [segmentation.md](segmentation.md) says what the trigger is worth there. An accuracy is
uncertain by about ±{error:.2f} (two standard errors at 0.8 over the {fewest} held-out utterances of a language).
"""


def render(learned: Mapping[str, Learned], cache: str | None) -> str:
    """The whole report."""
    utterances = read_utterances()
    held_out = [u for u in utterances if u.split == "test"]
    fewest = min(sum(u.language == language for u in held_out) for language in FORMS)
    error = 2 * (0.8 * 0.2 / fewest) ** 0.5
    parts = [HEAD.format(train=len(utterances) - len(held_out), test=len(held_out), error=error, fewest=fewest)]
    for name, one in learned.items():
        parts += _model(name, one, held_out, cache)
    return "\n".join([*parts, ""])


def _model(name: str, one: Learned, held_out: list[Utterance], cache: str | None) -> Iterator[str]:
    yield f"## {name}\n\nWeights for `{one.classifier.embedder}`, learned on {' and '.join(one.languages)};"
    yield f"penalty C = {one.penalty:g}, accuracy in five-fold cross-validation {one.folds:.2f}.\n"
    yield (
        "| held out, language | n | accuracy bare | with a speaker | with date and speaker | recall of "
        + " | ".join(f"*{label}*" for label in CLASSES)
        + f" | precision of a firing at {Intent().threshold:g} | fires on *none* |"
    )
    yield "|---|" + "---|" * (6 + len(CLASSES))
    embedder = open_embedder(name, cache)
    for language in one.languages:
        used = [u for u in held_out if u.language == language]
        tables = [confusion(one.classifier, embedder, used, form) for form in range(len(FORMS[language]))]
        cells = [f"{_accuracy(table):.2f}" for table in tables]
        recalls = [f"{tables[0][i, i] / tables[0][i].sum():.2f}" for i in range(len(CLASSES))]
        vectors = embedder.encode([u.text for u in used])
        fired = [_fires(one, vector) for vector in vectors]
        right = [u.label for u, label in zip(used, fired, strict=True) if label and label == u.label]
        wrong = sum(u.label == "none" and label is not None for u, label in zip(used, fired, strict=True))
        precision = len(right) / max(sum(label is not None for label in fired), 1)
        ends = [f"{precision:.2f}", f"{wrong} of {sum(u.label == 'none' for u in used)}"]
        yield f"| {language} | {len(used)} | " + " | ".join([*cells, *recalls, *ends]) + " |"
    yield ""


def _accuracy(table: NDArray[np.int64]) -> float:
    return float(np.trace(table) / table.sum())


def _fires(one: Learned, vector: NDArray[np.float32]) -> str | None:
    """The class that is likely enough to fire, if any does."""
    shares = one.classifier.shares(vector)
    best = max(CLASSES[:-1], key=lambda label: shares[label])
    return best if shares[best] >= Intent().threshold else None
