"""``ThresholdTuner``: sliders over a hybrid of a run, with the metrics changing while you drag."""

from __future__ import annotations

from html import escape
from typing import Any, Final

import ipywidgets as w

from mnemo_lab.errors import InvalidInput
from mnemo_lab.replay.run import Run
from mnemo_lab.widgets.tuner_html import reading_html, reading_text
from mnemo_lab.widgets.tuner_state import TunerState
from mnemo_lab.widgets.words import words_in

WIDE: Final = {"description_width": "8.5em"}
FIT: Final = 0
"""The slider's value for ``k=None``: a selection cannot hold ``None``."""
WIDGET_VIEW: Final = "application/vnd.jupyter.widget-view+json"


class ThresholdTuner:
    """Turn a hybrid's weights, neighbours, ``k`` and budget and see what each would have kept.

    Nothing is searched or embedded again: the run's stored candidates are fused and packed anew. ``strategy`` is the
    label of the hybrid to tune (the run's first), ``language`` the language of the labels (``en``, ``zh``). Where no
    widget front end runs, the table for the current setting is shown. Raises ``InvalidInput`` without a hybrid.
    """

    def __init__(self, run: Run, strategy: str | None = None, baseline: str = "recent", language: str = "en") -> None:
        self.words = words_in(language)
        self.state = TunerState(run, strategy, baseline)
        self.knobs: dict[str, Any] = self._make_knobs()
        self.shown = w.HTML()
        self._reset = w.Button(description=self.words["reset"], layout={"width": "max-content"})
        self._reset.on_click(self._back)
        for name, knob in self.knobs.items():
            knob.observe(lambda change, name=name: self._turned(name, change["new"]), names="value")
        self.view = self._arranged()
        self._show()

    def _make_knobs(self) -> dict[str, Any]:
        at = self.state.knobs
        made = {
            "dense_share": w.FloatSlider(at.dense_share, min=0, max=1, step=0.01, readout_format=".2f"),
            "session": w.FloatSlider(at.session, min=0, max=max(2.0, at.session), step=0.1, readout_format=".1f"),
            "speaker": w.FloatSlider(at.speaker, min=0, max=max(3.0, at.speaker), step=0.1, readout_format=".1f"),
            "neighbours": w.IntSlider(at.neighbours, min=0, max=max(3, at.neighbours)),
            "k": w.SelectionSlider(options=self._ks(), value=at.k or FIT),
            "budget": w.SelectionSlider(options=[(f"{b:,}", b) for b in self.state.budgets], value=at.budget),
            "language": w.ToggleButtons(options=self._named(self.state.languages), value=at.language),
            "split": w.ToggleButtons(options=self._named(self.state.splits), value=at.split),
        }
        for name, knob in made.items():
            knob.description, knob.style = self.words[name], WIDE
            if hasattr(knob, "continuous_update"):
                knob.continuous_update, knob.layout = True, {"width": "96%"}
        for name in self._untunable:
            made[name].disabled = True
        for name in ("language", "split"):
            made[name].style, made[name].layout = {**WIDE, "button_width": "auto"}, {"width": "96%"}
        return made

    @property
    def _untunable(self) -> list[str]:
        return [name for name in ("dense_share", "session", "speaker") if name not in self.state.mixer.adjustable]

    def _ks(self) -> list[tuple[str, int]]:
        return [(self.words["as_fit"] if k is None else str(k), k or FIT) for k in self.state.ks]

    def _named(self, values: list[str]) -> list[tuple[str, str]]:
        return [(self.words.get(value, value), value) for value in values]

    def _arranged(self) -> w.VBox:
        title = w.HTML(f"<b>{escape(self.words['title'])}</b>: <code>{escape(self.state.strategy)}</code>")
        order = ("dense_share", "neighbours", "session", "k", "speaker", "budget", "split", "language")
        layout = {"grid_template_columns": "1fr 1fr", "align_items": "center"}
        grid = w.GridBox([self.knobs[name] for name in order], layout=layout)
        note = self.words["not_stored"].format(names=", ".join(self.words[name] for name in self._untunable))
        notes = [w.HTML(f"<small>{escape(note)}</small>")] if self._untunable else []
        head = w.HBox([title, self._reset], layout={"justify_content": "space-between"})
        return w.VBox([head, grid, *notes, self.shown], layout={"max_width": "64em"})

    def _turned(self, knob: str, value: Any) -> None:
        self.state.turn(**{knob: None if knob == "k" and value == FIT else value})
        self._show()

    def _back(self, _: Any) -> None:
        """The run's own weights, neighbours and ``k``; budget and filters stay."""
        at = self.state.at_first()
        for name in ("dense_share", "session", "speaker", "neighbours", "k"):
            value = getattr(at, name)
            self.knobs[name].value = FIT if value is None else value

    def _show(self) -> None:
        self.shown.value = self._html()

    def _html(self) -> str:
        try:
            return reading_html(self.state.reading(), self.words)
        except InvalidInput as error:  # every weight at 0: say so where the table was
            return f"<p>{escape(str(error))}</p>"

    def __repr__(self) -> str:
        try:
            return reading_text(self.state.reading(), self.words)
        except InvalidInput as error:
            return f"{self.words['title']}: {error}"

    def _repr_html_(self) -> str:
        return f"<b>{escape(self.words['title'])}</b>: <code>{escape(self.state.strategy)}</code>{self._html()}"

    def _repr_mimebundle_(self, **_: Any) -> dict[str, Any]:
        """The widget for front ends that run widgets, the table for those that do not."""
        bundle: dict[str, Any] = {"text/plain": repr(self), "text/html": self._repr_html_()}
        live = self.view._repr_mimebundle_() or {}
        return bundle | {WIDGET_VIEW: live[WIDGET_VIEW]} if WIDGET_VIEW in live else bundle
