"""Losses: what was dropped, moved or changed, in one list of codes that formats and strategies share."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Final, Literal

from mnemo_lab.loss_codes import FORMAT_CODES, LossCode, Severity

Language = Literal["en", "zh"]
CODES: Final = MappingProxyType(
    FORMAT_CODES
    | {
        # pairing and order of messages
        "orphan_tool_result": LossCode(
            "error",
            "tool result answers call {call}, which no earlier assistant message makes",
            "工具结果回应的调用 {call} 在此前的助手消息中不存在",
        ),
        "unanswered_tool_call": LossCode("error", "tool call {call} is never answered", "工具调用 {call} 没有得到结果"),
        "late_tool_result": LossCode(
            "error",
            "the result of call {call} does not directly follow its assistant message",
            "调用 {call} 的结果没有紧跟在对应的助手消息之后",
        ),
        "duplicate_call_id": LossCode("error", "call id {call} is used twice", "调用编号 {call} 重复使用"),
        "result_without_call_id": LossCode(
            "error", "a tool message names no call it answers", "工具消息没有注明所回应的调用"
        ),
        "late_system_message": LossCode(
            "warning", "a system message stands after the conversation began", "系统消息出现在对话开始之后"
        ),
        "starts_with_assistant": LossCode(
            "warning", "the list starts with {role}, not system or user", "消息列表以 {role} 开头，而不是系统或用户"
        ),
        # retrieval
        "near_threshold": LossCode(
            "info",
            "{count} messages lie just below the minimum score {minimum}; they were left out",
            "{count} 条消息的分数略低于阈值 {minimum}；未放入上下文",
        ),
        # data sets
        "unknown_evidence": LossCode(
            "warning",
            "evidence {id} of question {probe} does not exist; left out",
            "问题 {probe} 的证据 {id} 不存在；已略去",
        ),
        "malformed_evidence": LossCode(
            "info", "evidence {raw} of question {probe} was read as {read}", "问题 {probe} 的证据 {raw} 读作 {read}"
        ),
        "probe_without_evidence": LossCode(
            "warning",
            "question {probe} has no usable evidence; recall is undefined for it",
            "问题 {probe} 没有可用证据；其召回率无定义",
        ),
        "unreadable_probe": LossCode(
            "error", "probe at {place} could not be read: {reason}", "无法读取 {place} 处的问题：{reason}"
        ),
        "span_not_found": LossCode(
            "warning",
            "span {text} of question {probe} does not stand in message {id}; left out",
            "问题 {probe} 的片段 {text} 不在消息 {id} 中；已略去",
        ),
        "late_evidence": LossCode(
            "warning",
            "evidence {id} of question {probe} comes after the question is asked; left out",
            "问题 {probe} 的证据 {id} 出现在提问之后；已略去",
        ),
        "probe_corrected": LossCode(
            "info", "question {probe} was corrected ({kind}): {changed}", "问题 {probe} 已更正（{kind}）：{changed}"
        ),
        "correction_not_applied": LossCode(
            "warning",
            "the correction of question {probe} was not applied: {reason}",
            "问题 {probe} 的更正未应用：{reason}",
        ),
        # cutting and packing
        "elided": LossCode(
            "info", "{dropped} of {total} tokens were cut inside the message", "消息内部截去 {dropped}／{total} 个词元"
        ),
        "left_out_to_fit": LossCode(
            "warning",
            "{count} of {total} messages were left out to fit {budget} tokens",
            "为不超过 {budget} 个词元，略去 {total} 条消息中的 {count} 条",
        ),
        "over_budget": LossCode(
            "error",
            "the protected part alone takes {tokens} tokens, over the budget of {budget}",
            "仅受保护的部分就有 {tokens} 个词元，超出预算 {budget}",
        ),
        "image_tokens_unknown": LossCode(
            "warning",
            "tokens of an attachment of type {media_type} are not counted",
            "{media_type} 类型附件的词元未计入",
        ),
        "cleared": LossCode(
            "info", "an old tool result of {total} tokens was cleared", "较早的工具结果（{total} 个词元）已清除"
        ),
        "nothing_fits": LossCode(
            "error",
            "not even the newest message fits {budget} tokens; nothing was sent beside what is protected",
            "{budget} 个词元连最新的消息也放不下；除受保护的部分外没有发送任何内容",
        ),
        "summary_fell_back": LossCode(
            "warning",
            "{writer} could not write the summary ({reason}); sentences were extracted instead",
            "{writer} 未能写出摘要（{reason}）；已改为摘录原句",
        ),
        # why a message is not sent
        "left_out": LossCode("info", "left out to fit {budget} tokens", "为不超过 {budget} 个词元而略去"),
        "older": LossCode("info", "older than what is kept within {budget} tokens", "早于 {budget} 个词元内保留的部分"),
        "middle": LossCode(
            "info",
            "between the beginning and the end that are kept within {budget} tokens",
            "位于 {budget} 个词元内保留的开头与结尾之间",
        ),
        "scored_lower": LossCode(
            "info", "scored lower than what is kept within {budget} tokens", "评分低于 {budget} 个词元内保留的部分"
        ),
        "orphan_left_out": LossCode(
            "info", "a tool result that does not follow its call cannot be sent", "没有紧跟其调用的工具结果不能发送"
        ),
        "too_long": LossCode(
            "info",
            "with what belongs to it {tokens} tokens, more than the {room} there are",
            "连同所属部分共 {tokens} 个词元，超出可用的 {room} 个",
        ),
    }
)


@dataclass(frozen=True, slots=True)
class Loss:
    """One thing dropped, moved or changed: code, place and the values its sentence needs."""

    code: str
    message_id: str | None = None
    pointer: str | None = None
    values: tuple[tuple[str, str], ...] = field(default=())

    @property
    def severity(self) -> Severity:
        return CODES[self.code].severity

    def sentence(self, language: Language = "en") -> str:
        """The loss in words, English or Chinese."""
        return getattr(CODES[self.code], language).format(**dict(self.values))  # type: ignore[no-any-return]


def loss(code: str, *, message_id: str | None = None, pointer: str | None = None, **values: object) -> Loss:
    """Make a loss; raises ``KeyError`` for a code that is not in the list, so that no code is ad hoc."""
    CODES[code]
    return Loss(code, message_id, pointer, tuple((k, str(v)) for k, v in values.items()))


def count_by_code(losses: Iterable[Loss]) -> dict[str, int]:
    return dict(sorted(Counter(item.code for item in losses).items()))
