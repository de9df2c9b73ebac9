"""``mnemo truncate`` on small files: what is written, what the report says of it, and how it ends."""

from __future__ import annotations

import json
import zipfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from mnemo_lab.conversation import Conversation, Message, ToolCall
from mnemo_lab.formats.convert import read_all
from mnemo_lab.formats.fitting import Fit, Fitted
from mnemo_lab.formats.portable import dumps
from mnemo_lab.language_models.errors import NotRecorded
from mnemo_lab.ledger import Ledger
from mnemo_lab.tokens import open_counter
from mnemo_lab.units import validate_messages
from tests.cli.conftest import Mnemo
from tests.cli.conversations import META, load, save, talk

COUNTER = open_counter("o200k_base")


def long_talk(number: int = 1, turns: int = 20) -> Conversation:
    messages: list[Message] = []
    for n in range(turns):
        messages += [
            Message("user", f"Note {n} is about the garden of house {number} and its old trees.", f"u{n}"),
            Message("assistant", None, f"a{n}", tool_calls=(ToolCall(f"c{n}", "look_up", f'{{"tree":{n}}}'),)),
            Message("tool", f"tree {n}: " + "leaf " * 30, f"t{n}", tool_call_id=f"c{n}"),
            Message("assistant", f"Noted, number {n}.", f"b{n}"),
        ]
    return Conversation(tuple(messages), f"id-{number}", f"Garden {number}", "gpt-4", "Be brief.")


def tokens_of(conversation: Conversation) -> int:
    head = [Message("system", conversation.system_prompt)] if conversation.system_prompt else []
    return sum(map(COUNTER.message, (*head, *conversation.messages)))


def written(path: Path) -> list[Conversation]:
    return [reading.conversation for reading in read_all(path) if reading.conversation]


def test_one_conversation(mnemo: Mnemo, tmp_path: Path) -> None:
    original = save(tmp_path / "in.json", long_talk()).read_bytes()
    said = mnemo("truncate", "in.json", "-o", "out.json", "--max-tokens", "300", "--report", "cut.json")
    assert (said.status, said.err) == (0, "")
    (made,) = written(tmp_path / "out.json")
    assert made.messages == long_talk().messages[-len(made.messages) :] and made.system_prompt == "Be brief."
    assert tokens_of(made) <= 300 and [i for i in validate_messages(made.messages) if i.severity == "error"] == []
    (report,) = load(tmp_path / "cut.json")
    assert report["kept_whole"] == [message.id for message in made.messages]
    assert report["tokens"]["before"]["total"] == tokens_of(long_talk())
    assert report["tokens"]["after"]["total"] == report["written_tokens"] == tokens_of(made)
    assert {row["id"] for row in report["lost"]} == {m.id for m in long_talk().messages} - set(report["kept_whole"])
    assert {row["code"] for row in report["lost"]} == {"older"} and report["lost"][0]["zh"].startswith("早于 300")
    assert (report["number"], report["conversation"], report["path"]) == (1, "Garden 1", "out.json")
    assert report["strategy"].startswith("recent(") and report["model"] is None and not report["over_budget"]
    cells = next(line for line in said.out.splitlines() if line.strip().startswith("Garden 1  ")).split()[2:]
    kept, lost = len(made.messages), 80 - len(made.messages)
    assert [cell.replace(",", "") for cell in cells] == [
        str(n) for n in (tokens_of(long_talk()), tokens_of(made), 300, 80, kept, 0, 0, lost)
    ]
    assert f"lost, {lost}: older than what is kept within 300 tokens" in said.out.splitlines()[-1]
    assert (tmp_path / "in.json").read_bytes() == original


def test_in_chinese(mnemo: Mnemo, tmp_path: Path) -> None:
    save(tmp_path / "in.json", long_talk())
    words = ("truncate", "in.json", "-o", "out.json", "--max-tokens", "300", "--language", "zh", "--note", "zh")
    said = mnemo(*words)
    assert said.status == 0 and "裁剪后" in said.out and "丢失" in said.out
    assert "早于 300 个词元内保留的部分" in said.out
    (made,) = written(tmp_path / "out.json")
    count = 80 - (len(made.messages) - 1)
    assert made.messages[0] == Message("user", f"[省略了 {count} 条消息]")
    assert "[80 messages" not in said.out and mnemo(*words[:-1], "off").status == 0
    assert written(tmp_path / "out.json")[0].messages[0].role != "system"


