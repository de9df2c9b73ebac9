"""``mnemo validate``: whether a target would take a conversation as it is."""

from __future__ import annotations

import argparse

from mnemo_lab.cli.options import add_language, add_reading

HELP = "check whether a target (an API) would take the conversations of a file, without changing them"
EXAMPLES = (
    "mnemo validate chat.json --target anthropic",
    "mnemo validate chat.json --target openai-chat --model gpt-4   # its window too",
)
_SAID = {"en": "{target} takes {good} of {count} conversations", "zh": "{target} 接受 {count} 个对话中的 {good} 个"}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", metavar="FILE", help="a file, folder or zip archive")
    parser.add_argument(
        "--target", required=True, metavar="T", help="openai-chat, anthropic, gemini, ollama, mistral …"
    )
    parser.add_argument("--model", metavar="M", help="the target's model, whose window and reasoning are checked too")
    add_reading(parser)
    add_language(parser)


def main(options: argparse.Namespace) -> int:
    from rich.console import Console

    from mnemo_lab.cli.loss_table import show_losses
    from mnemo_lab.formats.convert import Placed
    from mnemo_lab.formats.reading import read_all
    from mnemo_lab.formats.targets import find_target, validate_for

    target = find_target(options.target)
    found: list[Placed] = []
    count = good = 0
    for reading in read_all(options.file, options.from_, options.select):
        count += 1
        conversation = reading.conversation
        losses = list(reading.losses) if conversation is None else validate_for(conversation, target, options.model)
        label = reading.place if conversation is None else conversation.title or conversation.id or reading.place
        found += [Placed(label, item) for item in losses]
        good += not any(item.severity == "error" for item in losses)
    show_losses(Console(highlight=False), found, options.language)
    print(_SAID[options.language].format(target=target.name, good=good, count=count))
    return 0 if good == count else 1
