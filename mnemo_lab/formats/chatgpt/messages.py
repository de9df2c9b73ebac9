"""Nodes to messages: roles, calls and results, reasoning, citations, what is hidden, and all that is left over."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from mnemo_lab.conversation import Attachment, Message, Role, ToolCall
from mnemo_lab.formats.chatgpt import citations, instructions, reasoning
from mnemo_lab.formats.chatgpt.assets import Assets
from mnemo_lab.formats.chatgpt.calls import Call, answered_by, called
from mnemo_lab.formats.chatgpt.content import (
    FORMAT,
    Content,
    Place,
    attachment_of,
    content_of,
    message_pointer,
    plain_text,
)
from mnemo_lab.formats.chatgpt.draft import (
    NO_REASONING,
    Draft,
    Object,
    State,
    failed,
    is_hidden,
    is_json_object,
    left_over,
    name_of,
    object_or_empty,
    says_nothing,
)
from mnemo_lab.formats.chatgpt.nodes import Tree
from mnemo_lab.formats.faults import shorten
from mnemo_lab.formats.times import iso_time
from mnemo_lab.losses import Loss, loss

_ROLES: Final[dict[str, Role]] = {
    "user": "user", "assistant": "assistant", "tool": "tool", "system": "system",
    "developer": "system", "function": "tool",
}  # fmt: skip
_EVERYONE: Final = ("all", "assistant", "user", "")


class Builder:
    """The messages of one tree, in its order; ``states`` has what each node handed down."""

    def __init__(
        self, tree: Tree, prompt: instructions.SystemPrompt, where: str, assets: Assets, losses: list[Loss]
    ) -> None:
        self.tree, self.prompt, self.where, self.assets, self.losses = tree, prompt, where, assets, losses
        self.messages: list[Message] = []
        self.states: dict[str, State] = {}
        self._calls = 0
        self._branches = tree.branches

    def build(self) -> list[Message]:
        start = State()
        for key in self.tree.order:
            parent = self.tree.parents[key]
            state = start if parent is None else self.states[parent]
            message = self.tree.messages.get(key)
            if message is not None and key not in self.prompt.nodes:
                state = self._node(key, message, state)
            self.states[key] = state
        return self.messages

    def _node(self, key: str, message: Object, state: State) -> State:
        metadata, author = object_or_empty(message.get("metadata")), object_or_empty(message.get("author"))
        slug = metadata.get("model_slug")
        if isinstance(slug, str) and slug and slug != state.model:
            state = state._replace(model=slug)
        if (text := plain_text(message.get("content"))) is not None and "is_user_system_message" not in metadata:
            content = Content(text)
        elif kind := reasoning.kind_of(message):
            state = state._replace(reasoning=reasoning.add(state.reasoning, message, kind, state.model))
            if reasoning.joins_its_children(self.tree, key):
                return state
            content = Content("")
        elif instructions.is_context(message):
            return self._context(key, message, metadata, author, state)
        else:
            content = content_of(message.get("content"), self._place(key, metadata))
        draft = Draft(key, message, metadata, author, self._role(key, author), state, content, text=content.text)
        return self._finish(draft)

    def _context(self, key: str, message: Object, metadata: Object, author: Object, state: State) -> State:
        """A context that is not the system prompt: a copy of it on another branch is left out."""
        text = instructions.context_text(message)
        if not text or text in self.prompt.texts:
            return state
        return self._finish(Draft(key, message, metadata, author, "system", state, Content(text), text=text))

    def _finish(self, draft: Draft) -> State:
        draft.hidden = is_hidden(draft)
        attachments = (*draft.content.attachments, *self._files(draft))
        calls = self._pair(draft)
        if says_nothing(draft, attachments):
            return draft.state
        self.losses += draft.content.losses
        if draft.hidden:
            self._lose("hidden_message", draft)
        self.messages.append(
            Message(
                role=draft.role,
                extensions=self._extensions(draft),  # before the text: citations change it
                content=draft.text,
                id=draft.key,
                timestamp=self._time(draft),
                name=name_of(draft.author),
                tool_calls=draft.tool_calls,
                tool_call_id=draft.tool_call_id,
                parent_id=draft.state.anchor if self._branches else None,
                attachments=attachments,
            )
        )
        return State(draft.key, calls, NO_REASONING, draft.state.model)

    def _pair(self, draft: Draft) -> tuple[Call, ...]:
        """Make the call of an assistant, or find the one that a tool answers; the calls that are open behind it."""
        recipient = draft.source.get("recipient")
        if draft.role == "assistant" and isinstance(recipient, str) and recipient not in _EVERYONE:
            self._calls += 1
            identity = f"call_{self._calls}"
            draft.tool_calls, draft.text = (self._call(draft, identity, recipient),), ""
            return called(draft.state.calls, Call(identity, recipient))
        if draft.role != "tool":
            return ()
        found, calls = answered_by(draft.state.calls, draft.author.get("name"))
        draft.tool_call_id = found
        if found is None:
            self._lose("result_without_call_id", draft)
        return calls

    def _call(self, draft: Draft, identity: str, name: str) -> ToolCall:
        self._lose("tool_id_made", draft, name=name, id=identity)
        if draft.text and not is_json_object(draft.text):
            self._lose("bad_arguments", draft, "/content", name=name)
        language = draft.content.kept.get("language")
        known = isinstance(language, str) and language not in ("unknown", "json")
        return ToolCall(identity, name, draft.text or "{}", {FORMAT: {"language": language}} if known else {})

    def _extensions(self, draft: Draft) -> Object:
        extensions: Object = {}
        if own := left_over(draft):
            extensions[FORMAT] = own
        if draft.hidden:
            extensions["hidden"] = True
        if draft.state.reasoning.entries:
            extensions["reasoning"] = list(draft.state.reasoning.entries)
        if draft.role == "assistant" and draft.text:
            self._cite(draft, extensions)
        if draft.role == "tool" and (draft.content.failed or failed(draft.metadata)):
            extensions["is_error"] = True
        return extensions

    def _cite(self, draft: Draft, extensions: Object) -> None:
        cited = citations.resolve(draft.text, draft.metadata)
        if cited is None:
            return
        draft.text = cited.text
        if cited.citations:
            extensions["citations"] = cited.citations
        if cited.unresolved:
            self._lose("citation_dropped", draft, "/content", count=cited.unresolved)

    def _files(self, draft: Draft) -> Sequence[Attachment]:
        """Files that only the metadata names; images stand among the parts as well."""
        listed = draft.metadata.get("attachments")
        if not listed or not isinstance(listed, list):
            return ()
        place = self._place(draft.key, draft.metadata)
        shown = {
            str(item.extensions[FORMAT]["asset_pointer"]).rpartition("://")[2] for item in draft.content.attachments
        }
        found = []
        for item in listed:
            identity = item.get("id") if isinstance(item, dict) else None
            if isinstance(identity, str) and identity and identity not in shown:
                attachment, losses = attachment_of({"asset_pointer": identity} | item, place)
                found.append(attachment)
                self.losses += losses
            elif not isinstance(identity, str):
                self._lose("file_dropped", draft, "/metadata/attachments", reason=f"{shorten(item)} has no id")
        return found

    def _role(self, key: str, author: Object) -> Role:
        said = author.get("role")
        role = _ROLES.get(said) if isinstance(said, str) else None
        if role is None:
            why = f"the author's role is {shorten(said)}"
            self._lose_at("role_guessed", key, "/author", role="assistant", reason=why)
            return "assistant"
        if role != said:
            self._lose_at("role_mapped", key, "/author/role", role=said, new=role)
        return role

    def _time(self, draft: Draft) -> str | None:
        value = draft.source.get("create_time")
        if value is None:
            return None
        found = iso_time(value)
        if found is None and value:
            self._lose("unreadable_timestamp", draft, "/create_time", value=shorten(value))
        return found

    def _place(self, key: str, metadata: Object) -> Place:
        listed = metadata.get("attachments")
        files = {}
        for item in listed if listed and isinstance(listed, list) else ():
            if isinstance(item, dict) and isinstance(item.get("id"), str):
                files[item["id"]] = item
        return Place(key, self.where, self.assets, files)

    def _lose(self, code: str, draft: Draft, under: str = "", **values: object) -> None:
        self._lose_at(code, draft.key, under, **values)

    def _lose_at(self, code: str, key: str, under: str, **values: object) -> None:
        self.losses.append(loss(code, message_id=key, pointer=message_pointer(self.where, key) + under, **values))
