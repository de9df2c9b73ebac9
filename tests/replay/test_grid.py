"""Grids: every bad input says what is wrong, where, and what is allowed."""

from __future__ import annotations

from pathlib import Path

import pytest

from mnemo_lab.errors import InvalidInput
from mnemo_lab.paths import evals_root
from mnemo_lab.replay.grid import ALWAYS, BUDGETS, find_grid, make_grid, read_grid
from mnemo_lab.truncation.recent import Recent

GOOD = {"dataset": "bilingual", "strategies": ["bm25"], "budgets": [512]}


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"strategies": ["bm52"]}, "unknown strategy 'bm52'; known: bm25, .*Did you mean 'bm25'"),
        ({"strategies": ["bm25(kk=3)"]}, "unknown parameter of bm25 'kk'; known: b, k, k1, prefix"),
        ({"strategies": ["bm25(k=0)"]}, r"bm25\(k=0\): must be 1 or more"),
        ({"strategies": ["bm25(k=open('x'))"]}, "must be a literal"),
        ({"strategies": ["bm25("]}, "cannot read 'bm25\\('"),
        ({"strategies": [""]}, "cannot read ''"),
        ({"strategies": "bm25"}, "/strategies: .*tuple.*got 'bm25'"),
        ({"strategies": [7]}, "/strategies/0: .*string.*got 7"),
        ({"baseline": "bm52"}, "unknown strategy 'bm52'"),
        ({"budgets": [-1]}, "/budgets: .*budgets must be 0 or more tokens, got \\[-1\\]"),
        ({"budgets": []}, "/budgets: .*at least 1 item"),
        ({"budgets": [512.5]}, "/budgets/0: .*integer.*512.5"),
        ({"budgets": ["many"]}, "/budgets/0: .*integer.*'many'"),
        ({"budgets": 512}, "/budgets: .*tuple.*512"),
        ({"counter": "gpt9"}, "unknown token encoding 'gpt9'; known: cl100k_base, o200k_base"),
        ({"embedder": "bert"}, "unknown embedder 'bert'; known: all-MiniLM-L6-v2, auto, hashing"),
        ({"split": "train"}, "/split: .*'all', 'dev' or 'test'.*'train'"),
        ({"stragegies": ["bm25"]}, "/stragegies: .*known keys: .*strategies"),
        ({"dataset": ""}, "/dataset: .*at least 1 character"),
        ({"dataset": 7}, "/dataset: .*string.*got 7"),
    ],
)
def test_bad_grids(change: dict[str, object], says: str) -> None:
    with pytest.raises(InvalidInput, match=f"^my.toml: .*{says}"):
        make_grid(GOOD | change, "my.toml")


def test_dataset_is_needed() -> None:
    with pytest.raises(InvalidInput, match="/dataset: Field required"):
        make_grid({"budgets": [1]})


def test_every_fault_is_named_at_once() -> None:
    with pytest.raises(InvalidInput, match=r"/dataset: .*/budgets: .*/x: "):
        make_grid({"budgets": [-3], "x": 1})


def test_budgets_are_a_sorted_set_and_may_be_nothing() -> None:
    assert make_grid(GOOD | {"budgets": [512, 0, 512, 64]}).budgets == (0, 64, 512)
    assert make_grid({"dataset": "x"}).budgets == BUDGETS


@pytest.mark.parametrize(
    ("budgets", "wanted", "primary"),
    [
        ([256, 2048], None, 2048),
        ([256, 512], None, 512),
        ([1000, 3096], None, 1000),
        ([64, 128], 70, 64),
        ([64], 9999, 64),
    ],
)
def test_primary_budget_is_the_nearest(budgets: list[int], wanted: int | None, primary: int) -> None:
    assert make_grid(GOOD | {"budgets": budgets, "primary_budget": wanted}).primary == primary


def test_labels_are_what_is_typed() -> None:
    """What always stands comes first; spaces are made even; a name stands for its defaults; no strategy twice."""
    grid = make_grid(GOOD | {"strategies": ["bm25( k = 20 )", "bm25", "recent", "bm25()", "hybrid(k=3,neighbours=2)"]})
    assert list(grid.labelled()) == [*ALWAYS, "bm25(k=20)", "bm25", "hybrid(k=3, neighbours=2)"]
    assert grid.labelled()["seed_truncator"] == str(Recent(keep_last_n=10))
    assert "oracle" not in make_grid(GOOD | {"baseline": "oracle"}).labelled()
    assert "dense" in make_grid(GOOD | {"baseline": "dense"}).labelled()


def write(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("dataset = ", "Invalid value"),
        ("budgets = [1, 2", "Unclosed array"),
        ("not toml at all", "Expected '='"),
        ("title = 'x'", "/dataset: Field required"),
        ("dataset = 'bilingual'\nstrategies = ['nope']", "unknown strategy 'nope'"),
    ],
)
def test_bad_files_are_named(tmp_path: Path, text: str, says: str) -> None:
    path = write(tmp_path / "my.toml", text)
    with pytest.raises(InvalidInput, match=f"my.toml: .*{says}"):
        read_grid(path)


def test_missing_and_unreadable_files(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match=r"nope.toml: no such file; grids that come with the project are in evals/"):
        read_grid(find_grid(str(tmp_path / "nope.toml")))
    with pytest.raises(InvalidInput, match="Is a directory"):
        read_grid(tmp_path)
    (tmp_path / "bytes.toml").write_bytes(b"\xff\xfe")
    with pytest.raises(InvalidInput, match=r"bytes.toml: .*utf-8"):
        read_grid(tmp_path / "bytes.toml")


def test_a_data_set_path_is_relative_to_the_grid(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """From any current directory; a known name is a name even where a folder is called so."""
    path = write(tmp_path / "grids" / "my.toml", "dataset = '../data'")
    (tmp_path / "data").mkdir()
    monkeypatch.chdir("/")
    assert read_grid(path).dataset == str((tmp_path / "data").resolve())
    (path.parent / "bilingual").mkdir()
    assert read_grid(write(path, "dataset = 'bilingual'")).dataset == "bilingual"
    assert read_grid(write(path, "dataset = '../gone'")).dataset == "../gone"


def test_bundled_grids_by_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also where a folder of that name lies in the way; all of them are in order."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "bilingual").mkdir()
    assert read_grid(find_grid("bilingual")).dataset == "bilingual"
    with pytest.raises(InvalidInput, match=r"unknown grid 'bilingaul'; known: .*Did you mean 'bilingual'"):
        find_grid("bilingaul")
    plans = {evals_root() / f"{name}.toml" for name in ("segmentation", "memory")}  # of commands of their own
    for path in set(evals_root().glob("*.toml")) - plans:
        assert read_grid(path).primary == 2048
