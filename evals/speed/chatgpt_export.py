"""A ChatGPT data export of a wanted size, the same bytes for the same seed: what reading is timed on.

``python -m evals.speed.chatgpt_export conversations.json 500`` writes about 500 MB.
"""

from __future__ import annotations

import argparse
import json
import random
import resource
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

START: Final = 1_700_000_000.0
MODELS: Final = ("gpt-4o", "gpt-5", "gpt-5-thinking", "o3")
WORDS: Final = {
    "en": """the a of to and in for with is was that this it on as are be by can which index query cache table latency
        deploy staging port build error retry lock token budget paragraph sentence recipe travel train museum weather
        because therefore however example function returns value list string number should could would first second
        replica schema migration rollback review customer invoice vendor price week month draft outline""".split(),
    "zh": """我们 今天 讨论 部署 方案 下周 上线 数据库 端口 错误 重试 预算 会议 记录 客户 报价 因此 但是 例如
        首先 其次 然后 最后 建议 检查 配置 缓存 索引 查询 延迟 模型 天气 杭州 宁波 火车 博物馆 菜谱 草稿
        函数 返回 列表 数值 请 注意 可以 需要""".split(),
}
_STOPS: Final = {"en": (" ", ". "), "zh": ("", "。")}


class Generator:
    """Conversations one after another; every random choice comes from one seeded source."""

    def __init__(self, seed: int = 0) -> None:
        self.random = random.Random(seed)
        self.pool = {language: [self._paragraph(language) for _ in range(400)] for language in WORDS}
        self.clock = START

    def _paragraph(self, language: str) -> str:
        gap, stop = _STOPS[language]
        sentences = (
            gap.join(self.random.choices(WORDS[language], k=self.random.randint(6, 22)))
            for _ in range(self.random.randint(2, 6))
        )
        return stop.join(sentences) + stop.strip()

    def text(self, language: str, low: int, high: int) -> str:
        """Paragraphs, now and then with a list or a fenced block, as answers have them."""
        parts = self.random.choices(self.pool[language], k=self.random.randint(low, high))
        if high > 2 and self.random.random() < 0.3:
            parts.insert(1, "```python\nfor row in rows:\n    print(row[\"name\"], row['value'] * 2)\n```")
        if high > 2 and self.random.random() < 0.4:
            parts.append("\n".join(f"- **{part[:12]}** {part[12:70]}" for part in parts[:3]))
        return "\n\n".join(parts)

    def uuid(self) -> str:
        digits = f"{self.random.getrandbits(128):032x}"
        return "-".join((digits[:8], digits[8:12], digits[12:16], digits[16:20], digits[20:]))

    def conversation(self) -> dict[str, Any]:
        return _Tree(self).build()


