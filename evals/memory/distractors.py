"""Memories of other people and things, made to be searched among: no scenario speaks of them."""

from __future__ import annotations

import random
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Final

from mnemo_lab.embeddings.base import TextKind
from mnemo_lab.memory.item import MemoryItem
from mnemo_lab.memory.stores.checks import embedded_text

if TYPE_CHECKING:
    from mnemo_lab.embeddings.base import Embedder, Vectors

SYLLABLES: Final = "ba dor fen gal hin jo kul mer nav pol ras sem tur vik wex yar zol quen".split()
CHARACTERS: Final = "岚泽峤沅珩翊沐缇澜朔岑霁弈璟钧琅骁棣菁蓁"
CATEGORIES: Final = ("project_fact", "decision")
SENTENCES: Final = {
    "en": ("{subject} uses {value} as {attribute}.", "For {subject} the {attribute} is {value}.",
           "{subject} settled on {value}, that is the {attribute} there."),
    "zh": ("{subject}的{attribute}是{value}。", "{subject}那边{attribute}用的是{value}。",
           "{subject}定了，{attribute}选{value}。"),
}  # fmt: skip


def distractors(
    language: str, attributes: Sequence[str], number: int, now: datetime, days: float, seed: int, namespace: str
) -> list[MemoryItem]:
    """``number`` memories recorded within ``days`` before ``now``: attributes of the scenarios' own, so that questions
    share words with them, of subjects and with values that are made up."""
    rng = random.Random(f"{seed} {language}")
    made = []
    for n in range(number):
        subject, value, attribute = _name(rng, language), f"{_name(rng, language)}{n}", rng.choice(attributes)
        content = rng.choice(SENTENCES[language]).format(subject=subject, value=value, attribute=attribute)
        at = (now - timedelta(days=rng.uniform(0, days))).isoformat(timespec="seconds")
        made.append(
            MemoryItem(
                namespace, rng.choice(CATEGORIES), subject, attribute, value, content, language, at, f"d{n}",
                rng.randint(1, 5), valid_from=at[:10],
            )
        )  # fmt: skip
    return made


def _name(rng: random.Random, language: str) -> str:
    if language == "zh":
        return "".join(rng.sample(CHARACTERS, 3))
    return "".join(rng.sample(SYLLABLES, 3)).capitalize()


class Spread:
    """The real embedder, but for distractors beyond the first ``real``: those get the vector of one of these with
    a random part of length ``noise``, brought to length 1."""

    english_only = False

    def __init__(self, inner: Embedder, items: Sequence[MemoryItem], real: int, noise: float, seed: int) -> None:
        self._inner, self._noise, self._seed = inner, noise, seed
        self.name, self.dimension, self.max_tokens = inner.name, inner.dimension, inner.max_tokens
        self.fingerprint = f"{inner.fingerprint}-spread"
        texts = [embedded_text(item) for item in items]
        self._like = {text: texts[at % real] for at, text in enumerate(texts) if at >= real}

    def encode(self, texts: Sequence[str], kind: TextKind = "passage") -> Vectors:
        import numpy as np

        real = {self._like.get(text, text) for text in texts}
        ordered = sorted(real)
        known = dict(zip(ordered, self._inner.encode(ordered, kind), strict=True))
        rows = np.stack([known[self._like.get(text, text)] for text in texts])
        for row, text in zip(rows, texts, strict=True):
            if text in self._like:
                digest = int.from_bytes(text.encode()[-8:], "big")
                part = np.random.default_rng([self._seed, digest]).standard_normal(self.dimension)
                row += self._noise * part / np.linalg.norm(part)
                row /= np.linalg.norm(row)
        vectors: Vectors = rows.astype(np.float32)
        return vectors
