"""``mnemo import``: a portable document as a request that Ollama's ``/api/chat`` takes."""

from __future__ import annotations

import argparse
from pathlib import Path

from mnemo_lab.cli.options import add_privacy, add_reading, add_reporting

HELP = "make a request for Ollama's /api/chat of a conversation, cut to fit a model"
EXAMPLES = (
    "mnemo import -c exported_context.json",
    "mnemo import -c exported_context.json -o request.json --target-model claude-sonnet-4 --max-tokens 4096",
    "curl http://localhost:11434/api/chat -d @ollama_ready_prompt.json",
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "-c", "--context-file", required=True, metavar="FILE", help="a portable document, or any file that can be read"
    )
    parser.add_argument(
        "-o",
        "--output-file",
        default="ollama_ready_prompt.json",
        metavar="FILE",
        help="the request (default: ollama_ready_prompt.json)",
    )
    parser.add_argument("--target-model", default="gpt-4", metavar="M", help="the model it must fit (default: gpt-4)")
    parser.add_argument(
        "--max-tokens", type=int, metavar="N", help="tokens it may take (default: the window, less room for an answer)"
    )
    parser.add_argument("--models", type=Path, metavar="FILE.toml", help="your table of Ollama models")
    add_reading(parser)
    add_privacy(parser)
    add_reporting(parser)


def main(options: argparse.Namespace) -> int:
    import json
    from datetime import UTC, datetime

    from mnemo_lab.cli.finishing import check_outputs, finish, noted
    from mnemo_lab.cli.ollama_models import suggested_model
    from mnemo_lab.cli.options import holds_several, settings_of
    from mnemo_lab.errors import InvalidInput
    from mnemo_lab.formats.convert import convert
    from mnemo_lab.formats.files import write_atomically

    if holds_several(options.context_file, options.from_, options.select):
        what = "holds several conversations, and a request is for one"
        raise InvalidInput(f"{options.context_file} {what}; --select one (see: mnemo list {options.context_file})")
    suggested = suggested_model(options.target_model, options.models)
    room = _room(options.target_model) if options.max_tokens is None else options.max_tokens
    settings = settings_of(options, max_tokens=room, strategy="recent()", write_as=suggested)
    check_outputs(options)
    with noted("import"):
        done = convert(
            options.context_file,
            options.output_file,
            "ollama",
            settings,
            now=datetime.now(UTC),
            wanted=options.from_,
            select=options.select,
        )
    body = json.loads(done.paths[0].read_text(encoding="utf-8"))
    body = {"model": suggested, "messages": body["messages"], "stream": False}
    write_atomically(done.paths[0], (json.dumps(body, ensure_ascii=False, indent=2) + "\n").encode())
    status = finish(done, options)
    print(f"messages: {len(body['messages'])}")
    print(f"suggested model: {suggested} (get it with: ollama pull {suggested})")
    return status


def _room(model: str) -> int:
    """The model's window less an eighth, at most 1,024 tokens, for the answer."""
    from mnemo_lab.formats.fitting import window_of

    window = window_of(model)
    return window - min(1024, window // 8)
