"""Peers as strategies: what they return is read back exactly, and known faults of theirs are seen by our counts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import is_dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from tests.evals.peers_folder import FOLDER, POINTS

# isort: split
from mnemo_peers.base import Peer, PeerMemory, Said, arguments_of, ask
from mnemo_peers.haystack import ChatGenerator, HaystackSummary, HaystackWindow
from mnemo_peers.langchain import LangChainSummary, LangChainTrim
from mnemo_peers.llamaindex import LlamaIndexMemory, LlamaIndexSummary

from mnemo_lab.context import Budget, Context
from mnemo_lab.conversation import Conversation, ConversationInfo, Message, ToolCall
from mnemo_lab.errors import InvalidInput
from mnemo_lab.metrics import measure
from mnemo_lab.recording import Probe, Recording
from mnemo_lab.replay.loop import replay
from mnemo_lab.replay.view import RecordingView
from mnemo_lab.services import Services, ServicesSpec
from mnemo_lab.strategy import Strategy
from tests.contract.skeletons import ScriptedModel

SPEC = ServicesSpec(embedder="hashing", cache="")
LONG = [
    Message("user" if i % 2 == 0 else "assistant", f"Message {i} says that Port{i} is {5000 + i}. 端口是{i}。", f"m{i}")
    for i in range(40)
]
ORDER = (
    Message("user", "Where is order 71?", "m0"),
    Message("assistant", "", "m1", tool_calls=(ToolCall("t1", "track"),)),
    Message("tool", "shipped", "m2", tool_call_id="t1"),
    Message("user", "Thanks.", "m3"),
    Message("assistant", "You are welcome.", "m4"),
)
"""langchain#33245: cut between call and result."""


@pytest.fixture
def services() -> Services:
    return SPEC.open(ScriptedModel())


def recalled(peer: Strategy, messages: Sequence[Message], tokens: int, services: Services, prompt: str = "") -> Context:
    budget = Budget(tokens, services.counter)
    memory = peer.start(services, "n", budget)
    memory.begin(ConversationInfo("c", system_prompt=prompt or None))
    memory.observe(messages)
    from mnemo_lab.context import Query

    return memory.recall(Query("?"), budget)


def kept_and_represented(context: Context) -> tuple[list[str], list[str]]:
    sources = list(context.sources)
    return [s.message_id for s in sources if s.spans], [s.message_id for s in sources if not s.spans]


def test_every_entry_point_is_a_strategy_of_that_name() -> None:
    assert len(POINTS) >= 3
    for name, value in POINTS.items():
        module, _, attribute = value.partition(":")
        found = getattr(import_module(module), attribute)
        assert is_dataclass(found)
        assert issubclass(found, Peer)
        assert found.name == name


def test_what_is_required_is_what_is_imported() -> None:
    required = (FOLDER / "requirements.txt").read_text()
    assert all(f"\n{package}>=" in required for package in ("langchain", "llama-index-core", "haystack-ai"))


# --- what peers return, read back ---


class Scripted(PeerMemory):
    """A peer that returns what it was given."""

    said: Sequence[Said] = ()

    def take(self, message: Message) -> None: ...

    def told(self, budget: Budget) -> Sequence[Said]:
        return self.said


def read_back(services: Services, *said: Said) -> Context:
    from mnemo_lab.context import Query

    memory = Scripted(None, services, None)
    memory.said = said
    memory.begin(ConversationInfo("c"))
    memory.observe(LONG[:8])
    return memory.recall(Query("?"), Budget(1000, services.counter))


def test_kept_messages_are_whole_and_a_summary_stands_for_what_was_dropped_around_it(services: Services) -> None:
    context = read_back(
        services,
        Said(LONG[0].text, "m0"),
        Said("first", kind="summary"),
        Said(LONG[3].text, "m3"),
        Said("a note", kind="note"),
        Said(LONG[5].text, "m5"),
        Said("second", kind="summary"),
    )
    assert [piece.message and piece.message.role for piece in context.pieces] == [
        "user", "user", "assistant", "user", "assistant", "user",
    ]  # fmt: skip
    assert [[s.message_id for s in piece.sources] for piece in context.pieces] == [
        ["m0"], ["m1", "m2"], ["m3"], [], ["m5"], ["m6", "m7"],
    ]  # fmt: skip
    assert [s.via for s in context.pieces[1].sources] == ["summary", "summary"]
    assert context.pieces[0].sources[0].spans == ((0, len(LONG[0].text)),)
    assert context.recount() == context.tokens


