"""The bundled set: our own conversations with an assistant, in English and Chinese, with gold questions (see its card).

It is read by the same code as anyone's own data; its card says which recordings are for tuning (dev) and which for
claims (test).
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

from mnemo_lab.corpora.base import Corpus, Dataset
from mnemo_lab.corpora.card import read_card
from mnemo_lab.corpora.portable import read_with_card
from mnemo_lab.paths import datasets_root

NAME: Final = "bilingual"


def read(path: Path) -> Dataset:
    """The set at a path, under the bundled card."""
    return read_with_card(path, read_card(NAME), NAME)


CORPUS: Final = Corpus(NAME, read, card_name=NAME, finder=lambda: datasets_root() / NAME)
