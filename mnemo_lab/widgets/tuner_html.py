"""A reading of the tuner as HTML (what the widget shows, and what stands in for it) and as one line of text."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape
from typing import Final

from mnemo_lab.recording import Probe
from mnemo_lab.replay.repack import METRICS
from mnemo_lab.widgets.tuner_state import Line, Reading

LISTED: Final = 3
GOOD: Final = "var(--jp-success-color1,#1a7f37)"
BAD: Final = "var(--jp-error-color1,#c2352a)"
FAINT: Final = "opacity:.72"
WHOLE: Final = "font-size:13px;line-height:1.45;max-width:64em;white-space:normal;overflow-x:auto"
TABLE: Final = "border-collapse:collapse;margin:6px 0;font-size:inherit;font-variant-numeric:tabular-nums"
CELL: Final = "padding:4px 10px;white-space:nowrap;border-bottom:1px solid rgba(128,128,128,.3);vertical-align:top"
BOX: Final = "user-select:all;padding:2px 6px;border:1px solid rgba(128,128,128,.4)"
MINUS: Final = "\u2212"

Words = Mapping[str, str]


def reading_html(reading: Reading, words: Words) -> str:
    """Advice, the text to copy, the table, notes, and the first probes won and lost."""
    parts = [_advice(reading, words), _copy(reading, words), _table(reading, words), _notes(reading, words)]
    reference = reading.own if reading.changed else reading.baseline
    parts.append(_probes("won", reference, reference.won, words) + _probes("lost", reference, reference.lost, words))
    return f"<div style='{WHOLE}'>{''.join(parts)}</div>"


def reading_text(reading: Reading, words: Words) -> str:
    """One line for places that show no HTML."""
    values = ", ".join(f"{words[m]} {_value(m, reading.now.means[m])}" for m in METRICS)
    return f"{words['title']}: {reading.text}, {words['budget']} {reading.knobs.budget:,}: {values}"


def _advice(reading: Reading, words: Words) -> str:
    split = reading.knobs.split
    kind = split if reading.has_dev else "one"
    return f"<p style='margin:4px 0'>{escape(words[f'advice_{kind}'].format(n=reading.n))}</p>"


def _copy(reading: Reading, words: Words) -> str:
    code = f"<code style='{BOX}'>{escape(reading.text)}</code>"
    return f"<p style='margin:6px 0'>{escape(words['copy'])} {code}</p>"


def _table(reading: Reading, words: Words) -> str:
    names = [words["setting"], *(words[m] for m in METRICS), words["won_lost"]]
    head = "".join(f"<th style='{CELL};text-align:{_side(i)}'>{escape(name)}</th>" for i, name in enumerate(names))
    rows = [_row(f"<b>{escape(words['now'])}</b>", reading.now, None, words)]
    for name, line in (("own", reading.own), ("baseline", reading.baseline)):
        rows.append(_row(escape(words[name].format(name=line.name)), line, reading.now, words))
    return f"<table style='{TABLE}'><tr>{head}</tr>{''.join(rows)}</table>"


def _row(title: str, line: Line, now: Line | None, words: Words) -> str:
    budget = escape(words["tokens"].format(n=f"{line.budget:,}"))
    cells = [f"{title}<br><small style='{FAINT}'>{budget}</small>"]
    for metric in METRICS:
        value = _value(metric, line.means[metric])
        cells.append(value if now is None else f"{value}<br>{_delta(metric, now.means[metric] - line.means[metric])}")
    cells.append("" if now is None else f"{len(line.won)} / {len(line.lost)}")
    return f"<tr>{''.join(f'<td style={_quoted(i)}>{cell}</td>' for i, cell in enumerate(cells))}</tr>"


def _quoted(column: int) -> str:
    return f"'{CELL};text-align:{_side(column)}'"


def _side(column: int) -> str:
    return "left" if column == 0 else "right"


def _value(metric: str, value: float) -> str:
    if value != value:
        return "—"
    return f"{value:,.0f}" if metric == "context_tokens" else f"{value:.3f}"


def _delta(metric: str, value: float) -> str:
    """Signed, green where higher is better and higher; tokens are neither good nor bad."""
    text = _value(metric, abs(value))
    if value != value or not float(text.replace(",", "")):
        return f"<small style='{FAINT}'>{'—' if value != value else '±0'}</small>"
    colour = FAINT if metric == "context_tokens" else f"color:{GOOD if value > 0 else BAD}"
    return f"<small style='{colour}'>{'+' if value > 0 else MINUS}{text}</small>"


def _notes(reading: Reading, words: Words) -> str:
    base, notes = reading.baseline, [words["deltas"]]
    if base.budget != reading.knobs.budget:
        wanted, shown = f"{reading.knobs.budget:,}", f"{base.budget:,}"
        notes.append(words["other_budget"].format(name=base.name, wanted=wanted, shown=shown))
    if reading.cut_short:
        notes.append(words["cut_short"].format(n=reading.cut_short))
    return f"<p style='margin:4px 0;{FAINT}'><small>{'<br>'.join(map(escape, notes))}</small></p>"


def _probes(side: str, line: Line, probes: tuple[Probe, ...], words: Words) -> str:
    title = f"<b>{escape(words[side].format(name=line.name))}: {len(probes)}</b>"
    items = [f"<li>{escape(p.question)} <span style='{FAINT}'>({escape(p.id)})</span></li>" for p in probes[:LISTED]]
    if len(probes) > LISTED:
        items.append(f"<li style='list-style:none;{FAINT}'>{escape(words['more'].format(n=len(probes) - LISTED))}</li>")
    return f"<div style='margin:6px 0'>{title}<ul style='margin:2px 0 2px 1.4em;padding:0'>{''.join(items)}</ul></div>"
