from __future__ import annotations

import pickle
from concurrent.futures import Future

import pytest

from mnemo_lab.conversation import Attachment, Message, ToolCall
from mnemo_lab.errors import InvalidInput, UnknownName
from mnemo_lab.ledger import Ledger
from mnemo_lab.services import InlineExecutor, ServicesSpec
from mnemo_lab.tokens import TokenCounter
from tests.base.messages import new_services


def counting(monkeypatch: pytest.MonkeyPatch, method: str) -> list[object]:
    calls: list[object] = []
    real = getattr(TokenCounter, method)

    def counted(self: TokenCounter, item: object) -> int:
        calls.append(item)
        return int(real(self, item))

    monkeypatch.setattr(TokenCounter, method, counted)
    return calls


def test_a_text_is_counted_once(monkeypatch: pytest.MonkeyPatch) -> None:
    services = new_services()
    calls = counting(monkeypatch, "count")
    assert services.count("hello world") == services.count("hello world") == 2
    assert len(calls) == 1


@pytest.mark.parametrize(
    "message",
    [
        Message("user", "hi"),
        Message("assistant", None, tool_calls=(ToolCall("c", "f", '{"x": 1}', {"open": ["list"]}),)),
        Message("user", "see", attachments=(Attachment("file", extensions={"open": {}}),), extensions={"a": []}),
    ],
)
def test_a_message_is_counted_once_whatever_it_carries(monkeypatch: pytest.MonkeyPatch, message: Message) -> None:
    services = new_services()
    calls = counting(monkeypatch, "message")
    assert services.message_tokens(message) == services.message_tokens(message) == services.counter.message(message)
    assert len(calls) == 2, "once by the services, once by this test"


def test_memos_tell_messages_apart_by_all_that_is_counted() -> None:
    services = new_services()
    base = Message("assistant", "x", tool_calls=(ToolCall("c", "f", "{}"),))
    longer = Message("assistant", "x", tool_calls=(ToolCall("c", "f", '{"a": "much longer"}'),))
    named = Message("assistant", "x", name="Ann", tool_calls=(ToolCall("c", "f", "{}"),))
    for message in (base, longer, named, Message("user", "x"), Message("assistant", "x")):
        assert services.message_tokens(message) == services.counter.message(message)
    assert services.memo("a") is services.memo("a") is not services.memo("b")


def test_spec_is_data_and_pickles() -> None:
    spec = ServicesSpec(counter="cl100k_base", embedder="hashing", seed=7, threads=2, cache="")
    assert pickle.loads(pickle.dumps(spec)) == spec
    services = spec.open()
    assert (services.seed, services.counter.encoding, services.spec) == (7, "cl100k_base", spec)


def test_auto_is_settled_by_language() -> None:
    assert ServicesSpec().for_language("en").embedder == "all-MiniLM-L6-v2"
    assert ServicesSpec().for_language("zh").embedder == "multilingual-e5-small"
    assert ServicesSpec(embedder="hashing").for_language("zh").embedder == "hashing"
    with pytest.raises(InvalidInput, match="for_language"):
        _ = ServicesSpec(cache="").open().embedder


def test_faults_name_what_is_missing() -> None:
    with pytest.raises(UnknownName, match="unknown token encoding 'gpt2'; known: cl100k_base, o200k_base"):
        ServicesSpec(counter="gpt2").open()
    with pytest.raises(UnknownName, match=r"unknown embedder 'minilm'; known: .*hashing"):
        _ = ServicesSpec(embedder="minilm", cache="").open().embedder


def test_ledger_adds_by_path_and_kind() -> None:
    ledger = Ledger()
    ledger.add("embedder", 5)
    ledger.path = "read"
    ledger.add("embedder", 2)
    ledger.add("language_model", 10)
    assert (ledger.total("write"), ledger.total("read"), ledger.total("other")) == (5, 12, 0)
    assert ledger.spent["read", "embedder"] == 2


def test_inline_executor_runs_at_once_and_hands_on_errors() -> None:
    order: list[str] = []
    done: Future[None] = InlineExecutor().submit(order.append, "work")
    order.append("after")
    assert order == ["work", "after"] and done.done()
    failed = InlineExecutor().submit(int, "x")
    with pytest.raises(ValueError, match="invalid literal"):
        failed.result()
