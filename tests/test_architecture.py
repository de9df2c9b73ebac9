"""The house: imports go one way, the front door is light, files are short, and ``datasets`` stays data."""

from __future__ import annotations

import ast
import json
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Final

import pytest

import mnemo_lab

PACKAGE: Final = Path(mnemo_lab.__file__).resolve().parent
ROOT: Final = PACKAGE.parent
BASE: Final = """conversation units recording losses context services history strategy parsing registry paths ledger
    strategy_text message_rows errors loss_codes cut_report tokens text embeddings language_models packing.lines"""
LAYERS: Final = (
    set(BASE.split()),
    {"privacy", "packing", "summaries", "vectors", "storage"},
    {"formats", "retrieval", "describers", "extraction"},
    {"truncation"},
    {"memory"},
    {"hydration", "store", "review"},
    {"agent"},
    {"corpora", "replay", "metrics", "probes", "answering"},
    {"statistics"},
    {"reporting"},
    {"widgets", "cli", "api", ""},
)
"""From bottom to top: a module imports from its own layer and below. ``packing.lines`` is what a history counts,
``api`` and the package itself are the front door."""
APART: Final = ({"formats", "retrieval"}, {"formats", "truncation"}, {"widgets", "cli"})
"""Neighbours of one layer that do not know each other."""
CORE: Final = set(BASE.split()) - {"language_models"} | {"packing", "retrieval", "replay", "metrics"}
"""What every strategy is built on and measured by. Families of strategies (truncation with summaries, hydration,
memory), adapters to vendors and stages after the replay stand on it, each of a size of its own."""
PACKAGE_LIMIT: Final = 3000
"""Lines of any other package; formats is a collection of readers and writers without one."""
APART_IN_SIZE: Final = {"extraction.rules.english", "extraction.rules.chinese", "memory.stores"}
"""Packages inside packages that stand by themselves: rules of one language do not know those of another, and stores
know items and decisions but nothing that is done with them. Each has a limit of its own."""
HEAVY: Final = ("torch", "faiss", "sentence_transformers", "matplotlib", "ipywidgets", "pandas", "polars", "numpy")
SOURCES: Final = sorted(PACKAGE.rglob("*.py"))


def dotted(path: Path) -> str:
    """``packing.pack`` for ``mnemo_lab/packing/pack.py``; a package is named like its folder."""
    parts = path.relative_to(PACKAGE).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def first_part(module: str) -> str:
    return module.partition(".")[0]


def folder(path: Path) -> str:
    return ".".join(path.relative_to(PACKAGE).parent.parts)


def layer_of(module: str) -> int:
    for name in (module, first_part(module)):
        for number, names in enumerate(LAYERS):
            if name in names:
                return number
    raise AssertionError(f"{module} stands in no layer: add its package to LAYERS")


@cache
def modules() -> frozenset[str]:
    return frozenset(map(dotted, SOURCES))


def imported(node: ast.AST, module: str, is_package: bool) -> Iterator[str]:
    """Modules of this package that one import statement names."""
    if isinstance(node, ast.Import):
        for alias in node.names:
            if alias.name.split(".")[0] == "mnemo_lab":
                yield alias.name.partition(".")[2]
    if isinstance(node, ast.ImportFrom):
        if node.level:
            package = module.split(".") if is_package else module.split(".")[:-1]
            base = ".".join(package[: len(package) - node.level + 1] + ([node.module] if node.module else []))
        elif (node.module or "").split(".")[0] == "mnemo_lab":
            base = (node.module or "").partition(".")[2]
        else:
            return
        for alias in node.names:
            inner = f"{base}.{alias.name}".lstrip(".")
            yield inner if inner in modules() else base


