"""What conversations contain, counted one at a time."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from mnemo_lab.conversation import Conversation


@dataclass(slots=True)
class Contents:
    """Counts over conversations; ``first`` and ``last`` are the earliest and latest timestamps, as written."""

    conversations: int = 0
    roles: Counter[str] = field(default_factory=Counter)
    calls: int = 0
    attachments: int = 0
    first: str | None = None
    last: str | None = None

    @property
    def messages(self) -> int:
        return self.roles.total()

    def add(self, conversation: Conversation) -> None:
        self.conversations += 1
        for message in conversation.messages:
            self.roles[message.role] += 1
            self.calls += len(message.tool_calls)
            self.attachments += len(message.attachments)
            if message.timestamp:
                self.first = min(self.first or message.timestamp, message.timestamp)
                self.last = max(self.last or message.timestamp, message.timestamp)
