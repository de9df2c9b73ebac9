"""What every notebook keeps to: thin, stored without outputs, offline, a question first and its claim asserted last."""

from __future__ import annotations

import ast
import importlib.util
import json
import re
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import nbformat
import pytest

FOLDER = Path(__file__).resolve().parents[2] / "notebooks"
NOTEBOOKS = sorted(FOLDER.glob("*.ipynb"))
NETWORK = re.compile(
    r"https?://|\b(requests|urllib|httpx|aiohttp|socket|wget|curl|hf_hub_download|snapshot_download)\b"
)

every = pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)


def cells(path: Path, kind: str | None = None) -> list[dict[str, Any]]:
    read = json.loads(path.read_text(encoding="utf-8"))["cells"]
    return [cell | {"source": "".join(cell["source"])} for cell in read if kind in (None, cell["cell_type"])]


def tree(source: str) -> ast.Module:
    """A cell as Python; magics and shell lines do not parse and so fail."""
    return ast.parse(source)


def test_there_is_a_tour() -> None:
    assert "00_tour" in [path.stem for path in NOTEBOOKS]


@every
def test_its_name_is_numbered(path: Path) -> None:
    assert re.fullmatch(r"\d\d_[a-z0-9_]+", path.stem)


@every
def test_it_is_a_valid_notebook_without_outputs(path: Path) -> None:
    nbformat.validate(nbformat.read(path, as_version=4))
    for cell in cells(path, "code"):
        assert cell["outputs"] == []
        assert cell["execution_count"] is None
    assert "widgets" not in json.loads(path.read_text(encoding="utf-8"))["metadata"]


@every
def test_it_starts_with_the_question_and_the_claim(path: Path) -> None:
    first = cells(path)[0]
    assert first["cell_type"] == "markdown"
    assert "**Question.**" in first["source"]
    assert "**Claim.**" in first["source"]


@every
def test_one_cell_holds_the_parameters(path: Path) -> None:
    tagged = [cell for cell in cells(path) if "parameters" in cell["metadata"].get("tags", [])]
    assert len(tagged) == 1
    assert tagged[0] == cells(path, "code")[0]
    assert all(isinstance(line, ast.Assign) for line in tree(tagged[0]["source"]).body)


@every
def test_it_is_thin(path: Path) -> None:
    code = cells(path, "code")
    assert len(code) <= 15
    for cell in code:
        assert len(cell["source"].splitlines()) <= 12, cell["source"]
        assert max(map(len, cell["source"].splitlines())) <= 120, cell["source"]
        kinds = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)
        assert not any(isinstance(node, kinds) for node in ast.walk(tree(cell["source"]))), cell["source"]


@every
def test_it_stays_offline(path: Path) -> None:
    for cell in cells(path, "code"):
        assert not NETWORK.search(cell["source"]), cell["source"]
        assert not re.search(r"^\s*[!%]", cell["source"], re.MULTILINE), cell["source"]


@every
def test_it_ends_by_asserting_the_claim(path: Path) -> None:
    last = cells(path)[-1]
    assert last["cell_type"] == "code"
    assert isinstance(tree(last["source"]).body[-1], ast.Assert)


@pytest.fixture
def execute(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> ModuleType:
    """``notebooks/execute.py`` over a folder of two notebooks, one of which fails."""
    spec = importlib.util.spec_from_file_location("execute_notebooks", FOLDER / "execute.py")
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    monkeypatch.setattr(module, "FOLDER", tmp_path)
    for name, sources in {
        "00_good": ["import sys\nsys.executable"],
        "01_bad": ["print('so far')", "print('here')\n1 / 0", "2"],
    }.items():
        made = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(source) for source in sources])
        nbformat.write(made, tmp_path / f"{name}.ipynb")
    return module


def test_a_good_notebook_runs_on_this_python(
    execute: ModuleType, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert execute.main(["00", "--keep", str(tmp_path / "kept")]) == 0
    assert re.fullmatch(r"00_good\.ipynb +ok +\d+\.\d s\n", capsys.readouterr().out)
    kept = nbformat.read(tmp_path / "kept" / "00_good.ipynb", as_version=4)
    assert kept.cells[0].outputs[0].data["text/plain"] == repr(sys.executable)
    assert cells(tmp_path / "00_good.ipynb")[0]["outputs"] == []


def test_a_failing_cell_is_shown_with_its_output(execute: ModuleType, capsys: pytest.CaptureFixture[str]) -> None:
    assert execute.main([]) == 1
    told = capsys.readouterr().out
    assert re.search(r"00_good\.ipynb +ok", told)
    assert re.search(r"01_bad\.ipynb +failed", told)
    assert "--- cell 2\nprint('here')\n1 / 0\n--- output\nhere\n" in told
    assert "ZeroDivisionError: division by zero" in told
    assert "so far" not in told


def test_an_unknown_name_lists_what_there_is(execute: ModuleType) -> None:
    with pytest.raises(SystemExit, match="no notebook 07_none; there are: 00_good, 01_bad"):
        execute.main(["07_none.ipynb"])
