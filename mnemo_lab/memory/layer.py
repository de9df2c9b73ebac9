"""What a strategy takes from long-term memory: its watch over a recording, and lines for a question."""

from __future__ import annotations

import json
from collections.abc import Sequence
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from mnemo_lab.context import Piece, Query, Source
from mnemo_lab.conversation import ConversationInfo, Message
from mnemo_lab.memory.decision import Decision
from mnemo_lab.memory.inject import Shape
from mnemo_lab.memory.item import MemoryItem
from mnemo_lab.memory.long_term import LongTermMemory, MemorySettings
from mnemo_lab.memory.stores.checks import embedded_text
from mnemo_lab.services import Services

if TYPE_CHECKING:
    from mnemo_lab.memory.stores.base import MemoryStore

NAMESPACE: Final = "recording"
MEMORIES: Final = "memories.json"
MANY: Final = 10**6
"""Tokens: room for every line."""
BEFORE_TIME: Final = "1970-01-01T00:00:00+00:00"
"""When a message without a time was said, in a replay: never the wall clock, which would make two runs differ."""


class Remembering:
    """The memory of one recording: kept while the process lives, ids by number, the clock that of its messages."""

    def __init__(self, services: Services, settings: MemorySettings, extractor: str = "rules") -> None:
        from mnemo_lab.extraction.opening import open_extractor
        from mnemo_lab.memory.stores import open_store

        self._services = services
        embeds = bool(settings.weights.vector)
        self.store: MemoryStore = open_store(":memory:", services.embedder if embeds else None)
        self._numbers = count(1)
        self.memory = LongTermMemory(
            self.store, NAMESPACE, open_extractor(extractor, services), settings,
            now=lambda: BEFORE_TIME, ids=lambda: f"m{next(self._numbers)}",
        )  # fmt: skip
        self.memory.notify = self._charge
        self._embeds = embeds

    def begin(self, info: ConversationInfo) -> None:
        self.memory.begin(info)

    def observe(self, messages: Sequence[Message]) -> None:
        self.memory.observe(messages)

    def end(self) -> None:
        self.memory.end()

    def pieces(self, query: Query, tokens: int, shape: Shape) -> list[Piece]:
        """The block of memories for a question as lines that add up to at most ``tokens``; none where nothing fits.

        Each line stands for the messages its memory was said in.
        """
        if tokens <= 0:
            return []
        if self._embeds and query.text.strip():
            self._services.ledger.add("embedder", self._services.count(query.text))
        found = self.memory.inject(query.text, query.asked_at, tokens, self._services.count, shape)
        return block_pieces(found.text, found.items, self._services) if found.items else []

    def lines(self, query: Query, shape: Shape) -> list[Piece]:
        """The lines alone, without headings and frame, those of the question first: from the most wanted on."""
        block = self.pieces(query, MANY, shape)
        lines = [piece for piece in block if piece.sources]
        related = max((at for at, piece in enumerate(block) if piece.text.startswith("## ")), default=0)
        behind = [piece for piece in block[related:] if piece.sources]
        return [*behind, *(line for line in lines if line not in behind)]

    def used(self, pieces: Sequence[Piece], at: str | None) -> None:
        """Note the memories whose lines were in a context as used."""
        said = {source.message_id for piece in pieces for source in piece.sources if source.via == "memory"}
        items = [item for item in self.store.items(NAMESPACE) if said & {ref.message for ref in item.sources}]
        self.memory.used(items, at)

    def save(self, folder: Path) -> None:
        """Decisions in order: what they say makes the same memories again."""
        log = [
            {"action": d.action, "reason": d.reason, "at": d.at}
            | {"before": [i.to_json() for i in d.before], "after": [i.to_json() for i in d.after]}
            for d in self.store.log(NAMESPACE)
        ]
        used = [item.to_json() for item in self.store.items(NAMESPACE) if item.access_count]
        made = next(self._numbers)
        self._numbers = count(made)
        state = {"log": log, "used": used, "next": made, "watch": self.memory.watch_state()}
        (folder / MEMORIES).write_bytes(json.dumps(state, ensure_ascii=False).encode("utf-8", "surrogatepass"))

    def restore(self, folder: Path, messages: Sequence[Message]) -> None:
        """What ``save`` wrote, over the same messages."""
        state = json.loads((folder / MEMORIES).read_bytes().decode("utf-8", "surrogatepass"))
        for row in state["log"]:
            with self.store.write(NAMESPACE) as writing:
                writing.put(_decision(row))
        for row in state["used"]:
            for _ in range(row["access_count"]):
                self.store.touch(NAMESPACE, [row["id"]], row["last_accessed_at"])
        self._numbers = count(int(state["next"]))
        self.memory.resume(state["watch"], messages)

    def _charge(self, decision: Decision) -> None:
        """Every new memory is embedded once, whenever that happens: it is work of the write path."""
        known = {item.id for item in decision.before}
        fresh = [item for item in decision.after if item.id not in known]
        if self._embeds and fresh:
            self._services.ledger.add("embedder", sum(self._services.count(embedded_text(item)) for item in fresh))


def block_pieces(text: str, items: Sequence[MemoryItem], services: Services) -> list[Piece]:
    """The lines of a block in order; those of memories (they begin with a dash) name what they stand for."""
    pieces, left = [], iter(items)
    for line in text.splitlines(keepends=True):
        item = next(left, None) if line.startswith("- ") else None
        sources = tuple(Source(ref.message, via="memory") for ref in item.sources) if item else ()
        pieces.append(Piece(line, services.count(line), sources))
    return pieces


def _decision(row: dict[str, Any]) -> Decision:
    before, after = (tuple(MemoryItem.from_json(item) for item in row[name]) for name in ("before", "after"))
    return Decision(NAMESPACE, row["action"], row["reason"], row["at"], before, after)
