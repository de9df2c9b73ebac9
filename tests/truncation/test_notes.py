from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mnemo_lab.services import ServicesSpec
from mnemo_lab.tokens import ENCODINGS
from mnemo_lab.truncation.notes import Note, note_cost, note_piece
from tests.truncation.cuts import SERVICES


def test_what_they_say() -> None:
    assert note_piece(1, "en", SERVICES).text == "[1 message omitted]"
    assert note_piece(12, "en", SERVICES).text == "[12 messages omitted]"
    assert note_piece(12, "zh", SERVICES).text == "[省略了 12 条消息]"
    piece = note_piece(12, "zh", SERVICES)
    assert piece.message is not None and (piece.message.role, piece.message.content) == ("user", piece.text)
    assert piece.sources == () and piece.tokens == SERVICES.counter.message(piece.message)
    assert note_cost("off", SERVICES) == 0


@pytest.mark.parametrize("encoding", ENCODINGS)
@pytest.mark.parametrize("note", ["en", "zh"])
def test_no_note_costs_more_than_is_reserved(encoding: str, note: Note) -> None:
    services = ServicesSpec(encoding).open()
    most = note_cost(note, services)
    counts = [*range(1, 1200), *range(1200, 999_999, 4_001)]
    assert max(note_piece(count, note, services).tokens for count in counts) == most


@given(st.integers(1, 999_999))
def test_no_count_is_dearer(count: int) -> None:
    assert note_piece(count, "en", SERVICES).tokens <= note_cost("en", SERVICES)
    assert note_piece(count, "zh", SERVICES).tokens <= note_cost("zh", SERVICES)
