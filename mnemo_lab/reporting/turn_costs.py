"""Costs by turn as a table and a picture, in English and Chinese."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from mnemo_lab.errors import UnknownName
from mnemo_lab.losses import Language
from mnemo_lab.replay.turn_costs import TOTALS, TurnCosts
from mnemo_lab.reporting import wording as say
from mnemo_lab.reporting.fonts import chinese_family, families
from mnemo_lab.reporting.selection import is_reference
from mnemo_lab.reporting.style import Look, looks, styled
from mnemo_lab.reporting.tables import Cell, Row, Table, boxed

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

WORDS: Final[dict[Language, dict[str, str]]] = {
    "en": {
        "strategy": "strategy",
        "sent": "sent per turn",
        "cached": "unchanged",
        "cost": "cost",
        "cost_cached": "cost, cached",
        "even": "breaks even",
        "even_cached": "breaks even, cached",
        "per_1000": "{dollars} per 1,000",
        "reached": "{first}–{last}",
        "reached_by": "{first}–{last} in {reached} of {recordings}",
        "never": "never",
        "caption": "Costs by turn at {budget} tokens: {recordings} recordings, {turns} turns of {dataset}",
        "note": "Sent: tokens of the context and the user's message, per turn. Unchanged: share of them that began the "
        "request before, too; in small print the share that the vendor bills as cached. Cost: what all turns cost "
        "together, the strategy's own models included, as a share of what full costs; in small print US dollars per "
        "1,000 turns. Priced as {model} (prices of {as_of}); output is not counted: it is equal for all. Cached: with "
        "the vendor's prompt cache, still warm at every turn. Breaks even: the turn from which the running bill stays "
        "below that of full until the end; median over recordings and, in small print, range.",
        "title": "{recording} at {budget} tokens, priced as {model}",
        "turn": "turn",
        "dollars": "US dollars so far",
        "plain": "without a prompt cache",
        "with_cache": "with a prompt cache",
        "break_even": "breaks even",
    },
    "zh": {
        "strategy": "策略",
        "sent": "每轮发送",
        "cached": "前缀未变",
        "cost": "费用",
        "cost_cached": "费用（缓存）",
        "even": "盈亏平衡",
        "even_cached": "盈亏平衡（缓存）",
        "per_1000": "每千轮 {dollars}",
        "reached": "{first}–{last}",
        "reached_by": "{first}–{last}，{recordings} 份中 {reached} 份",
        "never": "从不",
        "caption": "预算 {budget} 词元时的逐轮费用：{dataset}，{recordings} 份对话记录，{turns} 轮",
        "note": "每轮发送：上下文与用户消息的词元数。前缀未变：其中与上一次请求开头相同的比例；小字为厂商按缓存计费的"
        "比例。费用：全部轮次的总费用（含策略自身所用模型）与 full 之比；小字为每千轮的美元数。按 {model} 计"
        "价（{as_of} 的价格）；输出词元各策略相同，不计。缓存：启用厂商的提示缓存，且每轮均未过期。盈亏平衡："
        "从该轮起累计费用直到结束都低于 full；取各对话记录的中位数，小字为范围。",
        "title": "{recording}，预算 {budget} 词元，按 {model} 计价",
        "turn": "轮次",
        "dollars": "累计费用（美元）",
        "plain": "不用提示缓存",
        "with_cache": "使用提示缓存",
        "break_even": "盈亏平衡",
    },
}
COLUMNS: Final = ("strategy", "sent", "cached", "cost", "cost_cached", "even", "even_cached")


def turn_cost_table(costs: TurnCosts, language: Language = "en") -> Table:
    """One row per strategy over all recordings; what the columns mean stands in the note."""
    words = WORDS[language]
    even = {(row["strategy"], row["caching"]): row for row in costs.break_even().iter_rows(named=True)}
    rows = []
    for row in costs.summary().iter_rows(named=True):
        label = row["strategy"]
        cells = (
            Cell(say.tokens(row["sent"])),
            Cell(say.share(row["cached"]), say.share(row["from_cache"])),
            *(_cost(row[f"relative{end}"], row[f"dollars{end}"], words) for end in ("", "_cached")),
            *(_even(even.get((label, caching)), words) for caching in (False, True)),
        )
        rows.append(Row.of(label, *cells, reference=is_reference(label)))
    facts = {
        "budget": f"{costs.budget:,}",
        "dataset": costs.dataset,
        "recordings": str(costs.rows["recording"].n_unique()),
        "turns": f"{costs.rows.select('recording', 'turn').n_unique():,}",
        "model": costs.card.name,
        "as_of": costs.card.as_of,
    }
    caption, note = words["caption"].format(**facts), words["note"].format(**facts)
    return Table(tuple(words[name] for name in COLUMNS), tuple(rows), caption, note)


def _cost(relative: float | None, dollars: float | None, words: dict[str, str]) -> Cell:
    if relative is None or dollars is None:
        return Cell(say.NONE)
    return Cell(say.share(relative), words["per_1000"].format(dollars=say.dollars(1000 * dollars)))


def _even(found: dict[str, Any] | None, words: dict[str, str]) -> Cell:
    if found is None:
        return Cell(say.NONE)
    shown = {name: f"{found[name]:g}" if found[name] is not None else words["never"] for name in ("first", "last")}
    median = f"{found['median']:g}" if found["median"] is not None else words["never"]
    if not found["reached"]:
        return Cell(median)
    text = words["reached" if found["reached"] == found["recordings"] else "reached_by"]
    return Cell(median, text.format(**{**found, **shown}))


def turn_costs_html(costs: TurnCosts) -> str:
    """Costs by turn in a notebook."""
    return boxed([turn_cost_table(costs)])


def draw_turn_costs(costs: TurnCosts, recording: str | None = None, language: Language = "en") -> Figure:
    """The running bill of every strategy over the turns of one recording (default: the longest), without and with a
    prompt cache, a dot where it breaks even against ``full``.

    Labels are English where no installed font has Chinese. Raises ``UnknownName`` for a recording that is not there.
    """
    lengths = dict(costs.rows.group_by("recording", maintain_order=True).len().iter_rows())
    chosen = recording or max(lengths, key=lambda name: lengths[name], default="")
    if chosen not in lengths:
        raise UnknownName(f"recording of {costs.dataset} with turns", chosen, lengths)
    family = chinese_family() if language == "zh" else None
    words = WORDS[language if family else "en"]
    with styled(families(family)):
        figure, panels = _panels()
        for axes, caching in zip(panels, TOTALS, strict=True):
            _draw(axes, costs, chosen, caching)
            axes.set_title(words["with_cache" if caching else "plain"], loc="left")
            axes.set_xlabel(words["turn"])
        panels[0].set_ylabel(words["dollars"])
        panels[0].plot([], [], "o", color="white", markeredgecolor="black", label=words["break_even"])
        handles, labels = panels[0].get_legend_handles_labels()
        figure.legend(handles, labels, loc="outside lower center", ncols=2, frameon=False)
        title = words["title"].format(recording=chosen, budget=f"{costs.budget:,}", model=costs.card.name)
        figure.suptitle(title, fontsize=9.5)
    return figure


def _panels() -> tuple[Figure, list[Axes]]:
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(7.6, 4.2), layout="constrained")
    FigureCanvasAgg(figure)
    return figure, list(figure.subplots(1, 2, sharey=True))


def _draw(axes: Axes, costs: TurnCosts, recording: str, caching: bool) -> None:
    import polars as pl

    mine = pl.col("recording") == recording
    even = costs.by_recording().filter(mine & (pl.col("caching") == caching))
    turns = dict(even.select("strategy", "turn").iter_rows())
    styles: dict[str, Look] = looks(costs.strategies, "")
    for label in costs.strategies:
        bill = costs.rows.filter(mine & (pl.col("strategy") == label))[TOTALS[caching]].to_list()
        look, turn = styles[label], turns.get(label)
        axes.plot(range(1, len(bill) + 1), bill, color=look.colour, linestyle=look.line, label=label)
        if turn is not None:
            axes.plot([turn], [bill[turn - 1]], "o", color="white", markeredgecolor=look.colour, zorder=5)
