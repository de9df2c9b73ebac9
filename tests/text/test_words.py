"""Search terms: what a query's words must meet in a text's words."""

from __future__ import annotations

import threading

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mnemo_lab.text.words import STOP, words


def finds(query: str, text: str) -> bool:
    return set(words(query)) <= set(words(text))


@pytest.mark.parametrize(
    ("query", "text"),
    [
        ("部署", "今天讨论了部署方案"),  # D27
        ("署", "今天讨论了部署方案"),
        ("部署方案", "今天讨论了部署方案。"),
        ("E-4417", "error e-4417: stale lock"),
        ("4417", "Error E-4417 means the lock is stale"),
        ("cust_ref_2", "the column is CUST_REF_2."),
        ("v2.1.3", "upgraded to V2.1.3, then back"),
        ("错误码 E-4417", "错误码E-4417表示锁已过期"),
        ("ＡＢＣ １２３", "abc 123"),
        ("run dogs", "running with the dog"),
        ("Tom", "Tom's dog and Tom’s cat"),
        ("café", "cafe\u0301"),
        ("人々", "多くの人々が"),
        ("二〇二六", "在二〇二六年"),
        ("한국", "한국어를"),
        ("𠮷野家", "在𠮷野家吃饭"),
        ("ﬁle", "file"),
        ("strasse", "STRAßE"),
        ("5433", "port:5433"),
        ("example.com", "mail ann@example.com now"),
    ],
)
def test_finds(query: str, text: str) -> None:
    assert words(query)
    assert finds(query, text)


def test_worked_by_hand() -> None:
    assert words("E-4417") == ["e-4417", "e", "4417"]
    assert words("cust_ref_2") == ["cust_ref_2", "cust", "ref", "2"]
    assert words("v2.1.3.") == ["v2.1.3", "v2", "1", "3"]
    assert words("部署了") == ["部", "署", "了", "部署", "署了"]
    assert words("Running dogs") == ["run", "dog"]
    assert words("用API部署") == ["用", "api", "部", "署", "部署"]


def test_a_chinese_word_is_not_found_across_a_break() -> None:
    assert "部署" not in words("部 署") and "部署" not in words("部，署")


def test_stop_words_and_punctuation_are_no_words() -> None:
    for text in ("", " \n", "？！…", "the of and", "What is it?", "\u200b", "___", "👩‍👩‍👧‍👦"):
        assert words(text) == []
    assert all(words(word.upper()) == [] for word in STOP)


def test_a_stop_word_in_an_identifier_stays() -> None:
    assert "the-one" in words("the-one")


@given(st.text(max_size=80))
def test_case_and_width_do_not_matter(text: str) -> None:
    found = words(text)
    assert all(found) and all(word == word.casefold() for word in found)
    wide = "".join(chr(ord(c) + 0xFEE0) if "!" <= c <= "~" else c for c in text)
    assert words(wide) == found


@given(st.lists(st.text(max_size=20), max_size=5))
def test_lines_are_independent(lines: list[str]) -> None:
    assert words("\n".join(lines)) == [word for line in lines for word in words(line)]


def test_threads_agree() -> None:
    """The stemmer is not thread-safe: each thread has its own."""
    texts = [f"running{i} connections happily nationalities{i % 7} studies" for i in range(300)]
    expected = [words(text) for text in texts]
    found: list[list[list[str]]] = []
    workers = [threading.Thread(target=lambda: found.append([words(t) for t in texts])) for _ in range(4)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert found == [expected] * 4
