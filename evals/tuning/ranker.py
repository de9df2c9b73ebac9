"""A linear ranker over hydration's signals: fitted by listwise softmax, measured as a replay measures.

Signals come out of a replay of the strategy itself. Packing follows ``Sheet`` with its headings of days, only
vectorised over questions (``tests/evals`` holds both to a replay).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import groupby
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from evals.tuning.signals import BEST, Floats, Weights, development, usable
from mnemo_lab.context import Candidates
from mnemo_lab.corpora.base import Dataset
from mnemo_lab.errors import InvalidInput
from mnemo_lab.history import History
from mnemo_lab.hydration.strategies.base import SIGNALS
from mnemo_lab.hydration.strategies.hydrate import Hydrate
from mnemo_lab.packing.days import heading
from mnemo_lab.packing.lines import day_of
from mnemo_lab.packing.pack import MIN_LINE, frame_tokens
from mnemo_lab.recording import Recording
from mnemo_lab.replay.loop import replay
from mnemo_lab.replay.view import RecordingView
from mnemo_lab.retrieval.fusion import LOWEST_Z, STD_FLOOR
from mnemo_lab.retrieval.strategies.hybrid import Hybrid
from mnemo_lab.services import Services, ServicesSpec
from mnemo_lab.strategy import Strategy

Ints = NDArray[np.int64]
Flags = NDArray[np.bool_]
BUDGETS: Final = (512, 2048, 4096)
MEASURES: Final = ("R@10", "512", "2,048", "4,096")
L2: Final = 3e-3
DEFAULTS: Final = Hydrate().weights()
UNUSED: Final = tuple(name for name, weight in DEFAULTS.items() if not weight)
TEXT: Final = ("context", "dense", "pair", "session", "checkpoint", "checkpoint_words")
"""Signals by closeness in words or meaning, which every recording has: what weights are brought to one scale by."""
EVERYTHING: Final = Hydrate(**dict.fromkeys(SIGNALS, 1.0))  # type: ignore[arg-type]
"""Every signal on, so that all columns are computed; the weights themselves play no part."""


class Layout(NamedTuple):
    """What lines cost: ``tokens`` each, and a heading for a block of lines by the block before it (last: none)."""

    tokens: Ints
    block: Ints
    headings: Ints


@dataclass(frozen=True)
class Talk:
    """One recording: signals at the scale that weights multiply, by question and message, and gold."""

    dataset: str
    recording: str
    signals: Floats
    """(questions, messages, ``SIGNALS``)"""
    hybrid: Floats
    """(questions, messages): the scores of ``hybrid`` as it is."""
    gold: Flags
    dated: Layout
    days: Layout
    frame: int

    @cached_property
    def target(self) -> Floats:
        """Every question's gold messages share 1."""
        share: Floats = self.gold / self.gold.sum(axis=1, keepdims=True)
        return share

    def scores(self, weights: Weights) -> Floats:
        """(questions, messages)"""
        fused: Floats = self.signals @ vector(weights)
        return fused


def vector(weights: Weights) -> Floats:
    return np.array([weights.get(name, 0.0) for name in SIGNALS])


def talks_of(data: Dataset, spec: ServicesSpec) -> list[Talk]:
    """Development recordings scored; raises ``InvalidInput`` with fewer than two, since one is left out."""
    chosen = [recording for recording in development(data) if usable(recording)]
    if len(chosen) < 2:
        raise InvalidInput(f"{data.name}: {len(chosen)} development recordings with evidence; at least 2 are needed")
    return [talk_of(data.name, recording, spec.for_language(recording.language).open()) for recording in chosen]


def talk_of(dataset: str, recording: Recording, services: Services) -> Talk:
    """Score every message for every usable question with every signal."""
    asked = replace(recording, probes=tuple(usable(recording)))
    view = RecordingView(asked, services)
    services.embedder.encode(EVERYTHING.texts_to_embed(view.messages))
    services.embedder.encode([probe.question for probe in asked.probes], "query")
    rows = []
    for found in _candidates(EVERYTHING, view):
        scaled = [_scaled(found.scores[name], found.moments[name]) for name in SIGNALS]
        rows.append(np.stack(scaled, axis=1))
    hybrid = np.stack([found.fused for found in _candidates(Hybrid(), view)])
    gold = np.zeros(hybrid.shape, dtype=bool)
    for row, probe in enumerate(asked.probes):
        gold[row, [view.position_of[name] for name in probe.evidence]] = True
    history = History(services)
    history.extend(view.messages)
    layouts, frame = _layouts(history, services), frame_tokens(services)
    return Talk(dataset, recording.id, np.stack(rows), hybrid, gold, *layouts, frame)


def _candidates(strategy: Strategy, view: RecordingView) -> Iterator[Candidates]:
    """Every message scored for every question, which a replay asks in their order at the very end."""
    for outcome in replay(view, strategy, strategy.name, BUDGETS[:1], view.services):
        found = outcome.context.candidates if outcome.context else None
        assert found is not None and len(found.positions) == len(view.messages)
        yield found


def _scaled(column: Floats, moments: tuple[float, float]) -> Floats:
    """As fusion by z-score does."""
    mean, spread = moments
    return np.maximum((column - mean) / max(spread, STD_FLOOR), LOWEST_Z)


