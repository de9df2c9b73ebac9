"""What needs no looking (none, even, random) and lexical TextTiling, as boundaries between messages."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from random import Random

from evals.segmentation.plan import Tiling
from evals.segmentation.talks import Talk
from mnemo_lab.text.words import words


def none(talk: Talk) -> list[int]:
    """No boundary."""
    return []


def even(talk: Talk) -> list[int]:
    """The true number of segments, of even length."""
    segments = len(talk.wanted) + 1
    return sorted({round(talk.length * number / segments) for number in range(1, segments)} - {0, talk.length})


def random(talk: Talk, seed: int) -> list[int]:
    """The true number of boundaries, anywhere."""
    chance = Random(f"{seed} {talk.conversation.id}")
    return sorted(chance.sample(range(1, talk.length), len(talk.wanted)))


def texttiling(talk: Talk, tiling: Tiling) -> list[int]:
    """Hearst (1997, Computational Linguistics 23(1)): word counts of blocks compared by cosine, scores smoothed once
    over three gaps, a boundary where a depth peaks above the mean less half a standard deviation, at the nearest
    message. Not online: it sees the whole conversation."""
    sentences, opens = _sentences(talk.texts, tiling.words)
    size = tiling.block
    scores = [_cosine(sentences[max(g - size, 0) : g], sentences[g : g + size]) for g in range(1, len(sentences))]
    scores = [sum(part) / len(part) for i in range(len(scores)) if (part := scores[max(i - 1, 0) : i + 2])]
    depths = [_depth(scores, i) for i in range(len(scores))]
    if not depths:
        return []
    mean = sum(depths) / len(depths)
    least = mean - (sum((d - mean) ** 2 for d in depths) / len(depths)) ** 0.5 / 2
    peaks = [i for i, depth in enumerate(depths) if depth > max(least, 0)]
    peaks = [i for i in peaks if depths[i] == max(depths[max(i - 1, 0) : i + 2])]
    return sorted({opens[i + 1] for i in peaks} - {0, talk.length})


def _sentences(texts: Sequence[str], size: int) -> tuple[list[Counter[str]], list[int]]:
    """Word counts of pseudo-sentences, and the message that begins nearest to each one's start."""
    said = [words(text) for text in texts]
    if not size:
        return [Counter(one) for one in said], list(range(len(said)))
    flat = [(word, at) for at, one in enumerate(said) for word in one]
    counts = [Counter(word for word, _ in flat[i : i + size]) for i in range(0, len(flat), size)]
    first, total = [], 0
    for one in said:
        first.append(total)
        total += len(one)
    nearest = [min(range(len(first)), key=lambda at: abs(first[at] - i)) for i in range(0, len(flat), size)]
    return counts, nearest


def _cosine(before: Sequence[Counter[str]], after: Sequence[Counter[str]]) -> float:
    left, right = sum(before, Counter()), sum(after, Counter())
    norms = sum(n * n for n in left.values()) * sum(n * n for n in right.values())
    return sum(n * right[word] for word, n in left.items()) / norms**0.5 if norms else 0.0


def _depth(scores: Sequence[float], here: int) -> float:
    """How far the scores climb on both sides before they fall."""
    total = 0.0
    for step in (-1, 1):
        peak, at = scores[here], here + step
        while 0 <= at < len(scores) and scores[at] >= peak:
            peak, at = scores[at], at + step
        total += peak - scores[here]
    return total
