"""Describers: what a stretch of turns is about."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mnemo_lab.describers.base import Describer, Description

if TYPE_CHECKING:
    from mnemo_lab.services import Services

__all__ = ["Describer", "Description", "open_describer"]


def open_describer(name: str, services: Services) -> Describer:
    """A describer by its name in the registry."""
    from mnemo_lab.registry import resolve

    describer: Describer = resolve("describer", name)(services)
    return describer
