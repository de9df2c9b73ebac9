"""``mnemo store``: a folder of conversations and checkpoints that can be searched."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Final

from mnemo_lab.cli.options import add_reading

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mnemo_lab.conversation import Conversation, Message
    from mnemo_lab.embeddings.base import Embedder
    from mnemo_lab.hydration.checkpoint import Checkpoint
    from mnemo_lab.store import ConversationStore

HELP = "keep conversations in a folder: add, search, forget, rebuild what is searched"
EXAMPLES = (
    "mnemo store add ~/.mnemo chat.json --redact",
    "mnemo store info ~/.mnemo",
    "mnemo store search ~/.mnemo 'which port does staging use?'",
    "mnemo store forget ~/.mnemo 6501c2f0",
    "mnemo store rebuild ~/.mnemo --embedder multilingual-e5-small",
)
NAMESPACE: Final = "default"
SHOWN: Final = 100


def add_arguments(parser: argparse.ArgumentParser) -> None:
    actions = parser.add_subparsers(dest="action", required=True, metavar="add|info|search|forget|rebuild")
    add = _action(actions, "add", "store the conversations of a file in any format, and embed them", EXAMPLES[0])
    add.add_argument("file", metavar="FILE", help="a file, folder or zip archive in any format that is read")
    add.add_argument("--redact", action="store_true", help="replace personal data and secrets before they are written")
    add.add_argument("--embedder", metavar="E", help="for a new namespace (default: by language)")
    add_reading(add)
    _action(actions, "info", "what is in it, of which model the vectors are, how much room it takes", EXAMPLES[1])
    search = _action(actions, "search", "messages and checkpoints closest to a question", EXAMPLES[2])
    search.add_argument("query", metavar="QUESTION")
    search.add_argument("-k", type=int, default=5, metavar="N", help="so many of each list (default: 5)")
    forget = _action(actions, "forget", "take a conversation out, so that no byte tells of it", EXAMPLES[3])
    forget.add_argument("conversation", metavar="CONVERSATION", help="its id")
    rebuild = _action(actions, "rebuild", "make the index files anew from the vectors in the database", EXAMPLES[4])
    rebuild.add_argument("--embedder", metavar="E", help="make the vectors anew too, with this embedder")
    rebuild.add_argument("--variant", default="auto", metavar="V", help="FAISS variant (default: auto, by count)")
    for action in (add, search, forget):
        action.add_argument("--namespace", metavar="N", help="whose (default: the only one, or 'default')")


def _action(
    actions: argparse._SubParsersAction[argparse.ArgumentParser], name: str, about: str, example: str
) -> argparse.ArgumentParser:
    form = argparse.RawDescriptionHelpFormatter
    made = actions.add_parser(
        name, help=about, description=about, epilog=f"example:\n  {example}", formatter_class=form
    )
    made.add_argument("path", type=Path, metavar="PATH", help="the store's folder")
    return made


def main(options: argparse.Namespace) -> int:
    return {"add": _add, "info": _info, "search": _search, "forget": _forget, "rebuild": _rebuild}[options.action](
        options
    )


def _add(options: argparse.Namespace) -> int:
    from mnemo_lab.errors import InvalidInput
    from mnemo_lab.formats.reading import read_all
    from mnemo_lab.privacy import Redactor
    from mnemo_lab.services import ServicesSpec
    from mnemo_lab.store import ConversationStore
    from mnemo_lab.text.language import language_of

    talks = [
        found.conversation for found in read_all(options.file, options.from_, options.select) if found.conversation
    ]
    if not talks:
        raise InvalidInput(f"{options.file} has no conversation that could be read (see: mnemo inspect {options.file})")
    with ConversationStore(options.path, redactor=Redactor() if options.redact else None) as store:
        namespace = _namespace(store, options.namespace)
        language = language_of(message.text for talk in talks for message in talk.messages)
        by_language = ServicesSpec().for_language(language).embedder
        embedder = _embedder(options.embedder or _model_of(store, namespace) or by_language)
        count = 0
        for talk in talks:
            fresh = _fresh(store, namespace, talk)
            store.append(namespace, talk.info, fresh)
            count += len(fresh)
    with ConversationStore(options.path, embedder) as store:
        made = store.index(namespace)
    print(f"{namespace}: {len(talks):,} conversations, {count:,} new messages; {made:,} vectors of {embedder.name}")
    return 0


def _fresh(store: ConversationStore, namespace: str, talk: Conversation) -> Sequence[Message]:
    """What a conversation has behind what is stored of it: a file is added again where it grew or a crash came."""
    if talk.id not in [info.id for info in store.conversations(namespace)]:
        return talk.messages
    stored = [message.id for message in store.read(namespace, talk.id).messages]
    same = [message.id for message in talk.messages[: len(stored)]] == stored
    return talk.messages[len(stored) :] if same else talk.messages


def _info(options: argparse.Namespace) -> int:
    from rich.console import Console
    from rich.table import Table

    with _opened(options.path) as store:
        facts = store.facts()
    table = Table("namespace", "conversations", "messages", "checkpoints", "vectors", "not embedded", "model", "index")
    for space in facts.namespaces:
        numbers = (space.conversations, space.messages, space.checkpoints, space.vectors, space.pending)
        layouts = ", ".join(f"{kind} {layout}" for kind, layout in space.layouts.items())
        table.add_row(space.name, *(f"{number:,}" for number in numbers), space.model or "none yet", layouts or "none")
    console = Console(highlight=False)
    console.print(table)
    console.print(f"version {facts.version}; database {facts.database / 1e6:.2f} MB, index {facts.index / 1e6:.2f} MB")
    if facts.messages:
        console.print(
            f"a message takes {facts.per_message:,.0f} bytes, {facts.beside_vectors:,.0f} beside its vectors as floats"
        )
    return 0


def _search(options: argparse.Namespace) -> int:
    with _opened(options.path) as store:
        namespace = _namespace(store, options.namespace)
        model = _model_of(store, namespace)
    with _opened(options.path, _embedder(model) if model else None) as store:
        for kind in ("message", "checkpoint"):
            for by in ("vector", "keyword") if model else ("keyword",):
                found = store.search(namespace, options.query, options.k, kind, by)
                if found:
                    print(f"{kind}s by {by}")
                for hit in found:
                    print(f"  {hit.score:6.3f}  {hit.conversation}/{hit.item.id}  {_line(hit.item)}")
    return 0


def _forget(options: argparse.Namespace) -> int:
    from mnemo_lab.agent.sessions import without_saved
    from mnemo_lab.errors import UnknownName

    with _opened(options.path) as store:
        namespace = _namespace(store, options.namespace)
        known = [info.id for info in store.conversations(namespace)]
        with without_saved(store.folder, namespace, options.conversation in known):
            receipt = store.forget(namespace, options.conversation)
        if options.conversation not in known:
            raise UnknownName(f"conversation of namespace {namespace!r}", options.conversation, known[:20])
    print(
        f"{namespace}/{receipt.conversation}: {receipt.messages:,} messages, {receipt.checkpoints:,} checkpoints and "
        f"{receipt.vectors:,} vectors are gone from database, log and index"
    )
    return 0


def _rebuild(options: argparse.Namespace) -> int:
    from mnemo_lab.store import rebuild_index
    from mnemo_lab.vectors.variants import check_variant

    check_variant(options.variant)
    _opened(options.path).close()
    embedder = _embedder(options.embedder) if options.embedder else None
    for name, count in rebuild_index(options.path, embedder, options.variant).items():
        print(f"{name}: {count:,} vectors{f' of {embedder.name}' if embedder else ''}")
    return 0


def _opened(path: Path, embedder: Embedder | None = None) -> ConversationStore:
    """A store that is there; ``ConversationStore`` would make one."""
    from mnemo_lab.errors import InvalidInput
    from mnemo_lab.store import ConversationStore
    from mnemo_lab.store.store import DATABASE

    if not (path.expanduser() / DATABASE).is_file():
        raise InvalidInput(f"{path} is no store (it has no {DATABASE}); make one with: mnemo store add {path} FILE")
    return ConversationStore(path, embedder)


def _namespace(store: ConversationStore, wanted: str | None) -> str:
    """The one that is asked for, else the only one. Raises ``InvalidInput`` where there are several."""
    from mnemo_lab.errors import InvalidInput

    known = store.namespaces()
    if wanted or len(known) < 2:
        return wanted or (known or [NAMESPACE])[0]
    raise InvalidInput(f"the store has several namespaces ({', '.join(known[:20])}); name one with --namespace")


def _model_of(store: ConversationStore, namespace: str) -> str:
    return next((space.model for space in store.facts().namespaces if space.name == namespace), "")


def _embedder(name: str) -> Embedder:
    """Without the cache on disk, which would still know what was forgotten."""
    from mnemo_lab.embeddings import open_embedder

    return open_embedder(name, cache_dir="")


def _line(item: Message | Checkpoint) -> str:
    from mnemo_lab.cli.loss_table import shown
    from mnemo_lab.conversation import Message

    text = shown(item.text if isinstance(item, Message) else item.summary)
    return text if len(text) <= SHOWN else f"{text[: SHOWN - 1]}…"
