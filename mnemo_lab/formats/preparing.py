"""A conversation made ready for a target: branches, system prompt, redaction, budget, repair, validation."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final, Literal, NamedTuple, get_args

from mnemo_lab.conversation import Conversation, DocumentMeta
from mnemo_lab.cut_report import CutReport
from mnemo_lab.errors import InvalidInput, MnemoError, UnknownName
from mnemo_lab.formats.base import Reading, Writer
from mnemo_lab.formats.fitting import Fit
from mnemo_lab.formats.refused_attachments import without_refused
from mnemo_lab.formats.targets import Policy, repair, validate_for
from mnemo_lab.formats.tree import active_path, all_paths, has_branches
from mnemo_lab.ledger import Ledger
from mnemo_lab.losses import Language, Loss, loss
from mnemo_lab.privacy import Redactor
from mnemo_lab.registry import names

Branches = Literal["active", "all"]
SystemPolicy = Literal["keep", "replace", "drop"]
TRIES: Final = 4
"""How often a conversation is cut because mending it made it too long again."""
REMOVED: Final = frozenset({"result_removed", "turn_removed", "empty_message"})
"""Losses of mending by which a message is gone."""


@dataclass(frozen=True, slots=True)
class Settings:
    """What is done on the way. ``repair`` is a policy of ``targets.repair``; ``model`` is the target's model.

    ``max_tokens`` alone cuts by ``recent()``, ``strategy`` alone to the model's window. ``force`` writes what the
    target would refuse, and with ``hold`` what the budget cannot hold. ``branches="all"`` keeps the tree where the
    target holds one, else writes each branch. ``write_as`` is the model's name in the file, where it is not ``model``.
    """

    branches: Branches = "active"
    system: SystemPolicy = "keep"
    system_prompt: str | None = None
    repair: Policy = "placeholder"
    max_tokens: int | None = None
    strategy: str | None = None
    model: str | None = None
    redact: bool = False
    force: bool = False
    hold: bool = False
    language: Language = "en"
    exporter: str = "mnemo-lab"
    write_as: str | None = None

    def __post_init__(self) -> None:
        for field, allowed in (("branches", Branches), ("system", SystemPolicy), ("repair", Policy)):
            if getattr(self, field) not in get_args(allowed):
                raise UnknownName(field, str(getattr(self, field)), get_args(allowed))
        if (self.system == "replace") != (self.system_prompt is not None):
            raise InvalidInput("--system replace and --system-prompt TEXT go together; give both or neither")

    @property
    def cuts(self) -> bool:
        """Whether conversations are cut to a budget."""
        return self.max_tokens is not None or self.strategy is not None


@dataclass(slots=True)
class Cut:
    """What became of a conversation under a budget. ``tokens``: of what is written. ``report``: of the context that
    is, before it was mended for the target, but without the messages that mending removed; missing where there was
    nothing to cut, or where that failed. ``path``: where it was written; missing where it was not, and ``losses`` say
    why."""

    report: CutReport | None = None
    tokens: int | None = None
    conversation: str = ""
    number: int = 0
    losses: tuple[Loss, ...] = ()
    path: Path | None = None


class Prepared(NamedTuple):
    """A conversation to write, what was lost so far, where it is from, and how it was cut if a budget was set."""

    conversation: Conversation
    losses: tuple[Loss, ...]
    refused: bool = False
    meta: DocumentMeta | None = None
    cut: Cut | None = None


class Preparer:
    """Prepares one conversation after another; counts what is sensitive over all of them."""

    def __init__(self, target: str, writer: Writer, settings: Settings) -> None:
        self._target, self._settings = target, settings
        self._keeps_trees = bool(getattr(writer, "trees", False))
        self._checked = target in names("target")
        self._fit = Fit.of(settings.strategy, settings.max_tokens, settings.model)
        if self._fit:
            self._fit.check()
        self.sensitive: Counter[str] = Counter()
        self.redacted: Counter[str] = Counter()
        self._redactor = Redactor()

    def prepare(self, conversation: Conversation, reading: Reading) -> Iterator[Prepared]:
        """What the conversation of a reading becomes: one conversation, or one a branch."""
        losses = reading.losses
        for branch, lost in self._branches(conversation):
            yield self._one(branch, (*losses, *lost), reading.meta)
            losses = ()

    def _branches(self, conversation: Conversation) -> Iterator[tuple[Conversation, tuple[Loss, ...]]]:
        if self._settings.branches == "active":
            yield active_path(conversation)
        elif self._keeps_trees or not has_branches(conversation):
            yield conversation, ()
        else:
            yield from ((branch, ()) for branch in all_paths(conversation))

    def _one(self, conversation: Conversation, losses: tuple[Loss, ...], meta: DocumentMeta | None) -> Prepared:
        conversation, changed = with_system(conversation, self._settings)
        losses += changed
        if self._settings.redact:
            conversation, hidden = self._redact(conversation)
            losses += hidden
        made = self._tried(self._fit, conversation) if self._fit else Prepared(*self._mend(conversation))
        if not self._settings.redact and not made.refused:
            self.sensitive += _counts(self._redactor.redact_conversation(made.conversation)[1])
        return made._replace(losses=(*losses, *made.losses), meta=meta)

    def _tried(self, fit: Fit, conversation: Conversation) -> Prepared:
        """What cannot be cut is not written, and costs only itself."""
        try:
            return self._cut(fit, conversation)
        except MnemoError as error:
            return Prepared(conversation, (loss("cut_failed", reason=error),), refused=True, cut=Cut())

    def _cut(self, fit: Fit, conversation: Conversation) -> Prepared:
        """The conversation cut, then mended. Where mending adds more than fits, it is cut by so much more."""
        room, tries, ledger = fit.tokens, TRIES, Ledger()
        while True:
            fitted, tries = replace(fit, tokens=room).fit(conversation, ledger), tries - 1
            made = Prepared(*self._mend(fitted.conversation))
            tokens = fitted.tokens if made.conversation is fitted.conversation else fit.count(made.conversation)
            if tokens <= fit.tokens or fitted.report.over_budget or not tries:
                break
            room = max(fitted.tokens - (tokens - fit.tokens), 1)
        losses = (*fitted.losses, *made.losses)
        if tokens > fit.tokens and not fitted.report.over_budget:
            losses += (loss("over_budget", tokens=tokens, budget=fit.tokens),)
        fits = tokens <= fit.tokens and not any(item.code == "nothing_fits" for item in losses)
        refused = made.refused or (self._settings.hold and not fits and not self._settings.force)
        cut = Cut(_without(replace(fitted.report, budget=fit.tokens), fitted.names, made.losses), tokens)
        return made._replace(losses=losses, refused=refused, cut=cut)

    def _mend(self, conversation: Conversation) -> tuple[Conversation, tuple[Loss, ...], bool]:
        """The conversation as the target takes it; errors that stay refuse it, unless forced."""
        if not self._checked:
            return conversation, (), False
        found: tuple[Loss, ...] = ()
        model = self._settings.model
        if self._settings.repair != "error":
            conversation, dropped = without_refused(conversation, self._target)
            conversation, mended = repair(conversation, self._target, self._settings.repair, model)
            found = (*dropped, *mended)
        errors = [item for item in validate_for(conversation, self._target, model) if item.severity == "error"]
        return conversation, (*found, *errors), bool(errors) and not self._settings.force

    def _redact(self, conversation: Conversation) -> tuple[Conversation, tuple[Loss, ...]]:
        redacted, losses = self._redactor.redact_conversation(conversation)
        self.redacted += _counts(losses)
        return redacted, losses

    @property
    def mapping(self) -> dict[str, str]:
        """What each placeholder stands for."""
        return self._redactor.mapping if self._settings.redact else {}


def _without(report: CutReport, kept: Sequence[str], mended: Iterable[Loss]) -> CutReport:
    """The report with what mending removed among what is lost; ``kept`` names the messages that were mended."""
    places = (
        (item, item.pointer.removeprefix("/messages/")) for item in mended if item.code in REMOVED and item.pointer
    )
    named = {kept[int(place)]: item for item, place in places}
    gone = {name: item for name, item in named.items() if name}
    whole, in_part, represented = (
        tuple(name for name in ids if name not in gone) for ids in (report.whole, report.in_part, report.represented)
    )
    lost = (*report.lost, *(replace(item, message_id=name) for name, item in gone.items()))
    return replace(report, whole=whole, in_part=in_part, represented=represented, lost=lost)


def _counts(losses: Iterable[Loss]) -> Counter[str]:
    """What a redactor found, by kind."""
    counts: Counter[str] = Counter()
    for item in losses:
        values = dict(item.values)
        counts[values["kind"]] += int(values["count"])
    return counts


def with_system(conversation: Conversation, settings: Settings) -> tuple[Conversation, tuple[Loss, ...]]:
    """The system prompt, and system messages at the start, kept, replaced or dropped."""
    if settings.system == "keep":
        return conversation, ()
    messages = conversation.messages
    leading = next((n for n, message in enumerate(messages) if message.role != "system"), len(messages))
    had = bool(conversation.system_prompt or leading)
    changed = replace(conversation, messages=messages[leading:], system_prompt=settings.system_prompt)
    if not had:
        return changed, ()
    return changed, (loss("system_replaced" if settings.system == "replace" else "system_dropped"),)
