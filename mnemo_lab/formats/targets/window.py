"""Whether a conversation fits the model's window. Cutting it is the work of a strategy, so this is not repaired."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from mnemo_lab.conversation import Message
from mnemo_lab.formats.targets.draft import Draft
from mnemo_lab.losses import Loss, loss
from mnemo_lab.tokens import open_counter
from mnemo_lab.tokens.models import find_model


def check(draft: Draft) -> Iterator[Loss]:
    if draft.model is None:
        return
    card = find_model(draft.model)
    if card is None:
        yield loss("window_unknown", model=draft.model)
        return
    counter = replace(open_counter(card.encoding), exact=card.exact, vendor=card.vendor)
    tokens = sum(counter.message(entry.message) for entry in draft.entries)
    if draft.system_prompt:
        tokens += counter.message(Message("system", draft.system_prompt))
    if tokens > card.window:
        yield loss("window_exceeded", tokens=tokens, window=card.window, model=draft.model)
