"""The measuring set is sound, the score counts right, and the development half keeps its level."""

from __future__ import annotations

import tomllib
from collections import Counter
from pathlib import Path

import pytest

from evals.privacy.measure import main, own
from evals.privacy.report import _interval
from evals.privacy.scoring import GROUPS, Count, score_covered, score_exact
from evals.privacy.snippets import FILE, Snippet, Span, read_snippets
from mnemo_lab.privacy import KINDS, Redactor, restore
from mnemo_lab.privacy.keys import ROWS


def test_the_set_is_sound() -> None:
    snippets = read_snippets()
    assert len({snippet.id for snippet in snippets}) == len(snippets) >= 240
    assert {kind for group in GROUPS.values() for kind in group} == set(KINDS)
    for snippet in snippets:
        ends = [0, *(span.end for span in snippet.spans)]
        spans = zip(ends, snippet.spans, strict=False)
        assert all(end <= span.start < span.end <= len(snippet.text) for end, span in spans), snippet.id
        assert {span.kind for span in snippet.spans} <= set(KINDS)
        assert (snippet.group == "negative") == (not snippet.spans)


def test_the_card_counts_right() -> None:
    card = tomllib.loads((FILE.parent / "card.toml").read_text(encoding="utf-8"))
    groups = Counter(snippet.group for snippet in read_snippets())
    assert card["counts"] == {"snippets": groups.total(), **groups}


def test_the_halves_are_alike() -> None:
    for language in ("en", "zh"):
        for group in ("secret", "personal", "negative"):
            of = [s for s in read_snippets() if (s.language, s.group) == (language, group)]
            dev = sum(s.split == "dev" for s in of)
            assert abs(2 * dev - len(of)) <= 1


def test_no_key_stands_in_the_file_as_it_is() -> None:
    raw = FILE.read_text(encoding="utf-8")
    hits = [word for word, kind, pattern in ROWS if word.strip(".-:|") and pattern.search(raw)]
    assert hits == [], "a repository's scanner would take the file for a leak"
    assert "PRIVATE KEY" not in raw


SNIPPET = Snippet("x", "en", "dev", "personal", "a@b.co is 10.0.0.7", (Span("email", 0, 6), Span("ip", 10, 18)))


def test_exact_wants_kind_and_place() -> None:
    score = score_exact([SNIPPET], lambda _: [Span("email", 0, 6), Span("ip", 10, 17), Span("host", 10, 18)])
    assert score.of(["email"]) == Count(1, 0, 0)
    assert score.of(["ip"]) == Count(0, 1, 1)
    assert score.of(["host"]) == Count(0, 1, 0)
    total = score.of(KINDS)
    assert (total.precision, total.recall) == (pytest.approx(1 / 3), pytest.approx(1 / 2))
    assert sorted(score.faults)[0] == "x missed ip '10.0.0.7'"


def test_covered_wants_characters() -> None:
    score = score_covered([SNIPPET], lambda _: [Span("x", 0, 3), Span("y", 3, 7), Span("z", 10, 17), Span("z", 7, 9)])
    assert (score.recall(["email"]), score.recall(["ip"])) == (1.0, 0.0)
    assert score.precision == pytest.approx(3 / 4)


def test_wilsons_interval_by_a_known_value() -> None:
    assert _interval(Count(right=9, missed=1)) == "9 of 10, a 95 % interval of 0.596 to 0.982"


def test_the_development_half_keeps_its_level() -> None:
    score = score_exact(read_snippets("dev"), own)
    formed = score.of([*GROUPS["secrets"], *GROUPS["structured"]])
    assert formed.recall >= 0.97 and formed.precision >= 0.98, "\n".join(score.faults)
    free = score.of(GROUPS["names and addresses"])
    assert free.recall >= 0.9 and free.precision >= 0.9, "\n".join(score.faults)


def test_every_snippet_comes_back() -> None:
    for snippet in read_snippets():
        redactor = Redactor()
        assert restore(redactor.redact(snippet.text).text, redactor.mapping) == snippet.text


def test_the_command_prints_faults_of_the_development_half(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--half", "dev"]) == 0
    assert "secrets: precision" in capsys.readouterr().out


def test_the_report_is_there_and_current() -> None:
    text = (Path(__file__).resolve().parents[2] / "reports" / "privacy.md").read_text(encoding="utf-8")
    assert f"{len(read_snippets())} snippets" in text and "## Test half" in text
