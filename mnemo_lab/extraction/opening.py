"""Extractors by name."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mnemo_lab.registry import resolve

if TYPE_CHECKING:
    from mnemo_lab.extraction.base import Extractor
    from mnemo_lab.services import Services


def open_extractor(name: str, services: Services) -> Extractor:
    """``rules``, ``model`` or a third party's; raises ``UnknownName``. ``model`` asks the services' language model."""
    extractor: Extractor = resolve("extractor", name)(services)
    return extractor


def open_rules(services: Services) -> Extractor:
    """The rules need no services."""
    from mnemo_lab.extraction.rules.extractor import RulesExtractor

    return RulesExtractor()
