"""``mnemo memory export`` and ``import``."""

from __future__ import annotations

import argparse
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from mnemo_lab.cli.memory.opening import Opened, now_of, opened
from mnemo_lab.cli.memory.printing import Saying, by_action, told

if TYPE_CHECKING:
    from mnemo_lab.memory.decision import Decision
    from mnemo_lab.review import Change, Plan

KINDS: Final = ("add", "edit", "forget")
SUFFIXES: Final = (".md", ".markdown", ".json")


def run_export(options: argparse.Namespace) -> int:
    from mnemo_lab.conversation import time_of
    from mnemo_lab.errors import InvalidInput
    from mnemo_lab.memory.stores import ACTIVE
    from mnemo_lab.review import concerns_of
    from mnemo_lab.review.exports import Export, Exports

    saying, now, path = Saying(options), now_of(options), _checked(options.file).resolve()
    with opened(options) as here:
        if path.is_dir() or not path.parent.is_dir():
            raise InvalidInput(f"{options.file}: is a directory, or its directory does not exist; create it first")
        if path == here.path.resolve():
            raise InvalidInput(f"{options.file}: is the store itself; name another file")
        exports = Exports(here.path)
        if exports.was_edited(path) and not options.force:
            raise InvalidInput(
                f"{options.file} was edited since it was written; take the edits in with: mnemo memory import "
                f"{options.file}, or write over them with --force"
            )
        secrets = exports.write(here.store, Export(str(path), here.namespace, options.language), now)
        items = here.store.items(here.namespace, ACTIVE)
        is_encrypted = here.store.facts().kind == "SQLCipher"
    moment = time_of(now)
    concerns = Counter(name for item in items for name in (concerns_of(item, moment) if moment else ()))
    parts = {"memories": len(items), "concerns": dict(concerns), "secrets": secrets, "encrypted": False}
    if not saying.document(path=str(path), namespace=here.namespace, **parts):
        saying.say("exported", path=options.file, count=len(items))
        saying.say("to_check", kinds=saying.counts(concerns))
        if secrets:
            saying.say("secrets", kinds=saying.counts(secrets))
        if is_encrypted:
            saying.say("plain")
    return 0


def run_import(options: argparse.Namespace) -> int:
    from mnemo_lab.errors import InvalidInput
    from mnemo_lab.formats.files import read_bytes

    saying, now, path = Saying(options), now_of(options), _checked(options.file)
    try:
        text = read_bytes(path).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InvalidInput(f"{path} is no UTF-8 text ({error}); save it as UTF-8") from error
    done: list[Decision] = []
    with opened(options, make=path.suffix.lower() == ".json") as here:
        plan = _plan(here, path, text, now)
        if not options.json:
            _say_plan(saying, plan)
        removes = any(change.kind == "forget" for change in plan.changes)
        if plan.changes and not options.dry_run:
            if removes and not saying.asked("apply", options.yes):
                saying.say("kept")
                return 1
            done = _apply(here, path, plan, now)
    changes = list(map(_change, plan.changes))
    parts = {"changes": changes, "unchanged": plan.unchanged, "problems": plan.problems}
    if not saying.document(dry_run=options.dry_run, **parts, decisions=list(map(told, done))) and done:
        saying.say("imported", kinds=saying.counts(by_action(done)))
    return 1 if plan.problems else 0


def _checked(path: Path) -> Path:
    from mnemo_lab.errors import InvalidInput

    if path.suffix.lower() not in SUFFIXES:
        raise InvalidInput(f"{path}: the name must end in .md (a page to review) or .json (memories to move)")
    return path.expanduser()


def _plan(here: Opened, path: Path, text: str, now: str) -> Plan:
    from mnemo_lab.review import plan_of
    from mnemo_lab.review.transfer import plan_of_document

    if path.suffix.lower() == ".json":
        return plan_of_document(here.store, here.namespace, text, path.name)
    return plan_of(here.store, here.namespace, text, now, path.name)


def _apply(here: Opened, path: Path, plan: Plan, now: str) -> list[Decision]:
    from mnemo_lab.review import apply
    from mnemo_lab.review.transfer import take_in

    if path.suffix.lower() == ".json":
        return take_in(here.store, here.namespace, plan, now, path.name)
    return apply(here.store, here.namespace, plan, now)


def _differences(change: Change) -> dict[str, tuple[Any, Any]]:
    old, new = change.before, change.after
    names = ("category", "content", "value", "importance", "status", "valid_from", "valid_to", "superseded_by")
    return {
        name: (getattr(old, name), getattr(new, name))
        for name in names
        if old is not None and getattr(old, name) != getattr(new, name)
    }


def _change(change: Change) -> dict[str, Any]:
    fields = {name: {"old": old, "new": new} for name, (old, new) in _differences(change).items()}
    return {"kind": change.kind, "line": change.line, "id": change.after.id, "content": change.after.content} | (
        {"fields": fields} if change.kind == "edit" else {}
    )


def _say_plan(saying: Saying, plan: Plan) -> None:
    for change in plan.changes:
        old, new = change.before, change.after
        if change.kind != "edit" or old is None:
            saying.say(f"change_{change.kind}", id=new.id, new=new.content, old=new.content)
            continue
        found = _differences(change) or {"…": (old.id, new.id)}
        for name, (was, now) in found.items():
            saying.say("change_edit", id=old.id, name=saying.name(name), old=was, new=now)
    for problem in plan.problems:
        saying.say("problem", what=problem)
    counts = Counter(change.kind for change in plan.changes)
    saying.say("changes", **{kind: counts[kind] for kind in KINDS}, unchanged=plan.unchanged)
