"""Every code says its sentence in both languages, and every caller gives it what it needs."""

from __future__ import annotations

import ast
import re
import string
from pathlib import Path

import pytest

import mnemo_lab
from mnemo_lab.losses import CODES, count_by_code, loss

SOURCE = Path(mnemo_lab.__file__).parent


def places(text: str) -> set[str]:
    return {name for _, name, _, _ in string.Formatter().parse(text) if name}


@pytest.mark.parametrize("code", CODES)
def test_both_languages_ask_for_the_same_values(code: str) -> None:
    assert places(CODES[code].en) == places(CODES[code].zh)
    assert CODES[code].severity in ("info", "warning", "error")
    assert re.search("[\u4e00-\u9fff]", CODES[code].zh) and not re.search("[\u4e00-\u9fff]", CODES[code].en)
    said = loss(code, **dict.fromkeys(places(CODES[code].en), "{x}"))
    assert "{x}" in said.sentence("zh") or not places(CODES[code].zh)


def test_every_call_gives_what_its_sentence_needs() -> None:
    seen = 0
    for path in SOURCE.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            name = getattr(getattr(node, "func", None), "id", None)
            if isinstance(node, ast.Call) and name == "loss" and node.args and isinstance(node.args[0], ast.Constant):
                code, given = str(node.args[0].value), {kw.arg for kw in node.keywords}
                assert code in CODES, f"{path}:{node.lineno}"
                assert places(CODES[code].en) <= given or None in given, f"{path}:{node.lineno} {code}"
                seen += 1
    assert seen > 10


def test_no_code_is_ad_hoc() -> None:
    with pytest.raises(KeyError):
        loss("made_up")


def test_sentence_severity_and_counts() -> None:
    one = loss("unanswered_tool_call", message_id="m", pointer="/messages/1", call="t9")
    assert (one.sentence(), one.severity) == ("tool call t9 is never answered", "error")
    assert one.sentence("zh") == "工具调用 t9 没有得到结果"
    assert count_by_code([one, loss("empty_conversation"), one]) == {"empty_conversation": 1, "unanswered_tool_call": 2}
