"""What is wrong with exports: one broken thing costs itself and is listed; size costs no memory."""

from __future__ import annotations

import json
import random
import subprocess
import sys
from dataclasses import asdict
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from evals.speed.chatgpt_export import conversations, write_export
from mnemo_lab.formats import chatgpt, deepseek
from mnemo_lab.formats.chatgpt.clean import clean
from mnemo_lab.formats.source import Source
from mnemo_lab.formats.tree import active_path
from tests.formats.exports import by_id, codes, export, ids, node, one, read_value, readings, sample


def test_breakage_16_bad_neighbours() -> None:
    found = readings(sample("breakages/16_chatgpt_new_shape_bad_neighbours.json"))
    named = [(r.conversation.id, ids(r.conversation.messages)) if r.conversation else None for r in found]
    assert named == [
        ("ok", ["a", "b"]), ("nomap", []), ("nullnode", []), None, ("cycle", ["q", "p"]), ("nocur", ["a", "b", "c"]),
    ]  # fmt: skip
    assert [dict(codes(r)) for r in found] == [
        {"system_moved": 1}, {"empty_conversation": 1}, {"unknown_record": 1, "empty_conversation": 1},
        {"unreadable_conversation": 1}, {"cycle_cut": 1}, {"leaf_guessed": 1},
    ]  # fmt: skip
    assert found[0].conversation and found[0].conversation.system_prompt == "隐私\n\n简短"
    assert found[5].conversation and found[5].conversation.extensions["active_leaf"] == "c"


def test_a_missing_parent_is_the_node_before(tmp_path: Path) -> None:
    nodes = [node("a", None, "user", "1"), node("b", "phantom", "assistant", "2"), node("c", "b", "user", "3")]
    conversation, reading = one(tmp_path, export(*nodes))
    assert ids(active_path(conversation).conversation.messages) == ["a", "b", "c"]
    assert [(x.code, x.message_id, x.pointer) for x in reading.losses] == [
        ("parent_missing", "b", "/0/mapping/b/parent")
    ]


def test_children_stand_in_where_there_is_no_pointer(tmp_path: Path) -> None:
    nodes = [node("b", "?", "assistant", "2"), node("a", "?", "user", "1"), node("r", "?", "system", "")]
    for item, children in zip(nodes, ([], ["b"], ["a", "gone", 7]), strict=True):
        del item["parent"]
        item["children"] = children
    conversation, reading = one(tmp_path, export(*nodes, current_node="b"))
    assert (ids(conversation.messages), reading.losses) == (["a", "b"], ())


def test_a_wrong_list_of_children_does_not_matter(tmp_path: Path) -> None:
    nodes = [node("a", None, "user", "1"), node("b", "a", "assistant", "2") | {"children": ["a", "b"]}]
    conversation, reading = one(tmp_path, export(*nodes))
    assert (ids(conversation.messages), reading.losses) == (["a", "b"], ())


def test_every_cycle_is_cut(tmp_path: Path) -> None:
    nodes = [
        node("root", None, "user", "0"),
        node("self", "self", "user", "1"),
        node("x", "y", "user", "2"), node("y", "z", "user", "3"), node("z", "x", "user", "4"),
        node("tail", "x", "user", "5"),
    ]  # fmt: skip
    conversation, reading = one(tmp_path, export(*nodes))
    assert sorted(ids(conversation.messages)) == ["root", "self", "tail", "x", "y", "z"]
    assert codes(reading) == {"cycle_cut": 2}
    linear = active_path(conversation).conversation
    assert ids(linear.messages) == ["z", "y", "x", "tail"], "all of the cycle lies on the path of the current node"


def test_ten_thousand_messages_in_a_row(tmp_path: Path) -> None:
    nodes = [node(str(i), str(i - 1) if i else None, "user", "x") for i in range(10_000)]
    conversation, reading = one(tmp_path, export(*nodes[::-1], current_node="9999"))
    assert ids(conversation.messages) == [str(i) for i in range(10_000)]
    assert reading.losses == ()


def test_nan_and_half_an_emoji_are_replaced_and_listed_with_their_place(tmp_path: Path) -> None:
    text = json.dumps([{}, export(node("a", None, "user", "cut \ud83d", create_time=float("nan"), x=float("-inf")))])
    path = tmp_path / "conversations.json"
    path.write_text(text)
    reading = readings(path)[1]
    assert reading.conversation
    (message,) = reading.conversation.messages
    assert (message.text, message.timestamp, message.extensions) == ("cut \ufffd", None, {})
    assert [(x.code, x.pointer) for x in reading.losses] == [
        ("unicode_replaced", "/1/mapping/a/message/content/parts/0"),
        ("value_nulled", "/1/mapping/a/message/create_time"),
        ("value_nulled", "/1/mapping/a/message/x"),
    ]


