"""ranx without its compiler: the same numbers, and no minute of compiling before the first one."""

from __future__ import annotations

import numba

numba.config.DISABLE_JIT = True  # read when ranx decorates its functions, so before it is imported

from ranx import Qrels, Run, evaluate, fuse  # noqa: E402

__all__ = ["Qrels", "Run", "evaluate", "fuse"]
