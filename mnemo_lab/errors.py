"""Errors a user can act on: each names the value, what is allowed and the next step."""

from __future__ import annotations

import difflib
from collections.abc import Iterable


class MnemoError(Exception):
    """Base of every error this package raises on purpose; the command line prints it without a traceback."""


class InvalidInput(MnemoError):
    """Something given (a file, a field, a parameter) is not what it must be."""


class UnknownName(InvalidInput):
    """A name that no registry knows."""

    def __init__(self, kind: str, name: str, known: Iterable[str]) -> None:
        allowed = sorted(known)
        close = difflib.get_close_matches(name, allowed, n=1)
        hint = f" Did you mean {close[0]!r}?" if close else ""
        super().__init__(f"unknown {kind} {name!r}; known: {', '.join(allowed) or 'none'}.{hint}")


class MissingDependency(MnemoError):
    """An optional package is needed for what was asked."""

    def __init__(self, package: str, why: str, install: str) -> None:
        super().__init__(f"{why} needs the package {package!r}; install it with: {install}")


class BudgetTooSmall(MnemoError):
    """The protected part alone does not fit and the caller asked for an error instead of a flag."""
