"""Execute the notebooks: one progress line each, exit code 1 with the failing cell where one fails.

python notebooks/execute.py                     all of them
python notebooks/execute.py 00_tour             these only (the start of a name is enough)
python notebooks/execute.py --keep out          and keep executed copies to look at
"""

from __future__ import annotations

import argparse
import re
import sys
import time
from pathlib import Path
from typing import Any, Final

import nbformat
from jupyter_client.kernelspec import KernelSpec, KernelSpecManager
from jupyter_client.manager import AsyncKernelManager
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError, CellTimeoutError, DeadKernelError

Notebook = nbformat.NotebookNode
FOLDER: Final = Path(__file__).resolve().parent
TIMEOUT: Final = 1800
"""Seconds one cell may take: the first run embeds everything."""
WIDGET_VIEW: Final = "application/vnd.jupyter.widget-view+json"
COLOURS: Final = re.compile(r"\x1b\[[0-9;]*m")


class ThisPython(KernelSpecManager):
    """Kernel specs that always start the interpreter that runs this file."""

    def get_kernel_spec(self, kernel_name: str) -> KernelSpec:
        argv = [sys.executable, "-m", "ipykernel_launcher", "-f", "{connection_file}", "--log-level=40"]
        return KernelSpec(argv=argv, display_name="Python 3", language="python")


def main(arguments: list[str] | None = None) -> int:
    """Run what was asked for; the number of failures decides the exit code."""
    asked = _parser().parse_args(arguments)
    failures = 0
    for path in _chosen(asked.names):
        notebook: Notebook = nbformat.reads(path.read_text(encoding="utf-8"), as_version=4)  # type: ignore[no-untyped-call]
        started = time.monotonic()
        fault = run_notebook(notebook, path.parent, asked.timeout)
        failures += fault is not None
        _say(f"{path.name:<32} {'failed' if fault else 'ok':<7}{time.monotonic() - started:7.1f} s")
        if fault:
            _say(fault)
        if asked.keep:
            asked.keep.mkdir(parents=True, exist_ok=True)
            _keep_readable(notebook)
            executed: str = nbformat.writes(notebook)  # type: ignore[no-untyped-call]
            (asked.keep / path.name).write_text(executed, encoding="utf-8")
    return 1 if failures else 0


def run_notebook(notebook: Notebook, folder: Path, timeout: int = TIMEOUT) -> str | None:
    """Execute in place, in ``folder``; the failing cell with its error and output, or ``None`` where all went well."""
    manager = AsyncKernelManager(kernel_spec_manager=ThisPython())
    resources = {"metadata": {"path": str(folder)}}
    client = NotebookClient(notebook, km=manager, timeout=timeout, resources=resources)
    try:
        client.execute()
    except (CellExecutionError, CellTimeoutError, DeadKernelError) as error:
        return _fault(notebook, error)
    return None


def _fault(notebook: Notebook, error: Exception) -> str:
    """The last cell that was started, what it printed and what went wrong."""
    begun = [c for c in notebook.cells if c.cell_type == "code" and ("execution" in c.metadata or c.execution_count)]
    cell = begun[-1] if begun else {"source": "", "outputs": []}
    output = "".join(_text(item) for item in cell["outputs"])
    reason = "" if isinstance(error, CellExecutionError) else f"{type(error).__name__}: {error}"
    return "\n".join(
        [f"--- cell {len(begun)}", str(cell["source"]), "--- output", *filter(None, (output.rstrip(), reason))]
    )


def _text(output: Any) -> str:
    if output["output_type"] == "stream":
        return str(output["text"])
    if output["output_type"] == "error":
        return COLOURS.sub("", "\n".join(output["traceback"])) + "\n"
    return str(output.get("data", {}).get("text/plain", "")) + "\n"


def _keep_readable(notebook: Notebook) -> None:
    """Where an output has both a widget, dead without its kernel, and a table, leave the table."""
    for cell in notebook.cells:
        for output in cell.get("outputs", []):
            if "text/html" in output.get("data", {}):
                output["data"].pop(WIDGET_VIEW, None)


def _chosen(names: list[str]) -> list[Path]:
    every = sorted(FOLDER.glob("[0-9][0-9]_*.ipynb"))
    wanted = [Path(name).name.removesuffix(".ipynb") for name in names]
    unknown = [name for name in wanted if not any(path.stem.startswith(name) for path in every)]
    if unknown:
        known = ", ".join(path.stem for path in every)
        sys.exit(f"no notebook {', '.join(unknown)}; there are: {known}")
    return [path for path in every if not wanted or any(path.stem.startswith(name) for name in wanted)]


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("names", nargs="*", help="notebooks to execute (default: all)")
    parser.add_argument("--keep", type=Path, metavar="DIR", help="write executed copies there")
    parser.add_argument("--timeout", type=int, default=TIMEOUT, help=f"seconds a cell may take (default: {TIMEOUT})")
    return parser


def _say(text: str) -> None:
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