CLEAN = [
    {"a": 1.5, "b": "한국어 🌦️ g\x00\x00\x00", "c": [None, True, 1e308, 2**70]},
    # Bytes of this number look like half a surrogate pair.
    [float.fromhex("0x1.080a0edp+0"), "\ud7ff\ue000"],
]


@pytest.mark.parametrize("value", CLEAN)
def test_a_clean_value_is_not_copied(value: Any) -> None:
    assert clean(value, "") == (value, [])
    assert clean(value, "")[0] is value


def test_broken_values_of_any_type_cost_little(tmp_path: Path) -> None:
    junk: list[Any] = [None, 7, "x", [], [1], {}, {"a": 1}, True]
    value = [export(node("a", None, "user", "x"))]
    for item in junk:
        value += [item, {"mapping": item}, export({"id": "n", "parent": item, "message": item})]
        message = {"author": item, "content": item, "metadata": item, "create_time": item, "recipient": item}
        value.append(export({"id": "n", "parent": None, "message": message}, node("m", "n", "user", "still here")))
    found = read_value(tmp_path, value)
    assert len(found) == len(value)
    assert all(x.code == "unreadable_conversation" for r in found if r.conversation is None for x in r.losses)
    kept = [r.conversation for r in found if r.conversation and "m" in by_id(r.conversation)]
    assert [conversation.messages[-1].text for conversation in kept] == ["still here"] * len(junk)