def _layouts(history: History, services: Services) -> tuple[Layout, Layout]:
    """Lines with a date each, and undated lines under headings."""
    size = len(history)
    dated = np.array([history.line(i).tokens for i in range(size)])
    undated = np.array([history.undated(i).tokens for i in range(size)])
    runs = [(day, len(list(group))) for day, group in groupby(map(day_of, history.messages))]
    block = np.repeat(np.arange(len(runs)), [length for _, length in runs])
    before = [*(day for day, _ in runs), None]
    headings = [[_tokens(heading(last, day), services) for day, _ in runs] for last in before]
    free = Layout(dated, np.zeros(size, dtype=np.int64), np.zeros((2, 1), dtype=np.int64))
    return free, Layout(undated, block, np.array(headings))


def _tokens(text: str, services: Services) -> int:
    return services.count(text) if text else 0


def measure(talk: Talk, scores: Floats, dated: bool = False) -> Floats:
    """(questions, measures) in per cent: gold among the best ten, and kept at each budget."""
    order = np.argsort(-scores, axis=1, kind="stable")
    hits = np.take_along_axis(talk.gold, order, axis=1)
    layout = talk.dated if dated else talk.days
    kept = [(taken & hits).sum(axis=1) for taken in _packed(order, layout, talk.frame)]
    share: Floats = np.column_stack([hits[:, :BEST].sum(axis=1), *kept]) / talk.gold.sum(axis=1)[:, None]
    return 100 * share


def _packed(order: Ints, layout: Layout, frame: int) -> Flags:
    """(budgets, questions, ranks): what is taken; a line that does not fit is skipped, and offered once more."""
    count, size = order.shape
    order = np.tile(order, (len(BUDGETS), 1))
    room = np.repeat(np.array(BUDGETS) - frame, count)
    used = np.zeros((len(order), layout.headings.shape[1]), dtype=bool)
    taken, rows = np.zeros(order.shape, dtype=bool), np.arange(len(order))
    for rank in (*range(size), *range(size)):
        place = order[:, rank]
        block = layout.block[place]
        cost = layout.tokens[place] + _heading_cost(used, block, layout.headings)
        fits = (cost <= room) & ~taken[:, rank]
        room -= cost * fits
        taken[:, rank] |= fits
        used[rows, block] |= fits
        if room.max(initial=0) < MIN_LINE:
            break
    return taken.reshape(len(BUDGETS), count, size)


def _heading_cost(used: Flags, block: Ints, headings: Ints) -> Ints:
    """Tokens of headings that a first line in a block adds: its own, and what changes in the next block's."""
    rows, blocks = np.arange(len(block)), used.shape[1]
    if blocks == 1:
        alone: Ints = headings[-1, block] * ~used[rows, block]
        return alone
    numbers = np.arange(blocks)
    before = np.where(used & (numbers < block[:, None]), numbers, -1).max(axis=1)
    after = np.where(used & (numbers > block[:, None]), numbers, blocks).min(axis=1)
    next_one, follows = np.minimum(after, blocks - 1), after < blocks
    change = (headings[block, next_one] - headings[before, next_one]) * follows
    added: Ints = (headings[before, block] + change) * ~used[rows, block]
    return added


def loss(weights: Floats, talks: Sequence[Talk], l2: float = L2) -> tuple[float, Floats]:
    """Mean of -log softmax over gold messages, and its gradient; data sets count the same, and questions in one.

    The softmax is over all messages of a question's recording; ``l2`` times the squared weights is added.
    """
    total, gradient = l2 * float(weights @ weights), 2 * l2 * weights
    for talk, part in zip(talks, _parts(talks), strict=True):
        scores = talk.signals @ weights
        scores -= scores.max(axis=1, keepdims=True)
        logs = scores - np.log(np.exp(scores).sum(axis=1, keepdims=True))
        total -= part * float((talk.target * logs).sum())
        off = (np.exp(logs) - talk.target).ravel()
        gradient = gradient + part * (off @ talk.signals.reshape(-1, talk.signals.shape[2]))
    return total, gradient


def _parts(talks: Sequence[Talk]) -> list[float]:
    """What one question of each talk counts."""
    asked: dict[str, int] = {}
    for talk in talks:
        asked[talk.dataset] = asked.get(talk.dataset, 0) + len(talk.gold)
    return [1 / (len(asked) * asked[talk.dataset]) for talk in talks]


def fit(talks: Sequence[Talk], without: Sequence[str] = (), l2: float = L2) -> dict[str, float]:
    """The weights of least loss, at the scale of the softmax; signals ``without`` get 0."""
    from scipy.optimize import minimize

    bounds = [(0.0, 0.0) if name in without else (None, None) for name in SIGNALS]
    found = minimize(loss, np.zeros(len(SIGNALS)), (talks, l2), "L-BFGS-B", jac=True, bounds=bounds)
    return dict(zip(SIGNALS, map(float, found.x), strict=True))


def fit_priced(talks: Sequence[Talk], without: Sequence[str] = ()) -> dict[str, float]:
    """Weights fitted without ``length``, brought to ``hydrate``'s scale, at ``hydrate``'s price for length.

    The loss knows no budget, so what a token is worth is not for it to say. Signals that ``hydrate`` does not use are
    left out.
    """
    weights = to_scale(fit(talks, (*UNUSED, *without, "length")))
    return weights | {"length": 0.0 if "length" in without else DEFAULTS["length"]}


def to_scale(weights: Weights) -> dict[str, float]:
    """The same ranking, with the weights of ``TEXT`` adding up to what they add up to in ``hydrate``.

    Raises ``InvalidInput`` where all of them are 0.
    """
    size = sum(abs(weights[name]) for name in TEXT)
    if not size:
        raise InvalidInput(f"no weight for any of {', '.join(TEXT)}: the fit found nothing that tells messages apart")
    factor = sum(abs(DEFAULTS[name]) for name in TEXT) / size
    return {name: factor * weight for name, weight in weights.items()}
