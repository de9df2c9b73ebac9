"""``mnemo memory add`` and ``extract``."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mnemo_lab.cli.memory.opening import Opened, moment_of, now_of, opened
from mnemo_lab.cli.memory.printing import Saying, by_action, told

if TYPE_CHECKING:
    from mnemo_lab.conversation import Conversation, Message
    from mnemo_lab.extraction.base import Extractor, Fact
    from mnemo_lab.formats.base import Reading
    from mnemo_lab.memory.decision import Decision
    from mnemo_lab.memory.item import MemoryItem, MessageRef

BY_HAND = "mnemo memory add"
"""The conversation that a fact from the command line was said in."""
_SLOT = ("category", "subject", "attribute", "value")


def run_add(options: argparse.Namespace) -> int:
    from mnemo_lab.conversation import ConversationInfo
    from mnemo_lab.errors import InvalidInput

    now, saying = now_of(options), Saying(options)
    if not options.text.strip():
        raise InvalidInput("TEXT is empty; write a sentence, as in: mnemo memory add 'We use PostgreSQL'")
    facts = _facts(options, now)
    with opened(options, make=True) as here:
        memory = here.memory()
        memory.begin(ConversationInfo(BY_HAND, started_at=now))
        made = [decision for fact in facts if (decision := memory.remember(fact, now)) is not None]
        secrets = dict(memory.secrets.found)
        parts = {"decisions": list(map(told, made)), "secrets": secrets}
        if not saying.document(namespace=here.namespace, **parts):
            saying.decisions(made)
            if secrets:
                saying.say("secrets", kinds=saying.counts(secrets))
            if not made:
                saying.say("not_kept")
    return 0 if made else 1


def _facts(options: argparse.Namespace, now: str) -> list[Fact]:
    """As the options say; without any as the rules read the sentence, else a note."""
    from mnemo_lab.conversation import Message
    from mnemo_lab.extraction.base import USER, Fact
    from mnemo_lab.extraction.rules.extractor import RulesExtractor
    from mnemo_lab.text.language import language_of

    text, given = options.text.strip(), {name: getattr(options, name) for name in _SLOT}
    said = {"importance": options.importance, "valid_from": moment_of(options.from_, "--from")}
    said |= {"valid_to": moment_of(options.until, "--until")}
    more: dict[str, Any] = {name: value for name, value in said.items() if value is not None}
    if not any(given.values()):
        found = RulesExtractor().extract([Message("user", text, now, now)])
        if found:
            return [replace(fact, confidence=max(fact.confidence, 0.9), **more) for fact in found]
    return [
        Fact(
            given["category"] or "user_info", given["subject"] or USER, given["attribute"] or "note",
            given["value"] or text, text, language_of([text]), now, **({"confidence": 0.9} | more),
            additive=not given["attribute"],
        )
    ]  # fmt: skip


class FreshFacts:
    """Passes on what was not taken from a message before, so that a file can be read again: what was said once is not
    surer for it, and what was edited or taken back since stays so."""

    def __init__(self, inner: Extractor, log: Iterable[Decision]) -> None:
        self.name, self._inner = inner.name, inner
        self.conversation, self.known = "", 0
        self._taken: dict[MessageRef, list[MemoryItem]] = {}
        for decision in log:
            self.note(decision)

    def note(self, decision: Decision) -> None:
        for item in (*decision.before, *decision.after):
            for source in item.sources:
                self._taken.setdefault(source, []).append(item)

    def extract(self, messages: Sequence[Message], before: Sequence[Message] = ()) -> list[Fact]:
        found = self._inner.extract(messages, before)
        fresh = [fact for fact in found if not self._was_taken(fact)]
        self.known += len(found) - len(fresh)
        return fresh

    def _was_taken(self, fact: Fact) -> bool:
        from mnemo_lab.memory.item import MessageRef
        from mnemo_lab.memory.keys import content_key
        from mnemo_lab.memory.same import same_value

        taken = self._taken.get(MessageRef(self.conversation, fact.message), ())
        return any(
            content_key(item.content) == content_key(fact.content) or same_value(item.value, fact.value)
            for item in taken
        )


@dataclass
class _Done:
    conversations: int = 0
    decisions: list[Decision] = field(default_factory=list)
    unreadable: list[str] = field(default_factory=list)
    failures: list[str] = field(default_factory=list)
    fallbacks: list[str] = field(default_factory=list)
    known: int = 0
    secrets: dict[str, int] = field(default_factory=dict)


def run_extract(options: argparse.Namespace) -> int:
    from mnemo_lab.formats.reading import read_all

    saying, extractor = Saying(options), _extractor(options)
    readings = read_all(options.file, options.from_, options.select)
    first = next(readings, None)  # a file that cannot be read makes no store
    with opened(options, make=True) as here, _progress(options.json) as step:
        done = _extract(here, extractor, options, _all(first, readings), step)
        namespace = here.namespace
    parts = {name: getattr(done, name) for name in ("conversations", "unreadable", "failures", "fallbacks", "known")}
    parts |= {"secrets": done.secrets, "decisions": list(map(told, done.decisions))}
    if not saying.document(file=str(options.file), namespace=namespace, **parts):
        _say(saying, done, namespace)
    return 1 if done.unreadable or done.failures else 0


def _all(first: Reading | None, rest: Iterator[Reading]) -> Iterator[Reading]:
    if first is not None:
        yield first
        yield from rest


def _extract(
    here: Opened, inner: Extractor, options: argparse.Namespace, readings: Iterator[Reading], step: Callable[[], None]
) -> _Done:
    done, extractor = _Done(), FreshFacts(inner, here.store.log(here.namespace))

    def decided(decision: Decision) -> None:
        done.decisions.append(decision)
        extractor.note(decision)

    memory = here.memory(extractor)
    memory.notify = decided
    for number, reading in enumerate(readings, 1):
        if reading.conversation is None:
            why = reading.losses[0].sentence(options.language) if reading.losses else "?"
            done.unreadable.append(f"{reading.place or number}: {why}")
            continue
        talk = _named(reading.conversation, f"{Path(options.file).name}#{number}")
        extractor.conversation = talk.id
        memory.take(talk)
        done.conversations += 1
        step()
    done.failures, done.known, done.secrets = memory.failures, extractor.known, dict(memory.secrets.found)
    done.fallbacks = list(getattr(inner, "fallbacks", ()))
    return done


def _named(conversation: Conversation, otherwise: str) -> Conversation:
    """The path last seen of it, where it and every message has an id to be named by."""
    from mnemo_lab.corpora.message_ids import make_unique
    from mnemo_lab.formats.tree import active_path

    line = active_path(conversation).conversation
    ((named,), _) = make_unique([replace(line, id=line.id or otherwise)])
    return named


def _say(saying: Saying, done: _Done, namespace: str) -> None:
    saying.decisions(done.decisions)
    kinds = saying.counts(by_action(done.decisions))
    saying.say(
        "extracted", namespace=namespace, conversations=done.conversations, decisions=len(done.decisions), kinds=kinds
    )
    if done.known:
        saying.say("known", count=done.known)
    saying.say("secrets", kinds=saying.counts(done.secrets))
    for key, what in (("unreadable", done.unreadable), ("failed", done.failures), ("fell_back", done.fallbacks)):
        for one in dict.fromkeys(what):
            saying.say(key, what=one)


def _extractor(options: argparse.Namespace) -> Extractor:
    from mnemo_lab.errors import InvalidInput
    from mnemo_lab.extraction.opening import open_extractor
    from mnemo_lab.language_models.opening import chosen_cassette, chosen_language_model
    from mnemo_lab.services import ServicesSpec

    name = options.extractor or ("model" if options.model else "rules")
    if name == "rules" and options.model:
        raise InvalidInput("--extractor rules asks no model; leave --model out, or use --extractor model")
    model = chosen_language_model(options.model) if name != "rules" else "extractive"
    if name == "model" and model == "extractive":
        raise InvalidInput("--extractor model needs a language model; name one, as in --model openai:gpt-4o-mini")
    if name != "rules":
        from mnemo_lab.language_models import open_language_model

        open_language_model(model)  # a name that is wrong is said before a file is read
    return open_extractor(name, ServicesSpec(language_model=model, cassette=chosen_cassette()).open())


@contextmanager
def _progress(quiet: bool) -> Iterator[Callable[[], None]]:
    """A count of conversations on standard error, where somebody looks at it."""
    from rich.console import Console
    from rich.progress import MofNCompleteColumn, Progress, SpinnerColumn, TimeElapsedColumn

    columns = (SpinnerColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    silent = quiet or not sys.stderr.isatty()
    with Progress(*columns, console=Console(stderr=True), transient=True, disable=silent) as bar:
        task = bar.add_task("", total=None)
        yield lambda: bar.advance(task)
