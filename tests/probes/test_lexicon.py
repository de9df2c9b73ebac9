"""Names, quotations, titles and rare wordings, as the conversation makes them known."""

from __future__ import annotations

from collections.abc import Sequence

from mnemo_lab.probes.lexicon import Lexicon
from mnemo_lab.probes.rare import Wordings, widen
from mnemo_lab.probes.things import Thing
from mnemo_lab.probes.worth import worth


def keys(texts: Sequence[str], where: int, speakers: Sequence[str] = ()) -> list[tuple[str, str]]:
    return [mention.thing for mention in Lexicon(texts, speakers).mentions(texts[where])]


def test_a_capital_inside_a_sentence_makes_a_name_and_it_is_known_at_the_start_of_another() -> None:
    texts = ["We asked Oksana about it.", "Oksana came today. She likes bread."]
    assert keys(texts, 0) == keys(texts, 1) == [("name", "oksana")]


def test_words_that_also_stand_in_small_letters_are_no_names() -> None:
    texts = ["Ask the Plumber about Monday.", "a plumber came"]
    assert keys(texts, 0) == []


def test_headings_make_no_names() -> None:
    texts = ["## Additional Considerations\n1. Budget Overview", "Considerations follow."]
    assert keys(texts, 0) == keys(texts, 1) == []


def test_who_speaks_is_no_thing() -> None:
    texts = ["I told Melanie and Zdenka so."]
    assert keys(texts, 0, ["Melanie"]) == [("name", "zdenka")]


def test_quotations_and_titles_are_known_without_their_marks() -> None:
    texts = [
        "She watched “Little Women” and 《长安的荔枝》.",
        "little women again",
        "长安的荔枝很好看",
        '"no" she said',
    ]
    assert keys(texts, 1) == [("quoted", "little women")]
    assert keys(texts, 2) == [("title", "长安的荔枝")]
    assert keys(texts, 3) == []


def test_chinese_wordings_hold_together() -> None:
    """``冲击波`` stands only as a whole; of ``跟财务`` the word 财务 stands elsewhere too."""
    texts = ["前台推冲击波", "那个冲击波套餐", "可以跟财务闭合", "数字跟财务对不上", "财务来过", "财务口径", "问财务"]
    rare = Wordings(texts)
    assert [m.thing.key for m in rare.mentions(texts[1])] == ["冲击波"]
    assert list(rare.mentions(texts[3])) == []


def test_a_wording_that_holds_an_everyday_word_is_worth_nothing() -> None:
    assert worth(Thing("cjk", "户外活动"), "户外活动") == 0.0
    assert worth(Thing("cjk", "冲击波"), "冲击波") == 1.0
    assert worth(Thing("cjk", "支付回调"), "支付回调") == 1.5


def test_english_pairs_need_a_word_that_is_not_everyday() -> None:
    texts = [
        "I am lactose intolerant and more people know",
        "being lactose intolerant, more people know",
        "people know",
    ]
    assert [m.thing.key for m in Wordings(texts).mentions(texts[1])] == ["lactos intoler"]


def test_a_wording_grows_as_long_as_both_texts_agree() -> None:
    here, there = "因为支付回调了，验签失败", "那么支付回调，微信只认"
    (mention, *_), (other, *_) = (list(Wordings([here, there]).mentions(text)) for text in (here, there))
    wide, same = widen(here, mention, there, other)
    assert here[wide.start : wide.end] == there[same.start : same.end] == "支付回调" == wide.thing.key
