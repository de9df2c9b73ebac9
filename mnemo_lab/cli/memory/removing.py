"""``mnemo memory forget``, ``undo`` and ``prune``."""

from __future__ import annotations

import argparse
from dataclasses import asdict
from typing import TYPE_CHECKING

from mnemo_lab.cli.memory.opening import EVERY, Opened, now_of, opened
from mnemo_lab.cli.memory.printing import Saying, told

if TYPE_CHECKING:
    from mnemo_lab.memory.item import MemoryItem


def run_forget(options: argparse.Namespace) -> int:
    from mnemo_lab.errors import InvalidInput
    from mnemo_lab.review.exports import Exports, versions_of

    if sum(map(bool, (options.ids, options.matching, options.conversation))) != 1:
        raise InvalidInput("say what to forget: ids, --matching TEXT or --conversation ID (see: mnemo memory list)")
    saying, now = Saying(options), now_of(options)
    with opened(options) as here:
        exports = Exports(here.path)
        found = _chosen(here, options)
        if not options.json:
            saying.say("found", count=len(found))
            for item in found:
                saying.say("line", id=item.id, content=item.content)
        if not saying.asked("sure", options.yes):
            saying.say("kept")
            return 1
        ids = [item.id for item in found]
        gone = versions_of(here.store, here.namespace, ids)
        receipt = here.store.forget(here.namespace, ids)
        copies = exports.forget(here.store, here.namespace, gone, now)
    told_of = {"exports": asdict(copies), "embedding_cache": "never holds memories"}
    if saying.document(receipt=asdict(receipt) | told_of):
        return 1 if copies.left else 0
    saying.say("receipt", items=len(receipt.items), vectors=receipt.vectors, decisions=receipt.decisions)
    saying.say("files", files=", ".join(receipt.files))
    saying.say("exports", rewritten=", ".join(copies.rewritten) or saying.words["none"], known=copies.known)
    for path in copies.left:
        saying.say("left", path=path)
    saying.say("cache")
    return 1 if copies.left else 0


def _chosen(here: Opened, options: argparse.Namespace) -> list[MemoryItem]:
    """Raises ``UnknownName`` for an id that is not there, and ``InvalidInput`` where nothing fits."""
    from mnemo_lab.errors import InvalidInput, UnknownName
    from mnemo_lab.memory.keys import normal

    if options.ids:
        return [here.store.get(here.namespace, id) for id in dict.fromkeys(options.ids)]
    items = here.store.items(here.namespace, EVERY)
    if options.conversation:
        said = [item for item in items if any(options.conversation == source[0] for source in item.sources)]
        if not said:
            known = {source.conversation for item in items for source in item.sources}
            raise UnknownName("conversation that memories come from", options.conversation, known)
        return said
    wanted = normal(options.matching)
    found = [
        item
        for item in items
        if wanted and any(wanted in normal(text) for text in (item.content, item.value, item.subject, item.attribute))
    ]
    if not found:
        raise InvalidInput(f"no memory holds {options.matching!r}; see what there is with: mnemo memory list")
    return found


def run_undo(options: argparse.Namespace) -> int:
    from mnemo_lab.errors import InvalidInput

    if not options.decision.isdecimal():
        raise InvalidInput(f"DECISION {options.decision!r} is no number (mnemo memory why ID shows the decisions)")
    saying, number = Saying(options), int(options.decision)
    with opened(options) as here:
        done = here.store.undo(here.namespace, number, now_of(options))
    if not saying.document(namespace=here.namespace, decision=told(done)):
        gone = {item.id for item in done.before} - {item.id for item in done.after}
        saying.say("undone", number=number, by=done.id, count=len(done.after), gone=len(gone))
    return 0


def run_prune(options: argparse.Namespace) -> int:
    from mnemo_lab.errors import InvalidInput

    if not 0 <= options.days < float("inf"):
        raise InvalidInput(f"--days {options.days:g}: use 0 or more")
    saying, now = Saying(options), now_of(options)
    with opened(options) as here:
        memory = here.memory()
        found = memory.prune(now, options.days, options.importance, dry_run=options.dry_run)
        numbers = [] if options.dry_run else [here.store.log(here.namespace, item.id)[-1].id for item in found]
    rows = [item.to_json() for item in found]
    if not saying.document(namespace=here.namespace, dry_run=options.dry_run, items=rows, decisions=numbers):
        saying.items(found)
        done = ", ".join(map(str, numbers)) or saying.words["none"]
        saying.say("prunable" if options.dry_run else "pruned", count=len(found), decisions=done)
    return 0
