"""``LongTermMemory``: watches conversations, remembers what outlives them, and finds it again."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from mnemo_lab.conversation import Conversation, ConversationInfo, Message, time_of
from mnemo_lab.errors import InvalidInput
from mnemo_lab.extraction.base import Extractor, Fact
from mnemo_lab.extraction.moments import Moments
from mnemo_lab.memory.consolidate import ADDITIVE, LOW_CONFIDENCE, Merging, consolidate
from mnemo_lab.memory.decay import Decay, prunable
from mnemo_lab.memory.decision import Decision
from mnemo_lab.memory.guard import SecretFilter, without_secrets
from mnemo_lab.memory.inject import PERSONAL, Injection, Shape, injection_of
from mnemo_lab.memory.item import MemoryItem, MessageRef, new_id
from mnemo_lab.memory.ranking import Ranked, Weights, rank
from mnemo_lab.memory.stores.base import ACTIVE
from mnemo_lab.text.language import language_of

if TYPE_CHECKING:
    from mnemo_lab.memory.stores.base import MemoryStore

BEFORE: Final = 6
"""Messages before the new ones that an extractor may look at."""


@dataclass(frozen=True)
class MemorySettings:
    """When to extract, what counts as the same, how memories fade, how they are ranked and how many are shown."""

    moments: Moments = field(default_factory=Moments)
    merging: Merging = field(default_factory=Merging)
    decay: Decay = field(default_factory=Decay)
    weights: Weights = field(default_factory=Weights)
    shape: Shape = field(default_factory=Shape)


def wall_clock() -> str:
    """Now, in UTC, to the second."""
    return datetime.now(UTC).isoformat(timespec="seconds")


class LongTermMemory:
    """The memories of one namespace. What fails inside (an extractor, a model) is listed in ``failures`` and breaks no
    conversation. Record time is each message's own; ``now`` stands in where a message has none.
    """

    def __init__(
        self,
        store: MemoryStore,
        namespace: str,
        extractor: Extractor | None = None,
        settings: MemorySettings | None = None,
        *,
        now: Callable[[], str] = wall_clock,
        ids: Callable[[], str] = new_id,
    ) -> None:
        self.store, self.namespace = store, namespace
        self.extractor = extractor or _rules()
        self.settings = settings or MemorySettings()
        self.secrets = SecretFilter()
        self.failures: list[str] = []
        self.notify: Callable[[Decision], None] = lambda decision: None
        """Called with every decision."""
        self._now, self._ids = now, ids
        self._conversation = ""
        self._before: list[Message] = []
        self._pending: list[Message] = []
        self._turns = 0
        self._clock: str | None = None

    @classmethod
    def open(
        cls, path: str | Path = ":memory:", namespace: str = "default", language: str = "zh", **settings: Any
    ) -> LongTermMemory:
        """Memories in a file (or ``:memory:``), found by words and by vectors of the ``language``'s embedder: ``en``,
        or ``zh`` for both. ``settings`` as for the class. Close its ``store`` when through."""
        from mnemo_lab.embeddings import open_embedder
        from mnemo_lab.memory.stores import open_store
        from mnemo_lab.services import ServicesSpec

        name = ServicesSpec().for_language(language).embedder
        embedder = open_embedder(name, cache_dir="")  # a cache on disk would still know what was forgotten
        return cls(open_store(path, embedder), namespace, **settings)

    def _repr_html_(self) -> str:
        from mnemo_lab.memory.shown import items_html

        items = self.store.items(self.namespace)
        return items_html(items, f"{self.namespace}: {len(items)} memories")

    def begin(self, info: ConversationInfo) -> None:
        """A conversation begins; one that was not ended is left as it is."""
        self._conversation, self._clock = (
            info.id,
            (info.started_at if time_of(info.started_at) else None) or self._clock,
        )
        self._before, self._pending, self._turns = [], [], 0

    def observe(self, messages: Sequence[Message]) -> None:
        """Take messages in; facts are extracted where ``settings.moments`` say so, whatever the chunks."""
        for message in messages:
            self._pending.append(message)
            if message.role == "user" or (message.role == "assistant" and message.name):
                self._turns += 1
                if self.settings.moments.due(self._turns, message.text):
                    self._extract()

    def end(self) -> None:
        """The conversation is over."""
        if self.settings.moments.end and self._pending:
            self._extract()
        self._before, self._pending, self._turns = [], [], 0

    def take(self, conversation: Conversation) -> list[Decision]:
        """A whole conversation; what was decided."""
        decided: list[Decision] = []
        told = self.notify

        def note(decision: Decision) -> None:
            decided.append(decision)
            told(decision)

        self.notify = note
        try:
            self.begin(conversation.info)
            self.observe(conversation.messages)
            self.end()
        finally:
            self.notify = told
        return decided

    def remember(self, fact: Fact, at: str | None = None) -> Decision | None:
        """Keep a fact that somebody states; ``None`` where it is a secret and nothing else."""
        decided = self._keep([fact], {}, at or self._now())
        return decided[0] if decided else None

    def search(
        self, query: str, now: str | None, k: int = 10, *, as_of: str | None = None, known_at: str | None = None
    ) -> Ranked:
        """The ``k`` memories that fit a question asked at ``now``, best first, and what decay hid.

        ``as_of``: what was true then, as far as is known; ``known_at``: what was recorded by then. Raises
        ``InvalidInput`` where one of them is no date.
        """
        for name, given in (("as_of", as_of), ("known_at", known_at)):
            if given is not None and time_of(given) is None:
                raise InvalidInput(
                    f"{name}={given!r} is no date; write it like 2026-03-31 or 2026-03-31T09:30:00+00:00"
                )
        moment = time_of(now) or time_of(self._now()) or datetime.now(UTC)
        return rank(
            self.store, self.namespace, query, moment, k, self.settings.decay, self.settings.weights,
            as_of=time_of(as_of), known_at=time_of(known_at),
        )  # fmt: skip

    def inject(
        self, query: str, now: str | None, tokens: int, count: Callable[[str], int], shape: Shape | None = None
    ) -> Injection:
        """The block of memories for a question, of at most ``tokens`` as ``count`` counts them."""
        shape = shape or self.settings.shape
        moment = time_of(now) or time_of(self._now()) or datetime.now(UTC)
        related = self.search(query, now, shape.related) if shape.related and query.strip() else Ranked((), ())
        items = [item for category in PERSONAL for item in self.store.items(self.namespace, ACTIVE, category)]
        if shape.language == "auto" and not items and not related.hits:
            shape = replace(shape, language="zh" if language_of([query]) == "zh" else "en")
        replaced = partial(self.store.replaced, self.namespace)
        return injection_of(items, related, moment, tokens, count, shape, self.settings.decay, self.secrets, replaced)

    def used(self, items: Sequence[MemoryItem], at: str | None) -> None:
        """Note that memories were used, which keeps them from fading."""
        if items:
            self.store.touch(self.namespace, [item.id for item in items], at or self._now())

    def prune(self, now: str, days: float = 90, importance: int = 3, *, dry_run: bool = False) -> list[MemoryItem]:
        """Forget softly (``undo`` brings it back) what was not used for ``days`` and is less important than that."""
        moment = time_of(now)
        if moment is None:
            raise InvalidInput(f"now={now!r} is no date; write it like 2026-03-31 or 2026-03-31T09:30:00+00:00")
        found = [item for item in self.store.items(self.namespace, ACTIVE) if prunable(item, moment, days, importance)]
        if not dry_run:
            with self.store.write(self.namespace) as writing:
                now_there = [item for item in (writing.get(item.id) for item in found) if item]
                found = [item for item in now_there if prunable(item, moment, days, importance)]  # unused since
                for item in found:
                    gone = item.with_(status="forgotten", expired_at=now)
                    reason = f"not used for {days:g} days, importance below {importance}"
                    writing.put(Decision(self.namespace, "prune", reason, now, (item,), (gone,)))
        return found

    def _extract(self) -> None:
        messages, self._turns = self._pending, 0
        self._pending = []
        before = self._before
        try:
            clean = [self._clean(message) for message in messages]
            self._before = [*before, *clean][-BEFORE:]
            found = self.extractor.extract(clean, before)
            self._keep(found, {message.id: message for message in messages}, None)
        except Exception as error:  # whatever it is: a memory that fails costs a memory, never the conversation
            self.failures.append(f"{self._conversation}: {type(error).__name__}: {error}")

    def _clean(self, message: Message) -> Message:
        return replace(message, content=self.secrets.clean(message.text))

    def watch_state(self) -> dict[str, Any]:
        """Where the watch stands between two messages, for ``resume``."""
        return {
            "conversation": self._conversation, "clock": self._clock, "turns": self._turns,
            "pending": len(self._pending), "before": len(self._before),
        }  # fmt: skip

    def resume(self, state: Mapping[str, Any], messages: Sequence[Message]) -> None:
        """Go on where ``watch_state`` was taken; ``messages`` are all that were observed until then."""
        self._conversation, self._clock, self._turns = state["conversation"], state["clock"], state["turns"]
        start = len(messages) - state["pending"]
        self._pending = list(messages[start:])
        self._before = [self._clean(message) for message in messages[start - state["before"] : start]]

    def _keep(self, facts: Sequence[Fact], messages: dict[str, Message], at: str | None) -> list[Decision]:
        decided = []
        clean = [fact for fact in (without_secrets(fact, self.secrets) for fact in facts) if fact is not None]
        if not clean:
            return []
        merging = self.settings.merging
        merging = replace(merging, vectors=merging.vectors and self.store.embeds)
        with self.store.write(self.namespace) as writing:
            for fact in clean:
                item = self._item(fact, messages.get(fact.message), at)
                decided.append(consolidate(writing, item, fact, merging))
        for decision in decided:
            self.notify(decision)
        return decided

    def _item(self, fact: Fact, message: Message | None, at: str | None) -> MemoryItem:
        said = message.timestamp if message and time_of(message.timestamp) else None
        self._clock = said or self._clock
        created = at or said or self._clock or self._now()
        flags = [ADDITIVE] if fact.additive else []
        flags += [] if said or at else [LOW_CONFIDENCE]
        moment = time_of(said or at)
        begins = fact.valid_from or (None if fact.past or moment is None else moment.date().isoformat())
        return MemoryItem(
            self.namespace, fact.category, fact.subject, fact.attribute, fact.value, fact.content, fact.language,
            created, self._ids(), fact.importance, fact.confidence, fact.polarity, begins, fact.valid_to,
            sources=(MessageRef(self._conversation, fact.message),) if fact.message else (), flags=tuple(flags),
        )  # fmt: skip


def _rules() -> Extractor:
    from mnemo_lab.extraction.rules.extractor import RulesExtractor

    return RulesExtractor()
