"""The signals of a message, each by value: passages, windows, sessions, speakers, questions, roles, prefixes."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from mnemo_lab.context import Budget, Candidates, Query
from mnemo_lab.conversation import ConversationInfo, Message, ToolCall
from mnemo_lab.history import History
from mnemo_lab.retrieval.base import RetrievingMemory
from mnemo_lab.retrieval.bm25_matrix import BM25Matrix, TermCounts
from mnemo_lab.retrieval.index_text import index_passages
from mnemo_lab.retrieval.passage_index import IndexSettings, PassageIndex, after_question, named_speaker, session_best
from mnemo_lab.services import Services, ServicesSpec
from mnemo_lab.strategy_text import parse_strategy
from mnemo_lab.text.passages import PASSAGE_SIZE, passages


@pytest.fixture
def services() -> Services:
    return ServicesSpec(embedder="hashing", cache="").open()


def say(*texts: str | tuple[str, str], sessions: Sequence[int] | None = None) -> list[Message]:
    """Messages by Ann and Bo in turn, or by whoever a pair names."""
    made = []
    for i, item in enumerate(texts):
        name, text = item if isinstance(item, tuple) else (("Ann", "Bo")[i % 2], item)
        extensions = {"session": str(sessions[i])} if sessions else {}
        role = "assistant" if name == "Bo" else "user"
        made.append(Message(role, text, f"m{i}", "2026-03-01T10:00:00Z", name, extensions=extensions))  # type: ignore[arg-type]
    return made


def history_of(services: Services, messages: Sequence[Message]) -> History:
    history = History(services)
    history.begin(ConversationInfo("c"))
    history.extend(messages)
    return history


def candidates(services: Services, strategy: str, messages: Sequence[Message], question: str) -> Candidates:
    memory = parse_strategy(strategy).start(services, "a")
    assert isinstance(memory, RetrievingMemory)
    memory.begin(ConversationInfo("c"))
    memory.observe(messages)
    return memory.candidates(Query(question))


def plain_bm25(texts: Sequence[str], query: str) -> np.ndarray:
    counts = TermCounts()
    counts.add(texts)
    return BM25Matrix(counts.matrix(), 0.9, 0.4).scores(counts.query_terms(query))


LONG = " ".join(f"Sentence {i} about nothing much." for i in range(60)) + " The port is 5433. 端口号已经更改了。"


def test_a_long_message_scores_as_its_best_passage(services: Services) -> None:
    messages = say("Good morning.", LONG, "The tea is cold.")
    parts = index_passages(messages[1], prefix=False)
    assert len(parts) > 2 and "".join(parts) == LONG
    texts = ["Good morning.", *parts, "The tea is cold."]
    expected = plain_bm25(texts, "port 5433")
    found = candidates(services, "bm25(prefix=False)", messages, "port 5433").fused
    assert found == pytest.approx([expected[0], expected[1:-1].max(), expected[-1]])
    vectors, asked = services.embedder.encode(texts), services.embedder.encode(["port 5433"], "query")[0]
    cosine = vectors @ asked
    found = candidates(services, "dense(prefix=False)", messages, "port 5433").fused
    assert found == pytest.approx([cosine[0], cosine[1:-1].max(), cosine[-1]], abs=1e-6)


def test_a_short_message_is_one_passage() -> None:
    assert passages("") == [""]
    assert passages("port") == ["port"]
    assert len(passages("字" * PASSAGE_SIZE)) == 3


def test_prefix_is_indexed_or_not(services: Services) -> None:
    """With it, speaker and date are found; without it, only what was said."""
    messages = say("The port is 5433.", "Tea, please.", "会议改期了。")
    assert index_passages(messages[0], True) == ["[1 March 2026] Ann: The port is 5433."]
    assert index_passages(messages[2], True) == ["[2026年3月1日] Ann: 会议改期了。"]
    assert index_passages(messages[0], False) == ["The port is 5433."]
    assert index_passages(Message("user", "hi"), True) == ["user: hi"]
    with_prefix = candidates(services, "bm25", messages, "Bo").fused
    assert with_prefix[1] > 0 and with_prefix[0] == with_prefix[2] == 0
    assert candidates(services, "bm25(prefix=False)", messages, "Bo March").fused.tolist() == [0, 0, 0]


def test_calls_are_indexed(services: Services) -> None:
    call = Message("assistant", None, "m0", tool_calls=(ToolCall("t", "run_sql", '{"q": "orders"}'),))
    assert index_passages(call, False) == [' run_sql {"q": "orders"}']


def test_window_is_the_mean_of_neighbours_within_the_session(services: Services) -> None:
    texts = ["port", "staging", "tea", "coffee", "budget"]
    history = history_of(services, say(*texts, sessions=[0, 0, 0, 1, 1]))
    index = PassageIndex(IndexSettings(prefix=False, window=1, embed=True), services)
    index.add(history, 0)
    vectors = services.embedder.encode(texts).astype(np.float64)
    means = np.stack([vectors[[0, 1]].sum(0), vectors[[0, 1, 2]].sum(0), vectors[[1, 2]].sum(0),
                      vectors[[3, 4]].sum(0), vectors[[3, 4]].sum(0)])  # fmt: skip
    means /= np.linalg.norm(means, axis=1, keepdims=True)
    vector = index.query_vector(Query("staging"))
    assert index.window(vector) == pytest.approx(means @ vector, abs=1e-6)


def test_session_best() -> None:
    scores = np.array([1.0, 5.0, 2.0, -1.0, 0.0])
    assert session_best(scores, [0, 0, 1, 1, 2]).tolist() == [5, 5, 2, 2, 0]
    assert session_best(np.zeros(0), []).tolist() == []


def test_session_signal_is_the_best_keyword_score_of_the_session(services: Services) -> None:
    messages = say("The port is 5433.", "Fine.", "Tea?", "The port moved to 6000.", sessions=[0, 0, 1, 1])
    found = candidates(services, "hybrid(session=1.0)", messages, "port 5433")
    keyword, session = found.scores["keyword"], found.scores["session"]
    assert session.tolist() == [keyword[0], keyword[0], keyword[3], keyword[3]]


@pytest.mark.parametrize(
    ("question", "flags"),
    [
        ("What did Bo say about tea?", [0, 1, 0, 0]),
        ("what did ann's sister like?", [1, 0, 1, 0]),
        ("What did Ann and Bo agree on?", [0, 0, 0, 0]),
        ("How is Bobby?", [0, 0, 0, 0]),
        ("小雨喜欢什么？", [0, 0, 0, 1]),
        ("", [0, 0, 0, 0]),
    ],
)
def test_named_speaker(services: Services, question: str, flags: list[int]) -> None:
    history = history_of(services, say("One.", "Two.", "Three.", ("小雨", "四。")))
    assert named_speaker(Query(question), history).tolist() == flags


def test_after_question(services: Services) -> None:
    """An answer follows another speaker's question in the same session; a caption after the mark does not hide it."""
    messages = say(
        "Port?", "5433.", "You like tea? [image: a cup]", "Yes.", "真的吗？", ("Ann", "Is it?"), "No.", "Sure?", "Yes.",
        sessions=[0, 0, 0, 0, 0, 0, 0, 0, 1],
    )  # fmt: skip
    assert after_question(history_of(services, messages)).tolist() == [0, 1, 0, 1, 0, 0, 0, 0, 0]
    assert after_question(history_of(services, [])).tolist() == []