STRATEGIES = [
    *("recent(low_water=0.5)", "recent(partial=True, note='en')", "head_tail(note='en')", "seed_truncator"),
    *("tool_trim(keep_results=1, note='zh')", "tool_trim(mode='elide', clear_inputs=True)", "summary", "random"),
    *("bm25(k=5)", "summary(note='en', keep_user=0.2)", "importance", "summary_tree"),
]


@pytest.mark.parametrize("strategy", STRATEGIES)
@pytest.mark.parametrize("to", [None, "openai-chat", "anthropic", "markdown"])
def test_any_strategy_into_any_format(mnemo: Mnemo, tmp_path: Path, strategy: str, to: str | None) -> None:
    save(tmp_path / "in.json", long_talk())
    words = (
        "truncate",
        "in.json",
        "-o",
        "out.json",
        "--max-tokens",
        "400",
        "--strategy",
        strategy,
        "--report",
        "r.json",
    )
    said = mnemo(*words, *(("--to", to) if to else ()))
    assert said.status == 0, said
    (report,) = load(tmp_path / "r.json")
    lost = [row["id"] for row in report["lost"]]
    parts = [report["kept_whole"], report["kept_in_part"], report["represented"], lost]
    assert sorted(name for part in parts for name in part) == sorted(m.id for m in long_talk().messages)
    assert report["written_tokens"] <= 400 and report["tokens"]["after"]["total"] <= 400
    if to is None:
        (made,) = written(tmp_path / "out.json")
        assert tokens_of(made) == report["written_tokens"] == report["tokens"]["after"]["total"]
        assert [m.id for m in made.messages if m.id in report["kept_whole"]] == [
            name for name in report["kept_whole"] if name in {m.id for m in made.messages}
        ]
        assert not {m.id for m in made.messages} & set(lost)
        whole = {m.id: m for m in long_talk().messages}
        assert all(m == whole[m.id] for m in made.messages if m.id in report["kept_whole"])


def test_the_format_of_the_input(mnemo: Mnemo, tmp_path: Path) -> None:
    body = {
        "model": "gpt-4o",
        "messages": [{"role": "user" if n % 2 == 0 else "assistant", "content": f"word {n} " * 9} for n in range(40)],
    }
    (tmp_path / "chat.json").write_text(json.dumps(body))
    said = mnemo("truncate", "chat.json", "-o", "out.json", "--max-tokens", "100", "--report", "r.json")
    assert said.status == 0 and "written: out.json (openai-chat, from openai-chat)" in said.out
    made = load(tmp_path / "out.json")
    assert made["messages"] == body["messages"][-len(made["messages"]) :]
    (report,) = load(tmp_path / "r.json")
    assert report["kept_whole"] == [f"/messages/{n}" for n in range(40 - len(made["messages"]), 40)]
    (tmp_path / "table.csv").write_text("role,content\n" + "".join(f"user,question {n}\n" for n in range(40)))
    said = mnemo("truncate", "table.csv", "-o", "short.json", "--max-tokens", "60")
    assert said.status == 0 and "(portable, from csv)" in said.out, "a table is only read"
    assert len(written(tmp_path / "short.json")[0].messages) == 60 // 7
    said = mnemo("truncate", "chat.json", "-o", "out.md", "--to", "markdown", "--max-tokens", "100", "--note", "en")
    assert said.status == 0 and "messages omitted]" in (tmp_path / "out.md").read_text()


def several(tmp_path: Path) -> list[Conversation]:
    talks = [long_talk(1), talk(2), long_talk(3, 8)]
    texts = [dumps(one, META) for one in talks]
    with zipfile.ZipFile(tmp_path / "in.zip", "w") as made:
        made.writestr("export.json", f'[{texts[0]}, {{"version": "9.0.0"}}, {texts[1]}, {texts[2]}]')
    return talks