class _Tree:
    """One conversation while it grows."""

    def __init__(self, generator: Generator) -> None:
        self.by, self.random = generator, generator.random
        self.language = "zh" if self.random.random() < 0.3 else "en"
        self.model = self.random.choice(MODELS)
        self.with_children = self.random.random() < 0.5
        self.mapping: dict[str, dict[str, Any]] = {}
        generator.clock += self.random.uniform(600, 90_000)

    def build(self) -> dict[str, Any]:
        start = self.by.clock
        root = self._node("client-created-root", None, None)
        here = self._add(root, "system", _text(""), weight=0.0, is_visually_hidden_from_conversation=True)
        if self.random.random() < 0.6:
            here = self._instructions(here)
        # Most are short; a few run for hundreds of turns.
        for _ in range(min(int(self.random.lognormvariate(1.6, 1.0)) + 1, 400)):
            here = self._turn(here)
        return {"title": self.by.text(self.language, 1, 1)[:40], "create_time": start, "update_time": self.by.clock,
                "mapping": self.mapping, "moderation_results": [], "current_node": here, "plugin_ids": None,
                "conversation_id": (identity := self.by.uuid()), "conversation_template_id": None, "gizmo_id": None,
                "is_archived": False, "is_starred": None, "safe_urls": [], "blocked_urls": [],
                "default_model_slug": self.model, "voice": None, "async_status": None, "disabled_tool_ids": [],
                "memory_scope": "global_enabled", "id": identity}  # fmt: skip

    def _instructions(self, here: str) -> str:
        about, wanted = self.by.text(self.language, 1, 1), self.by.text(self.language, 1, 1)
        content = {"content_type": "user_editable_context", "user_profile": about, "user_instructions": wanted}
        data = {"about_user_message": about, "about_model_message": wanted}
        hidden = {"is_visually_hidden_from_conversation": True, "is_user_system_message": True}
        return self._add(here, "user", content, weight=0.0, **hidden, user_context_message_data=data)

    def _turn(self, here: str) -> str:
        asked = self._question(here)
        if self.random.random() < 0.07:  # the question was edited: the first wording stays as a branch
            self._answer(asked)
            asked = self._question(here)
        if self.random.random() < 0.1:  # the answer was regenerated
            self._answer(asked)
        return self._answer(asked)

    def _question(self, here: str) -> str:
        if self.random.random() > 0.08:
            return self._add(here, "user", _text(self.by.text(self.language, 1, 2)), attachments=[])
        name = f"file_{self.random.getrandbits(64):016x}"
        image = {"content_type": "image_asset_pointer", "asset_pointer": f"sediment://{name}", "fovea": None,
                 "size_bytes": 81_234, "width": 1024, "height": 768,
                 "metadata": {"dalle": None, "sanitized": True}}  # fmt: skip
        attachment = {"id": name, "name": "photo.png", "mime_type": "image/png", "size": 81_234}
        content = {"content_type": "multimodal_text", "parts": [image, self.by.text(self.language, 1, 1)]}
        return self._add(here, "user", content, attachments=[attachment])

    def _answer(self, here: str) -> str:
        kind = self.random.random()
        if "thinking" in self.model or self.model == "o3":
            thoughts = [self._thought() for _ in range(self.random.randint(1, 4))]
            here = self._add(here, "assistant", {"content_type": "thoughts", "thoughts": thoughts})
            recap = {"content_type": "reasoning_recap", "content": "Thought for 12 seconds"}
            here = self._add(here, "assistant", recap)
        if kind < 0.12:
            here = self._python(here)
        elif kind < 0.24:
            return self._searched(here)
        text = self.by.text(self.language, 2, 7)
        return self._add(here, "assistant", _text(text), end_turn=True, content_references=[], citations=[])

    def _thought(self) -> dict[str, Any]:
        summary, content = self.by.text(self.language, 1, 1)[:30], self.by.text(self.language, 1, 3)
        return {"summary": summary, "content": content, "chunks": [], "finished": True}

    def _python(self, here: str) -> str:
        code = {"content_type": "code", "language": "python", "response_format_name": None, "text": "print(sum(rows))"}
        here = self._add(here, "assistant", code, recipient="python")
        output = {"content_type": "execution_output", "text": f"{self.random.random()}\n"}
        return self._add(here, "tool", output, name="python", aggregate_result={"status": "success", "messages": []})

    def _searched(self, here: str) -> str:
        query = json.dumps({"search_query": [{"q": self.by.text(self.language, 1, 1)[:50]}]})
        call = {"content_type": "code", "language": "unknown", "response_format_name": None, "text": query}
        here = self._add(here, "assistant", call, recipient="web.run")
        here = self._add(here, "tool", _text(""), name="web.run", search_result_groups=[self._group()])
        text, references = "", []
        for number in range(self.random.randint(1, 5)):
            mark = f"\ue200cite\ue202turn0search{number}\ue201"
            text += f"{self.random.choice(self.by.pool[self.language])} {mark}\n\n"
            references.append(self._reference(mark, len(text)))
        hidden = {"matched_text": " ", "start_idx": 0, "end_idx": 1, "type": "sources_footnote", "sources": []}
        return self._add(
            here, "assistant", _text(text.strip()), end_turn=True, content_references=[*references, hidden]
        )

    def _group(self) -> dict[str, Any]:
        entries = [{"type": "search_result", "url": f"https://example.org/{self.random.getrandbits(32):x}",
                    "title": self.by.text(self.language, 1, 1)[:60], "pub_date": None, "attribution": "example.org",
                    "snippet": self.random.choice(self.by.pool[self.language])} for _ in range(6)]  # fmt: skip
        return {"type": "search_result_group", "domain": "example.org", "entries": entries}

    def _reference(self, mark: str, end: int) -> dict[str, Any]:
        url = f"https://example.org/{self.random.getrandbits(32):x}"
        item = {"title": self.by.text(self.language, 1, 1)[:60], "url": url, "pub_date": None,
                "snippet": self.random.choice(self.by.pool[self.language]), "attribution": "example.org",
                "supporting_websites": []}  # fmt: skip
        return {"matched_text": mark, "start_idx": end - len(mark), "end_idx": end, "type": "grouped_webpages",
                "safe_urls": [url], "refs": [], "alt": f"([example.org]({url}))", "items": [item],
                "status": "done", "error": None, "style": None}  # fmt: skip

    def _add(self, parent: str, role: str, content: dict[str, Any], *, name: str | None = None, weight: float = 1.0,
             recipient: str = "all", end_turn: bool | None = None, **metadata: Any) -> str:  # fmt: skip
        self.by.clock += self.random.uniform(0.5, 40)
        identity = self.by.uuid()
        if role == "assistant":
            metadata |= {"model_slug": self.model, "default_model_slug": self.model, "parent_id": parent,
                         "finish_details": {"type": "stop", "stop_tokens": [200002]}, "is_complete": True}  # fmt: skip
        metadata |= {"request_id": self.by.uuid(), "timestamp_": "absolute", "message_type": None}
        message = {"id": identity, "author": {"role": role, "name": name, "metadata": {}},
                   "create_time": None if role == "system" else self.by.clock, "update_time": None, "content": content,
                   "status": "finished_successfully", "end_turn": end_turn, "weight": weight, "metadata": metadata,
                   "recipient": recipient, "channel": "final" if end_turn else None}  # fmt: skip
        return self._node(identity, message, parent)

    def _node(self, identity: str, message: dict[str, Any] | None, parent: str | None) -> str:
        node: dict[str, Any] = {"id": identity, "message": message, "parent": parent}
        if self.with_children:
            node["children"] = []
            if parent:
                self.mapping[parent]["children"].append(identity)
        self.mapping[identity] = node
        return identity


