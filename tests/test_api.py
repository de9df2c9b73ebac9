"""The front door in Python."""

from __future__ import annotations

from pathlib import Path

import pytest

import mnemo_lab as ml
from mnemo_lab.errors import InvalidInput
from tests.conversations import office_recording
from tests.replay.helpers import dataset, same_rows
from tests.saved import save_office


def test_the_five_lines(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Load, run, open again, compare, report, on one's own folder."""
    data = ml.load(str(save_office(tmp_path / "office")))
    assert data.counts["messages"] == 18 and data.counts["probes"] == 6
    run = ml.run(
        data, ["recent", "bm25(k=20)", "hybrid(neighbours=2)"], budgets=[64, 200], embedder="hashing", progress=False
    )
    assert capsys.readouterr().err == ""
    assert run.labels == ["full", "recent", "random", "seed_truncator", "bm25(k=20)", "hybrid(neighbours=2)", "oracle"]
    assert len(run.rows) == 7 * 6 * 2 == len(run.to_pandas())
    assert ml.compare(run, baseline="recent") is not None
    page = ml.report(run, tmp_path / "report")
    assert page.name == "report.html" and page.stat().st_size > 10_000


def test_a_folder_by_its_path_opens_again_from_anywhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    save_office(tmp_path / "office")
    monkeypatch.chdir(tmp_path)
    run = ml.run("./office", ["bm25"], [64], out="out", progress=False)
    monkeypatch.chdir("/")
    assert same_rows(ml.open_run(tmp_path / "out"), run)


def test_data_made_in_python_is_given_again(tmp_path: Path) -> None:
    run = ml.run(dataset(), ["bm25"], [64], out=tmp_path, progress=False)
    assert same_rows(ml.open_run(tmp_path, dataset()), run)
    with pytest.raises(InvalidInput, match="has changed since this run"):
        ml.open_run(tmp_path, dataset(office_recording()))


def test_the_same_call_resumes(tmp_path: Path) -> None:
    one = ml.run(dataset(), ["bm25"], [64], out=tmp_path, progress=False)
    before = (tmp_path / "rows.jsonl").read_bytes()
    two = ml.run(dataset(), ["bm25"], [64], out=tmp_path, progress=False)
    assert same_rows(one, two) and (tmp_path / "rows.jsonl").read_bytes() == before


@pytest.mark.parametrize(
    ("fields", "says"),
    [
        ({"strategies": ["bm52"]}, "unknown strategy 'bm52'"),
        ({"budgets": []}, "/budgets: "),
        ({"budgets": [-1]}, "0 or more tokens"),
        ({"embedder": "bert"}, "unknown embedder 'bert'"),
        ({"counter": "bert"}, "unknown token encoding 'bert'"),
        ({"baseline": "bm52"}, "unknown strategy 'bm52'"),
    ],
)
def test_bad_calls(fields: dict[str, object], says: str) -> None:
    with pytest.raises(InvalidInput, match=says):
        ml.run(dataset(), **({"strategies": ["bm25"], "budgets": [64], "progress": False} | fields))  # type: ignore[arg-type]


def test_the_front_door_knows_its_names() -> None:
    assert set(ml.__all__) <= set(dir(ml))
    for name in ml.__all__:
        assert getattr(ml, name) is not None
    with pytest.raises(AttributeError, match="has no attribute 'laod'; it has Conversation, "):
        ml.laod  # noqa: B018
