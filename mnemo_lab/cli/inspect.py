"""``mnemo inspect``: what is in a file of conversations."""

from __future__ import annotations

import argparse
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import Console

    from mnemo_lab.conversation import Conversation
    from mnemo_lab.losses import Loss

HELP = "show format, messages, tokens, tools, dates, languages and warnings of a conversation file"
EXAMPLES = ("mnemo inspect my_conversation.json", "mnemo inspect conversations.jsonl --model gpt-4")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", type=Path, metavar="FILE", help="a portable document, an array of them, or JSON lines")
    parser.add_argument("--model", default="gpt-4o", help="whose tokens to count (default: gpt-4o)")


def main(options: argparse.Namespace) -> int:
    from rich.console import Console

    from mnemo_lab.formats.portable.read import read

    console, failed = Console(highlight=False), 0
    for reading in read(options.file):
        if reading.conversation is None:
            failed += 1
        else:
            _show(console, reading.conversation, options.model, str(reading.place))
        _show_losses(console, reading.losses)
    return 1 if failed else 0


def _show(console: Console, conversation: Conversation, model: str, place: str) -> None:
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
    console.print(conversation.title or conversation.id or place, style="bold", end="", markup=False)
    console.print("  (Mnemosyne conversation context)")
    console.print(f"  messages  {len(messages)} in {len(parse_units(messages))} units")
    for role, count in roles.items():
        console.print(f"    {role:<10}{count:>6} messages {tokens[role]:>9,} tokens")
    proxy = "" if counter.exact else " (proxy)"
    console.print(f"  tokens    {tokens.total():,} in {counter.encoding}{proxy}, counted for {model}")
    console.print(f"  tools     {', '.join(f'{name} x{n}' for name, n in tools.items()) or 'none'}", markup=False)
    console.print(f"  dates     {f'{dates[0]} to {dates[-1]}' if dates else 'none'}", markup=False)
    console.print(f"  Chinese   {cjk_share(m.text for m in messages):.0%} of the words")
    _show_losses(console, [*validate_messages(messages), *uncounted(messages, counter.vendor)])


def _show_losses(console: Console, losses: list[Loss] | tuple[Loss, ...]) -> None:
    for item in list(losses)[:20]:
        console.print(f"  {item.severity:<8}{item.pointer or ''} {item.sentence()}", markup=False)
    if len(losses) > 20:
        console.print(f"  … and {len(losses) - 20} more")
