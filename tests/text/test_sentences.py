from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mnemo_lab.text.sentences import clauses, sentence_at, sentences


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("We met. It rained! Really?  Yes", ["We met.", "It rained!", "Really?", "Yes"]),
        ("定金收三成。余款到店付；不退！好吗？好", ["定金收三成。", "余款到店付；", "不退！", "好吗？", "好"]),
        ("v2.1.3 costs 3.50\n\n - and file.py", ["v2.1.3 costs 3.50", "- and file.py"]),
        ("  \n ", []), ("", []),
    ],
)  # fmt: skip
def test_sentences(text: str, parts: list[str]) -> None:
    assert [text[a:b] for a, b in sentences(text)] == parts


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("worktop 95 cm, not 90, costs 1,200", ["worktop 95 cm,", "not 90,", "costs 1,200"]),
        ("Agreed: Oksana (not Leckie) – Monday", ["Agreed:", "Oksana", "(not Leckie)", "– Monday"]),
        ("端口挪到 9135，.env 也改了：见上", ["端口挪到 9135，", ".env 也改了：", "见上"]),
    ],
)
def test_clauses(text: str, parts: list[str]) -> None:
    assert [text[a:b] for a, b in clauses(text, 0, len(text))] == parts


@given(st.text(st.sampled_from("ab1 .,!?:;()…–\n。，；！？：中文"), max_size=80))
def test_nothing_but_blanks_is_left_out(text: str) -> None:
    found = list(sentences(text))
    assert "".join("".join(text[a:b].split()) for a, b in found) == "".join(text.split())
    assert all(a < b and "\n" not in text[a:b] and text[a:b] == text[a:b].strip() for a, b in found)
    for a, b in found:
        assert "".join("".join(text[c:d].split()) for c, d in clauses(text, a, b)) == "".join(text[a:b].split())


def test_the_sentence_around_a_place() -> None:
    text = "One. Two is here! 三在这里。"
    assert text[slice(*sentence_at(text, 9, 11))] == "Two is here!"
    assert text[slice(*sentence_at(text, 19, 20))] == "三在这里。"
