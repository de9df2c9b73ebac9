"""Counting tokens: our counter beside bare tiktoken, and running sums beside recounting the history."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import accumulate

from evals.speed.clock import in_turns
from evals.speed.material import bilingual, history_of
from evals.speed.table import Row, compared
from mnemo_lab.history import History
from mnemo_lab.services import Services, ServicesSpec
from mnemo_lab.tokens import open_counter
from mnemo_lab.units import parse_turns, parse_units

ENCODING = "o200k_base"
HISTORY = 400


def rows() -> Iterator[Row]:
    counter = open_counter(ENCODING)
    import tiktoken

    texts = [message.text for recording in bilingual() for message in recording.messages()]
    encode = tiktoken.get_encoding(ENCODING).encode_ordinary
    pair = in_turns(lambda: [counter.count(text) for text in texts], lambda: [len(encode(text)) for text in texts])
    yield compared(f"count {len(texts):,} bilingual messages", pair, "tiktoken encode_ordinary in a loop")

    messages = history_of(HISTORY)
    units = parse_units(messages)
    ends = list(accumulate(sum(len(units[u].positions) for u in turn) for turn in parse_turns(units)))

    def running() -> int:
        history = History(_services())
        start = 0
        for end in ends:
            history.extend(messages[start:end])
            start = end
            total = history.chat_sums[-1]
        return total

    def recounted() -> int:
        for end in ends:
            total = sum(counter.message(message) for message in messages[:end])
        return total

    assert running() == recounted()
    what = f"tokens of a history of {HISTORY}, at each of {len(ends)} turns"
    yield compared(what, in_turns(running, recounted), "counting the whole history again at each turn")


def _services() -> Services:
    """Fresh ones have counted nothing yet."""
    return ServicesSpec(ENCODING).open()
