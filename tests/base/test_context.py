from __future__ import annotations

import numpy as np

from mnemo_lab.context import Budget, Candidates, Context, Piece, Query, Source, quote
from mnemo_lab.conversation import Message
from mnemo_lab.tokens import open_counter

COUNTER = open_counter("o200k_base")


def test_ranking_is_best_first_and_ties_go_to_the_earlier() -> None:
    fused = np.array([0.5, 2.0, 0.5, -1.0, 2.0])
    assert Candidates(np.array([4, 9, 2, 0, 3]), {}, fused).ranking.tolist() == [3, 9, 2, 4, 0]


def test_a_transcript_is_one_quoted_block_after_the_system_prompt() -> None:
    pieces = (Piece("a: x\n", 4, (Source("m0", ((0, 1),)),)), Piece("b: y\n", 4))
    context = Context(pieces, "transcript", 0, Budget(5, COUNTER), "Be kind.")
    assert context.text == "<history>\na: x\nb: y\n</history>" == quote("a: x\nb: y\n")
    assert context.messages() == [Message("system", "Be kind."), Message("user", context.text)]
    assert context.recount() == sum(COUNTER.message(m) for m in context.messages())
    assert [source.message_id for source in context.sources] == ["m0"]


def test_an_empty_transcript_sends_no_block() -> None:
    context = Context((), "transcript", 0, Budget(5, COUNTER))
    assert (context.text, context.messages(), context.recount(), context.over_budget) == ("", [], 0, False)


def test_chat_sends_messages_as_they_are() -> None:
    message = Message("user", "hi", "m0")
    context = Context((Piece("hi", 5, (), message),), "chat", 5, Budget(4, COUNTER))
    assert context.messages() == [message]
    assert context.over_budget
    assert "over budget" in context._repr_html_()


def test_a_query_needs_only_its_text() -> None:
    assert Query("x") == Query("x", None, None)
