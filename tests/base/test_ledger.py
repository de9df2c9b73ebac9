"""Money by hand: prices are dollars per million tokens, as the model table lists them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import isnan

import pytest

from mnemo_lab.conversation import Message
from mnemo_lab.language_models.base import Completion
from mnemo_lab.language_models.errors import Refused
from mnemo_lab.ledger import Ledger, Usage, Work, dollars_of
from mnemo_lab.services import ServicesSpec


def test_dollars_by_the_model_table() -> None:
    ledger = Ledger()
    ledger.charge("openai:gpt-4o-mini", "summary", Completion("a", 1_000_000, 200_000), 1.5)
    ledger.charge("openai:gpt-4o-mini", "summary", Completion("b", 3_000, 500, cached_tokens=1_000), 0.5)
    ledger.path = "read"
    ledger.charge("anthropic:claude-sonnet-4-20250514", "answer", Completion("c", 10_000, 1_000))
    # 1,003,000 tokens at 0.15 and 200,500 at 0.60; 10,000 at 3 and 1,000 at 15.
    assert ledger.dollars("write") == pytest.approx(0.15045 + 0.1203)
    assert ledger.dollars("read") == pytest.approx(0.03 + 0.015)
    assert ledger.dollars("other") == 0
    used = Usage(calls=2, input_tokens=1_003_000, output_tokens=200_500, cached_tokens=1_000, seconds=2.0)
    assert ledger.usage[Work("write", "openai:gpt-4o-mini", "summary")] == used
    assert (ledger.total("write"), ledger.total("read")) == (1_203_500, 11_000)


@pytest.mark.parametrize("model", ["local:smollm2", "local:/x/gpt-4o.gguf", "extractive"])
def test_what_runs_here_costs_nothing(model: str) -> None:
    assert dollars_of(model, Usage(1, 5_000, 70)) == 0.0


@pytest.mark.parametrize("model", ["openai:nobody", "openai:qwen2.5", "acme:gpt-9"])
def test_a_price_that_is_not_known_is_not_nothing(model: str) -> None:
    assert isnan(dollars_of(model, Usage(1, 5_000, 70)))
    assert dollars_of(model, Usage(failed=3)) == 0.0, "nothing was answered, nothing is paid"
    ledger = Ledger()
    ledger.charge(model, "answer", Completion("a", 1, 1))
    ledger.charge("openai:gpt-4o", "answer", Completion("a", 1, 1))
    assert isnan(ledger.dollars("write"))


def test_settings_after_the_name_change_no_price() -> None:
    used = Usage(1, 1_000_000, 0)
    assert dollars_of("openai:gpt-4o?seed=3&temperature=1", used) == dollars_of("openai:gpt-4o", used) == 2.5


class Moody:
    """Refuses every second request."""

    name, fingerprint, window = "openai:gpt-4o", "moody", None

    def __init__(self) -> None:
        self.asked = 0

    def chat(self, messages: Sequence[Message], max_tokens: int) -> Completion:
        self.asked += 1
        if self.asked % 2 == 0:
            raise Refused("not today")
        return Completion("yes", 100, 10)

    def stream(self, messages: Sequence[Message], max_tokens: int) -> Iterator[str | Completion]:
        yield self.chat(messages, max_tokens)


def test_asking_charges_calls_and_counts_failures() -> None:
    services = ServicesSpec(cache="").open(Moody())
    assert services.ask([Message("user", "?")], 5, "judge").text == "yes"
    with pytest.raises(Refused):
        services.ask([Message("user", "?")], 5, "judge")
    services.ask([Message("user", "?")], 5, "summary")
    rows = {row["task"]: row for row in services.ledger.table()}
    judge = rows["judge"]
    assert (judge["path"], judge["model"], judge["calls"], judge["failed"]) == ("write", "openai:gpt-4o", 1, 1)
    assert judge["dollars"] == pytest.approx((100 * 2.5 + 10 * 10) / 1e6) and judge["seconds"] > 0
    assert rows["summary"]["calls"] == 1 and rows["summary"]["fell_back"] == 0
    assert services.ledger.spent == {("write", "language_model"): 220}
