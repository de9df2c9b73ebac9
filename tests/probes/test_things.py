"""What a shape gives away, and what it does not."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mnemo_lab.probes.things import Thing, shapes
from mnemo_lab.probes.worth import worth


def found(text: str) -> list[tuple[str, str]]:
    return [mention.thing for mention in shapes(text)]


@pytest.mark.parametrize(
    ("text", "kind", "key"),
    [
        ("see https://example.org/a/b?c=1.", "path", "https://example.org/a/b?c=1"),
        ("in src/app/main.py, line 3", "path", "src/app/main.py"),
        ("写到 /data/report/daily/ 下面", "path", "/data/report/daily"),
        ("文件pay_notify.log在哪", "path", "pay_notify.log"),
        ("~/ctf_files/flag.txt", "path", "~/ctf_files/flag.txt"),
        ("it raised AuthTokenError again", "error_code", "authtokenerror"),
        ("failed with E-4417", "error_code", "e-4417"),
        ("got ECONNREFUSED", "error_code", "econnrefused"),
        ("permit PS-41377 is new", "error_code", "ps-41377"),
        ("列名 booking_pet 加上", "identifier", "booking_pet"),
        ("use maxRetries here", "identifier", "maxretries"),
        ("reservation 4WQ150", "identifier", "4wq150"),
        ("mail info@a-shop.example now", "identifier", "info@a-shop.example"),
        ("total 48,211 rows", "number", "48211"),
        ("给了 17600 块", "number", "17600"),
        ("he is 1.96 tall", "number", "1.96"),
    ],
)
def test_shapes(text: str, kind: str, key: str) -> None:
    assert (kind, key) in found(text)


@pytest.mark.parametrize(
    "text",
    [
        "at 15:52 on the 3rd, 60cm, 2.5x, 10kg",  # times, ordinals, measures
        "in 2026, 100 or 500 or 12",  # a year, round numbers, few digits
        "and/or, he/she",
        "a 5-minute walk",
        "int64, utf-8, python3, sha256",  # everyone's
        "ValueError and KeyError",
        "document.querySelector and console.log",
        "self-care is well-known",
    ],
)
def test_what_is_no_thing(text: str) -> None:
    assert found(text) == []


def test_places_are_those_of_the_text() -> None:
    text = "先看 logs/pay.log，再看 PS-41377。"
    assert [text[m.start : m.end] for m in shapes(text)] == ["logs/pay.log", "PS-41377"]


@given(st.text(max_size=200))
def test_any_text(text: str) -> None:
    for mention in shapes(text):
        assert 0 <= mention.start < mention.end <= len(text) and mention.thing.key


def test_worth_falls_with_how_common_a_thing_is() -> None:
    def of(text: str) -> float:
        (mention,) = shapes(text)
        return worth(mention.thing, text[mention.start : mention.end])

    assert of("48211") == 2.0 and of("420") == 1.0
    assert of("PS-41377") == 3.0 and of("cv7420b") == 2.5
    assert of("rate_plan") == 2.0
    assert worth(Thing("name", "oksana"), "Oksana") == 2.0
    assert worth(Thing("name", "excel"), "Excel") == worth(Thing("name", "seo"), "SEO") == 1.0
    assert worth(Thing("phrase", "lactos intoler"), "lactose intolerant") == 1.5
    assert worth(Thing("phrase", "kitchen ceil"), "main ceiling") == 1.0
