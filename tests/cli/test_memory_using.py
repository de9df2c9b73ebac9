"""``mnemo memory list``, ``search``, ``why``, ``history``, ``undo``, ``prune``, ``forget``."""

from __future__ import annotations

import io
import re
import sys
from pathlib import Path

import pytest

from tests.cli.conftest import Mnemo
from tests.cli.memories import asked, extracted


@pytest.fixture
def ids(mnemo: Mnemo) -> dict[str, str]:
    return extracted(mnemo)


def values(document: dict[str, list[dict[str, str]]]) -> list[str]:
    return [item["value"] for item in document["items"]]


def test_list_by_status_category_and_time(mnemo: Mnemo, ids: dict[str, str]) -> None:
    assert values(asked(mnemo, "list")) == ["PostgreSQL", "Berlin", "peanuts", "产品经理"]
    assert values(asked(mnemo, "list", "--status", "outdated")) == ["Lisbon", "设计师"]
    assert values(asked(mnemo, "list", "--category", "decision")) == ["PostgreSQL"]
    assert values(asked(mnemo, "list", "--as-of", "2026-02-01")) == ["PostgreSQL", "Lisbon", "设计师"]
    assert values(asked(mnemo, "list", "--known-at", "2026-03-06")) == ["PostgreSQL", "Lisbon", "产品经理"]
    shown = mnemo("memory", "list", "--db", "m.db", "--language", "zh").out
    assert re.search(rf"{ids['Berlin']} +有效 +用户 +I moved to Berlin +2026-03-09", shown)
    assert shown.endswith("default：4 条记忆\n")


def test_search_says_what_scores_are_made_of(mnemo: Mnemo, ids: dict[str, str]) -> None:
    found = asked(mnemo, "search", "where did I move to, Berlin?", "--now", "2026-03-10")
    hit = found["hits"][0]
    assert (hit["item"]["value"], hit["relevance"]) == ("Berlin", 1.0) and found["now"] == "2026-03-10"
    strength = 0.7 * hit["item"]["importance"] + 0.3 * 5  # used yesterday: full recency
    assert hit["share"] == pytest.approx(0.5 + 0.5 * strength / 5) and hit["score"] == pytest.approx(hit["share"])
    past = asked(mnemo, "search", "我的职业", "--as-of", "2026-02-01")
    assert past["hits"][0]["item"]["value"] == "设计师"
    shown = mnemo("memory", "search", "Berlin", "--db", "m.db", "--now", "2026-03-10").out
    assert re.search(rf"{ids['Berlin']} +{hit['score']:.3f} +1\.000 +{hit['share']:.0%} +I moved to Berlin", shown)
    assert "没有相符的记忆" in mnemo("memory", "search", "zebra", "--db", "m.db", "--language", "zh").out
    assert all(item["access_count"] == 0 for item in asked(mnemo, "list")["items"])


def test_what_decay_hid_is_listed(mnemo: Mnemo) -> None:
    slot = ("--category", "project_fact", "--subject")
    asked(mnemo, "add", "Falcon deploys deploys on Friday", *slot, "Falcon", "--importance", "1", "--now", "2025-01-01")
    asked(mnemo, "add", "Heron deploys on some other day of the week", *slot, "Heron", "--importance", "5", "--now",
          "2026-03-01")  # fmt: skip
    found = asked(mnemo, "search", "deploys", "-k", "1", "--now", "2026-03-02")
    assert [hit["item"]["subject"] for hit in found["hits"]] == ["Heron"]
    assert [hit["item"]["subject"] for hit in found["hidden"]] == ["Falcon"]
    shown = mnemo("memory", "search", "deploys", "-k", "1", "--now", "2026-03-02", "--db", "m.db").out
    assert "hidden by decay (1)" in shown and shown.index("Heron") < shown.index("hidden") < shown.index("Falcon")


