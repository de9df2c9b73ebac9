"""Importing the package stays light."""

from __future__ import annotations

import subprocess
import sys


def test_importing_loads_neither_scipy_nor_pandas() -> None:
    code = "import sys, mnemo_lab.statistics; print(sorted({'scipy', 'pandas', 'torch'} & set(sys.modules)))"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "[]\n"
