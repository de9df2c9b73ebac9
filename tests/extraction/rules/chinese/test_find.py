"""What a found fact carries beside its value, and whose words count."""

from __future__ import annotations

from mnemo_lab.conversation import Message
from mnemo_lab.extraction.base import Fact
from mnemo_lab.extraction.rules.extractor import RulesExtractor

AT = "2026-03-04T09:00:00+08:00"


def read(*texts: str, role: str = "user") -> list[Fact]:
    messages = [Message(role, text, id=f"m{at}", timestamp=AT) for at, text in enumerate(texts)]  # type: ignore[arg-type]
    return RulesExtractor().extract(messages)


def one(text: str) -> Fact:
    (fact,) = read(text)
    return fact


def test_a_new_role_has_the_slot_of_the_old_one() -> None:
    old, new = one("我是后端工程师"), one("我现在是产品经理了")
    assert (old.subject, old.attribute) == (new.subject, new.attribute) == ("user", "职业")
    assert (old.value, new.value) == ("后端工程师", "产品经理")


def test_a_database_has_one_slot_whatever_the_words() -> None:
    texts = ("订单中心的数据库是 MySQL", "订单中心用的是 MySQL 8.0", "订单中心已经切到 Postgres 了")
    assert {(one(text).subject, one(text).attribute) for text in texts} == {("订单中心", "数据库")}


def test_from_one_to_another_names_both() -> None:
    fact = one("登录从 JWT 换成 OAuth 了")
    assert (fact.value, fact.former, fact.changes, fact.attribute) == ("OAuth", "JWT", True, "认证方式")


def test_what_is_no_longer_so_is_negative() -> None:
    assert {(fact.value, fact.polarity) for fact in read("Redis 不用了")} == {("Redis", "negative")}
    assert one("我不吃香菜").polarity == "negative"


def test_the_second_language_stands_beside_the_first() -> None:
    assert one("我还会说法语").additive


def test_what_was_once_so_is_past() -> None:
    assert all(fact.past for fact in read("我以前在网易做运营"))
    (company,) = [fact for fact in read("2022 年 3 月到 2024 年底我在旷视上班") if fact.value == "旷视"]
    assert (company.valid_from, company.valid_to, company.past) == ("2022-03-01", "2024-12-31", True)


def test_a_relative_deadline_becomes_a_day_and_a_value_keeps_its_blanks() -> None:
    assert one("初稿截止日期是下周五").value == "2026-03-13"
    assert one("终稿截止日期是 6 月 30 号").value == "6 月 30 号"


def test_of_another_person_it_is_not_the_user() -> None:
    fact = one("我老公对青霉素过敏")
    assert (fact.subject, fact.value) == ("老公", "青霉素")
    assert one("我妈说我对青霉素过敏").subject == "user"


def test_health_and_standing_wishes_matter_more_than_taste() -> None:
    assert one("我对花生过敏").importance == one("以后别用表情符号").importance == 5
    assert one("我喜欢喝拿铁").importance == 2


def test_a_secret_is_in_no_value() -> None:
    facts = read("部署在阿里云上，密码是 Hn7!prelive#2026，端口是 9443，token 是 ghp_Zk3fakeT0kenQm81LxWvB7aYnR5u")
    assert {"9443", "阿里云"} <= {fact.value for fact in facts}
    assert not any("Hn7" in fact.value + fact.content or "ghp_" in fact.value + fact.content for fact in facts)


def test_only_the_user_speaks_and_nothing_recalled_or_quoted_counts() -> None:
    assert read("我是产品经理", role="assistant") == []
    assert read("<memory>我是产品经理</memory>\n> 我住在杭州\n```\n端口是 9443\n```\n谢谢") == []


def test_a_short_yes_takes_the_one_thing_proposed() -> None:
    answer = Message("assistant", "我建议用 PostgreSQL，事务更稳。", id="a", timestamp=AT)
    yes = Message("user", "好，就这么定", id="m", timestamp=AT)
    (fact,) = RulesExtractor().extract([answer, yes])
    assert (fact.category, fact.attribute, fact.value, fact.message) == ("decision", "数据库", "PostgreSQL", "m")
    two = Message("assistant", "我建议用 PostgreSQL，或者可以用 MongoDB。", id="a", timestamp=AT)
    assert RulesExtractor().extract([two, yes]) == []


def test_content_can_be_read_alone() -> None:
    assert one("对了，我老公是消防员").content == "我老公是消防员"
    assert one("订单中心用的是 MySQL").content == "订单中心用的是MySQL"


def test_a_clause_goes_on_about_the_noun_before() -> None:
    (fact,) = [fact for fact in read("店名定了，叫“青禾书屋”") if fact.attribute == "名称"]
    assert fact.value == "青禾书屋"
