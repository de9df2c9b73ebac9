"""What the tuner says, in English and Chinese."""

from __future__ import annotations

from types import MappingProxyType
from typing import Final

from mnemo_lab.errors import UnknownName

_EN: Final = {
    "tokens": "{n} tokens",
    "title": "Threshold tuner",
    "dense_share": "dense share",
    "session": "session weight",
    "speaker": "speaker weight",
    "neighbours": "neighbours",
    "k": "hits at most (k)",
    "budget": "budget (tokens)",
    "language": "language",
    "split": "recordings",
    "as_fit": "no limit",
    "all": "all",
    "dev": "dev",
    "test": "test",
    "en": "English",
    "zh": "Chinese",
    "reset": "Back to the run's own settings",
    "not_stored": "This run stored no scores for: {names}. Give them a weight in the grid to tune them.",
    "evidence_recall": "evidence recall",
    "answer_in_context": "answer in context",
    "precision": "precision",
    "context_tokens": "context tokens",
    "setting": "setting",
    "won_lost": "won / lost",
    "now": "these settings",
    "own": "the run's own: {name}",
    "baseline": "baseline: {name}",
    "deltas": "Small figures: these settings minus that line. Won and lost: probes, by evidence recall.",
    "other_budget": "The run has no {name} at {wanted} tokens; shown is its next larger budget, {shown}.",
    "cut_short": "In {n} probes the stored shortlist ended before the budget did: a fresh run may keep more.",
    "advice_dev": "{n} answerable probes of development recordings. Tune here, then claim on test.",
    "advice_test": "{n} answerable probes of test recordings: for claims. Choose settings on dev, not here.",
    "advice_all": "{n} answerable probes, development and test together. Tune on dev, claim on test.",
    "advice_one": "{n} answerable probes. No dev/test split here: confirm what you choose on other recordings.",
    "copy": "To use in a grid:",
    "won": "Won against {name}",
    "lost": "Lost against {name}",
    "none": "none",
    "more": "… and {n} more",
}
_ZH: Final = {
    "tokens": "{n} token",
    "title": "阈值调节",
    "dense_share": "向量占比",
    "session": "会话权重",
    "speaker": "说话人权重",
    "neighbours": "相邻消息数",
    "k": "最多命中数 (k)",
    "budget": "预算 (token)",
    "language": "语言",
    "split": "数据划分",
    "as_fit": "不限",
    "all": "全部",
    "dev": "开发集",
    "test": "测试集",
    "en": "英文",
    "zh": "中文",
    "reset": "恢复本次运行的设置",
    "not_stored": "本次运行没有保存这些信号的得分：{names}。在网格中给它们权重后才能调节。",
    "evidence_recall": "证据召回率",
    "answer_in_context": "上下文含答案",
    "precision": "精确率",
    "context_tokens": "上下文 token 数",
    "setting": "设置",
    "won_lost": "胜 / 负",
    "now": "当前设置",
    "own": "本次运行的设置：{name}",
    "baseline": "基线：{name}",
    "deltas": "小字为当前设置减去该行的差值；胜负为题数，按证据召回率计。",
    "other_budget": "本次运行没有 {name} 在 {wanted} token 下的结果；这里显示的是更大一档预算 {shown}。",
    "cut_short": "有 {n} 题的候选列表在预算用完之前就已取尽：重新运行可能会保留更多。",
    "advice_dev": "开发集共 {n} 道可答题。请在这里调参，在测试集上下结论。",
    "advice_test": "测试集共 {n} 道可答题，只用于下结论；请不要在这里选参数。",
    "advice_all": "开发集与测试集共 {n} 道可答题。请在开发集上调参，在测试集上下结论。",
    "advice_one": "共 {n} 道可答题。这里没有开发集与测试集之分：请换一批对话验证选出的设置。",
    "copy": "可写入网格的文本：",
    "won": "胜过 {name} 的题",
    "lost": "负于 {name} 的题",
    "none": "无",
    "more": "……另有 {n} 题",
}
WORDS: Final = MappingProxyType({"en": _EN, "zh": _ZH})


def words_in(language: str) -> dict[str, str]:
    """All texts in one language; raises ``UnknownName`` for another than ``en`` and ``zh``."""
    if language not in WORDS:
        raise UnknownName("language of the tuner", language, WORDS)
    return WORDS[language]
