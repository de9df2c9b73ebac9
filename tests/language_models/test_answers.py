"""JSON as models write it: a table of what goes wrong, and properties of the reader."""

from __future__ import annotations

import json
from contextlib import suppress
from typing import Any, Final

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from mnemo_lab.language_models.answers import read_object
from mnemo_lab.language_models.errors import BrokenAnswer

KEYS: Final = ("summary", "keywords", "done")
FULL: Final = {"summary": "It's on", "keywords": ["a", "b"], "done": True}

BROKEN: Final[dict[str, tuple[str, dict[str, Any]]]] = {
    "plain": ('{"summary": "It\'s on", "keywords": ["a", "b"], "done": true}', FULL),
    "fenced": ('```json\n{"summary": "It\'s on", "keywords": ["a", "b"], "done": true}\n```', FULL),
    "fence without its end": ('```\n{"summary": "x"}', {"summary": "x"}),
    "prose around it": ('Sure {smile}! Here:\n{"summary": "x"}\nHope {this} helps.', {"summary": "x"}),
    "two objects": ('{"summary": "x"} {"summary": "y"}', {"summary": "x"}),
    "an empty one first": ('{} {"summary": "x"}', {"summary": "x"}),
    "inside a list": ('[{"summary": "x"}]', {"summary": "x"}),
    "inside another object": ('{"result": {"summary": "x"}}', {"summary": "x"}),
    "as a text of JSON": (json.dumps('{"summary": "x"}'), {"summary": "x"}),
    "thinking aloud": ('<think>{"summary": "no"}</think>\n{"summary": "x"}', {"summary": "x"}),
    "byte order mark": ('\ufeff{"summary": "x"}', {"summary": "x"}),
    "trailing commas": ('{"summary": "x", "keywords": ["a", "b",],}', {"summary": "x", "keywords": ["a", "b"]}),
    "single quotes": ("{'summary': 'It's on', 'keywords': ['a', 'b'], 'done': True}", FULL),
    "mixed quotes": ('{"summary": "It\'s on", \'keywords\': ["a", \'b\'], "done": true}', FULL),
    "curly quotes": ("{“summary”: “x”， “keywords”：[“a”， “b”]}", {"summary": "x", "keywords": ["a", "b"]}),
    "bare keys and words": ("{summary: on hold, keywords: [a, b]}", {"summary": "on hold", "keywords": ["a", "b"]}),
    "numbers": (
        '{"summary": 007, "keywords": [1, -2.5, 1e3, 3 apples],}',
        {"summary": "007", "keywords": [1, -2.5, 1000.0, "3 apples"]},
    ),
    "Python's words": (
        '{"summary": None, "keywords": [True, False, None], "done": nan,}',
        {"summary": None, "keywords": [True, False, None], "done": None},
    ),
    "comments": (
        '{"summary": "x", // why\n "keywords": ["a", # one\n "b"], /* two */ "done": true}',
        {"summary": "x", "keywords": ["a", "b"], "done": True},
    ),
    "line breaks in a text": ('{"summary": "one\ntwo\tthree"}', {"summary": "one\ntwo\tthree"}),
    "quotes in a text": (
        '{"summary": "he said "yes", then "no" and left", "keywords": ["a "b" c"]}',
        {"summary": 'he said "yes", then "no" and left', "keywords": ['a "b" c']},
    ),
    "wrong escapes": (r'{"summary": "it\'s 50\% in C:\dir",}', {"summary": "it's 50% in C:dir"}),
    "a half pair of surrogates": ('{"summary": "x\\ud83d",}', {"summary": "x\ufffd"}),
    "ends in a text": ('{"summary": "half a sen', {"summary": "half a sen"}),
    "ends in a list": ('{"summary": "x", "keywords": ["a", "b", "hal', {"summary": "x", "keywords": ["a", "b", "hal"]}),
    "ends in a key": ('{"summary": "x", "key', {"summary": "x"}),
    "ends behind a colon": ('{"summary": "x", "keywords":', {"summary": "x", "keywords": None}),
    "ends in an inner object": (
        '{"summary": "x", "done": [{"text": "a", "from": [1',
        {"summary": "x", "done": [{"text": "a", "from": [1]}]},
    ),
    "brackets mixed up": ('{"summary": "x", "keywords": ["a", "b"}', {"summary": "x", "keywords": ["a", "b"]}),
    "Chinese": (
        '好的：\n```json\n{"summary": "改用“甲”方案，不用"乙"", "keywords": ["甲"]}\n```',
        {"summary": '改用“甲”方案，不用"乙"', "keywords": ["甲"]},
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", BROKEN)
def test_what_goes_wrong_is_read_as_it_was_meant(name: str) -> None:
    answer, meant = BROKEN[name]
    assert read_object(answer, KEYS) == meant


@pytest.mark.parametrize(
    ("answer", "fault"),
    [
        ("", "the answer is empty"),
        ("<think>never stops {", "the answer is empty"),
        ("I cannot do that.", "the answer holds no JSON object"),
        ('["a", "b"]', "the answer holds no JSON object"),
        ('{"name": "x"}', "no object has any of the keys summary, keywords, done"),
        ("{" * 500, "no object has any of the keys summary, keywords, done"),
        ('{"summary": ' + "[" * 50_000, "no object has any of the keys summary, keywords, done"),
    ],
)
def test_an_answer_without_the_object_says_what_it_was(answer: str, fault: str) -> None:
    with pytest.raises(BrokenAnswer, match=fault.replace("{", r"\{")):
        read_object(answer, KEYS)


TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
NAMES = st.text("abc_键", min_size=1, max_size=6)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-999, 999) | TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=3),
    max_leaves=8,
)
OBJECTS = st.dictionaries(NAMES, VALUES, max_size=3).map(lambda found: {"summary": "x", **found})


@given(OBJECTS, st.booleans())
@settings(max_examples=150, deadline=None)
def test_whole_objects_are_read_as_json_reads_them(found: dict[str, Any], is_ascii: bool) -> None:
    assert read_object(json.dumps(found, ensure_ascii=is_ascii), KEYS) == json.loads(json.dumps(found))


@given(OBJECTS, st.integers(0, 200))
@example({"_a": {}}, 33)
@example({"_a": [{}]}, 35)
@example({"_a": [[None, {}]]}, 42)
@settings(max_examples=150, deadline=None)
def test_the_beginning_of_an_object_gives_its_first_members(found: dict[str, Any], end: int) -> None:
    """Values that are whole, in their order; only the last one may be shorter than it was."""
    text = json.dumps({"summary": "all of it", **{k: v for k, v in found.items() if k != "summary"}})
    if end < len('{"summary": "all of it"'):
        return
    read = read_object(text[:end], KEYS)
    whole = json.loads(text)
    assert read["summary"] == "all of it"
    names = list(whole)[: len(read)]
    assert all(read.get(name) == whole[name] for name in names[:-1])


@given(st.text(alphabet="{}[]\",:'\\ \n“”/*#a1x", max_size=60))
@example('{"' * 40)
@settings(max_examples=300, deadline=None)
def test_any_answer_is_read_or_refused(answer: str) -> None:
    with suppress(BrokenAnswer):
        assert isinstance(read_object('{"summary": ' + answer, KEYS), dict)
