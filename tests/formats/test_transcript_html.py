"""The HTML page: everything shown, nothing executed, nothing fetched."""

from __future__ import annotations

import re
import time

import pytest
from hypothesis import given

from mnemo_lab.conversation import Attachment, Conversation, Message, ToolCall
from mnemo_lab.formats import html
from mnemo_lab.formats.base import Format, Writer
from mnemo_lab.formats.html.prose import plain, prose
from tests.formats.hostile import SCRIPT, dissected, hostile_conversations
from tests.formats.list_formats import names, spiced, written
from tests.formats.test_portable_roundtrip import thorough

PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGNwaDgAAAKEAYEml6crAAAAAElFTkSuQmCC"
FULL = Conversation(
    (
        Message(
            "user",
            f"看看 {SCRIPT}\n\n```py\nprint('<b>')\n```",
            "m1",
            "2026-03-01T12:00:00+08:00",
            "小林",
            attachments=(
                Attachment("image", data=PNG, name="云图.png"),
                Attachment("image", reference="https://x.org/a b.png"),
            ),
        ),
        Message(
            "assistant",
            "**稍等**",
            "m2",
            tool_calls=(ToolCall("c1", "get_weather", '{"city":"杭州"}'), ToolCall("c2", "bad", '{"city"')),
            extensions={"reasoning": [{"text": "先想 *一下*", "signature": "s", "provider": "anthropic"}]},
        ),
        Message("tool", '{"city":"\\u676d\\u5dde"}', "m3", tool_call_id="c1"),
        Message("tool", "Traceback", "m4", tool_call_id="c2", extensions={"is_error": True}),
        Message(
            "assistant",
            "# 结论\n\n| a | b |\n|---|---|\n| `<x>` | 2 |\n\n[ok](https://x.org) [no](javascript:alert(1)) ![pic](https://evil.example/p.png)",
            "m5",
            extensions={
                "citations": [{"title": "气象局", "url": "https://w.org/a"}, {"url": "javascript:1", "title": "t"}]
            },
        ),
        Message("assistant", None, "m6", extensions={"refusal": "抱歉", "hidden": True}),
        Message("system", "改用英文", "m7"),
    ),
    "c-1",
    "天气 & <b>",
    "gpt-4o",
    "你是气象助手。",
    "短摘要",
)


def page_of(conversation: Conversation, language: str = "en") -> str:
    return written(html, conversation, language=language).data.decode()


def test_everything_a_reader_wants_is_there() -> None:
    page = page_of(FULL, "zh")
    found = dissected(page)
    assert found.bad == []
    text = "".join(found.text)
    for wanted in (
        "天气 & <b>", "gpt-4o", "c-1", "你是气象助手。", "短摘要", f"看看 {SCRIPT}", "小林", "2026-03-01 12:00 +08:00",
        "print('<b>')", "→ get_weather", '{"city": "杭州"}', "→ bad · 参数不是 JSON", "← get_weather", "← bad · 失败",
        "先想 一下", "气象局 (w.org)", "拒绝回答", "抱歉", "由工具隐藏", "改用英文", "系统提示", "推理过程",
    ):  # fmt: skip
        assert wanted in text, wanted
    assert f'<img src="data:image/png;base64,{PNG}" alt="云图.png">' in page
    assert '<a href="https://x.org/a%20b.png" rel="noopener noreferrer">' in page
    assert '<time datetime="2026-03-01T12:00:00+08:00">' in page
    assert '<html lang="zh-Hans">' in page
    assert "<h3>结论</h3>" in page and "<table>" in page and "<code>&lt;x&gt;</code>" in page
    assert names(written(html, FULL).losses) == ["signature_dropped"]


def test_calls_and_results_are_folded() -> None:
    page = page_of(FULL)
    assert page.count("<details>") == 5  # two calls, two results, one of reasoning
    assert "<b>→ get_weather</b>" in page and '<b class="failed">← bad · failed</b>' in page


