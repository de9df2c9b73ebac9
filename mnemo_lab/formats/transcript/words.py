"""What a transcript says of its own, in English and Chinese."""

from __future__ import annotations

from typing import Final, Literal

Language = Literal["en", "zh"]

_WORDS: Final[dict[str, tuple[str, str]]] = {
    "untitled": ("Conversation", "对话"),
    "system": ("System", "系统"),
    "user": ("User", "用户"),
    "assistant": ("Assistant", "助手"),
    "tool": ("Tool", "工具"),
    "system_prompt": ("System prompt", "系统提示"),
    "summary": ("Summary", "摘要"),
    "reasoning": ("Reasoning", "推理过程"),
    "call": ("Call", "调用"),
    "result": ("Result", "结果"),
    "failed": ("failed", "失败"),
    "not_json": ("arguments are not JSON", "参数不是 JSON"),
    "refusal": ("Refusal", "拒绝回答"),
    "hidden": ("hidden by the tool", "由工具隐藏"),
    "sources": ("Sources", "来源"),
    "image": ("Image", "图片"),
    "file": ("File", "文件"),
    "audio": ("Audio", "音频"),
    "not_shown": ("not shown here", "此处不显示"),
    "model": ("Model", "模型"),
    "id": ("Id", "编号"),
    "messages": ("Messages", "消息数"),
    "time": ("Time", "时间"),
    "empty": ("no text", "没有文字"),
    "contents": ("Contents", "目录"),
}


def word(key: str, language: Language) -> str:
    english, chinese = _WORDS[key]
    return chinese if language == "zh" else english


def branches(count: int, language: Language) -> str:
    if language == "zh":
        return f"其他分支上还有 {count} 条消息，此处未显示。"
    if count == 1:
        return "1 message on another branch is not shown."
    return f"{count} messages on other branches are not shown."