def test_a_message_that_the_peer_changed_is_refused(services: Services) -> None:
    with pytest.raises(ValueError, match="the peer changed message m3"):
        read_back(services, Said(LONG[3].text[:-1], "m3"))


def test_arguments_are_an_object_whatever_the_model_wrote() -> None:
    assert arguments_of(ToolCall("c", "f", '{"a": 1}')) == {"a": 1}
    assert arguments_of(ToolCall("c", "f", "{broken")) == {"arguments": "{broken"}
    assert arguments_of(ToolCall("c", "f", "[1]")) == {"arguments": [1]}


def test_an_extractive_model_is_given_the_conversation_alone_and_whole() -> None:
    services = SPEC.open()
    talk = "user: The port is 5433.\n\nassistant: <b>Noted</b>, port 5433."
    prompt = [Message("system", "Write a concise summary about E-9999."), Message("user", talk)]
    text = ask(services, prompt, 100)
    assert "The port is 5433." in text, "and not only what stands between tags"
    assert "E-9999" not in text
    (row,) = services.ledger.table()
    assert (row["model"], row["task"], row["calls"]) == ("extractive", "summary", 1)


# --- LangChain ---


def outcome_row(peer: Strategy, messages: Sequence[Message], tokens: int, services: Services) -> dict[str, float]:
    recording = Recording("r", (Conversation(tuple(messages)),), (Probe("q", "?", "test"),), "dev", "en")
    (outcome,) = replay(RecordingView(recording, services), peer, str(peer), [tokens], services)
    return measure(outcome)


def test_trim_messages_orphans_a_result_and_its_documented_settings_do_not(services: Services) -> None:
    tokens = sum(map(services.message_tokens, ORDER[2:]))
    assert outcome_row(LangChainTrim(), ORDER, tokens, services)["violations"] == 1
    assert outcome_row(LangChainTrim("human", True), ORDER, tokens, services)["violations"] == 0


def test_trim_messages_sends_nothing_where_the_newest_turn_does_not_fit(services: Services) -> None:
    tokens = services.message_tokens(ORDER[4])
    row = outcome_row(LangChainTrim("human", True), ORDER, tokens, services)
    assert (row["silent_empty"], row["context_tokens"]) == (1, 0)


@pytest.mark.parametrize("peer", [LangChainTrim(), LangChainTrim("human", True)])
def test_trim_messages_counts_as_we_do_beside_the_system_prompt(peer: Peer, services: Services) -> None:
    prompt = "Answer in rhyme, always."
    newest = sum(map(services.message_tokens, [Message("system", prompt), *LONG[30:]]))
    for tokens, expected in ((newest, 10), (newest + 1, 10), (newest - 1, 8 if peer.start_on else 9)):
        context = recalled(peer, LONG, tokens, services, prompt)
        assert kept_and_represented(context)[0] == [m.id for m in LONG[40 - expected :]]
        assert context.messages()[0].text == prompt


def whole(package: str) -> Any:
    return pytest.importorskip(package, reason=f"{package} is not installed: make peers")


@pytest.mark.parametrize(
    ("package", "peer"),
    [
        ("langchain", LangChainSummary(keep=6)),
        ("langchain", LangChainSummary(0.8, 0.3)),
        ("llama_index", LlamaIndexSummary()),
        ("haystack", HaystackSummary(approximate_summary_tokens=60)),
    ],
)
def test_what_is_not_kept_is_represented_once_by_a_summary(package: str, peer: Peer, services: Services) -> None:
    whole(package)
    context = recalled(peer, LONG, 300, services)
    kept, represented = kept_and_represented(context)
    assert kept == [m.id for m in LONG[40 - len(kept) :]]
    assert 0 < len(kept) < 40
    assert sorted(represented, key=lambda name: int(name[1:])) == [m.id for m in LONG[: 40 - len(kept)]]


def test_the_middleware_keeps_as_many_as_it_is_told(services: Services) -> None:
    whole("langchain")
    assert len(kept_and_represented(recalled(LangChainSummary(keep=6), LONG, 300, services))[0]) >= 6
    with pytest.raises(InvalidInput, match="trigger and summary_share must be shares"):
        LangChainSummary(trigger=1.5)


# --- LlamaIndex ---


