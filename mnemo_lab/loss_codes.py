"""Kinds of losses that formats and their targets know; ``mnemo_lab.losses`` has them all."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

Severity = Literal["info", "warning", "error"]


@dataclass(frozen=True, slots=True)
class LossCode:
    """A kind of loss: its severity and its sentence in both languages, with ``{places}`` to fill."""

    severity: Severity
    en: str
    zh: str


FORMAT_CODES: Final = {
    # portable documents
    "newer_minor_version": LossCode(
        "warning",
        "document version {version} is newer than {known}; unknown fields are kept under extensions",
        "文档版本 {version} 比 {known} 新；未知字段保留在 extensions 中",
    ),
    "duplicate_message_id": LossCode("warning", "message id {id} appears more than once", "消息编号 {id} 出现不止一次"),
    "unreadable_timestamp": LossCode(
        "warning",
        "timestamp {value} is not ISO 8601; kept as text, not used for order",
        "时间戳 {value} 不是 ISO 8601 格式；按文本保留，不用于排序",
    ),
    "empty_conversation": LossCode("warning", "the conversation has no messages", "对话中没有消息"),
    "cut_failed": LossCode("error", "it could not be cut: {reason}", "无法裁剪：{reason}"),
    "field_not_in_version": LossCode(
        "warning",
        "field {field} does not exist in version {version}; left out",
        "字段 {field} 在版本 {version} 中不存在；已略去",
    ),
    "content_not_in_version": LossCode(
        "warning",
        "content is {found}, which version {version} cannot say; written as an empty string",
        "内容为 {found}，版本 {version} 无法表示；已写为空字符串",
    ),
    "unreadable_conversation": LossCode(
        "error", "the conversation could not be read: {reason}", "无法读取该对话：{reason}"
    ),
    "unicode_replaced": LossCode("warning", "a lone surrogate was replaced by U+FFFD", "孤立的代理字符已替换为 U+FFFD"),
    # files and branches
    "member_refused": LossCode(
        "warning", "a member of the archive was not read: {reason}", "压缩包中的一个成员未读取：{reason}"
    ),
    "branch_dropped": LossCode(
        "warning", "{count} messages on other branches were left out", "其他分支上的 {count} 条消息已略去"
    ),
    # between tools' formats
    "tool_call_dropped": LossCode(
        "error",
        "the target holds no tool calls; call {name} was left out",
        "目标格式不支持工具调用；调用 {name} 已略去",
    ),
    "tool_result_dropped": LossCode(
        "error",
        "the target holds no tool results; the result of {name} was left out",
        "目标格式不支持工具结果；{name} 的结果已略去",
    ),
    "tool_id_dropped": LossCode("info", "call ids are not kept by the target", "目标格式不保留调用编号"),
    "tool_id_made": LossCode("info", "call {name} had no id; {id} was made", "调用 {name} 没有编号；已生成 {id}"),
    "id_renamed": LossCode("info", "id {id} was renamed {new}: {reason}", "编号 {id} 改为 {new}：{reason}"),
    "tool_error_flag_dropped": LossCode(
        "warning", "the target cannot say that a tool failed", "目标格式无法标记工具执行失败"
    ),
    "bad_arguments": LossCode(
        "warning",
        "arguments of call {name} are not a JSON object; kept as text",
        "调用 {name} 的参数不是 JSON 对象；按文本保留",
    ),
    "image_dropped": LossCode("error", "an image was left out: {reason}", "图片已略去：{reason}"),
    "file_dropped": LossCode("error", "a file was left out: {reason}", "文件已略去：{reason}"),
    "audio_dropped": LossCode("error", "audio was left out: {reason}", "音频已略去：{reason}"),
    "missing_asset": LossCode(
        "warning",
        "attachment {name} is not in the archive; only its name is kept",
        "附件 {name} 不在压缩包中；仅保留名称",
    ),
    "parts_reordered": LossCode(
        "info", "the order of text and attachments within the message was changed", "消息内文字与附件的顺序有变动"
    ),
    "reasoning_dropped": LossCode("warning", "reasoning was left out: {reason}", "推理内容已略去：{reason}"),
    "signature_dropped": LossCode(
        "warning",
        "a reasoning signature is valid only at {provider} and was left out",
        "推理签名只在 {provider} 有效，已略去",
    ),
    "citation_dropped": LossCode("warning", "{count} citations were left out", "{count} 条引用已略去"),
    "refusal_as_text": LossCode("info", "a refusal was kept as plain text", "拒绝回答以普通文本保留"),
    "timestamp_dropped": LossCode("info", "times are not kept by the target", "目标格式不保留时间"),
    "message_id_dropped": LossCode("info", "message ids are not kept by the target", "目标格式不保留消息编号"),
    "name_dropped": LossCode("warning", "the speaker's name {name} was left out", "说话人姓名 {name} 已略去"),
    "field_dropped": LossCode("info", "{field} is not kept by the target", "目标格式不保留 {field}"),
    "hidden_message": LossCode("info", "a message hidden by the tool was marked as hidden", "工具隐藏的消息已标为隐藏"),
    "system_moved": LossCode("warning", "a system message was moved: {reason}", "系统消息已移动：{reason}"),
    "system_replaced": LossCode("warning", "the system prompt was replaced", "系统提示已替换"),
    "system_dropped": LossCode("warning", "the system prompt was left out", "系统提示已略去"),
    "roles_merged": LossCode(
        "info", "{count} messages in a row of role {role} were merged", "{count} 条连续的 {role} 消息已合并"
    ),
    "role_mapped": LossCode("info", "role {role} was read as {new}", "角色 {role} 读作 {new}"),
    "role_guessed": LossCode("warning", "the role was guessed as {role}: {reason}", "角色推测为 {role}：{reason}"),
    "leaf_guessed": LossCode(
        "info", "the active branch is not marked; the latest one was taken", "未标明当前分支；取最新的分支"
    ),
    "timezone_guessed": LossCode("info", "a time without zone was taken as UTC", "不带时区的时间按 UTC 处理"),
    "parent_missing": LossCode(
        "warning",
        "the parent {id} does not exist; the message before was taken",
        "上级消息 {id} 不存在；以前一条消息代替",
    ),
    "cycle_cut": LossCode("warning", "parent pointers form a cycle; it was cut", "上级指针成环；已切断"),
    "unknown_block": LossCode(
        "warning",
        "content of type {type} is not known; kept under extensions",
        "未知的内容类型 {type}；保留在 extensions 中",
    ),
    "unknown_record": LossCode("info", "a record of type {type} was not read", "类型为 {type} 的记录未读取"),
    "unreadable_record": LossCode("warning", "a record could not be read: {reason}", "无法读取一条记录：{reason}"),
    "value_nulled": LossCode(
        "warning", "a value that JSON does not have became null: {reason}", "JSON 不支持的值已改为 null：{reason}"
    ),
    "duplicate_record": LossCode("info", "a record that stands twice was read once", "重复的记录只读取一次"),
    "empty_message": LossCode("warning", "an empty message was left out", "空消息已略去"),
    "placeholder_added": LossCode("warning", "a placeholder was added: {reason}", "已添加占位内容：{reason}"),
    "pair_repaired": LossCode("warning", "calls and results were repaired: {reason}", "调用与结果已修复：{reason}"),
    "refused_by_target": LossCode("error", "{target} would refuse this: {reason}", "{target} 会拒绝：{reason}"),
    "window_exceeded": LossCode(
        "error",
        "{tokens} tokens, more than the {window} that {model} takes",
        "{tokens} 个词元，超过 {model} 的上限 {window}",
    ),
    "redacted": LossCode("info", "{count} of {kind} were replaced by placeholders", "{count} 处{kind}已替换为占位符"),
    "content_filled": LossCode(
        "info", "content that was {found} was written as {written}", "为 {found} 的内容写为 {written}"
    ),
    # what a target refuses, and how a conversation was repaired for it
    "turn_refused": LossCode(
        "error",
        "{target} takes no {role} message after {previous}",
        "{target} 不接受 {previous} 之后的 {role} 消息",
    ),
    "turn_doubtful": LossCode(
        "warning",
        "{target}, or its chat template, may refuse a {role} message after {previous}",
        "{target} 或其聊天模板可能拒绝 {previous} 之后的 {role} 消息",
    ),
    "system_refused": LossCode(
        "error",
        "{target} takes no system message here, only one at the start",
        "{target} 不接受此处的系统消息，只接受开头的一条",
    ),
    "identifier_refused": LossCode(
        "error", "{target} refuses {id}: it must match {pattern}", "{target} 拒绝 {id}：必须匹配 {pattern}"
    ),
    "empty_refused": LossCode(
        "error",
        "{target} refuses a {role} message whose content is {found}",
        "{target} 拒绝内容为 {found} 的 {role} 消息",
    ),
    "arguments_refused": LossCode(
        "error",
        "{target} takes arguments as a JSON object; those of call {name} are not one",
        "{target} 要求参数为 JSON 对象；调用 {name} 的参数不是",
    ),
    "attachment_refused": LossCode(
        "error",
        "{target} refuses {found} in a {role} message; it takes {allowed}",
        "{target} 拒绝 {role} 消息中的 {found}；可接受 {allowed}",
    ),
    "signature_refused": LossCode(
        "error",
        "{target} takes reasoning only with its own signature; found {found}",
        "{target} 只接受带有自身签名的推理内容；此处为 {found}",
    ),
    "reasoning_unpaired": LossCode(
        "error",
        "{target} refuses reasoning that no message or call follows",
        "{target} 拒绝其后没有消息或调用的推理内容",
    ),
    "calls_refused": LossCode(
        "error",
        "{target} does not take {count} tool calls in one {role} message",
        "{target} 不接受一条 {role} 消息中的 {count} 个工具调用",
    ),
    "pair_misread": LossCode(
        "warning",
        "call {call} and its result do not stand together; {target} would misread them",
        "调用 {call} 与其结果不相邻或不成对；{target} 会误读",
    ),
    "call_unsigned": LossCode(
        "warning",
        "{model} may refuse call {name}, which carries no thought signature",
        "{model} 可能拒绝没有思维签名的调用 {name}",
    ),
    "window_unknown": LossCode(
        "warning",
        "the window of {model} is not in the model table; the size was not checked",
        "模型表中没有 {model} 的上限；未检查长度",
    ),
    "result_added": LossCode(
        "warning", "call {call} had no result; a placeholder was added", "调用 {call} 没有结果；已添加占位结果"
    ),
    "result_moved": LossCode(
        "info", "the result of call {call} was placed directly after it", "调用 {call} 的结果已移到该调用之后"
    ),
    "result_removed": LossCode(
        "warning", "a result that answers no open call ({call}) was left out", "没有对应调用的结果（{call}）已略去"
    ),
    "call_removed": LossCode("warning", "call {call} of tool {name} was left out", "工具 {name} 的调用 {call} 已略去"),
    "calls_split": LossCode(
        "info", "{count} parallel calls became one message each", "{count} 个并行调用已拆成各自的消息"
    ),
    "turn_removed": LossCode(
        "warning", "a {role} message was left out; it stood out of turn", "位置不当的 {role} 消息已略去"
    ),
    "system_joined": LossCode(
        "warning", "a system message was joined to the one at the start", "系统消息已并入开头的系统消息"
    ),
    "null_replaced": LossCode(
        "info", "content that was {found} became an empty string", "为 {found} 的内容已改为空字符串"
    ),
    "arguments_replaced": LossCode(
        "warning",
        "arguments of call {name} were not a JSON object; they became {new}",
        "调用 {name} 的参数不是 JSON 对象；已改为 {new}",
    ),
}