def imports(path: Path, at_import: bool) -> set[str]:
    """What a file imports anywhere, type checking included; or (``at_import``) only while it is being imported."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    nodes = at_import_nodes(tree) if at_import else ast.walk(tree)
    module = dotted(path)
    return {name for node in nodes for name in imported(node, module, path.name == "__init__.py")} - {module}


def at_import_nodes(node: ast.AST) -> Iterator[ast.AST]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            continue
        if isinstance(child, ast.If) and "TYPE_CHECKING" in ast.unparse(child.test):
            continue
        yield child
        yield from at_import_nodes(child)


@pytest.mark.parametrize("path", SOURCES, ids=dotted)
def test_imports_go_one_way(path: Path) -> None:
    here = dotted(path)
    for there in imports(path, at_import=False):
        assert layer_of(there) <= layer_of(here), f"{here} imports {there}, which stands above it"
        for group in APART:
            pair = {first_part(here), first_part(there)}
            assert len(pair & group) < 2, f"{here} imports {there}, its neighbour"


def test_there_are_no_cycles() -> None:
    graph = {dotted(path): imports(path, at_import=True) for path in SOURCES}
    done: set[str] = set()

    def visit(module: str, trail: tuple[str, ...]) -> None:
        assert module not in trail, " -> ".join([*trail[trail.index(module) :], module])
        if module not in done:
            for other in graph.get(module, ()):
                visit(other, (*trail, module))
            done.add(module)

    for module in graph:
        visit(module, ())


def test_packages_form_no_cycles_even_through_functions() -> None:
    """Above the base, a folder that uses another is not used by it, however late the import.

    But for metrics, which read outcomes, and the replay, which measures them.
    """
    edges: dict[str, set[str]] = {}
    for path in SOURCES:
        here = first_part(dotted(path))
        if layer_of(dotted(path)) > 0:
            found = imports(path, at_import=False)
            above = (name for name in found if layer_of(name) > 0)
            edges.setdefault(here, set()).update({first_part(name) for name in above} - {here})
    pairs = sorted((a, b) for a, others in edges.items() for b in others if a < b and a in edges.get(b, set()))
    assert [pair for pair in pairs if not set(pair) <= {"", "api", "cli"}] == [("metrics", "replay")]


@pytest.mark.parametrize("start", ["import mnemo_lab", "import mnemo_lab.cli.main", "help"])
def test_the_front_door_loads_nothing_heavy(start: str) -> None:
    """``import mnemo_lab`` and ``mnemo --help``, by what stands in ``sys.modules`` afterwards."""
    code = "import sys, json, io, contextlib\n"
    if start == "help":
        code += "from mnemo_lab.cli.main import run\n"
        code += "with contextlib.redirect_stdout(io.StringIO()), contextlib.suppress(SystemExit): run(['--help'])\n"
    else:
        code += f"{start}\n"
    code += "print(json.dumps(sorted(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True, cwd=ROOT)
    loaded = {name.partition(".")[0] for name in json.loads(done.stdout)}
    assert "mnemo_lab" in loaded
    assert loaded & set(HEAVY) == set()


def lines(path: Path) -> int:
    return len(path.read_text(encoding="utf-8").splitlines())


def test_no_file_is_longer_than_400_lines() -> None:
    files = [p for folder in ("mnemo_lab", "tests", "evals") for p in (ROOT / folder).rglob("*.py")]
    assert {str(p.relative_to(ROOT)): lines(p) for p in files if lines(p) > 400} == {}


def package_of(path: Path) -> str:
    """The package whose size a file counts for."""
    return folder(path) if folder(path) in APART_IN_SIZE else first_part(dotted(path))


def written(names: set[str]) -> int:
    """Lines of these packages and modules, blank ones apart."""
    paths = [path for path in SOURCES if names & {dotted(path), package_of(path)}]
    return sum(1 for path in paths for line in path.read_text(encoding="utf-8").splitlines() if line.strip())


def test_the_core_stays_small() -> None:
    assert written(CORE) < 6000
    others = set(map(package_of, SOURCES)) - CORE - {"formats"}
    assert {name: size for name in others if (size := written({name})) > PACKAGE_LIMIT} == {}


def test_datasets_holds_data_only() -> None:
    assert list((ROOT / "datasets").rglob("*.py")) == []


ENCODES = """
import importlib.util, warnings
spec = importlib.util.find_spec("datasets")
assert spec is None or spec.origin is None, f"a folder without code shadows the Hugging Face package: {spec}"
from mnemo_lab.embeddings.minilm import open_embedder
rows = open_embedder().encode(["hello", "hello", "goodbye"])
assert rows.shape == (3, 384) and (rows[0] == rows[1]).all()
import sentence_transformers, transformers
print("works")
"""


def test_the_folder_named_datasets_does_not_mislead_sentence_transformers() -> None:
    """From the root of the repository ``datasets`` is importable as a namespace; the models must not mind."""
    done = subprocess.run([sys.executable, "-c", ENCODES], capture_output=True, text=True, cwd=ROOT, check=False)
    assert done.stdout.strip().endswith("works"), done.stderr[-2000:]
