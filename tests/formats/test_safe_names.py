"""File names from titles that any system takes."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mnemo_lab.formats.safe_names import LONGEST, SafeNames, safe_stem


@pytest.mark.parametrize(
    ("title", "name"),
    [
        ("a/b\\c:d*e?f", "a-b-c-d-e-f"),
        ("../../etc/passwd", "etc-passwd"),
        (".hidden. ", "hidden"),
        ("", "conversation"),
        ("...", "conversation"),
        ("\x00\n\t", "conversation"),
        ("con", "con-"),
        ("LPT1.txt", "LPT1.txt-"),
        ("-rf", "rf"),
        ("a\u202egnp.exe", "a-gnp.exe"),
        ("half \ud83d emoji", "half-emoji"),
        ("云图 🌦️", "云图-🌦️"),
        ("云" * 100, "云" * (LONGEST // 3)),
        ("x" * 300, "x" * LONGEST),
    ],
)
def test_safe_names(title: str, name: str) -> None:
    assert safe_stem(title) == name


def test_names_that_differ_in_case_only_are_one() -> None:
    names = SafeNames()
    assert [names.make(title, ".md") for title in ("Ports", "ports", "Ports-2", "PORTS")] == [
        "Ports.md",
        "ports-2.md",
        "Ports-2-2.md",
        "PORTS-3.md",
    ]


@given(st.lists(st.text(alphabet=st.characters(codec=None), max_size=200), max_size=5))
def test_any_titles_make_files(titles: list[str]) -> None:
    names = SafeNames()
    made = [names.make(title, ".json") for title in titles]
    assert len({name.casefold() for name in made}) == len(titles)
    for name in made:
        assert len(name.encode()) < 200 and not set(name) & set('/\\:*?"<>|\0\n') and not name.startswith((".", "-"))
