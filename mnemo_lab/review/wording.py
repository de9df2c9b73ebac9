"""The words of a page of memories to be reviewed, in English and Chinese."""

from __future__ import annotations

from typing import Final

PAGE: Final[dict[str, dict[str, str]]] = {
    "en": {
        "title": "# Memories of {namespace}",
        "note": "Read back are sentences, values, importance (1 to 5) and headings; a line that is taken out is "
        "forgotten, one without an id is new. The rest is for reading.",
        "value": "value",
        "importance": "importance",
        "about": "about: {subject}, {attribute}; from {day}, {confidence:.0%} sure; {said}",
        "said": "said in {places}",
        "unsaid": "no source",
        "before": "before: {value}, {start} to {end}",
        "check": "check: {concerns}",
        "former": "No longer true",
        "over": "- {content} ({start} to {end})",
        "empty": "(nothing is remembered yet)",
        "preference": "Preferences",
        "project_fact": "Projects",
        "decision": "Decisions",
        "user_info": "About the user",
        "secret": "a secret was stored",
        "sensitive": "sensitive ({detail})",
        "unsupported": "unsupported: no source",
        "stale": "stale: unused for {detail} days",
        "low_confidence": "low confidence",
        "quarantined": "quarantined: reads like an instruction",
    },
    "zh": {
        "title": "# {namespace} 的记忆",
        "note": "会读回：句子、值、重要性（1 到 5）和标题；删去的行会被忘记，没有编号的行是新增。其余内容仅供阅读。",
        "value": "值",
        "importance": "重要性",
        "about": "关于：{subject}，{attribute}；自 {day} 起，{confidence:.0%} 把握；{said}",
        "said": "出自 {places}",
        "unsaid": "没有来源",
        "before": "此前：{value}，{start} 至 {end}",
        "check": "请检查：{concerns}",
        "former": "已不成立",
        "over": "- {content}（{start} 至 {end}）",
        "empty": "（暂无长期记忆）",
        "preference": "偏好",
        "project_fact": "项目",
        "decision": "决定",
        "user_info": "关于用户",
        "secret": "存有密钥等机密",
        "sensitive": "敏感（{detail}）",
        "unsupported": "没有来源",
        "stale": "陈旧：{detail} 天未使用",
        "low_confidence": "把握不大",
        "quarantined": "已隔离：读起来像指令",
    },
}
"""By language: lines of the page, headings of the built-in categories, and what is to be checked."""