def test_the_queue_counts_text_and_not_what_we_added(services: Services) -> None:
    whole("llama_index")
    memory = LlamaIndexMemory().start(services, "n", Budget(300, services.counter))
    memory.observe(ORDER[:3])
    queue: Any = memory._memory  # type: ignore[attr-defined]
    theirs = queue.get_all()
    assert [queue._estimate_token_count(m) for m in theirs] == [
        services.count("Where is order 71?"),
        0,  # llama_index#21950: a call costs nothing
        services.count("shipped") + services.count("{'tool_call_id': 't1'}"),
    ]


def test_the_queue_overruns_by_the_framing_where_it_may_fill_its_limit(services: Services) -> None:
    whole("llama_index")
    context = recalled(LlamaIndexMemory(1.0, 1), LONG, 300, services)
    kept, represented = kept_and_represented(context)
    assert kept == [m.id for m in LONG[40 - len(kept) :]]
    assert represented == []
    assert context.over_budget
    assert sum(services.count(m.text) for m in LONG[40 - len(kept) :]) <= 300
    assert not recalled(LlamaIndexMemory(), LONG, 300, services).over_budget


# --- Haystack ---


def test_the_window_keeps_the_newest_turns_and_says_how_many_it_removed(services: Services) -> None:
    whole("haystack")
    context = recalled(HaystackWindow(), LONG, 300, services, "Be brief.")
    kept, represented = kept_and_represented(context)
    assert kept == [m.id for m in LONG[40 - len(kept) :]]
    assert represented == []
    assert context.pieces[0].text.endswith(
        "removed from this conversation to free up context and cannot be recovered.]"
    )
    assert context.messages()[0].text == "Be brief."
    assert context.tokens <= 300


def test_a_summary_of_an_extractive_model_is_shorter_than_its_source() -> None:
    whole("haystack")
    from haystack.dataclasses import ChatMessage

    services = SPEC.open()
    text = "\n".join(m.text for m in LONG)
    prompt = [ChatMessage.from_system("Summarise."), ChatMessage.from_user(f"<conversation>\n{text}\n</conversation>")]
    reply = ChatGenerator(services, 10_000).run(messages=prompt)["replies"][0].text
    assert 0 < services.count(reply) <= services.count(prompt[1].text) // 2


# --- grids and report ---


@pytest.mark.parametrize("name", ["peers", "locomo", "beam"])
def test_grids_ask_the_same_of_every_data_set(name: str) -> None:
    import tomllib

    one, other = (tomllib.loads((FOLDER / f"{n}.toml").read_text(encoding="utf-8")) for n in (name, "peers"))
    assert {**one, "title": "", "dataset": ""} == {**other, "title": "", "dataset": ""}
    assert {entry.partition("(")[0] for entry in one["strategies"]} >= set(POINTS)


def test_the_report_sets_ours_beside_the_peers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from evals.peers.report import write_report
    from mnemo_lab import registry
    from tests.replay.helpers import done

    known = registry.BUILT_IN["strategy"] | {"langchain_trim": POINTS["langchain_trim"]}
    monkeypatch.setitem(registry.BUILT_IN, "strategy", known)  # type: ignore[arg-type]
    registry._entries.cache_clear()
    run = done(strategies=["bm25", "langchain_trim"], budgets=[64, 200])
    write_report([run], tmp_path / "peers.md")
    registry._entries.cache_clear()
    text = (tmp_path / "peers.md").read_text(encoding="utf-8")
    assert "| peer: `langchain_trim` |" in text
    assert "| ours, sees the query: `bm25` |" in text
    assert "langchain-core 1." in text
    rows = run.rows.filter((run.rows["strategy"] == "langchain_trim") & (run.rows["budget_tokens"] == 200))
    test = rows.filter((rows["split"] == "test") & rows["answerable"])
    line = next(row for row in text.splitlines() if row.startswith("| peer: `langchain_trim` |"))
    assert f"| {test['evidence_recall'].mean():.3f} |" in line
    asked = int(test["evidence_recall"].is_not_nan().sum())
    head = f"evidence_recall, {asked} questions of 1 recordings, so no interval, and p cannot be below 1: "
    (claim,) = (row.removeprefix(head) for row in text.splitlines() if row.startswith(head))
    assert (claim == "fewer than 10 questions, so nothing is claimed.") == (asked < 10)


def test_a_grid_that_cannot_run_is_said_and_no_traceback(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from evals.peers.run import main

    monkeypatch.setenv("MNEMO_DATA_DIR", str(tmp_path))
    assert main(["--grids", "locomo", "--runs", str(tmp_path), "--out", str(tmp_path / "x.md")]) == 2
    assert "langchain_trim" in (error := capsys.readouterr().err) or "locomo: left out" in error
    assert not (tmp_path / "x.md").exists()
