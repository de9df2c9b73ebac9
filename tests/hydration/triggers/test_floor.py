"""Who takes the floor, counted by hand."""

from __future__ import annotations

import pytest

from mnemo_lab.conversation import ConversationInfo, Message
from mnemo_lab.errors import InvalidInput
from mnemo_lab.hydration.triggers.combine import parse_trigger
from mnemo_lab.hydration.triggers.floor import FEWEST, WORDS, Floor
from tests.hydration.talks import cut, history_of, segmenter_of

BARE = Floor(window=10, share=0.1, longest=0.9)


def said(*turns: tuple[str, int], word: str = "w ") -> list[Message]:
    return [Message("user", word * words, f"m{at}", name=who) for at, (who, words) in enumerate(turns)]


def starts(messages: list[Message], trigger: Floor = BARE) -> list[int]:
    return [segment.start for segment in cut(messages, trigger)]


CHAT = [("Ann", 6), ("Bob", 4)] * 5


@pytest.mark.parametrize(("word", "each"), [("w ", 1), ("字", 2)])
def test_a_silent_one_who_speaks_at_length_opens(word: str, each: int) -> None:
    """A Chinese character counts as half a word."""

    def words(count: int) -> int:
        return count * each

    chat = [(who, words(count)) for who, count in CHAT]
    assert starts(said(*chat, ("Cem", words(40)), ("Ann", words(6)), word=word)) == [0, 10]
    assert starts(said(*chat, ("Ann", words(40)), ("Bob", words(4)), word=word)) == [0], "has been speaking"
    assert starts(said(*chat, ("Cem", words(WORDS)), word=word)) == [0, 10]
    assert starts(said(*chat, ("Cem", words(WORDS - 1)), word=word)) == [0], "too short to hold the floor"


def test_share_is_of_the_words_in_the_window() -> None:
    """Cem's 6 of 56 words are more than a tenth and his 6 of 60 are not; ten turns back he was silent."""
    before = [[("Cem", 6), *CHAT[:9], ("Bob", last)] for last in (4, 8)]
    assert [sum(words for _, words in chat) for chat in before] == [56, 60]
    few, more = (said(*chat, ("Cem", 40)) for chat in before)
    assert starts(few, Floor(11, 0.1, 0.9)) == [0] and starts(more, Floor(11, 0.1, 0.9)) == [0, 11]
    assert starts(few, Floor(10, 0.0, 0.9)) == [0, 11]


def test_long_is_what_is_longer_than_most_so_far() -> None:
    """One of ten turns had as many words: 0.9 of them are shorter."""
    chat = [*CHAT[:9], ("Bob", 40)]
    segments = cut(said(*chat, ("Cem", 40)), BARE)
    assert [s.start for s in segments] == [0, 10] and segments[0].fired.score == pytest.approx(0.9)
    assert starts(said(*chat, ("Cem", 40)), Floor(10, 0.1, 0.91)) == [0]
    assert starts(said(*chat, ("Cem", 41)), Floor(10, 0.1, 1.0)) == [0, 10]


def test_too_few_turns_say_nothing_of_what_is_long() -> None:
    assert starts(said(*CHAT[: FEWEST - 1], ("Cem", 40))) == [0]
    assert starts(said(*CHAT[:FEWEST], ("Cem", 40))) == [0, FEWEST]


def test_another_conversation_is_not_heard() -> None:
    """Cem speaks in the first; what is long in the second is counted from its own beginning."""
    segmenter = segmenter_of(BARE)
    history = history_of(said(*CHAT, ("Ann", 90)))
    segmenter.observe(history, 0)
    segmenter.end()
    history.begin(ConversationInfo("d"))
    history.extend([Message("user", "w " * n, f"n{at}", name=who) for at, (who, n) in enumerate([*CHAT, ("Cem", 40)])])
    assert [s.start for s in [*segmenter.observe(history, 11), *segmenter.end()]] == [11, 21]


def test_one_user_and_an_assistant_never_fire() -> None:
    pairs = [("user", "w " * 5), ("assistant", "w " * 50)] * 10 + [("user", "w " * 400)]
    assert starts([Message(role, text, f"m{at}") for at, (role, text) in enumerate(pairs)]) == [0]  # type: ignore[arg-type]


def test_it_needs_nothing_and_reads_back() -> None:
    assert Floor().needs == frozenset() and parse_trigger(str(Floor())) == Floor()


@pytest.mark.parametrize(
    "text", ["floor(window=0)", "floor(share=1.1)", "floor(share=-0.1)", "floor(longest=2)", "floor(longest=-1)"]
)
def test_settings_out_of_range_are_named(text: str) -> None:
    with pytest.raises(InvalidInput, match=text[: text.index("=")].replace("(", r"\(")):
        parse_trigger(text)