def test_nothing_is_fetched_and_no_script_runs() -> None:
    page = page_of(FULL)
    assert "default-src &#39;none&#39;" in page or "default-src 'none'" in page
    assert re.findall(r"""src="(?!data:)|url\(|srcset|poster""", page) == []
    assert "<script" not in page and "<link" not in page and "@import" not in page


def test_light_dark_print_and_chinese_fonts_are_provided_for() -> None:
    page = page_of(FULL)
    for wanted in (
        "prefers-color-scheme: dark",
        "@media print",
        "Noto Sans CJK SC",
        "Microsoft YaHei",
        "details-content",
    ):
        assert wanted in page
    assert 'lang="zh-Hans" dir="auto"' in page


def test_branches_are_noted() -> None:
    messages = (
        Message("user", "a", "1"),
        Message("user", "b", "2", parent_id="1"),
        Message("user", "c", "3", parent_id="1"),
    )
    given_ = Conversation(messages, extensions={"active_leaf": "2"})
    assert "1 message on another branch is not shown." in page_of(given_)
    assert "其他分支上还有 1 条消息" in page_of(given_, "zh")
    assert names(written(html, given_).losses) == ["branch_dropped"]


def test_several_conversations_have_contents() -> None:
    data = written(html, FULL, Conversation((), title="second")).data.decode()
    assert '<a href="#c2" lang="und">second</a>' in data and '<section id="c2">' in data
    assert dissected(data).bad == []
    assert dissected(written(html).data.decode()).bad == []


def test_what_is_only_named_is_a_loss() -> None:
    items = (
        Attachment("file", "application/pdf", data="aGk=", name="a.pdf"),
        Attachment("file", "audio/wav", data="aGk="),
        Attachment("image", "image/tiff", data="aGk="),
        Attachment("image", reference="pics/云 图.png"),
        Attachment("image", reference="javascript:alert(1)"),
    )
    result = written(html, Conversation((Message("user", "", "m", attachments=items),)))
    assert [item.code for item in result.losses] == ["file_dropped", "audio_dropped", "image_dropped"]
    page = result.data.decode()
    assert '<a href="pics/%E4%BA%91%20%E5%9B%BE.png" rel="noopener noreferrer">' in page
    assert '<p class="attached">Image: javascript:alert(1)</p>' in page


def test_code_fences_of_every_kind_end_where_they_should() -> None:
    text = "a\n\n````md\n```py\nx\n```\n````\nb\n\n~~~\nnever closed\n```"
    assert str(plain(text)) == (
        '<p class="as-is">a</p>\n<pre class="code"><code>```py\nx\n```\n</code></pre>\n<p class="as-is">b</p>\n'
        '<pre class="code"><code>never closed\n```\n</code></pre>'
    )


def test_arguments_with_lines_of_code_are_shown_as_lines() -> None:
    call = ToolCall("c", "run", '{"code":"a = 1\\nprint(a)","n":1}')
    assert "code: \na = 1\nprint(a)\n\nn: 1" in page_of(Conversation((Message("assistant", "", tool_calls=(call,)),)))


@thorough
@given(hostile_conversations)
def test_nothing_breaks_out(conversation: Conversation) -> None:
    found = dissected(page_of(conversation))
    assert found.bad == []
    assert found.tags.count("article") == len(conversation.messages)


@thorough
@given(spiced())
def test_any_conversation_is_a_page(conversation: Conversation) -> None:
    assert dissected(page_of(conversation)).bad == []


@pytest.mark.parametrize("unit", ["[", "*a_", "> ", "`", "![", "- ", "[](", "<a ", "|a\n|-\n", "**", "\\", "&#", "~~"])
def test_long_hostile_markdown_takes_seconds_at_most(unit: str) -> None:
    start = time.perf_counter()
    prose(unit * (90_000 // len(unit)))
    assert time.perf_counter() - start < 8


def test_it_is_a_writer_and_no_reader() -> None:
    assert isinstance(html, Writer) and not isinstance(html, Format)
