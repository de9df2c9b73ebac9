"""``mnemo memory``: what outlives conversations: put in, found, explained, changed, forgotten, reviewed."""

from __future__ import annotations

import argparse
from pathlib import Path

from mnemo_lab.cli.options import add_language, add_reading

HELP = "long-term memory: extract, search, explain, undo, forget, review"
EXAMPLES = (
    "mnemo memory extract chat.json",
    "mnemo memory search 'which database do we use?'",
    "mnemo memory export memories.md        # read it, edit it, then: mnemo memory import memories.md",
    "mnemo memory forget --matching Lisbon",
)
_STATUSES = ("active", "outdated", "forgotten", "all")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION")
    for add in (
        _add_add, _add_extract, _add_list, _add_search, _add_why, _add_history, _add_forget, _add_undo, _add_prune,
        _add_export, _add_import, _add_doctor,
    ):  # fmt: skip
        add(actions)


def main(options: argparse.Namespace) -> int:
    from importlib import import_module

    module = import_module(f"mnemo_lab.cli.memory.{options.module}")
    status: int = getattr(module, f"run_{options.action}")(options)
    return status


Actions = argparse._SubParsersAction


def _action(
    actions: Actions[argparse.ArgumentParser], name: str, module: str, about: str, *examples: str
) -> argparse.ArgumentParser:
    lines = "\n".join(f"  mnemo memory {name} {example}".rstrip() for example in examples)
    made = actions.add_parser(
        name,
        help=about,
        description=about,
        epilog=f"examples:\n{lines}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    made.set_defaults(module=module)
    made.add_argument(
        "--db", type=Path, metavar="FILE", help="SQLite, or JSON where it ends in .json (default: MNEMO_MEMORY)"
    )
    made.add_argument("--namespace", metavar="NAME", help="whose (default: 'default', where there is no other)")
    made.add_argument(
        "--encrypted", action="store_true", help="make it with SQLCipher; the key is MNEMO_MEMORY_KEY or the keyring's"
    )
    made.add_argument("--json", action="store_true", help="one JSON document in place of text")
    add_language(made)
    return made


def _add_vectors(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--vectors", action="store_true", help="compare by meaning too (where there are any: always)")
    parser.add_argument("--embedder", metavar="E", help="with which embedder (default: the file's, or by language)")


def _add_yes(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--yes", action="store_true", help="do not ask")


def _add_now(parser: argparse.ArgumentParser, what: str = "the day it is (default: today)") -> None:
    parser.add_argument("--now", metavar="DATE", help=what)


def _add_past(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--as-of", metavar="DATE", help="what was true then")
    parser.add_argument("--known-at", metavar="DATE", help="what was on record then")


def _add_add(actions: Actions[argparse.ArgumentParser]) -> None:
    parser = _action(
        actions, "add", "adding", "remember a sentence; the rules find what it is about, unless you say so",
        "'We decided to use PostgreSQL for billing'",
        "'Anna prefers tea' --category preference --subject Anna --attribute drink --value tea",
    )  # fmt: skip
    parser.add_argument("text", metavar="TEXT", help="a sentence that can be read alone")
    parser.add_argument("--category", metavar="C", help="preference, project_fact, decision, user_info or your own")
    parser.add_argument("--subject", metavar="S", help="who or what it is about (default: user)")
    parser.add_argument("--attribute", metavar="A", help="what is said of it; another value of it takes its place")
    parser.add_argument("--value", metavar="V", help="the shortest words that say it")
    parser.add_argument("--importance", type=int, choices=range(1, 6), metavar="1-5", help="default: 3, or the rules'")
    parser.add_argument("--from", dest="from_", metavar="DATE", help="true since (default: now)")
    parser.add_argument("--until", metavar="DATE", help="true until")
    _add_now(parser, "when it is said (default: now)")
    _add_vectors(parser)


def _add_extract(actions: Actions[argparse.ArgumentParser]) -> None:
    parser = _action(
        actions, "extract", "adding", "take the facts out of the conversations of a file, and say what became of each",
        "chat.json", "chatgpt.zip --select 3 --namespace anna", "chat.json --model openai:gpt-4o-mini",
    )  # fmt: skip
    parser.add_argument("file", metavar="FILE", help="a file, folder or zip archive in any format that is read")
    parser.add_argument("--extractor", metavar="E", help="rules (default) or model")
    parser.add_argument("--model", metavar="M", help="openai:MODEL, anthropic:MODEL, local:… (default: MNEMO_LLM)")
    add_reading(parser)
    _add_vectors(parser)


def _add_list(actions: Actions[argparse.ArgumentParser]) -> None:
    parser = _action(
        actions, "list", "reading", "what is remembered", "--category preference", "--as-of 2026-03-31 --json"
    )
    parser.add_argument("--status", choices=_STATUSES, help="default: active; with a date all that fits it")
    parser.add_argument("--category", metavar="C", help="of this category only")
    _add_past(parser)


def _add_search(actions: Actions[argparse.ArgumentParser]) -> None:
    parser = _action(
        actions, "search", "reading", "memories that fit a question, and what decay hid",
        "'which database do we use?'", "我现在的职位 --as-of 2026-03-31",
    )  # fmt: skip
    parser.add_argument("query", metavar="QUESTION")
    parser.add_argument("-k", type=int, default=10, metavar="N", help="at most so many (default: 10)")
    _add_past(parser)
    _add_now(parser, "when it is asked, which decay counts from (default: now)")
    _add_vectors(parser)


def _add_why(actions: Actions[argparse.ArgumentParser]) -> None:
    parser = _action(actions, "why", "reading", "where a memory comes from, and every decision on it", "3f2a91c07d55")
    parser.add_argument("id", metavar="ID")


def _add_history(actions: Actions[argparse.ArgumentParser]) -> None:
    parser = _action(
        actions, "history", "reading", "how a fact changed, old to new", "3f2a91c07d55", "'billing service'"
    )
    parser.add_argument("of", metavar="ID|SUBJECT")


def _add_forget(actions: Actions[argparse.ArgumentParser]) -> None:
    parser = _action(
        actions, "forget", "removing", "take memories out for good: no byte of the file tells of them",
        "3f2a91c07d55 --yes", "--matching Lisbon", "--conversation 6501c2f0",
    )  # fmt: skip
    parser.add_argument("ids", nargs="*", metavar="ID")
    parser.add_argument("--matching", metavar="TEXT", help="those that hold these words, of any status")
    parser.add_argument("--conversation", metavar="ID", help="those that were said in it, if elsewhere too")
    _add_yes(parser)


def _add_undo(actions: Actions[argparse.ArgumentParser]) -> None:
    parser = _action(actions, "undo", "removing", "take a decision back (see: mnemo memory why ID)", "17")
    parser.add_argument("decision", metavar="DECISION", help="its number")


def _add_prune(actions: Actions[argparse.ArgumentParser]) -> None:
    parser = _action(
        actions, "prune", "removing", "set aside what was not used for long and matters little; undo brings it back",
        "--dry-run", "--days 180 --importance 2",
    )  # fmt: skip
    parser.add_argument("--dry-run", action="store_true", help="only say what it would be")
    parser.add_argument("--days", type=float, default=90, metavar="D", help="not used for so long (default: 90)")
    parser.add_argument("--importance", type=int, default=3, metavar="I", help="less important than (default: 3)")
    _add_now(parser)


def _add_export(actions: Actions[argparse.ArgumentParser]) -> None:
    parser = _action(
        actions, "export", "exchanging", "write a Markdown page to review, or JSON to move", "memories.md", "m.json"
    )
    parser.add_argument("file", type=Path, metavar="FILE.md|.json")
    parser.add_argument("--force", action="store_true", help="write over a page that was edited")
    _add_now(parser)


def _add_import(actions: Actions[argparse.ArgumentParser]) -> None:
    parser = _action(
        actions, "import", "exchanging", "take edits of an exported page back, or memories of a JSON document",
        "memories.md --dry-run", "m.json --db new.db",
    )  # fmt: skip
    parser.add_argument("file", type=Path, metavar="FILE.md|.json")
    parser.add_argument("--dry-run", action="store_true", help="only say what would change")
    _add_yes(parser)
    _add_now(parser)


def _add_doctor(actions: Actions[argparse.ArgumentParser]) -> None:
    parser = _action(
        actions, "doctor", "checking", "what is wrong with a file, and which memories to look at; status 1 if any", ""
    )
    _add_now(parser)
