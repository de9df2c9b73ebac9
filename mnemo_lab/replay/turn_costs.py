"""What every turn of a chat costs under each strategy, with and without a prompt cache, against sending everything."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from math import inf
from statistics import median
from typing import TYPE_CHECKING, Any, Final

from mnemo_lab.context import Budget
from mnemo_lab.corpora.base import Dataset, load
from mnemo_lab.errors import InvalidInput
from mnemo_lab.language_models import chosen_cassette, chosen_language_model
from mnemo_lab.recording import Recording
from mnemo_lab.registry import resolve
from mnemo_lab.replay.grid import short_label
from mnemo_lab.replay.run import embed_together
from mnemo_lab.replay.turns import Turn, asked_at, walk, walk_full
from mnemo_lab.replay.view import RecordingView
from mnemo_lab.services import Services, ServicesSpec
from mnemo_lab.strategy import Strategy
from mnemo_lab.strategy_text import parse_strategy
from mnemo_lab.tokens.models import ModelCard, known_models, model_card
from mnemo_lab.truncation.full import Full

if TYPE_CHECKING:
    import polars as pl

FULL: Final = "full"
TEXTS: Final = ("recording", "split", "language", "strategy")
COUNTS: Final = ("turn", "sent", "cached", "fresh", "from_cache", "write_tokens", "read_tokens", "total_sent")
DOLLARS: Final = (
    "dollars", "dollars_cached", "write_dollars", "read_dollars", "total_dollars", "total_dollars_cached",
)  # fmt: skip
TOTALS: Final = {False: "total_dollars", True: "total_dollars_cached"}
"""The running bill without and with a prompt cache."""


@dataclass(frozen=True)
class TurnCosts:
    """Rows of one request each; ``full`` is always among them. Output tokens are not counted: equal for all.

    Per request, in tokens: ``sent`` (context and user message), ``cached`` (its beginning that the request before had,
    too), ``fresh`` (the rest), ``from_cache`` (what the vendor bills as cached). ``dollars`` is the request's price,
    ``dollars_cached`` the same with caching on and a cache that is still warm. From the first turn to this one:
    ``write_tokens``, ``read_tokens``, ``write_dollars``, ``read_dollars`` of the strategy's own models, ``total_sent``,
    and ``total_dollars``, ``total_dollars_cached``: requests and models together. Null: a price is not known.
    """

    rows: pl.DataFrame
    dataset: str
    budget: int
    card: ModelCard
    """The model whose prices these are."""

    @property
    def strategies(self) -> list[str]:
        """Labels in the order asked for, ``full`` first."""
        return self.rows["strategy"].unique(maintain_order=True).to_list()

    def by_recording(self) -> pl.DataFrame:
        """Break-even of every recording, strategy and ``caching``: the first ``turn`` (from 1) from which the running
        bill stays below that of ``full`` until the end; null where there is none. ``turns``: how many there are."""
        import polars as pl

        bills = {
            key: part.select(TOTALS.values()).to_dict(as_series=False)
            for key, part in self.rows.group_by("recording", "strategy", maintain_order=True)
        }
        found = [
            {"recording": recording, "strategy": strategy, "caching": caching, "turns": len(bill[column]),
             "turn": break_even(bill[column], bills[recording, FULL][column])}
            for (recording, strategy), bill in bills.items()
            if strategy != FULL
            for caching, column in TOTALS.items()
        ]  # fmt: skip
        types = {"recording": pl.String, "strategy": pl.String, "caching": pl.Boolean, "turns": pl.Int64}
        return pl.DataFrame(found, schema={**types, "turn": pl.Int64})

    def break_even(self) -> pl.DataFrame:
        """Per strategy and ``caching``: in how many of the ``recordings`` it breaks even (``reached``); ``median``,
        ``first`` and ``last`` of the turns, never counting as later than any turn: null where that is never."""
        import polars as pl

        found = []
        for (strategy, caching), part in self.by_recording().group_by("strategy", "caching", maintain_order=True):
            turns = sorted(inf if turn is None else turn for turn in part["turn"].to_list())
            found.append(
                {"strategy": strategy, "caching": caching, "recordings": len(turns),
                 "reached": sum(turn < inf for turn in turns),
                 "median": _finite(median(turns)), "first": _finite(turns[0]), "last": _finite(turns[-1])}
            )  # fmt: skip
        types = {"strategy": pl.String, "caching": pl.Boolean, "recordings": pl.Int64, "reached": pl.Int64}
        return pl.DataFrame(found, schema={**types, **dict.fromkeys(("median", "first", "last"), pl.Float64)})

    def summary(self) -> pl.DataFrame:
        """Per strategy over all turns of all recordings: tokens ``sent`` per turn, the ``cached`` share of them and
        the share billed as such (``from_cache``), dollars per turn without and with caching, models included
        (``dollars``, ``dollars_cached``), and these as shares of what ``full`` costs likewise (``relative``,
        ``relative_cached``)."""
        import polars as pl

        last = self.rows.group_by("recording", "strategy", maintain_order=True).last()
        bills = last.group_by("strategy").agg(*(_sum(column).alias(f"{column}_sum") for column in TOTALS.values()))
        sums = self.rows.group_by("strategy", maintain_order=True).agg(
            pl.len().alias("turns"), pl.col("sent", "cached", "from_cache").sum()
        )
        board = sums.join(bills, on="strategy", maintain_order="left").select(
            "strategy",
            "turns",
            pl.col("sent") / pl.col("turns"),
            pl.col("cached", "from_cache") / pl.col("sent"),
            (pl.col("total_dollars_sum") / pl.col("turns")).alias("dollars"),
            (pl.col("total_dollars_cached_sum") / pl.col("turns")).alias("dollars_cached"),
        )
        full = board.filter(pl.col("strategy") == FULL)
        return board.with_columns(
            (pl.col("dollars") / full["dollars"]).alias("relative"),
            (pl.col("dollars_cached") / full["dollars_cached"]).alias("relative_cached"),
        )

    def _repr_html_(self) -> str:
        # By name, as a run is shown: what shows it is built on it.
        show: Callable[[TurnCosts], str] = resolve("view", "turn_costs")
        return show(self)


def turn_costs(
    data: Dataset | str,
    strategies: Sequence[str],
    budget: int = 2048,
    *,
    price_as: str = "gpt-4o-mini",
    embedder: str = "auto",
    language_model: str | None = None,
    seed: int = 0,
    cache_dir: str | None = None,
) -> TurnCosts:
    """Walk every recording turn by turn under ``full`` and each strategy at one budget (tokens), priced as a model.

    Tokens are counted with that model's encoding, or its stand-in. ``language_model`` (default: ``MNEMO_LLM``, else
    ``extractive``) is for strategies that ask one; ``cache_dir`` is where embeddings are kept. Raises
    ``InvalidInput`` for an unknown or unpriced model.
    """
    dataset, card = load(data) if isinstance(data, str) else data, _priced(price_as)
    if budget < 0:
        raise InvalidInput(f"budget {budget}: must be 0 or more tokens")
    chosen = {short_label(text): parse_strategy(text) for text in (FULL, *strategies)}
    model, cassette = chosen_language_model(language_model), chosen_cassette()
    spec = ServicesSpec(card.encoding, embedder, seed, 1, cache_dir, model, cassette)
    opened: dict[str, Services] = {}
    rows: list[dict[str, Any]] = []
    for recording in dataset:
        own = spec.for_language(recording.language)
        services = opened.setdefault(own.embedder, own.open())
        rows += _rows(recording, chosen, Budget(budget, services.counter), services, card)
    return TurnCosts(_frame(rows), dataset.name, budget, card)


def break_even(bill: Sequence[float | None], other: Sequence[float | None]) -> int | None:
    """The first turn (from 1) from which a running bill stays below another until the end; ``None`` where there is
    none, also where either is not known."""
    found = None
    for turn in range(len(bill), 0, -1):
        mine, theirs = bill[turn - 1], other[turn - 1]
        if mine is None or theirs is None or not mine < theirs:
            break
        found = turn
    return found


def _rows(
    recording: Recording, strategies: dict[str, Strategy], budget: Budget, services: Services, card: ModelCard
) -> Iterator[dict[str, Any]]:
    view = RecordingView(replace(recording, probes=()), services)
    _embed(view, list(strategies.values()), services)
    for label, strategy in strategies.items():
        full = isinstance(strategy, Full)
        turns = walk_full(view, services) if full else walk(view, strategy, budget, services)
        head = dict(zip(TEXTS, (recording.id, recording.split, recording.language, label), strict=True))
        yield from ({**head, **row} for row in priced(turns, card))


def priced(turns: Iterable[Turn], card: ModelCard) -> Iterator[dict[str, Any]]:
    """One row per turn of one recording, as ``TurnCosts`` explains them."""
    sent, bill, bill_cached = 0, 0.0, 0.0
    for number, turn in enumerate(turns, 1):
        dollars, dollars_cached = card.input_dollars(turn.sent), card.input_dollars(turn.sent, turn.cached)
        sent, bill, bill_cached = sent + turn.sent, bill + dollars, bill_cached + dollars_cached
        models = turn.write_dollars + turn.read_dollars
        yield {
            **turn._asdict(),
            "turn": number,
            "fresh": turn.fresh,
            "from_cache": card.from_cache(turn.cached),
            "total_sent": sent,
            "dollars": dollars,
            "dollars_cached": dollars_cached,
            "total_dollars": bill + models,
            "total_dollars_cached": bill_cached + models,
        }


def _embed(view: RecordingView, strategies: Sequence[Strategy], services: Services) -> None:
    """All messages in one batch, and what users ask in another, where any strategy embeds."""
    if any("embedder" in strategy.needs for strategy in strategies):
        embed_together(view, strategies, services)
        services.embedder.encode(list(dict.fromkeys(view.messages[p].text for p in asked_at(view))), "query")


def _priced(name: str) -> ModelCard:
    card = model_card(name)
    if card.input_price is None:
        have = ", ".join(known for known in known_models() if model_card(known).input_price is not None)
        raise InvalidInput(f"the model table lists no price for {name!r}; choose one of: {have}")
    return card


def _frame(rows: Iterable[dict[str, Any]]) -> pl.DataFrame:
    import polars as pl

    types = {**dict.fromkeys(TEXTS, pl.String), **dict.fromkeys(COUNTS, pl.Int64), **dict.fromkeys(DOLLARS, pl.Float64)}
    return pl.DataFrame(list(rows), schema=types).with_columns(pl.col(DOLLARS).fill_nan(None))


def _sum(column: str) -> pl.Expr:
    """A sum that is not known where a part is not."""
    import polars as pl

    return pl.when(pl.col(column).null_count() == 0).then(pl.col(column).sum())


def _finite(value: float) -> float | None:
    return value if value < inf else None