def test_many_in_one_file_and_a_broken_one_costs_only_itself(mnemo: Mnemo, tmp_path: Path) -> None:
    talks = several(tmp_path)
    said = mnemo("truncate", "in.zip", "-o", "out.json", "--max-tokens", "300", "--report", "r.json")
    assert said.status == 1 and "not written: 1 conversation, see the losses" in said.out
    made = written(tmp_path / "out.json")
    assert [one.title for one in made] == ["Garden 1", "Ports [b]2[/x]", "Garden 3"]
    assert all(tokens_of(one) <= 300 for one in made) and made[1].messages == talks[1].messages
    reports = load(tmp_path / "r.json")
    assert [report["number"] for report in reports] == [1, 2, 3, 4]
    assert [report["path"] for report in reports] == ["out.json", None, "out.json", "out.json"]
    assert reports[1]["losses"][0]["code"] == "unreadable_conversation" and "kept_whole" not in reports[1]
    for report, one in zip([reports[0], *reports[2:]], made, strict=True):
        assert report["kept_whole"] == [message.id for message in one.messages]
    totals = next(line for line in said.out.splitlines() if line.strip().startswith("in all: 4")).split()
    assert totals[3] == f"{sum(map(tokens_of, talks)):,}" and totals[4] == f"{sum(map(tokens_of, made)):,}"
    folder = mnemo(
        "truncate", "in.zip", "-o", "out/", "--max-tokens", "300", "--select", "Garden*", "--report", "s.json"
    )
    assert folder.status == 0, "the broken one was not asked for"
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == ["Garden-1.json", "Garden-3.json"]
    assert [report["path"] for report in load(tmp_path / "s.json")] == ["out/Garden-1.json", "out/Garden-3.json"]


def test_more_than_the_table_shows(mnemo: Mnemo, tmp_path: Path) -> None:
    save(tmp_path / "in.json", *(long_talk(n, 3) for n in range(25)))
    said = mnemo("truncate", "in.json", "-o", "out.json", "--max-tokens", "100", "--report", "r.json")
    assert said.status == 0 and "and 5 more; --report FILE has them all" in said.out and "in all: 25" in said.out
    assert len(load(tmp_path / "r.json")) == 25


def test_what_does_not_fit_at_all_is_not_written(mnemo: Mnemo, tmp_path: Path) -> None:
    heavy = replace(talk(1), system_prompt="Be brief. " * 50)
    save(tmp_path / "one.json", heavy)
    said = mnemo("truncate", "one.json", "-o", "out.json", "--max-tokens", "40")
    assert said.status == 2 and said.err.startswith(
        "mnemo truncate: one.json: nothing to write: the protected part alone"
    )
    assert "over the budget of 40" in said.err and not (tmp_path / "out.json").exists()
    save(tmp_path / "two.json", heavy, talk(2))
    said = mnemo("truncate", "two.json", "-o", "out.json", "--max-tokens", "40", "--report", "r.json")
    assert said.status == 1 and [one.id for one in written(tmp_path / "out.json")] == ["id-2"]
    assert "not written" in said.out
    first, second = load(tmp_path / "r.json")
    assert first["path"] is None and first["over_budget"] and second["path"] == "out.json"
    assert "over_budget" in [row["code"] for row in first["losses"]]
    forced = mnemo("truncate", "two.json", "-o", "out.json", "--max-tokens", "40", "--force")
    assert forced.status == 0 and len(written(tmp_path / "out.json")) == 2
    dropped = mnemo("truncate", "one.json", "-o", "o.json", "--max-tokens", "40", "--system", "drop")
    assert dropped.status == 0 and tokens_of(written(tmp_path / "o.json")[0]) <= 40
    full = mnemo("truncate", "two.json", "-o", "f.json", "--max-tokens", "40", "--strategy", "full")
    assert full.status == 2 and "over the budget of 40" in full.err


def test_what_mending_adds_counts(mnemo: Mnemo, tmp_path: Path) -> None:
    """A target that wants the user first gets a placeholder; with it the budget still holds."""
    talks = Conversation(tuple(Message("assistant", f"Note {n} on the trees.", f"m{n}") for n in range(30)), "x")
    save(tmp_path / "in.json", talks)
    for tokens in range(40, 80, 3):
        words = ("truncate", "in.json", "-o", "out.json", "--to", "anthropic", "--max-tokens", str(tokens))
        said = mnemo(*words, "--report", "r.json")
        assert said.status == 0 and "placeholder_added" in said.out
        assert tokens_of(written(tmp_path / "out.json")[0]) <= tokens
        (report,) = load(tmp_path / "r.json")
        assert report["written_tokens"] <= tokens == report["budget"]


