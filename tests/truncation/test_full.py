from __future__ import annotations

from mnemo_lab.context import Budget, Query
from mnemo_lab.conversation import ConversationInfo
from mnemo_lab.truncation.full import Full
from tests.base.messages import new_services
from tests.conversations import office_recording


def test_everything_is_sent_and_flagged_where_it_does_not_fit() -> None:
    services = new_services()
    messages = list(office_recording().messages())
    memory = Full().start(services, "a")
    memory.begin(ConversationInfo("c", system_prompt="Be kind."))
    memory.observe(messages)
    needed = memory.recall(Query("?"), Budget(0, services.counter)).tokens
    exact = memory.recall(Query("?"), Budget(needed, services.counter))
    assert exact.messages()[1:] == messages
    assert not exact.over_budget and not exact.losses
    over = memory.recall(Query("?"), Budget(needed - 1, services.counter))
    assert over.messages() == exact.messages()
    assert over.over_budget and [item.code for item in over.losses] == ["over_budget"]
