"""The Markdown transcript: readable, and harmless in the most careless renderer."""

from __future__ import annotations

import time

import pytest
from hypothesis import given

from mnemo_lab.conversation import Conversation, Message, ToolCall
from mnemo_lab.formats import markdown
from mnemo_lab.formats.base import Format, Writer
from mnemo_lab.formats.transcript.fences import fenced
from mnemo_lab.formats.transcript.indented import indented
from mnemo_lab.formats.transcript.neutral import neutral
from tests.formats.hostile import RENDERERS, dissected, hostile_conversations
from tests.formats.list_formats import names, spiced, written
from tests.formats.test_portable_roundtrip import thorough

GIVEN = Conversation(
    (
        Message("user", "第一行\n第二行", "m1", "2026-03-01T12:00:00Z"),
        Message(
            "assistant",
            "## 计划\n用 `List<int>`，见：\n```html\n<p>\n",
            "m2",
            tool_calls=(ToolCall("c", "get_weather", '{"city":"杭州"}'),),
            extensions={"reasoning": [{"text": "先想"}]},
        ),
        Message("tool", "```\nnot the end\n```", "m3", tool_call_id="c", extensions={"is_error": True}),
    ),
    "c-1",
    "天气 <b> *x*",
    "gpt-4o",
    "你是气象助手。",
)
EXPECTED = """# 天气 &lt;b> \\*x\\*

- Model: gpt-4o
- Time: 2026-03-01 12:00 UTC
- Messages: 3
- Id: c-1

<details>
<summary><b>System prompt</b></summary>

你是气象助手。

</details>

### 1. User · 2026-03-01 12:00 UTC

第一行\x20\x20
第二行

### 2. Assistant

<details>
<summary><b>Reasoning</b></summary>

先想

</details>

##### 计划
用 `List<int>`，见：
```html
<p>
```

<details>
<summary><b>Call: get_weather</b> <code>{&quot;city&quot;:&quot;杭州&quot;}</code></summary>

```json
{"city": "杭州"}
```

</details>

### 3. Tool: get\\_weather

<details>
<summary><b>Result (failed)</b> <code>``` not the end ```</code></summary>

````
```
not the end
```
````

</details>
"""


def test_a_whole_transcript() -> None:
    result = written(markdown, GIVEN)
    assert result.data.decode() == EXPECTED
    assert names(result.losses) == ["message_id_dropped"]


def test_in_chinese_and_several() -> None:
    text = written(markdown, GIVEN, Conversation((Message("user", ""),)), language="zh").data.decode()
    assert "### 1. 用户 · 2026-03-01 12:00 UTC" in text and "<b>结果 (失败)</b>" in text
    assert text.endswith("# 对话\n\n- 消息数: 1\n\n### 1. 用户\n\n*(没有文字)*\n")


def test_branches_are_noted() -> None:
    messages = tuple(Message("user", x, x, parent_id="a" if x != "a" else None) for x in "abcd")
    result = written(markdown, Conversation(messages, extensions={"active_leaf": "b"}))
    assert "> 2 messages on other branches are not shown." in result.data.decode()
    assert "branch_dropped" in names(result.losses)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a < b <b> <c", "a < b &lt;b> &lt;c"),
        ("`<b>` and `x`", "`<b>` and `x`"),
        ("`<b>` and [x](y)", "`&lt;b>` and [x](y)"),
        ("`<b>` and `", "`&lt;b>` and `"),
        ("```\n<b>\n```\n<b>", "```\n<b>\n```\n&lt;b>"),
        ("```\n<b>", "```\n<b>\n```"),
        ("- ```\n<b>", "> - ```\n> &lt;b>"),
        ("# a\ntext\n---\n# b", "#### a\ntext\n\\---\n#### b"),
        ("&lt; & &amp;", "&amp;lt; & &amp;amp;"),
        ("![x](https://e.org/p.png)", "&#33;[x](https://e.org/p.png)"),
        ("[x](javascript:1) [y](/a) [z](mailto:a@b)", "[x&#93;(javascript:1) [y](/a) [z](mailto:a@b)"),
        ("[x\\](javascript:1)", "[x\\&#93;(javascript:1)"),
        ("[x](<" + "\t" * 500 + "javascript:1>)", "[x&#93;(<" + "\t" * 500 + "javascript:1>)"),
        ("[x](<j" + "\t" * 500 + "avascript:1>)", "[x&#93;(&lt;j" + "\t" * 500 + "avascript:1>)"),
        ("[x]: &#x6a;avascript:1", "[x&#93;: &amp;#x6a;avascript:1"),
    ],
)
def test_text_is_made_harmless_and_kept_readable(text: str, expected: str) -> None:
    assert neutral(text) == expected


def test_a_fence_around_anything_holds() -> None:
    assert fenced("a ``` b ````` c") == "``````\na ``` b ````` c\n``````"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('{"a":1.50,"a":2}', '{"a": 1.50, "a": 2}'),
        ('{"a":', '{"a":'),
        ("plain", "plain"),
        ('["\\u4e2d","\\ud83d"]', '["中", "\\ud83d"]'),
        (
            '{"long":"' + "x" * 70 + '","empty":[],"o":{"k":[1,2]}}',
            '{\n  "long": "' + "x" * 70 + '",\n  "empty": [],\n  "o": {\n    "k": [\n      1,\n      2\n    ]\n  }\n}',
        ),
    ],
)
def test_json_is_indented_without_a_change(text: str, expected: str) -> None:
    assert indented(text) == expected


@thorough
@given(hostile_conversations)
def test_nothing_breaks_out_in_the_most_careless_renderer(conversation: Conversation) -> None:
    text = written(markdown, conversation).data.decode()
    for renderer in RENDERERS:
        found = dissected(renderer.render(text))
        assert found.bad == []
        # No message swallows what comes after it.
        assert sum(tag == "h3" for tag in found.tags) == len(conversation.messages)


@thorough
@given(spiced())
def test_any_conversation_is_a_transcript(conversation: Conversation) -> None:
    for renderer in RENDERERS:
        assert dissected(renderer.render(written(markdown, conversation).data.decode())).bad == []


@pytest.mark.parametrize("unit", ["[", "`", "` ``", "](", "- ```\n", "&#", "\\`", "```\n", "<a", "](&#"])
def test_long_hostile_text_takes_seconds_at_most(unit: str) -> None:
    start = time.perf_counter()
    neutral(unit * (1_000_000 // len(unit)))
    assert time.perf_counter() - start < 8


def test_it_is_a_writer_and_no_reader() -> None:
    assert isinstance(markdown, Writer) and not isinstance(markdown, Format)