def test_why_names_sources_and_decisions(mnemo: Mnemo, ids: dict[str, str]) -> None:
    told = asked(mnemo, "why", ids["Berlin"])
    assert told["item"]["sources"] == [["c2", "n1"]]
    assert [decision["action"] for decision in told["decisions"]] == ["supersede"]
    shown = mnemo("memory", "why", ids["Lisbon"], "--db", "m.db").out
    assert "said in conversation c1, message m2" in shown and "2026-01-05 until 2026-03-09" in shown
    assert re.search(r"\d +2026-03-09T08:00:00\+00:00 +supersede +\w{12} \(user, ", shown)
    shown = mnemo("memory", "why", ids["产品经理"], "--db", "m.db", "--language", "zh").out
    assert "出自对话 d2，消息 y1" in shown and "至 今 成立" in shown
    answer = mnemo("memory", "why", "nope", "--db", "m.db")
    assert answer.status == 2 and "unknown memory of namespace 'default' 'nope'" in answer.err


def test_history_of_an_id_or_a_subject(mnemo: Mnemo, ids: dict[str, str]) -> None:
    answer = mnemo("memory", "history", ids["Lisbon"], "--db", "m.db")
    lines = answer.out.splitlines()
    assert lines[1:] == [
        f"  2026-01-05 to 2026-03-09  Lisbon  [outdated] {ids['Lisbon']}",
        f"  2026-03-09 to now  Berlin  [active] {ids['Berlin']}",
    ]
    groups = asked(mnemo, "history", "User")["histories"]
    assert [[item["value"] for item in group] for group in groups] == [
        ["Lisbon", "Berlin"], ["peanuts"], ["设计师", "产品经理"],
    ]  # fmt: skip
    assert "至 今  产品经理  [有效]" in mnemo("memory", "history", "user", "--db", "m.db", "--language", "zh").out
    answer = mnemo("memory", "history", "usr", "--db", "m.db")
    assert answer.status == 2 and "Did you mean 'user'?" in answer.err


def test_undo(mnemo: Mnemo, ids: dict[str, str]) -> None:
    number = asked(mnemo, "why", ids["Berlin"])["decisions"][0]["id"]
    said = mnemo("memory", "undo", str(number), "--db", "m.db").out
    assert re.fullmatch(rf"decision {number} is taken back by decision \d+; memories as before: 1, gone: 1\n", said)
    assert "Lisbon" in values(asked(mnemo, "list")) and "Berlin" not in values(asked(mnemo, "list", "--status", "all"))
    again = mnemo("memory", "undo", str(number), "--db", "m.db")
    assert again.status == 2 and "was undone by decision" in again.err
    assert "unknown decision" in mnemo("memory", "undo", "999", "--db", "m.db").err


def test_prune(mnemo: Mnemo, ids: dict[str, str]) -> None:
    asked(mnemo, "add", "Likes jazz", "--importance", "2", "--now", "2026-01-01", "--category", "preference")
    when = ("--now", "2026-04-01")
    assert values(asked(mnemo, "prune", "--dry-run", *when)) == ["Likes jazz"]
    assert values(asked(mnemo, "prune", "--dry-run", "--now", "2026-03-31")) == []  # 89 days
    assert values(asked(mnemo, "prune", "--dry-run", "--importance", "2", *when)) == []
    done = asked(mnemo, "prune", *when)
    assert "Likes jazz" not in values(asked(mnemo, "list")) and asked(mnemo, "search", "jazz")["hits"] == []
    mnemo("memory", "undo", str(done["decisions"][0]), "--db", "m.db")
    assert "Likes jazz" in values(asked(mnemo, "list"))
    assert "已搁置：0 条" in mnemo("memory", "prune", "--db", "m.db", "--now", "2026-01-02", "--language", "zh").out


