"""The intent classifier: shipped weights, what it fires on, what it refuses."""

from __future__ import annotations

import json

import numpy as np
import pytest

from mnemo_lab.embeddings import fingerprint_of
from mnemo_lab.errors import InvalidInput
from mnemo_lab.hydration.segments import Segmenter
from mnemo_lab.hydration.triggers.intent import CLASSES, WEIGHTS, Classifier, Intent, load_classifier
from mnemo_lab.services import ServicesSpec
from tests.base.messages import new_services
from tests.hydration.talks import history_of, openings, users

TALKS = {
    "all-MiniLM-L6-v2": [
        "How do I sort this list by date?",
        "Great, it works now, thank you!",
        "Could you show me the second column?",
        "By the way, let's talk about my holiday instead.",
        "The hotel has a pool.",
        "We have decided to take the train.",
        "What time is it in Rome?",
    ],
    "multilingual-e5-small": [
        "这个列表怎么按日期排？",
        "太好了，搞定了，谢谢！",
        "能把第二列给我看看吗？",
        "换个话题，我们聊聊我的假期吧。",
        "酒店有游泳池。",
        "我们决定坐火车去。",
        "罗马现在几点？",
    ],
}


@pytest.mark.parametrize("embedder", TALKS)
def test_shipped_weights_tell_clear_cases_apart(embedder: str) -> None:
    """Done and decided end the turn, so that the next one opens; a topic opens its own."""
    services = ServicesSpec(embedder=embedder, cache="").open()
    vectors = services.embedder.encode(TALKS[embedder])
    segmenter = Segmenter(Intent(threshold=0.5), services, 0, vectors.__getitem__)
    closed = [*segmenter.observe(history_of(users(*TALKS[embedder]), services), 0), *segmenter.end()]
    assert {2, 3, 6} <= {s.start for s in closed} and 5 not in {s.start for s in closed}
    classifier = load_classifier(services.embedder.fingerprint)
    likeliest = [max(CLASSES, key=lambda name: classifier.shares(vector)[name]) for vector in vectors]
    assert [likeliest[i] for i in (0, 1, 3, 5)] == ["none", "done", "topic", "decision"]


def test_shares_by_hand() -> None:
    """Softmax of W v + b."""
    weights = np.array([[1.0, 0.0], [0.0, 1.0], [0.0, 0.0], [2.0, 0.0]])
    shares = Classifier("x", weights, np.array([0.0, 0.0, 0.0, -1.0])).shares(np.array([1.0, 0.0], dtype=np.float32))
    raised = {"done": np.e, "decision": 1.0, "topic": 1.0, "none": np.e}
    assert shares == {name: pytest.approx(value / (2 * np.e + 2)) for name, value in raised.items()}


def test_each_kind_can_be_switched_off(monkeypatch: pytest.MonkeyPatch) -> None:
    said = {"a": "done", "b": "topic", "c": "decision", "d": "none"}

    def intents(turns: list[object], at: int) -> dict[str, float]:
        name = said["abcd"[at]]
        return {one: 0.7 if one == name else 0.1 for one in CLASSES}

    monkeypatch.setattr("mnemo_lab.hydration.triggers.intent.intents", intents)
    turns = openings(*said)

    def fired(**settings: bool) -> list[int]:
        return [at for at in (1, 2, 3) if Intent(**settings).fires(turns, at, [0]) is not None]  # type: ignore[arg-type]

    assert fired() == [1, 3] and fired(decision=False) == [1] and fired(done=False, topic=False) == [3]
    assert fired(done=False, decision=False) == [1] and fired(topic=False, decision=False) == [1]
    assert Intent(threshold=0.8).fires(turns, 1, [0]) is None and Intent().fires(turns, 1, [0]) == 0.7


def test_weights_belong_to_one_embedder() -> None:
    files = {json.loads(path.read_text())["embedder"]: path.stem for path in WEIGHTS.glob("*.json")}
    assert files == {fingerprint_of(name): name for name in TALKS}
    services = new_services()
    segmenter = Segmenter(Intent(), services, 0, lambda at: np.ones(2, dtype=np.float32))
    with pytest.raises(InvalidInput, match=r"no weights for the embedder 'hashing-256-v1'; there are some for: all"):
        segmenter.observe(history_of(users("a", "b"), services), 0)
    with pytest.raises(InvalidInput, match="give services"):
        Intent().fires(openings("a", "b"), 1, [0])
