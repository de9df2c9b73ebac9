"""Settings are literals; every fault names the value and what is allowed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mnemo_lab.errors import InvalidInput, UnknownName
from mnemo_lab.parsing import build, split_call


@dataclass(frozen=True)
class Settings:
    k: int
    weight: float = 0.5
    mode: Literal["fast", "exact"] = "fast"
    limit: int | None = None
    share: float | None = None
    names: tuple[str, ...] = ()
    on: bool = True


def made(text: str) -> Settings:
    label, settings = split_call(text)
    return build(Settings, label, settings)


def test_reads_literals() -> None:
    assert split_call(" bm25 ") == ("bm25", {})
    assert split_call("a(k=-1, n=None, t=(1, 'x'), s='a,b(c)=d', 名=True)") == (
        "a", {"k": -1, "n": None, "t": (1, "x"), "s": "a,b(c)=d", "名": True},
    )  # fmt: skip
    assert made("s(k=2, names=('a', 'b'), limit=3, on=False)") == Settings(2, names=("a", "b"), limit=3, on=False)


def test_whole_numbers_and_fractions_of_one_value_print_alike() -> None:
    assert repr(made("s(k=1, weight=1, share=2)")) == repr(made("s(k=1, weight=1.0, share=2.0)"))


@given(st.integers(), st.floats(allow_nan=False, allow_infinity=False), st.lists(st.text(), max_size=3).map(tuple))
def test_what_prints_parses(k: int, weight: float, names: tuple[str, ...]) -> None:
    setting = Settings(k, weight, names=names)
    assert made(f"s(k={k!r}, weight={weight!r}, names={names!r})") == setting


@pytest.mark.parametrize(
    "text",
    ["", "(", "a.b()", "a(1)", "a(*[1])", "a()()", "a;b", "a b", "\0", "lambda: 1", "a(k=1)(",
     "(" * 400, "a(k=", "\ud800(",
     "-" * 9000 + "a"],
)  # fmt: skip
def test_anything_but_a_call_is_refused(text: str) -> None:
    with pytest.raises(InvalidInput, match="write a name with keyword settings"):
        split_call(text)


@pytest.mark.parametrize(
    "value",
    [
        "__import__('os').system('x')",
        "x",
        "f'{1}'",
        "[i for i in ()]",
        "1 if 1 else 2",
        "open('/')",
        "2**9**9",
        "(x,)",
        "a.b",
    ],
)
def test_nothing_is_evaluated(value: str) -> None:
    with pytest.raises(InvalidInput, match="the value of 'k' must be a literal"):
        split_call(f"a(k={value})")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            "s(k=1, wieght=2)",
            "unknown parameter of s 'wieght'; known: k, limit, mode, names, on, share, weight.*'weight'",
        ),
        ("s(k=1, **{'mode': 'fast'})", r"unknown parameter of s '\*\*'"),
        ("s()", r"s needs k; e.g. s\(k=…\)"),
        ("s(k='x')", r"s\(k=…\): 'x' is not of type int"),
        ("s(k=True)", r"True is not of type int"),
        ("s(k=1.0)", r"1.0 is not of type int"),
        ("s(k=1, mode='slow')", r"s\(mode=…\): 'slow' is not one of 'fast', 'exact'"),
        ("s(k=1, mode=['fast'])", r"\['fast'\] is not one of 'fast', 'exact'"),
        ("s(k=1, limit='x')", r"'x' is not of type int or None"),
        ("s(k=1, names=('a', 2))", r"\('a', 2\) is not of type tuple"),
        ("s(k=1, on=1)", r"1 is not of type bool"),
        ("s(k=1, weight=1e999)", r"s\(weight=…\): inf is not a finite number"),
        ("s(k=1, share=-1e999)", r"-inf is not a finite number"),
        ("s(k=1, weight=1" + "0" * 400 + ")", r"is not of type float"),
        ("s(k=1, k=2)", r"'k' is given twice"),
    ],
)
def test_faults_name_the_value_and_what_is_allowed(text: str, said: str) -> None:
    with pytest.raises(InvalidInput, match=said):
        made(text)


def test_unknown_names_are_listed_with_the_closest() -> None:
    assert str(UnknownName("colour", "gren", ["green", "blue"])) == (
        "unknown colour 'gren'; known: blue, green. Did you mean 'green'?"
    )
    assert str(UnknownName("colour", "x", [])) == "unknown colour 'x'; known: none."
