"""Learn the weights of the trigger ``intent`` from datasets/intent and say how good they are.

    python -m evals.intent.train        # writes mnemo_lab/hydration/triggers/weights/*.json and reports/intent.md

Multinomial logistic regression (scikit-learn) over vectors of messages. Each utterance is learned in three forms,
bare, with a speaker and with a date and a speaker before it, as an index may hold it. The penalty is that of the best
log-likelihood (a trigger compares it with a threshold) in five-fold cross-validation on the training half, whose folds
keep the forms of an utterance together; the held-out half is measured after that.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression  # type: ignore[import-untyped, unused-ignore]
from sklearn.model_selection import GridSearchCV, GroupKFold  # type: ignore[import-untyped, unused-ignore]
from threadpoolctl import threadpool_limits  # type: ignore[import-untyped, unused-ignore]

from mnemo_lab.embeddings import open_embedder
from mnemo_lab.embeddings.base import Embedder
from mnemo_lab.hydration.triggers.intent import CLASSES, WEIGHTS, Classifier
from mnemo_lab.paths import datasets_root

REPORT: Final = Path("reports/intent.md")
LANGUAGES: Final = {"all-MiniLM-L6-v2": ("en",), "multilingual-e5-small": ("en", "zh")}
PENALTIES: Final = (1.0, 3.0, 10.0, 30.0, 100.0, 300.0)
FORMS: Final = {
    "en": ("{}", "user: {}", "[8 May 2023] user: {}"),
    "zh": ("{}", "user: {}", "[2023年5月8日] user: {}"),
}
DIGITS: Final = 4


class Utterance(NamedTuple):
    """One line of the data set."""

    text: str
    label: str
    language: str
    split: str


class Learned(NamedTuple):
    """A classifier with the penalty that was chosen and its accuracy in cross-validation."""

    classifier: Classifier
    languages: tuple[str, ...]
    penalty: float
    folds: float


def read_utterances() -> list[Utterance]:
    lines = (datasets_root() / "intent" / "utterances.jsonl").read_text(encoding="utf-8").splitlines()
    return [Utterance(i["text"], i["class"], i["language"], i["split"]) for i in map(json.loads, lines)]


def learn(name: str, cache: str | None) -> Learned:
    """Learn the weights for one embedder on the training half."""
    embedder, languages = open_embedder(name, cache), LANGUAGES[name]
    used = [u for u in read_utterances() if u.split == "train" and u.language in languages]
    rows = [(number, form.format(u.text), u.label) for number, u in enumerate(used) for form in FORMS[u.language]]
    vectors = embedder.encode([text for _, text, _ in rows]).astype(np.float64)  # 32 bits stop short of the optimum
    folds = GroupKFold(5, shuffle=True, random_state=0)
    model, scores = LogisticRegression(max_iter=10_000, tol=1e-6), ("neg_log_loss", "accuracy")
    search = GridSearchCV(model, {"C": PENALTIES}, cv=folds, scoring=scores, refit=scores[0])
    with threadpool_limits(1):  # spinning threads make it a hundred times slower on a busy machine
        search.fit(vectors, [label for *_, label in rows], groups=[number for number, *_ in rows])
    best = search.best_estimator_
    order = [list(best.classes_).index(label) for label in CLASSES]
    weights, bias = np.round(best.coef_[order], DIGITS), np.round(best.intercept_[order], DIGITS)
    classifier = Classifier(embedder.fingerprint, weights, bias)
    accuracy = float(search.cv_results_["mean_test_accuracy"][search.best_index_])
    return Learned(classifier, languages, search.best_params_["C"], accuracy)


def write(learned: Learned, name: str) -> None:
    """The weights as a file of the package."""
    values = {
        "embedder": learned.classifier.embedder,
        "penalty": learned.penalty,
        "bias": dict(zip(CLASSES, learned.classifier.bias.tolist(), strict=True)),
        "weights": dict(zip(CLASSES, learned.classifier.weights.tolist(), strict=True)),
    }
    WEIGHTS.mkdir(exist_ok=True)
    (WEIGHTS / f"{name}.json").write_text(json.dumps(values, separators=(",", ":")) + "\n", encoding="utf-8")


def confusion(classifier: Classifier, embedder: Embedder, used: Sequence[Utterance], form: int) -> NDArray[np.int64]:
    """Counts by true class (rows) and the likeliest class (columns)."""
    found = np.zeros((len(CLASSES), len(CLASSES)), dtype=np.int64)
    vectors = embedder.encode([FORMS[u.language][form].format(u.text) for u in used])
    for utterance, vector in zip(used, vectors, strict=True):
        shares = classifier.shares(vector)
        found[CLASSES.index(utterance.label), CLASSES.index(max(shares, key=lambda name: shares[name]))] += 1
    return found


def main(arguments: Sequence[str] | None = None) -> int:
    """Learn, write the weights and the report; the exit status."""
    from evals.intent.report import render

    parser = argparse.ArgumentParser(
        prog="python -m evals.intent.train", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--cache-dir", metavar="DIR", help="where embeddings are kept ('' for nowhere)")
    parser.add_argument("--out", type=Path, default=REPORT, metavar="FILE", help=f"the report (default: {REPORT})")
    options = parser.parse_args(arguments)
    learned = {name: learn(name, options.cache_dir) for name in LANGUAGES}
    for name, one in learned.items():
        write(one, name)
    text = render(learned, options.cache_dir)
    print(text)
    options.out.parent.mkdir(parents=True, exist_ok=True)
    options.out.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