def _text(text: str) -> dict[str, Any]:
    return {"content_type": "text", "parts": [text]}


def conversations(megabytes: float, seed: int = 0) -> Iterator[str]:
    """The JSON text of each conversation, until together they have the wanted size."""
    generator, left = Generator(seed), megabytes * 1e6
    while left > 0:
        text = json.dumps(generator.conversation())
        left -= len(text) + 2
        yield text


def write_export(path: Path, megabytes: float, seed: int = 0) -> int:
    """One array on one line, escaped to ASCII as the tool does; gives the number of conversations."""
    count = 0
    with path.open("w", encoding="ascii") as file:
        file.write("[")
        for text in conversations(megabytes, seed):
            file.write(f"{', ' if count else ''}{text}")
            count += 1
        file.write("]")
    return count


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("path", type=Path)
    parser.add_argument("megabytes", type=float)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--read", action="store_true", help="then read it, and print speed and peak memory")
    given = parser.parse_args()
    print(f"{write_export(given.path, given.megabytes, given.seed):,} conversations")
    if given.read:
        print(read_speed(given.path))


def read_speed(path: Path) -> str:
    """One cold read of every conversation: megabytes a second by the wall clock and by the processor, peak memory."""
    from mnemo_lab.formats.convert import read_all

    wall, cpu = time.perf_counter(), time.process_time()
    count = sum(reading.conversation is not None for reading in read_all(path))
    wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    megabytes, peak = path.stat().st_size / 1e6, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3
    return f"{count:,} read: {megabytes / wall:.1f} MB/s wall, {megabytes / cpu:.1f} MB/s processor, {peak:.0f} MB peak"


if __name__ == "__main__":
    main()
