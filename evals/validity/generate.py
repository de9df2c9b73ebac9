"""Valid conversations by the thousand, from a seed: all that a chat API takes, long, empty, Chinese, pending."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import Final

from mnemo_lab.conversation import Attachment, Conversation, Message, ToolCall
from mnemo_lab.recording import Probe, Recording

ENGLISH: Final = """The staging database listens on port 5433. We agreed on UUIDs; plan A failed, use plan B instead!
Why was it rejected? Please remember that cust_ref_2 is the column. I prefer tea. See https://example.com/a?b=c#d and
/var/log/app.log. Error E-4417 means the lock is stale. Our budget is 72,000 euros until 2026-05-30. TODO: ask Priya
about the banner. It isn't urgent... or is it?""".split()
CHINESE: Final = (
    "发布会定在五月三十号，预算是七十二万。请记住：端口是5433！为什么方案甲被否决了？"
    "我们决定改用方案乙。客户编号是 A-17，联系人林晓。"
)
ODD: Final = (
    "", " ", "\n", "👩‍👩‍👧‍👦", "🇫🇷🇩🇪", "e\u0301" * 9, "<|endoftext|>", "<history>\n</history>", "```py\nx = 1\n```",
    "\u200b", "{'mnemo_place': 3", "a\r\nb\n\n\nc", "นำ้", "[12 messages omitted]", "x" * 700, "。" * 90,
    "\t| a | b |\n\t|---|---|", "<b>quoted</b> and not",
)  # fmt: skip
TOOLS: Final = ("run_sql", "search", "read_file", "查询")


class Generator:
    """One conversation after another; ``Random(seed)`` decides everything."""

    def __init__(self, seed: int = 0) -> None:
        self.random = Random(seed)
        self._number = 0

    def recordings(self, count: int) -> Iterator[Recording]:
        """Each asked once: at the end, or (every other time) at a random cut, which may fall inside a step."""
        for number in range(count):
            conversation = self.conversation()
            cut = self.random.choice(conversation.messages).id if self.random.random() < 0.5 else None
            asked = self.random.choice(("Which port is it?", "为什么方案甲被否决了？", ""))
            probe = Probe("end" if cut is None else "cut", asked, "validity", after=cut)
            yield Recording(f"generated-{number}", (conversation,), (probe,), "dev", "en")

    def conversation(self) -> Conversation:
        """A valid list: every result directly follows its call, in any order; a last call may be pending."""
        roll = self.random
        self._number, messages = 0, []
        if roll.random() < 0.25:
            messages += [self._message("system") for _ in range(roll.choice((1, 1, 2)))]
        messages.append(self._message("user"))
        for _ in range(int(roll.expovariate(1 / 9))):
            kind = roll.choice(("user", "assistant", "assistant", "step", "step"))
            messages += self._step() if kind == "step" else [self._message(kind)]
        if roll.random() < 0.1:
            messages += self._step()[:1] if roll.random() < 0.5 else self._step()[:-1]
        prompt = self.text() if roll.random() < 0.4 else None
        return Conversation(tuple(messages), "generated", system_prompt=prompt or None)

    def _step(self) -> list[Message]:
        roll = self.random
        place = self._number
        calls = tuple(
            ToolCall(
                f"call_{place}_{i}", roll.choice(TOOLS), roll.choice(("{}", '{"q": "端口"}', "{broken", self.text()))
            )
            for i in range(roll.choice((1, 1, 1, 2, 3, 4)))
        )
        content = None if roll.random() < 0.5 else self.text()
        said = self._message("assistant", content, tool_calls=calls)
        results = [
            self._message("tool", self.text(long=roll.random() < 0.2), tool_call_id=call.id, name=call.name)
            for call in roll.sample(calls, len(calls))
        ]
        return [said, *results]

    def _message(self, role: str, content: str | None = "", **fields: object) -> Message:
        number, roll = self._number, self.random
        self._number += 1
        if role != "tool" and content == "":
            content = self.text(long=roll.random() < 0.03)
        images = (
            (Attachment("image", "image/png", data="iVBORw0KGgo="),) if role == "user" and roll.random() < 0.02 else ()
        )
        stamp = (
            f"2026-03-{1 + number // 24:02d}T{number % 24:02d}:00:00Z" if number < 600 and roll.random() < 0.8 else None
        )
        return Message(role, content, f"m{number}", stamp, attachments=images, **fields)  # type: ignore[arg-type]

    def text(self, long: bool = False) -> str:
        roll = self.random
        if long:
            return " ".join(self.text() for _ in range(roll.randint(8, 40)))
        kind = roll.random()
        if kind < 0.15:
            return roll.choice(ODD)
        if kind < 0.5:
            start = roll.randrange(len(CHINESE))
            return CHINESE[start : start + roll.randint(1, 60)]
        start = roll.randrange(len(ENGLISH))
        return " ".join(ENGLISH[start : start + roll.randint(1, 40)])