@pytest.mark.parametrize("named", [True, False])
def test_what_mending_removes_is_lost(mnemo: Mnemo, tmp_path: Path, named: bool) -> None:
    names = ["u", "t", "v"] if named else ["/messages/0", "/messages/1", "/messages/2"]
    first, stray, last = names if named else ("", "", "")
    messages = (
        Message("user", "Hello.", first),
        Message("tool", "stray", stray, tool_call_id="gone"),
        Message("user", "Bye.", last),
    )
    if named:
        save(tmp_path / "in.json", Conversation(messages, "x"))
    else:
        rows = [{"role": m.role, "content": m.text} for m in messages]
        (tmp_path / "in.json").write_text(json.dumps([rows[0], rows[1] | {"tool_call_id": "gone"}, rows[2]]))
    said = mnemo(
        "truncate", "in.json", "-o", "out.json", "--to", "anthropic", "--max-tokens", "900", "--report", "r.json"
    )
    assert said.status == 0, said
    (report,) = load(tmp_path / "r.json")
    assert report["kept_whole"] == [names[0], names[2]]
    assert [(row["id"], row["code"]) for row in report["lost"]] == [(names[1], "result_removed")]
    assert "lost, 1: a result that answers no open call (gone) was left out" in said.out
    assert "stray" not in (tmp_path / "out.json").read_text()


