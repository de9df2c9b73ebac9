"""The working memory of strategies with checkpoints: they are saved as they are, not described anew."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from mnemo_lab.context import Context
from mnemo_lab.conversation import ConversationInfo, Message
from mnemo_lab.history import History
from mnemo_lab.hydration.checkpoint import Checkpoint
from mnemo_lab.hydration.index import HydrationIndex, Stretch
from mnemo_lab.retrieval.base import Retrieving, RetrievingMemory
from mnemo_lab.services import Services

CHECKPOINTS: Final = "checkpoints.json"


class HydratingMemory(RetrievingMemory):
    """History, passages and checkpoints of one namespace."""

    index: HydrationIndex

    def __init__(
        self, strategy: Retrieving, history: History, services: Services, index: HydrationIndex | None = None
    ) -> None:
        super().__init__(strategy, history, services, index)
        self._ended = False

    @property
    def checkpoints(self) -> list[Checkpoint]:
        """What has been cut so far, in time order."""
        return self.index.checkpoints()

    def begin(self, conversation: ConversationInfo) -> None:
        super().begin(conversation)
        if self.index.remembering:
            self.index.remembering.begin(conversation)

    def observe(self, messages: Sequence[Message]) -> None:
        super().observe(messages)
        if self.index.remembering:
            self.index.remembering.observe(messages)

    def used(self, context: Context) -> None:
        if self.index.remembering:
            self.index.remembering.used(context.pieces, self._last[1].asked_at if self._last else None)
            self._last = None

    def end(self) -> None:
        self.close_segments()
        if self.index.remembering:
            self.index.remembering.end()

    def close_segments(self) -> None:
        """The last checkpoint is cut."""
        self.index.end()
        self._ended, self._last = True, None

    def save(self, folder: Path) -> None:
        super().save(folder)
        state = {
            "ended": self._ended and len(self.history) == sum(s.stop - s.start for s in self.index.stretches),
            "stretches": [
                [stretch.start, stretch.stop, checkpoint.to_json()]
                for stretch, checkpoint in zip(self.index.stretches, self.checkpoints, strict=True)
            ],
            "answers": self.index.segmenter.turns.answers,
        }
        written = json.dumps(state, ensure_ascii=False)  # not escaped, as the history is not
        (folder / CHECKPOINTS).write_bytes(written.encode("utf-8", "surrogatepass"))
        if self.index.remembering:
            self.index.remembering.save(folder)


def restore_memory(strategy: Retrieving, folder: Path, services: Services) -> HydratingMemory:
    """The memory that ``save`` wrote: checkpoints are taken as they were, passages are indexed again."""
    state = json.loads((folder / CHECKPOINTS).read_bytes().decode("utf-8", "surrogatepass"))
    index = strategy.open_index(services)
    assert isinstance(index, HydrationIndex)
    index.expect([Stretch(start, stop, Checkpoint.from_json(item)) for start, stop, item in state["stretches"]])
    index.segmenter.turns.answers.update(state.get("answers", {}))  # before the history: a model is not asked twice
    memory = HydratingMemory(strategy, History.restore(folder, services), services, index)
    if state["ended"]:
        memory.close_segments()
    if index.remembering:
        index.remembering.restore(folder, memory.history.messages)
    return memory
