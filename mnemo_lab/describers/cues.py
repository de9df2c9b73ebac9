"""Words by which sentences ask for something, report something done, leave something open or reject it."""

from __future__ import annotations

import re
import tomllib
from functools import cache
from importlib.resources import files


@cache
def _cues() -> dict[str, tuple[re.Pattern[str], re.Pattern[str]]]:
    """English and Chinese pattern by name: either alone is several times faster than both in one."""
    lists = tomllib.loads(files(__package__).joinpath("cues.toml").read_text(encoding="utf-8"))
    return {
        name: (re.compile("|".join(of["en"].splitlines())), re.compile("|".join(of["zh"].splitlines())))
        for name, of in lists.items()
    }


def says(sentence: str, cue: str) -> bool:
    """Whether a sentence has one of the words of ``cues.toml`` under this name."""
    english, chinese = _cues()[cue]
    if english.search(sentence.lower()):
        return True
    return not sentence.isascii() and chinese.search(sentence) is not None


def reports(sentence: str) -> bool:
    """Whether it says that something is done or has failed, not that it will be."""
    if says(sentence, "failed"):
        return not says(sentence, "if")
    return says(sentence, "done") and not says(sentence, "not_done")
