"""Chinese in figures: a font that has it, or numbers with a key where there is none. Never boxes."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Final

LATIN: Final = "DejaVu Sans"
"""Comes with matplotlib."""
SAMPLE: Final = "汉"
PREFERRED: Final = (
    "Noto Sans CJK SC", "Noto Sans CJK", "Noto Sans SC", "Source Han Sans", "WenQuanYi", "PingFang", "Hiragino Sans GB",
    "Heiti", "STHeiti", "Microsoft YaHei", "SimHei", "Noto Serif CJK", "Source Han Serif", "SimSun",
)  # fmt: skip
_FILE: Final = re.compile(r"cjk|han|wqy|wenquan|pingfang|hei|yahei|song|simsun|hiragino", re.I)
_EAST: Final = re.compile(r"[\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff\uff00-\uffef\U00020000-\U0003ffff]")


def is_east_asian(text: str) -> bool:
    return bool(_EAST.search(text))


@cache
def chinese_family() -> str | None:
    """The family of an installed font that has Chinese, the preferred ones first; ``None`` where there is none."""
    from matplotlib import font_manager

    known = [(font.name, font.fname) for font in font_manager.fontManager.ttflist]
    return pick(known) or _newly_installed()


def pick(fonts: Iterable[tuple[str, str]]) -> str | None:
    """The best family of ``(family, file)`` pairs whose file has the sample character."""
    ranked = sorted((rank, name, file) for name, file in fonts if (rank := _rank(name, file)) is not None)
    return next((name for _, name, file in ranked if has_glyph(file)), None)


def _rank(name: str, file: str) -> int | None:
    """Place among the preferred; other fonts are opened only where their file name hints at Chinese."""
    found = next((i for i, wanted in enumerate(PREFERRED) if name.startswith(wanted)), None)
    if found is None and _FILE.search(Path(file).name):
        return len(PREFERRED)
    return found


def has_glyph(file: str, character: str = SAMPLE) -> bool:
    from matplotlib.ft2font import FT2Font

    try:
        return FT2Font(file).get_char_index(ord(character)) != 0
    except (OSError, RuntimeError):  # listed in matplotlib's cache, but gone or broken
        return False


def _newly_installed() -> str | None:
    """Look on disk, too: matplotlib keeps its font list when fonts are installed."""
    from matplotlib import font_manager

    for file in sorted(font_manager.findSystemFonts()):
        if _FILE.search(Path(file).name) and has_glyph(file):
            font_manager.fontManager.addfont(file)
            return font_manager.FontProperties(fname=file).get_name()
    return None


def families(chinese: str | None) -> list[str]:
    """What matplotlib draws with, glyph by glyph the first that has it."""
    return [LATIN, chinese] if chinese else [LATIN]


class Names:
    """Labels as a figure shows them: as they are, or numbered where the font has no Chinese."""

    def __init__(self, numbered: bool = False) -> None:
        self.numbered = numbered
        self.key: dict[str, str] = {}
        """Number → label, for the report to print."""

    def __call__(self, label: str) -> str:
        if not (self.numbered and is_east_asian(label)):
            return label
        number = next((n for n, known in self.key.items() if known == label), None)
        if number is None:
            number = f"[{len(self.key) + 1}]"
            self.key[number] = label
        return number

    def each(self, labels: Sequence[str]) -> Iterator[str]:
        return (self(label) for label in labels)