def test_an_unforeseen_fault_names_its_type(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise ZeroDivisionError("by design")

    monkeypatch.setattr(import_module("mnemo_lab.formats.chatgpt.read"), "grow", fail)
    (reading,) = read_value(tmp_path, [export(node("a", None, "user", "x"))])
    assert reading.conversation is None
    assert "ZeroDivisionError: by design" in reading.losses[0].sentence()


def test_nested_too_deeply_costs_one_conversation(tmp_path: Path) -> None:
    deep = '{"mapping": {"a": ' + "[" * 200_000 + "]" * 200_000 + "}}"
    fine = json.dumps(export(node("a", None, "user", "x")))
    path = tmp_path / "conversations.json"
    path.write_text(f"[{fine}, {deep}, {fine}]")
    assert [r.conversation is not None for r in readings(path)] == [True, False, True]


@pytest.mark.parametrize("damage", ["cut", "bracket", "quote", "word"])
def test_one_broken_conversation_of_two_thousand_costs_itself(tmp_path: Path, damage: str) -> None:
    texts = [json.dumps(export(node("a", None, "user", f"问 {i}"), node("b", "a", "assistant", "x"), id=str(i)))
             for i in range(2000)]  # fmt: skip
    broken = texts[1000]
    texts[1000] = {
        "cut": broken[: len(broken) // 2],
        "bracket": broken.replace("}", "", 1),
        "quote": broken.replace('"', "", 3),
        "word": broken.replace("null", "nul", 1),
    }[damage]
    path = tmp_path / "conversations.json"
    path.write_text("[" + ", ".join(texts) + "]")
    found = readings(path)
    lost = [r for r in found if r.conversation is None]
    assert [r.conversation.id for r in found if r.conversation] == [str(i) for i in range(2000) if i != 1000]
    assert [list(codes(r)) for r in lost] == [["unreadable_conversation"]]
    assert "#/1000" in lost[0].place


@pytest.mark.parametrize("replaced", [b"\xff", b"\xe4\xbd"])
def test_bytes_that_are_no_text_cost_their_character(tmp_path: Path, replaced: bytes) -> None:
    values = [export(node("a", None, "user", f"第一个问题text{i}"), id=str(i)) for i in range(3)]
    texts = [json.dumps(value, ensure_ascii=False) for value in values]
    path = tmp_path / "conversations.json"
    path.write_bytes(("[" + ", ".join(texts) + "]").encode().replace(b"text1", b"t" + replaced + b"t1"))
    found = [r.conversation for r in readings(path)]
    assert [c.id if c else None for c in found] == ["0", "1", "2"]
    assert found[1] and found[1].messages[0].text.endswith("t1")


CONTENT_TYPES = """text multimodal_text code execution_output user_editable_context tether_quote thoughts super_widget
    tether_browsing_display system_error reasoning_recap computer_output odd""".split()
FIELDS = "parts text thoughts result screenshot state name asset_pointer content url".split()
METADATA = """content_references citations attachments model_slug is_user_system_message user_context_message_data
    aggregate_result""".split()
TEXTS = ["", "x", "\ue200cite\ue202a\ue201", "【1†x】", "\ud800", "{}", "a", "b", "sediment://file_1", "2026-03-01"]
SCALARS = [None, True, False, 0, -2, 3.5, 10**13, 2**80, float("nan"), float("inf"), *TEXTS]
KEYS = "abcdefgh"


class Nearly:
    """Conversations that are nearly right, with anything at any place."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)

    def anything(self, depth: int = 0) -> Any:
        kind = self.random.random()
        if kind < 0.6 or depth > 2:
            return self.random.choice(SCALARS)
        count = self.random.randrange(3)
        if kind < 0.8:
            return [self.anything(depth + 1) for _ in range(count)]
        names = self.random.choices([*FIELDS, *METADATA, "metadata", "items", "type", "matched_text", "id"], k=count)
        return {name: self.anything(depth + 1) for name in names}

    def sometimes(self, right: Any) -> Any:
        return self.anything() if self.random.random() < 0.12 else right

    def some(self, names: list[str]) -> dict[str, Any]:
        return {name: self.anything() for name in names if self.random.random() < 0.3}

    def message(self) -> dict[str, Any]:
        choose = self.random.choice
        parts = self.sometimes([self.sometimes(choose(TEXTS)) for _ in range(self.random.randrange(3))])
        content = self.some(FIELDS) | {"content_type": self.sometimes(choose(CONTENT_TYPES)), "parts": parts}
        kinds = ["REQUEST", "THINK", "RESPONSE", "SEARCH", "X"]
        fragments = [{"type": choose(kinds), "content": self.anything(), "results": self.anything()} for _ in range(2)]
        return {
            "author": self.sometimes({"role": choose(["user", "assistant", "tool", "system"]), "name": choose(KEYS)}),
            "content": self.sometimes(content), "metadata": self.sometimes(self.some(METADATA)),
            "create_time": self.anything(), "weight": choose([0, 1]), "recipient": choose(["all", "a", "b"]),
            "fragments": self.sometimes(fragments), "files": self.anything(), "inserted_at": self.anything(),
        }  # fmt: skip

    def conversation(self) -> dict[str, Any]:
        keys = self.random.sample(KEYS, self.random.randrange(9))
        parents = [None, *KEYS]
        nodes = {
            key: self.sometimes({"message": self.sometimes(self.message()), "parent": self.random.choice(parents)})
            for key in keys
        }
        return {"id": "c", "mapping": nodes, "current_node": self.random.choice(parents)} | self.some(["title", "x"])


@pytest.mark.parametrize("reader", [chatgpt, deepseek], ids=["chatgpt", "deepseek"])
def test_nothing_nearly_right_breaks_the_reader(tmp_path: Path, reader: Any) -> None:
    found = read_value(tmp_path, [Nearly(seed).conversation() for seed in range(1500)], reader)
    assert len(found) == 1500
    for seed, reading in enumerate(found):
        assert reading.conversation is not None, (seed, [x.sentence() for x in reading.losses])
        messages = reading.conversation.messages
        assert len(set(ids(messages))) == len(messages), seed
        before: set[str | None] = {None}
        for message in messages:
            assert message.parent_id in before, f"{seed}: parents come first"
            before.add(message.id)
        json.dumps(asdict(reading.conversation), allow_nan=False, ensure_ascii=False).encode()
        assert all(x.sentence() and x.sentence("zh") for x in reading.losses), seed
        if any(message.parent_id for message in messages):  # active_path takes nothing else for a tree
            leaf = reading.conversation.extensions["active_leaf"]
            assert active_path(reading.conversation).conversation.messages[-1].id == leaf, seed


def test_the_generator_gives_the_same_bytes_for_the_same_seed() -> None:
    assert list(conversations(0.3, seed=3)) == list(conversations(0.3, seed=3))
    assert list(conversations(0.3, seed=3)) != list(conversations(0.3, seed=4))


def test_a_generated_export_is_read_without_a_warning_that_means_a_bug(tmp_path: Path) -> None:
    path = tmp_path / "conversations.json"
    count = write_export(path, 3)
    found = readings(path)
    seen = {code for reading in found for code in codes(reading)}
    assert len(found) == count and all(r.conversation and r.conversation.messages for r in found)
    assert seen <= {"system_moved", "missing_asset", "parts_reordered", "tool_id_made", "bad_arguments"}


READ = """
import resource, sys
from mnemo_lab.formats import chatgpt
from mnemo_lab.formats.source import Source
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
with Source(sys.argv[1]) as source:
    count = sum(reading.conversation is not None for reading in chatgpt.read(source))
print(count, (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) // 1024)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="ru_maxrss has other units elsewhere")
def test_fifty_megabytes_take_the_memory_of_one_conversation(tmp_path: Path) -> None:
    path = tmp_path / "conversations.json"
    count = write_export(path, 50)
    root = Path(__file__).resolve().parents[2]
    done = subprocess.run([sys.executable, "-c", READ, path], capture_output=True, text=True, check=True, cwd=root)
    read, megabytes = map(int, done.stdout.split())
    assert read == count
    assert megabytes < 40
    with Source(path) as source:  # and an unfinished reading lets go of the file
        assert next(iter(chatgpt.read(source))).conversation
