"""Entities by type, each with a worked sentence; keywords' weights; and where sentences begin and end."""

from __future__ import annotations

import pytest

from mnemo_lab.conversation import Message
from mnemo_lab.describers.entities import KINDS, Entities
from mnemo_lab.describers.keywords import chunks, rarity
from mnemo_lab.describers.reading import prose, read, said, shortened


@pytest.mark.parametrize(
    ("text", "kind", "found"),
    [
        ("I met Priya Ramsden and my boss Ulfric today.", "person", ("Priya Ramsden", "Ulfric")),
        ("We talked to Ines, then Ines Takala signed.", "person", ("Ines Takala",)),
        ("项目经理是王建国，对接人叫李晓明。", "person", ("王建国", "李晓明")),
        ("老周说先放着，张经理同意了。", "person", ("老周", "张经理")),
        ("小满说可以。问了小满，她同意，再过一小时，小区门口见。", "person", ("小满",)),
        ("Ask the plumber Callum Reith and our electrician Tam Orr.", "person", ("Callum Reith", "Tam Orr")),
        ("Last year we moved to Zwolle and visited Utrecht.", "place", ("Zwolle", "Utrecht")),
        ("It is near Penrhiw Court in New York.", "place", ("Penrhiw Court", "New York")),
        ("周末去杭州，住在天目湖边，然后去中山公园。", "place", ("杭州", "中山公园")),
        (
            "She works at Brightmoor and banks with Orrin & Vale Ltd.",
            "organisation",
            ("Brightmoor", "Orrin & Vale Ltd"),
        ),
        ("I studied at the University of Tartu for Netflix.", "organisation", ("University of Tartu", "Netflix")),
        ("我们用腾讯云，合同和滨江科技有限公司签。", "organisation", ("腾讯云", "滨江科技有限公司")),
        ("They use JavaScript, Keramo tiles and the LNT sensor.", "name", ("JavaScript", "Keramo", "LNT")),
        ("Due 5 May 2026, then in June 2027.", "date", ("5 May 2026", "June 2027")),
        ("五月二十日开会，2026年10月复盘，7 月 3 日上线", "date", ("五月二十日", "2026年10月", "7 月 3 日")),
        ("At 15:52 or 7pm, 下午三点半", "time", ("15:52", "7pm", "下午三点半")),
        (
            "It costs £1,340 or 12.5%, 34,000 in all, takes 60 cm and 3 days.",
            "number",
            ("£1,340", "12.5%", "34,000", "60 cm", "3 days"),
        ),
        ("一共 14 间，每天 58 元", "number", ("14 间", "58 元")),
        (
            "Flask 2.3.1, python 3.13.1, Vue 3.4 and v1.2",
            "version",
            ("Flask 2.3.1", "python 3.13.1", "Vue 3.4", "v1.2"),
        ),
        ("Pavel is 1.96 tall, the price 3.50", "version", ()),
        ("It is 2.3.1, run with Python 3.11.0", "version", ("2.3.1", "Python 3.11.0")),
        (
            "Ticket OPS-4417, permit 26/00731/WARR at 127.0.0.1",
            "identifier",
            ("OPS-4417", "26/00731/WARR", "127.0.0.1"),
        ),
        ("Set `room` to is_sensitive in fetchWeather()", "code", ("room", "is_sensitive", "fetchWeather")),
        (
            "Edit src/app/main.py, ./run.sh, /etc/hosts and notes.md",
            "path",
            ("src/app/main.py", "./run.sh", "/etc/hosts", "notes.md"),
        ),
        (
            "看 https://example.org/a?b=1，还有 www.example.com。",
            "url",
            ("https://example.org/a?b=1", "www.example.com"),
        ),
        ("Write to ann.lee@example.org.", "email", ("ann.lee@example.org",)),
        (
            'I read "The Left Hand of Darkness" and 《三体》, not "some words".',
            "title",
            ("The Left Hand of Darkness", "《三体》"),
        ),
    ],
    ids=range(27),
)
def test_entities_of_a_kind(text: str, kind: str, found: tuple[str, ...]) -> None:
    assert Entities().of([text]).get(kind, ()) == found


