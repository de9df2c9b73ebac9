"""How every conversion ends: what was written, what it contains, what is sensitive in it, what was lost."""

from __future__ import annotations

import argparse
import sys
import warnings
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from mnemo_lab.formats.contents import Contents
    from mnemo_lab.formats.convert import Converted
    from mnemo_lab.losses import Language

STRICT: Final = 3
_SHOWN_PATHS: Final = 5
_WORDS: Final[dict[str, dict[str, str]]] = {
    "en": {
        "written": "written: {paths} ({target}, from {source})",
        "more": "{paths} and {count} more",
        "contents": "contents: {conversations}, {messages} ({roles}), {calls}, {attachments}{dates}",
        "dates": ", {first} to {last}",
        "clean": "sensitive: nothing found",
        "sensitive": "sensitive: {kinds}; --redact replaces them",
        "redacted": "redacted: {kinds}",
        "failed": "not written: {conversations}, see the losses",
    },
    "zh": {
        "written": "已写入：{paths}（{target}，来自 {source}）",
        "more": "{paths} 等，另有 {count} 个文件",
        "contents": "内容：{conversations}，{messages}（{roles}），{calls}，{attachments}{dates}",
        "dates": "，{first} 至 {last}",
        "clean": "敏感信息：未发现",
        "sensitive": "敏感信息：{kinds}；用 --redact 替换",
        "redacted": "已替换：{kinds}",
        "failed": "未写入：{conversations}，见损失列表",
    },
}

_CHINESE: Final = {
    "conversation": "个对话",
    "message": "条消息",
    "tool call": "次工具调用",
    "attachment": "个附件",
}


def finish(done: Converted, options: argparse.Namespace) -> int:
    """Say how it went; the exit status: 0, 1 where a conversation was not written, 3 under ``--strict``."""
    from rich.console import Console

    from mnemo_lab.cli.loss_table import count_line, show_losses, shown, write_losses
    from mnemo_lab.privacy import write_mapping

    language: Language = options.language
    if options.losses:
        write_losses(options.losses, done.losses, done.counts, language)
    if options.map:
        write_mapping(done.mapping, options.map)
    console = Console(highlight=False, soft_wrap=True)
    show_losses(Console(highlight=False), done.losses, language)
    for line in (count_line(done.losses, language), *_lines(done, language)):
        console.print(shown(line), markup=False)
    if done.grave and options.strict:
        return STRICT
    return 1 if done.failed else 0


def check_outputs(options: argparse.Namespace) -> None:
    """Raise ``InvalidInput`` where a side file could not be written: before the work, and not after it."""
    from mnemo_lab.errors import InvalidInput

    for path in (options.losses, options.map):
        if path is not None and (path.is_dir() or not path.resolve().parent.is_dir()):
            what = "is a directory" if path.is_dir() else f"the directory {path.parent} does not exist; create it first"
            raise InvalidInput(f"{path}: {what}")
    if options.map and not options.redact:
        raise InvalidInput("--map needs --redact: without it there are no placeholders to explain")


def _lines(done: Converted, language: Language) -> Iterator[str]:
    words = _WORDS[language]
    paths = ", ".join(str(path) for path in done.paths[:_SHOWN_PATHS])
    if len(done.paths) > _SHOWN_PATHS:
        paths = words["more"].format(paths=paths, count=len(done.paths) - _SHOWN_PATHS)
    if done.failed:
        yield words["failed"].format(conversations=_counted(done.failed, "conversation", language))
    yield words["written"].format(paths=paths, target=done.target, source=done.source_format)
    yield contents_line(done.contents, language)
    if done.redacted:
        yield words["redacted"].format(kinds=_kinds(done.redacted))
    elif done.sensitive:
        yield words["sensitive"].format(kinds=_kinds(done.sensitive))
    else:
        yield words["clean"]


def contents_line(contents: Contents, language: Language) -> str:
    """How many conversations, messages by role, calls and attachments, and from when to when."""
    words = _WORDS[language]
    first, last = contents.first, contents.last
    return words["contents"].format(
        conversations=_counted(contents.conversations, "conversation", language),
        messages=_counted(contents.messages, "message", language),
        calls=_counted(contents.calls, "tool call", language),
        attachments=_counted(contents.attachments, "attachment", language),
        roles=", ".join(f"{role} {count:,}" for role, count in contents.roles.items()) or "0",
        dates=words["dates"].format(first=first[:10], last=last[:10]) if first and last else "",
    )


def _counted(count: int, noun: str, language: Language) -> str:
    if language == "zh":
        return f"{count:,} {_CHINESE[noun]}"
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


def _kinds(counts: Counter[str]) -> str:
    return ", ".join(f"{count} {kind}" for kind, count in counts.most_common())


@contextmanager
def noted(command: str) -> Iterator[None]:
    """Warnings as one line each on standard error, none of them twice."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        yield
    for text in dict.fromkeys(str(item.message) for item in caught):
        print(f"mnemo {command}: note: {text}", file=sys.stderr)