def test_role_preference(services: Services) -> None:
    messages = say("The port is 5433.", "The port is 5433.", "Tea.")
    plain = candidates(services, "hybrid(speaker=0.0, prefix=False)", messages, "port")
    user = candidates(services, "hybrid(speaker=0.0, prefix=False, role_weight=0.7)", messages, "port")
    assert user.fused - plain.fused == pytest.approx([0.7, 0, 0.7])
    assistant = candidates(
        services, "hybrid(speaker=0.0, prefix=False, role='assistant', role_weight=0.7)", messages, "port"
    )
    assert assistant.fused - plain.fused == pytest.approx([0, 0.7, 0])


def test_fused_is_the_weighted_sum_of_z_scores(services: Services) -> None:
    """And the moments that travel with the candidates are those of the columns."""
    messages = say("The port is 5433.", "Bo likes tea.", "Which tea?", "Green tea, on port 80.")
    found = candidates(services, "hybrid(context=1.0, dense=0.5, session=0.0, speaker=1.5)", messages, "Bo's port")
    assert set(found.scores) == {"context", "dense", "speaker"}
    scaled = {
        name: (column - column.mean()) / column.std() for name, column in found.scores.items() if name != "speaker"
    }
    expected = scaled["context"] + 0.5 * scaled["dense"] + 1.5 * np.array([0, 1, 0, 1])
    assert found.fused == pytest.approx(expected)
    assert found.moments["dense"] == pytest.approx((found.scores["dense"].mean(), found.scores["dense"].std()))
    assert found.moments["speaker"] == (0.0, 1.0)