def test_a_conversation_that_cannot_be_cut_costs_only_itself(
    mnemo: Mnemo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fit = Fit.fit

    def broken(self: Fit, conversation: Conversation, ledger: Ledger | None = None) -> Fitted:
        if conversation.title == "Garden 2":
            raise NotRecorded("no recorded answer")
        return fit(self, conversation, ledger)

    monkeypatch.setattr(Fit, "fit", broken)
    save(tmp_path / "in.json", long_talk(1), long_talk(2), long_talk(3))
    said = mnemo("truncate", "in.json", "-o", "out/", "--max-tokens", "300", "--report", "r.json")
    assert said.status == 1 and "not written: 1 conversation, see the losses" in said.out
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == ["Garden-1.json", "Garden-3.json"]
    reports = load(tmp_path / "r.json")
    assert [report["path"] for report in reports] == ["out/Garden-1.json", None, "out/Garden-3.json"]
    (row,) = reports[1]["losses"]
    assert (row["code"], row["severity"]) == ("cut_failed", "error")
    assert row["en"] == "it could not be cut: no recorded answer" and row["zh"] == "无法裁剪：no recorded answer"
    alone = mnemo("truncate", "in.json", "-o", "alone.json", "--max-tokens", "300", "--select", "Garden 2")
    assert alone.status == 2 and "nothing to write: it could not be cut: no recorded answer" in alone.err


@pytest.mark.parametrize(
    ("model", "says"),
    [
        ("openai:gpt-4o-mini", "needs a key: set OPENAI_API_KEY"),
        ("anthropic:claude-x", "needs a key: set ANTHROPIC_API_KEY"),
        ("local:/no/such.gguf", "/no/such.gguf"),
        ("opnai:x", "unknown kind of language model 'opnai'"),
    ],
)
def test_a_model_that_cannot_be_opened_is_said_before_anything_is_written(
    mnemo: Mnemo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, model: str, says: str
) -> None:
    for name in ("OPENAI_API_KEY", "ANTHROPIC_API_KEY", "MNEMO_LLM_BASE_URL", "ANTHROPIC_BASE_URL", "MNEMO_CASSETTE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("MNEMO_LLM", model)
    save(tmp_path / "in.json", talk(2), long_talk(1))
    words = ("truncate", "in.json", "-o", "out/", "--max-tokens", "300", "--strategy")
    said = mnemo(*words, "summary(writer='model')")
    assert said.status == 2 and says in said.err and not (tmp_path / "out").exists()
    assert mnemo(*words, "recent").status == 0, "nobody asks it"


def test_a_model_says_the_budget_and_whose_tokens_count(mnemo: Mnemo, tmp_path: Path) -> None:
    save(tmp_path / "in.json", long_talk(1, 400))
    said = mnemo("truncate", "in.json", "-o", "out.json", "--target-model", "gpt-4", "--report", "r.json")
    assert said.status == 0
    (report,) = load(tmp_path / "r.json")
    assert (report["model"], report["budget"]) == ("gpt-4", 8192)
    cl100k = open_counter("cl100k_base")
    (made,) = written(tmp_path / "out.json")
    assert report["written_tokens"] == sum(map(cl100k.message, (Message("system", "Be brief."), *made.messages)))
    unknown = mnemo("truncate", "in.json", "-o", "out.json", "--target-model", "gpt-99", "--max-tokens", "500")
    assert unknown.status == 0 and "'gpt-99' is not in the model table; counting with o200k_base" in unknown.err


def test_redaction_comes_before_the_cut(mnemo: Mnemo, tmp_path: Path) -> None:
    secret = replace(
        long_talk(), messages=(*long_talk().messages, Message("user", "Write to mei.lin@example.org", "z"))
    )
    save(tmp_path / "in.json", secret)
    said = mnemo("truncate", "in.json", "-o", "out.json", "--max-tokens", "200", "--redact", "--report", "r.json")
    assert said.status == 0 and "mei.lin" not in (tmp_path / "out.json").read_text() + (tmp_path / "r.json").read_text()


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("nope.json", "--max-tokens", "9"), "nope.json: no such file or folder"),
        (("empty.json", "--max-tokens", "9"), "empty.json: no format fits"),
        (("hollow", "--max-tokens", "9"), "hollow: no format fits (nothing to read in it)"),
        (("in.json",), "no target model is named, so give --max-tokens, or --target-model with one of "),
        (("in.json", "--target-model", "gpt-99"), "'gpt-99' is not in the model table, so give --max-tokens"),
        (("in.json", "--max-tokens", "0"), "max tokens 0 must be 1 or more"),
        (("in.json", "--max-tokens", "9", "--strategy", "recnet"), "unknown strategy 'recnet'; known: "),
        (("in.json", "--max-tokens", "9", "--strategy", "recent(low_water=2)"), "a share of the budget from 0 to 1"),
        (("in.json", "--max-tokens", "9", "--strategy", "tool_trim(keep=1)"), "unknown parameter of tool_trim 'keep'"),
        (("in.json", "--max-tokens", "9", "--strategy", "full", "--note", "en"), "full has no omission notes"),
        (("in.json", "--max-tokens", "9", "--to", "antropic"), "Did you mean 'anthropic'?"),
        (("in.json", "--max-tokens", "9", "--from", "x"), "unknown format 'x'"),
        (("in.json", "--max-tokens", "9", "--select", "no"), "see: mnemo list in.json"),
        (("in.json", "--max-tokens", "9", "--report", "no/r.json"), "the directory no does not exist; create it first"),
        (("in.json", "--max-tokens", "9", "--report", "hollow"), "hollow: is a directory"),
        (("in.json", "--max-tokens", "9", "--report", "out.json"), "--report out.json: is the input or the output"),
        (("in.json", "--max-tokens", "9", "--report", "in.json"), "--report in.json: is the input or the output"),
        (("in.json", "--max-tokens", "9", "--losses", "no/l.json"), "create it first"),
        (("in.json", "--max-tokens", "3"), "the protected part alone takes 7 tokens, over the budget of 3"),
        (("in.json", "--max-tokens", "9"), "not even the newest message fits 9 tokens"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else "",
)  # fmt: skip
def test_says_what_is_wrong(mnemo: Mnemo, tmp_path: Path, words: tuple[str, ...], says: str) -> None:
    save(tmp_path / "in.json", talk())
    (tmp_path / "empty.json").write_text("")
    (tmp_path / "hollow").mkdir()
    before = {path: path.read_bytes() if path.is_file() else b"" for path in sorted(tmp_path.iterdir())}
    said = mnemo("truncate", *words, "-o", "out.json")
    assert said.status == 2 and said.err.splitlines()[-1].startswith("mnemo truncate: ") and says in said.err, said
    assert said.out == ""
    after: dict[Path, Any] = {p: p.read_bytes() if p.is_file() else b"" for p in sorted(tmp_path.iterdir())}
    assert {path: data for path, data in after.items() if path.name != ".cache"} == before


def test_the_output_is_never_the_input(mnemo: Mnemo, tmp_path: Path) -> None:
    save(tmp_path / "in.json", long_talk())
    before = (tmp_path / "in.json").read_bytes()
    said = mnemo("truncate", "in.json", "-o", "in.json", "--max-tokens", "100")
    assert said.status == 2 and "is the input; name another output" in said.err
    assert (tmp_path / "in.json").read_bytes() == before
