"""A made-up conversation in which things come back, and the fillers between."""

from __future__ import annotations

from mnemo_lab.conversation import Conversation, Message

FILLERS = ("Fine.", "Go on.", "All right then.", "Sure.", "Mhm.", "Yes?", "So be it.", "Noted.", "Well.", "Then rest.")


def talk(*said: str | Message, gap: int = 7) -> Conversation:
    """Each text by the user, answered and then followed by ``gap`` turns in which nothing is said; ids m000, m001 …

    A message given whole keeps its role.
    """
    messages: list[Message] = []

    def add(message: Message) -> None:
        number = len(messages)
        messages.append(
            Message(
                message.role, message.content, f"m{number:03}", f"2026-05-01T{number // 60:02}:{number % 60:02}:00Z",
                message.name, message.tool_calls, message.tool_call_id,
            )
        )  # fmt: skip

    for number, item in enumerate(said):
        message = item if isinstance(item, Message) else Message("user", item)
        add(message)
        if message.role == "user":
            add(Message("assistant", FILLERS[0]))
        last = number == len(said) - 1
        for turn in range(0 if last else gap):
            add(Message("user", FILLERS[turn % len(FILLERS)]))
            add(Message("assistant", FILLERS[(turn + 3) % len(FILLERS)]))
    return Conversation(tuple(messages), "talk")