def test_neighbours_are_packed_near_to_far(services: Services) -> None:
    """The hit, then earlier and later neighbours; a budget for two lines keeps the hit and the one before it."""
    texts = ["Alpha.", "Bravo.", "The port is 5433.", "Delta.", "Echo."]
    messages = say(*texts)
    strategy = parse_strategy("hybrid(k=1, neighbours=2)")
    memory = strategy.start(services, "a")
    memory.begin(ConversationInfo("c"))
    memory.observe(messages)
    generous = memory.recall(Query("port 5433"), Budget(500, services.counter))
    assert [s.message_id for s in generous.sources] == ["m0", "m1", "m2", "m3", "m4"]
    history = history_of(services, messages)
    tight = generous.tokens - sum(history.line(p).tokens for p in (0, 3, 4))
    kept = memory.recall(Query("port 5433"), Budget(tight, services.counter))
    assert [s.message_id for s in kept.sources] == ["m1", "m2"]


@pytest.mark.parametrize("strategy", ["bm25", "dense", "hybrid(window=0.5, answers=0.5, role_weight=1.0)"])
def test_scores_are_those_of_the_prefix(services: Services, strategy: str) -> None:
    """IDF, average length, windows, sessions and moments are taken over what is observed, by value."""
    texts = [
        "The port is 5433.",
        "Which port?",
        "Tea!",
        "端口改了。",
        "The port moved.",
        "Port, port, port.",
        "Coffee?",
    ]
    messages = say(*texts)
    memory = parse_strategy(strategy).start(services, "a")
    assert isinstance(memory, RetrievingMemory)
    memory.begin(ConversationInfo("c"))
    seen = []
    for cut, message in enumerate(messages, 1):
        memory.observe([message])
        alone = candidates(
            ServicesSpec(embedder="hashing", cache="").open(), strategy, messages[:cut], "Bo's port 端口"
        )
        grown = memory.candidates(Query("Bo's port 端口"))
        assert grown.scores.keys() == alone.scores.keys()
        for signal, column in grown.scores.items():
            assert column == pytest.approx(alone.scores[signal], abs=1e-6)
        assert grown.fused == pytest.approx(alone.fused, abs=1e-5)
        seen.append(grown.fused[0])
    changed = len({round(float(score), 6) for score in seen}) > 3
    assert changed == (strategy != "dense"), "what depends on other messages changes once those are seen"


class Near:
    """An embedder to which every text is near the question, but the one that names the error code."""

    name = fingerprint = "near"
    dimension, max_tokens, english_only = 8, 512, False

    def encode(self, texts: Sequence[str], kind: str = "passage") -> np.ndarray:
        rows = np.zeros((len(texts), 8), dtype=np.float32)
        for row, text in zip(rows, texts, strict=True):
            far = kind == "passage" and "E-4417" in text
            row[0], row[1 + len(text) % 7] = (0.0, 1.0) if far else (1.0, 0.02 * (len(text) % 5))
        return rows / np.linalg.norm(rows, axis=1, keepdims=True)


@pytest.mark.parametrize(
    "strategy", ["hybrid", "hybrid(fusion='minmax')", "hybrid(fusion='rrf')", "rrf", "hybrid(context=0.0, keyword=1.0)"]
)
def test_a_keyword_only_hit_survives_a_hundred_near_vectors(services: Services, strategy: str) -> None:
    """D26: the one memory that holds the code asked for, among a hundred that are merely near, is sent."""
    services.__dict__["embedder"] = Near()
    remarks = [f"Unrelated remark {'so ' * (i % 9)}about garden {i}." for i in range(100)]
    messages = say(*remarks[:50], "error E-4417 means stale lock", *remarks[50:])
    found = candidates(services, strategy, messages, "E-4417")
    assert found.ranking.tolist().index(50) < 10
    memory = parse_strategy(strategy).start(services, "a")
    memory.begin(ConversationInfo("c"))
    memory.observe(messages)
    context = memory.recall(Query("E-4417"), Budget(250, services.counter))
    assert "error E-4417 means stale lock" in context.text and not context.over_budget
