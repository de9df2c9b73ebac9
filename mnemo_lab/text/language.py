"""Which script a text is mostly written in; enough to choose an embedder and a tokenizer's path."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

CJK: Final = "\u3005-\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\u3040-\u30ff\uac00-\ud7af\U00020000-\U0002ffff"
_CJK: Final = re.compile(f"[{CJK}]")
_LATIN_WORD: Final = re.compile(r"[A-Za-z\u00c0-\u024f]+")


def cjk_share(texts: Iterable[str]) -> float:
    """Share of Chinese (or Japanese, Korean) characters among characters and Latin words, 0 to 1; 0 for none."""
    cjk = latin = 0
    for text in texts:
        cjk += len(_CJK.findall(text))
        latin += len(_LATIN_WORD.findall(text))
    return cjk / (cjk + latin) if cjk + latin else 0.0


def language_of(texts: Iterable[str]) -> str:
    """``"zh"`` where at least 30 % is written in Chinese characters, else ``"en"``."""
    return "zh" if cjk_share(texts) >= 0.3 else "en"
