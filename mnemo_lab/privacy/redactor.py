"""Placeholders for what is found, the same value the same placeholder, over a text, a conversation or an export."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Final, get_args

from mnemo_lab.conversation import Conversation
from mnemo_lab.errors import InvalidInput, UnknownName
from mnemo_lab.losses import Loss, loss
from mnemo_lab.privacy.find import Language, find_once, is_telling, settle
from mnemo_lab.privacy.finding import KINDS, PLACEHOLDER, Finding, placeholder
from mnemo_lab.privacy.mapping import restore
from mnemo_lab.privacy.walk import Slot, rewrite

_BETWEEN: Final = "\n\x00\n"
"""Stands between the strings of a conversation while they are searched together; no rule reaches over it."""
_ROUNDS: Final = 10
_UNDERSCORES: Final = re.compile(rf"({PLACEHOLDER.pattern})|(?<=[A-Za-z\u4e00-\u9fff])_(?=[A-Za-z\u4e00-\u9fff])")
"""What separates words in names of files, placeholders apart."""
_Known = set[tuple[str, str]]


@dataclass(frozen=True, slots=True)
class Redacted:
    """The text with placeholders, and what was found, by place in the original."""

    text: str
    findings: tuple[Finding, ...]

    @property
    def counts(self) -> dict[str, int]:
        """Replacements by kind."""
        return dict(sorted(Counter(item.kind for item in self.findings).items()))


class Redactor:
    """Finds and replaces; remembers every value, so one redactor is for one export.

    ``kinds``: what to replace (``KINDS``; all by default). ``language``: ``en`` or ``zh`` look for names and addresses
    of one language only, ``auto`` for both. ``names=False`` leaves names of persons alone. ``mapping`` continues an
    earlier map. A value is replaced as it is spelled: ``138 0013 8000`` and ``13800138000`` are two.
    """

    def __init__(
        self,
        kinds: Iterable[str] | None = None,
        language: Language = "auto",
        names: bool = True,
        mapping: Mapping[str, str] | None = None,
    ) -> None:
        self.kinds = frozenset(KINDS if kinds is None else kinds)
        for kind in sorted(self.kinds - set(KINDS)):
            raise UnknownName("kind of sensitive text", kind, KINDS)
        if language not in get_args(Language):
            raise InvalidInput(f"language is {language!r}; use one of {', '.join(get_args(Language))}")
        self.language: Language = language
        self.names = names and "name" in self.kinds
        self._placeholders = {value: key for key, value in (mapping or {}).items()}
        self._reserved = set(mapping or ())
        self._numbers = Counter[str]()
        self._secrets: _Known = set()

    @property
    def mapping(self) -> dict[str, str]:
        """Placeholder → value, in order of appearance."""
        return {key: value for value, key in self._placeholders.items()}

    def redact(self, text: str) -> Redacted:
        """The text with placeholders; text without findings comes back as it is."""
        (work,) = self._redact_all([Slot(text)])
        return Redacted(work.text, tuple(work.found))

    def redact_conversation(self, conversation: Conversation) -> tuple[Conversation, tuple[Loss, ...]]:
        """Every string a person may have written (see ``walk``); one loss ``redacted`` per kind, with its count.

        A name found anywhere in the conversation is replaced everywhere in it, a secret also in later conversations.
        """
        slots: list[Slot] = []

        def collect(slot: Slot) -> str:
            slots.append(slot)
            return slot.text

        rewrite(conversation, collect)
        works = self._redact_all(slots)
        counts = Counter(item.kind for work in works for item in work.found)
        if not counts:
            return conversation, ()
        texts = iter([work.text for work in works])
        losses = tuple(loss("redacted", count=counts[kind], kind=kind) for kind in sorted(counts))
        return rewrite(conversation, lambda slot: next(texts)), losses

    def _redact_all(self, slots: Sequence[Slot]) -> list[_Work]:
        """Search, replace and search what changed again, until a search finds no more.

        What one search leaves over (an overlap lost to a surer finding) would else be found the next time.
        """
        self._reserve(slots)
        works = [_Work(slot) for slot in slots]
        known: _Known = set(self._secrets)
        pending = works
        for _ in range(_ROUNDS):
            changed = []
            for work, fresh in zip(pending, self._search(pending, known), strict=True):
                if fresh:
                    work.found = settle([*work.found, *work.as_of_original(fresh, self._placeholders)])
                    values = {(item.kind, work.slot.text[item.start : item.end]) for item in work.found}
                    known |= {pair for pair in values if is_telling(*pair)}
                    work.text = self._replaced(work.slot.text, work.found)
                    changed += [] if work.is_replaced_whole else [work]
            if not changed:
                break
            pending = changed
        self._secrets |= {pair for pair in known if pair[0] != "name"}
        return works

    def _reserve(self, slots: Iterable[Slot]) -> None:
        """Placeholders that a text already holds are never given to a value."""
        for slot in slots:
            if "[" in slot.text:
                self._reserved.update(match[0] for match in PLACEHOLDER.finditer(slot.text))

    def _search(self, works: Sequence[_Work], known: _Known) -> list[list[Finding]]:
        """Findings of each text as it stands now, all texts searched as one."""
        carriers = [_Carrier(work.slot, work.text) for work in works]
        starts = list(accumulate((len(carrier.text) + len(_BETWEEN) for carrier in carriers), initial=0))
        whole = _BETWEEN.join(carrier.text for carrier in carriers)
        found: list[list[Finding]] = [[] for _ in works]
        for item in find_once(whole, self.language, self.names, known) if whole else ():
            index = bisect_right(starts, item.start, hi=len(works)) - 1
            own = carriers[index].own(item, starts[index])
            if own and item.kind in self.kinds:
                found[index].append(own)
        for index, work in enumerate(works):
            if work.slot.speaker and self.names and not PLACEHOLDER.search(work.text):
                found[index] = [Finding("name", 0, len(work.text), 0.95)]
        return found

    def _replaced(self, text: str, found: Sequence[Finding]) -> str:
        pieces, at = [], 0
        for item in found:
            pieces += [text[at : item.start], self._placeholder(item.kind, text[item.start : item.end])]
            at = item.end
        return "".join([*pieces, text[at:]]) if pieces else text

    def _placeholder(self, kind: str, value: str) -> str:
        made = self._placeholders.get(value)
        while made is None:
            self._numbers[kind] += 1
            made = placeholder(kind, self._numbers[kind])
            if made in self._reserved:
                made = None
        self._placeholders[value] = made
        return made


class _Work:
    """A string on its way: ``found`` by place in the original, ``text`` with placeholders so far."""

    __slots__ = ("found", "slot", "text")

    def __init__(self, slot: Slot) -> None:
        self.slot = slot
        self.text = slot.text
        self.found: list[Finding] = []

    @property
    def is_replaced_whole(self) -> bool:
        return len(self.found) == 1 and self.found[0].end - self.found[0].start == len(self.slot.text)

    def as_of_original(self, fresh: Sequence[Finding], made: Mapping[str, str]) -> list[Finding]:
        """Places in the text with placeholders as places in the original; no finding touches a placeholder."""
        ends, shifts, shift = [], [], 0
        for item in self.found:
            shift += (item.end - item.start) - len(made[self.slot.text[item.start : item.end]])
            ends.append(item.end - shift)
            shifts.append(shift)
        moved = []
        for item in fresh:
            index = bisect_right(ends, item.start) - 1
            by = shifts[index] if index >= 0 else 0
            moved.append(Finding(item.kind, item.start + by, item.end + by, item.confidence))
        return moved


class _Carrier:
    """What is searched for one slot: its text as it stands now, in quotes behind its label where it has one."""

    def __init__(self, slot: Slot, text: str) -> None:
        quote = next((sign for sign in "\"'`" if sign not in text), "")
        self._prefix = f'"{slot.label[-60:]}": {quote}' if slot.label else ""
        self._length = len(text)
        seen = _UNDERSCORES.sub(lambda match: match[1] or " ", text) if slot.file else text
        self.text = f"{self._prefix}{seen}{quote}" if slot.label else seen

    def own(self, item: Finding, start: int) -> Finding | None:
        """The finding by its place in the slot's text; ``None`` where it is not wholly inside."""
        low = item.start - start - len(self._prefix)
        high = item.end - start - len(self._prefix)
        return Finding(item.kind, low, high, item.confidence) if low >= 0 and high <= self._length else None


def find_sensitive(text: str, language: Language = "auto") -> list[Finding]:
    """Everything a ``Redactor`` would replace, in order."""
    return list(Redactor(language=language).redact(text).findings)


def restore_conversation(conversation: Conversation, mapping: Mapping[str, str]) -> Conversation:
    """A redacted conversation turned back; a number in arguments that became a placeholder stays a string."""
    return rewrite(conversation, lambda slot: restore(slot.text, mapping))
