"""Excerpts: the sentences a question is about, true to the text."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from mnemo_lab.context import Piece
from mnemo_lab.conversation import Message, ToolCall
from mnemo_lab.hydration.excerpts import GAP, Excerpts
from tests.base.messages import new_services
from tests.conversations import TEXTS
from tests.hydration.talks import history_of

SERVICES = new_services()
ENGLISH = (
    "We met at the lake on Sunday. The weather was lovely and warm. Afterwards we painted a sunrise together. "
    "Then everybody went home. My sister bought a guitar."
)
CHINESE = "上周末我们去了湖边。天气非常好，大家都很开心。后来我们一起画了日出！然后各自回家了。妹妹买了一把吉他。"


def cut(question: str, most: int, text: str, **fields: object) -> Piece:
    message = Message("user", text, "m0", **fields)  # type: ignore[arg-type]
    history = history_of([message], SERVICES)
    return Excerpts(question, most, history, SERVICES).of(0, history.undated(0))


def spans(piece: Piece, text: str) -> list[str]:
    (source,) = piece.sources
    return [text[start:stop] for start, stop in source.spans]


def test_the_sentence_that_shares_the_words() -> None:
    found = cut("Who painted the sunrise?", 20, ENGLISH)
    assert found.text == "user: … Afterwards we painted a sunrise together. …\n"
    assert spans(found, ENGLISH) == ["Afterwards we painted a sunrise together."]
    whole = SERVICES.count(f"user: {ENGLISH}\n")
    assert found.tokens == SERVICES.count(found.text) and found.elided == (whole - found.tokens, whole)


def test_sentences_stay_in_their_order_with_gaps_between() -> None:
    found = cut("Did your sister buy a guitar after the lake?", 30, ENGLISH)
    assert found.text == f"user: We met at the lake on Sunday.{GAP}My sister bought a guitar.\n"


def test_neighbouring_sentences_are_one_span() -> None:
    found = cut("lovely weather, painted sunrise", 24, ENGLISH)
    assert spans(found, ENGLISH) == ["The weather was lovely and warm. Afterwards we painted a sunrise together."]


def test_chinese() -> None:
    found = cut("日出是谁画的？", 24, CHINESE)
    assert found.text == "user: … 后来我们一起画了日出！ …\n" and spans(found, CHINESE) == ["后来我们一起画了日出！"]
    two = cut("妹妹在湖边买了什么？", 36, CHINESE)
    assert spans(two, CHINESE) == ["上周末我们去了湖边。", "妹妹买了一把吉他。"], "了 in common is nothing"
    assert spans(cut("谁爱画？", 16, CHINESE), CHINESE) == ["后来我们一起画了日出！"], (
        "but 画 is, where nothing else is"
    )


def test_a_word_that_stands_in_every_sentence_tells_nothing() -> None:
    text = "Ann likes green tea. Ann lives in Oslo. Ann has a very old dog called Bo."
    assert spans(cut("Where does Ann live?", 12, text), text) == ["Ann lives in Oslo."]
    assert spans(cut("Ann?", 12, text), text) == ["Ann likes green tea."], "nothing shared: the first sentence"


def test_the_best_sentence_stands_even_where_it_alone_is_longer() -> None:
    long = "The budget for the banner, " + "which we discussed at length, " * 10 + "is 3,900 euros."
    text = f"Good morning. {long} See you soon."
    assert spans(cut("What is the budget for the banner?", 20, text), text) == [long]


def test_short_messages_calls_and_single_sentences_stay_whole() -> None:
    for piece in (
        cut("sunrise", 200, ENGLISH),
        cut("sunrise", 5, ENGLISH, tool_calls=(ToolCall("c", "run"),)),
        cut("tea", 5, "one very long sentence about tea without any end or break at all in it"),
        cut("tea", 2, ""),
    ):
        assert piece.elided is None and piece.sources[0].spans[0][0] == 0


@settings(max_examples=150, deadline=None)
@given(st.lists(TEXTS, max_size=6).map(" ".join), TEXTS, st.integers(1, 60))
def test_spans_are_true(text: str, question: str, most: int) -> None:
    found = cut(question, most, text)
    whole = SERVICES.count(f"user: {text}\n")
    (source,) = found.sources
    assert found.tokens == SERVICES.counter.count(found.text) <= whole and found.text.endswith("\n")
    assert all(text[start:stop] in found.text for start, stop in source.spans)
    assert list(source.spans) == sorted(source.spans)
    assert all(before[1] < after[0] for before, after in zip(source.spans, source.spans[1:], strict=False))
    if found.elided:
        assert found.elided == (whole - found.tokens, whole) and found.tokens < whole
        inside = found.text.removeprefix("user: ")
        said = GAP.join(text[start:stop] for start, stop in source.spans)
        assert inside.removeprefix("… ").removesuffix("\n").removesuffix(" …") in (
            said,
            said.removeprefix("… "),
            said.removesuffix(" …"),
        )
        assert found.tokens <= most or len(source.spans) == 1