@pytest.mark.parametrize(
    "text",
    [
        "Step Two: Additional Considerations\nError Handling: wrap it",  # headings
        "GREAT NEWS! We are DONE and I AM so HAPPY.",  # shouted
        "Please come on Saturdays in January.",
        "这个思路不错，走马路对面的超市。",
        "关心时光，方法和时间都有。",
    ],
)
def test_what_only_looks_like_a_name_is_none(text: str) -> None:
    assert not {"person", "place", "organisation", "name"} & set(Entities().of([text]))


def test_one_surface_is_of_one_kind_and_kinds_are_in_order() -> None:
    found = Entities().of(["FlexoGrout by `FlexoGrout`, version FlexoGrout 1.2.0 from Oslo on 5 May for £12 in Leeds"])
    surfaces = [name.casefold() for names in found.values() for name in names]
    assert len(surfaces) == len(set(surfaces)) and list(found) == [kind for kind in KINDS if kind in found]


def test_evidence_grows_from_stretch_to_stretch() -> None:
    entities = Entities()
    assert entities.of(["We saw Tindra yesterday."]) == {"name": ("Tindra",)}
    entities.learn(["My cousin Tindra called."])
    assert entities.of(["Tindra is late."]) == {"person": ("Tindra",)}


def test_a_short_form_is_what_the_full_name_is() -> None:
    entities = Entities()
    assert entities.of(["The quote came from Varley & Daughter."]) == {"organisation": ("Varley & Daughter",)}
    assert entities.of(["Varley never wrote back."]) == {"organisation": ("Varley",)}


def test_rarity_follows_how_common_a_word_is() -> None:
    assert rarity("the") == 0 and rarity("的") < 0.05
    assert 0 < rarity("kitchen") < rarity("scaffold") <= rarity("marjoram") == 1


def test_chunks_stand_between_the_characters_that_hold_sentences_together() -> None:
    assert list(chunks("我们的数据库在杭州")) == ["数据库", "杭州"]
    assert list(chunks("用户说开发完了")) == ["用户", "开发完"]
    assert list(chunks("首付已经到账")) == ["首付", "到账"]


def test_prose_has_no_code_and_keeps_both_ends_of_a_long_text() -> None:
    assert prose("Before\n```py\nx = 1\n```\nafter") == "Before\n\n\nafter"
    long = "First sentence. " + "Middle one here. " * 200 + "The last sentence."
    kept = prose(long)
    assert kept.startswith("First sentence.") and kept.endswith("The last sentence.") and len(kept) <= 1002
    assert all(line.endswith(".") for line in kept.splitlines())


def test_sentences_are_without_their_marks() -> None:
    text = "## Heading\n- **first** item\n2. second. Third!\n| a | b |\n---\nreturn x;\nconst a = {\n<div class='x'>\n"
    text += "好的。行！"
    assert list(said(text)) == ["Heading", "first** item", "second.", "Third!", "a | b", "好的。", "行！"]


def test_only_the_ends_of_a_model_s_long_message_count_as_told() -> None:
    long = Message("assistant", "\n".join(f"Sentence number {i} is here." for i in range(20)))
    told = [sentence.text for sentence in read([Message("user", "Hi there."), long]) if sentence.told]
    assert told == ["Hi there.", *(f"Sentence number {i} is here." for i in (0, 17, 18, 19))]
    named = Message("assistant", long.text, name="Mel")
    assert all(sentence.told for sentence in read([named]))


@pytest.mark.parametrize(
    ("text", "limit", "short"),
    [("a  b\nc", 9, "a b c"), ("alpha beta gamma", 12, "alpha beta…"), ("甲乙丙丁戊己", 4, "甲乙丙…")],
)
def test_shortened(text: str, limit: int, short: str) -> None:
    assert shortened(text, limit) == short