def test_forget_says_what_is_gone_and_no_byte_is_left(mnemo: Mnemo, ids: dict[str, str]) -> None:
    asked(mnemo, "search", "Berlin", "--embedder", "hashing")
    for name in ("a.md", "b.json", "edited.md"):
        asked(mnemo, "export", name)
    Path("edited.md").write_text(Path("edited.md").read_text() + "\n")
    answer = mnemo("memory", "forget", "--matching", "berlin", "--db", "m.db")
    assert answer.status == 2 and f"  {ids['Berlin']}  I moved to Berlin" in answer.out and "--yes" in answer.err
    told = mnemo("memory", "forget", "--matching", "berlin", "--db", "m.db", "--yes")
    here = Path.cwd()
    assert told.status == 1  # an edited page still tells of it
    assert "forgotten: memories 1, vectors 1; log entries rewritten or deleted: " in told.out
    assert (
        f"written anew: m.db\nexports that told of them: {here}/a.md, {here}/b.json written anew (3 are known"
        in told.out
    )
    assert f"look after it yourself: {here}/edited.md\nembedding cache: never holds memories\n" in told.out
    holds = [path.name for path in here.rglob("*") if path.is_file() and b"Berlin" in path.read_bytes()]
    assert sorted(holds) == ["edited.md", "en.json"]
    assert ids["Berlin"].encode() not in Path("m.db").read_bytes()
    answer = mnemo("memory", "forget", ids["Berlin"], "--db", "m.db", "--yes")
    assert answer.status == 2 and "unknown memory" in answer.err


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_at_a_terminal_it_asks(mnemo: Mnemo, ids: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    for answer, status in (("n\n", 1), ("", 1), ("y\n", 0)):
        assert "Berlin" in values(asked(mnemo, "list"))
        monkeypatch.setattr(sys, "stdin", Terminal(answer))
        said = mnemo("memory", "forget", ids["Berlin"], "--db", "m.db")
        assert said.status == status and "Forget them? Nothing brings them back. [y/N]" in said.out
        assert ("nothing was changed" in said.out) == (status == 1)
    assert "Berlin" not in values(asked(mnemo, "list"))


def test_forget_a_conversation(mnemo: Mnemo, ids: dict[str, str]) -> None:
    receipt = asked(mnemo, "forget", "--conversation", "d1", "--yes")["receipt"]
    assert receipt["items"] == [ids["设计师"]] and receipt["exports"] == {"rewritten": [], "left": [], "known": 0}
    assert "设计师".encode() not in Path("m.db").read_bytes()
    said = mnemo("memory", "forget", ids["产品经理"], "--db", "m.db", "--yes", "--language", "zh").out
    assert said.startswith("将被彻底忘记：1 条\n") and "已忘记：1 条记忆" in said
    answer = mnemo("memory", "forget", "--conversation", "c9", "--db", "m.db", "--yes")
    assert answer.status == 2 and "conversation that memories come from 'c9'; known: c1, c2" in answer.err
    answer = mnemo("memory", "forget", "--matching", "zebra", "--db", "m.db", "--yes")
    assert answer.status == 2 and "no memory holds 'zebra'; see what there is with: mnemo memory list" in answer.err


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("list", "--as-of", "soon"), "--as-of 'soon' is no date"),
        (("list", "--known-at", "2026-13-01"), "--known-at '2026-13-01' is no date"),
        (("list", "--category", "decisoin"), "Did you mean 'decision'?"),
        (("search", "x", "--now", "later"), "--now 'later' is no date"),
        (("search", "x", "-k", "0"), "-k 0: use 1 or more"),
        (("prune", "--now", "x"), "--now 'x' is no date"),
        (("doctor", "--namespace", "nobody"), "unknown namespace 'nobody'; known: default"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else "",
)  # fmt: skip
def test_what_is_wrong_is_said(mnemo: Mnemo, ids: dict[str, str], words: tuple[str, ...], says: str) -> None:
    answer = mnemo("memory", *words, "--db", "m.db")
    assert answer.status == 2 and says in answer.err and not answer.out
