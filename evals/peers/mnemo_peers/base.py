"""What every peer shares: it sees the messages as they come, and what it returns is read back by id."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, ClassVar, Literal, NamedTuple

from mnemo_lab.context import Budget, Context, Piece, Query, Source
from mnemo_lab.conversation import ConversationInfo, Message, ToolCall
from mnemo_lab.history import History
from mnemo_lab.packing.pack import close_context, protected_tokens
from mnemo_lab.services import Services
from mnemo_lab.strategy import Strategy


def ask(services: Services, prompt: Sequence[Message], max_tokens: int) -> str:
    """What our language model answers to a peer's prompt: instructions first, what is to be summarised last.

    ``extractive`` reads no instructions and takes what is quoted, so the whole last message is quoted for it.
    """
    wanted = prompt
    if not follows_instructions(services) and not prompt[-1].text.startswith("<"):
        wanted = [Message("user", f"<messages>\n{prompt[-1].text}\n</messages>")]
    return services.ask(wanted, max(max_tokens, 1), "summary").text


def follows_instructions(services: Services) -> bool:
    return services.language_model.name != "extractive"


def arguments_of(call: ToolCall) -> dict[str, Any]:
    """The arguments as an object, which every peer wants; what is not one is handed over as text."""
    try:
        read = json.loads(call.arguments)
    except ValueError:
        read = call.arguments
    return read if isinstance(read, dict) else {"arguments": read}


class Said(NamedTuple):
    """One message as a peer returns it. ``kind`` of what the peer wrote itself: a summary, or a note that stands for
    nothing. ``text`` is compared with the message of that ``id``."""

    text: str
    id: str = ""
    kind: Literal["kept", "summary", "note"] = "kept"
    role: Literal["system", "user"] = "user"


class Peer(Strategy):
    """Settings of a peer; ``memory`` is the class that drives it.

    ``summary_share``, where a peer summarises: the share of the budget its language model may use for one. A quarter
    is what LlamaIndex leaves by default; no other library says how much.
    """

    uses_query: ClassVar[bool] = False
    memory: ClassVar[type[PeerMemory]]

    def start(self, services: Services, namespace: str, budget: Budget | None = None) -> PeerMemory:
        return self.memory(self, services, budget)

    def restore(self, folder: Path, services: Services) -> PeerMemory:
        """Everything observed again: no peer's state depends on anything else."""
        tokens = json.loads((folder / "state.json").read_text())["budget"]
        memory = self.start(services, "", None if tokens is None else Budget(tokens, services.counter))
        saved = History.restore(folder, services)
        for number, info in enumerate(saved.infos):
            memory.begin(info)
            memory.observe([m for m, c in zip(saved.messages, saved.conversation_of, strict=True) if c == number])
        if not saved.infos:
            memory.observe(saved.messages)
        return memory


class PeerMemory:
    """A peer beside our history. ``take`` hands it a message, ``told`` asks what it would send."""

    def __init__(self, settings: Any, services: Services, budget: Budget | None) -> None:
        self.settings, self.services, self.budget = settings, services, budget
        self.history = History(services)
        self._last: tuple[tuple[Any, ...], Context] | None = None

    def take(self, message: Message) -> None:
        """One more message; after it nothing of the peer's own may be left to do."""
        raise NotImplementedError

    def told(self, budget: Budget) -> Sequence[Said]:
        """What the peer would send now beside the system prompt, without any change to its state."""
        raise NotImplementedError

    def room(self, budget: Budget) -> int:
        """The budget without the system prompt, at least 1: no peer takes less."""
        return max(budget.tokens - protected_tokens(self.history.system_prompt, self.services), 1)

    def begin(self, conversation: ConversationInfo) -> None:
        self.history.begin(conversation)

    def observe(self, messages: Sequence[Message]) -> None:
        for message in messages:
            self.history.extend([message])
            self.take(message)

    def end(self) -> None:
        """A peer's thread goes on: the next conversation of a recording finds what is left of this one."""

    def recall(self, query: Query, budget: Budget) -> Context:
        prompt = self.history.system_prompt
        moment = (len(self.history), prompt, budget)
        if self._last is None or self._last[0] != moment:  # no peer reads the query
            pieces = self._pieces(self.told(budget))
            self._last = moment, close_context(pieces, "chat", prompt, budget, self.services)
        return self._last[1]

    def used(self, context: Context) -> None:
        """Access changes nothing here."""

    def save(self, folder: Path) -> None:
        self.history.save(folder)
        (folder / "state.json").write_text(json.dumps({"budget": self.budget.tokens if self.budget else None}))

    def close(self) -> None:
        """Nothing is held open."""

    def _pieces(self, said: Sequence[Said]) -> list[Piece]:
        kept = {self.history.position_of[item.id] for item in said if item.kind == "kept"}
        return [
            self._kept(item) if item.kind == "kept" else self._written(item, self._stands_for(said, place, kept))
            for place, item in enumerate(said)
        ]

    def _kept(self, item: Said) -> Piece:
        piece = self.history.chat(self.history.position_of[item.id])
        if piece.text != item.text:
            raise ValueError(f"the peer changed message {item.id}: {item.text[:40]!r}, was {piece.text[:40]!r}")
        return piece

    def _written(self, item: Said, covered: Iterator[int]) -> Piece:
        message = Message(item.role, item.text)
        ids = () if item.kind == "note" else tuple(self.history.messages[position].id for position in covered)
        sources = tuple(Source(name, (), "summary") for name in ids)
        return Piece(item.text, self.services.message_tokens(message), sources, message)

    def _stands_for(self, said: Sequence[Said], place: int, kept: set[int]) -> Iterator[int]:
        """A summary stands for what was dropped between the kept messages around it."""
        positions = [self.history.position_of[item.id] if item.kind == "kept" else None for item in said]
        before = next((p for p in reversed(positions[:place]) if p is not None), -1)
        after = next((p for p in positions[place:] if p is not None), len(self.history))
        return (position for position in range(before + 1, after) if position not in kept)
