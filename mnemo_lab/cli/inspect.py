"""``mnemo inspect``: what is in a file of conversations."""

from __future__ import annotations

import argparse
from collections import Counter
from typing import TYPE_CHECKING, Final

from mnemo_lab.cli.options import add_language, add_reading

if TYPE_CHECKING:
    from rich.console import Console

    from mnemo_lab.conversation import Conversation
    from mnemo_lab.formats.base import Format
    from mnemo_lab.formats.source import Source
    from mnemo_lab.losses import Language, Loss

HELP = "show format, messages, tokens, tools, dates, languages and warnings of a conversation file"
EXAMPLES = (
    "mnemo inspect my_conversation.json",
    "mnemo inspect conversations.jsonl --model gpt-4",
    "mnemo inspect chatgpt.zip --select 3",
)
SHOWN: Final = 20


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", metavar="FILE", help="a file, folder or zip archive in any format that is read")
    parser.add_argument("--model", default="gpt-4o", help="whose tokens to count (default: gpt-4o)")
    add_reading(parser)
    add_language(parser)


def main(options: argparse.Namespace) -> int:
    from rich.console import Console

    from mnemo_lab.formats.detect import choose
    from mnemo_lab.formats.reading import numbered_readings
    from mnemo_lab.formats.source import Source

    console, failed, count, messages = Console(highlight=False), 0, 0, 0
    with Source(options.file) as source:
        format_ = choose(source, options.from_)
        for count, (_, reading) in enumerate(numbered_readings(source, format_, options.select), 1):
            if count == 1:
                _show_format(console, source, format_, options.from_)
            conversation = reading.conversation
            failed += conversation is None
            messages += len(conversation.messages) if conversation else 0
            if count <= SHOWN:
                if conversation:
                    _show(console, conversation, options.model, reading.place, format_.title)
                _show_losses(console, reading.losses, options.language)
    if count != 1:
        unreadable = f", {failed:,} of them could not be read" if failed else ""
        console.print(f"in all: {count:,} conversations{unreadable}, {messages:,} messages")
    if count > SHOWN:
        console.print(f"shown are the first {SHOWN}; others: mnemo list, then --select N", markup=False)
    return 1 if failed else 0


def _show_format(console: Console, source: Source, format_: Format, wanted: str | None) -> None:
    """The format, why, and what else it could have been."""
    from mnemo_lab.formats.detect import candidates

    if wanted:
        console.print(f"format: {format_.name} (named by --from)", markup=False)
        return
    for number, item in enumerate(candidates(source)):
        head = "format:" if number == 0 else "    or:"
        console.print(f"{head} {item.name} ({item.score:.2f}: {item.reason})", markup=False, soft_wrap=True)


def _show(console: Console, conversation: Conversation, model: str, place: str, title: str) -> None:
    from mnemo_lab.cli.loss_table import shown
    from mnemo_lab.text.language import cjk_share
    from mnemo_lab.tokens import counter_for_model
    from mnemo_lab.tokens.images import uncounted
    from mnemo_lab.units import parse_units, validate_messages

    messages, counter = conversation.messages, counter_for_model(model)
    tokens: Counter[str] = Counter()
    for message in messages:
        tokens[message.role] += counter.message(message)
    roles = Counter(message.role for message in messages)
    tools = Counter(call.name for message in messages for call in message.tool_calls)
    dates = sorted(message.timestamp for message in messages if message.timestamp)
    console.print(shown(conversation.title or conversation.id or place), style="bold", end="", markup=False)
    console.print(f"  ({title})", markup=False)
    console.print(f"  messages  {len(messages)} in {len(parse_units(messages))} units")
    for role, count in roles.items():
        console.print(f"    {role:<10}{count:>6} messages {tokens[role]:>9,} tokens")
    proxy = "" if counter.exact else " (proxy)"
    console.print(f"  tokens    {tokens.total():,} in {counter.encoding}{proxy}, counted for {model}", markup=False)
    console.print(
        f"  tools     {shown(', '.join(f'{name} x{n}' for name, n in tools.items())) or 'none'}", markup=False
    )
    console.print(f"  dates     {f'{dates[0]} to {dates[-1]}' if dates else 'none'}", markup=False)
    console.print(f"  Chinese   {cjk_share(m.text for m in messages):.0%} of the words")
    _show_losses(console, [*validate_messages(messages), *uncounted(messages, counter.vendor)], "en")


def _show_losses(console: Console, losses: list[Loss] | tuple[Loss, ...], language: Language) -> None:
    from mnemo_lab.cli.loss_table import shown

    for item in list(losses)[:SHOWN]:
        console.print(
            f"  {item.severity:<8}{shown(f'{item.pointer or str()} {item.sentence(language)}')}", markup=False
        )
    if len(losses) > SHOWN:
        console.print(f"  … and {len(losses) - SHOWN} more")
