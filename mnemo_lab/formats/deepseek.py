"""DeepSeek's export: ChatGPT's outline, without roles (fragments tell them) and without a mark on the active branch."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from mnemo_lab.conversation import Attachment, Conversation, Message, Role, time_of
from mnemo_lab.formats.base import Detection, Reading, Sample
from mnemo_lab.formats.chatgpt.content import filled, message_pointer
from mnemo_lab.formats.chatgpt.detect import conversations_in, is_deepseek
from mnemo_lab.formats.chatgpt.exports import latest_leaf, mapping_of, read_export, text_or_none, with_leaf
from mnemo_lab.formats.chatgpt.nodes import Tree, grow
from mnemo_lab.formats.faults import shorten
from mnemo_lab.formats.source import Source
from mnemo_lab.formats.times import iso_time
from mnemo_lab.losses import Loss, loss

name: Final = "deepseek"
title: Final = "DeepSeek data export"

_READ: Final = frozenset({"mapping", "title", "id"})
_READ_MESSAGE: Final = frozenset({"inserted_at", "fragments", "files", "content", "reasoning_content", "role"})
_ANSWERS: Final = ("RESPONSE", "TEMPLATE_RESPONSE")
_ROLES: Final[dict[str, Role]] = {"user": "user", "assistant": "assistant", "system": "system", "tool": "tool"}


def detect(sample: Sample) -> Detection | None:
    """Judge by ``inserted_at`` and fragments, which ChatGPT's mapping has not."""
    trees = [item for item in conversations_in(sample.value) if isinstance(item.get("mapping"), dict)]
    if any(is_deepseek(tree) for tree in trees):
        dated = any("inserted_at" in tree for tree in trees)
        return Detection(0.97 if dated else 0.9, "conversations with a mapping and inserted_at or fragments")
    return None


def read(source: Source) -> Iterator[Reading]:
    """Every conversation; memory stays that of the largest one."""
    return read_export(source, _conversation)


def _conversation(value: dict[str, Any], where: str, losses: list[Loss]) -> Conversation:
    tree = grow(mapping_of(value), None, _time, where, losses)
    builder = _Builder(tree, where, losses)
    messages = builder.build()
    if not messages:
        losses.append(loss("empty_conversation", pointer=f"{where}/mapping"))
    leaf = latest_leaf(messages, tree, _time, f"{where}/mapping", losses)
    own = filled(value, _READ)
    conversation = Conversation(
        messages=tuple(messages),
        id=text_or_none(value.get("id")) or "",
        title=text_or_none(value.get("title")),
        model=text_or_none(tree.messages[leaf].get("model")) if leaf else None,
        extensions={name: own} if own else {},
    )
    return with_leaf(conversation, leaf, tree)


def _time(message: Mapping[str, Any]) -> float | None:
    moment = time_of(iso_time(message.get("inserted_at")))
    return moment.timestamp() if moment else None


class _Builder:
    """The messages of one tree, in its order; nodes without a message are passed over."""

    def __init__(self, tree: Tree, where: str, losses: list[Loss]) -> None:
        self.tree, self.where, self.losses = tree, where, losses
        self._anchors: dict[str, Message | None] = {}

    def build(self) -> list[Message]:
        messages: list[Message] = []
        branches = self.tree.branches
        for key in self.tree.order:
            parent = self.tree.parents[key]
            above = self._anchors[parent] if parent is not None else None
            source = self.tree.messages.get(key)
            if source is not None:
                above = self._message(key, source, above, branches)
                messages.append(above)
            self._anchors[key] = above
        return messages

    def _message(self, key: str, source: dict[str, Any], above: Message | None, branches: bool) -> Message:
        fragments = _Fragments(source)
        own = filled(source, _READ_MESSAGE)
        if fragments.unknown:
            own["fragments"] = fragments.unknown
            for fragment in fragments.unknown:
                kind = fragment.get("type") if isinstance(fragment, dict) else shorten(fragment)
                self._lose("unknown_block", key, "/fragments", type=kind)
        model = {"model": source["model"]} if text_or_none(source.get("model")) else {}
        extensions: dict[str, Any] = {name: own} if own else {}
        if fragments.thoughts:
            extensions["reasoning"] = [{"text": text, "provider": name, **model} for text in fragments.thoughts]
        if fragments.citations:
            extensions["citations"] = fragments.citations
        return Message(
            role=fragments.role or self._guessed_role(key, source, above),
            content="\n\n".join(fragments.texts),
            id=key,
            timestamp=self._timestamp(key, source.get("inserted_at")),
            parent_id=above.id if above and branches else None,
            attachments=tuple(self._files(key, source.get("files"))),
            extensions=extensions,
        )

    def _guessed_role(self, key: str, source: dict[str, Any], above: Message | None) -> Role:
        said = source.get("role")
        if isinstance(said, str) and said.lower() in _ROLES:
            return _ROLES[said.lower()]
        role: Role = "assistant" if above is not None and above.role == "user" else "user"
        why = "no fragment tells it; users and assistants take turns"
        self._lose("role_guessed", key, "", role=role, reason=why)
        return role

    def _timestamp(self, key: str, value: Any) -> str | None:
        found = iso_time(value)
        if found is None and value:
            self._lose("unreadable_timestamp", key, "/inserted_at", value=shorten(value))
            return value if isinstance(value, str) else None
        return found

    def _files(self, key: str, files: Any) -> Iterator[Attachment]:
        """Exports hold no files: each is a stub with what is said of it."""
        for file in files if isinstance(files, list) else ():
            facts = file if isinstance(file, dict) else {"value": file}
            called = text_or_none(facts.get("file_name")) or text_or_none(facts.get("name"))
            self._lose("missing_asset", key, "/files", name=called or shorten(file))
            yield Attachment("file", name=called, reference=text_or_none(facts.get("id")), extensions={name: facts})

    def _lose(self, code: str, key: str, under: str, **values: object) -> None:
        place = message_pointer(self.where, key) + under
        self.losses.append(loss(code, message_id=key, pointer=place, **values))


class _Fragments:
    """A message's fragments by kind; the older shape has ``content`` and ``reasoning_content`` instead."""

    def __init__(self, source: dict[str, Any]) -> None:
        self.role: Role | None = None
        self.texts: list[str] = []
        self.thoughts: list[str] = []
        self.citations: list[dict[str, Any]] = []
        self.unknown: list[Any] = []
        fragments = source.get("fragments")
        if isinstance(fragments, list):
            for fragment in fragments:
                self._add(fragment)
        else:
            self._old(source)

    def _add(self, fragment: Any) -> None:
        kind = fragment.get("type") if isinstance(fragment, dict) else None
        text = fragment.get("content") if isinstance(fragment, dict) else None
        texts = {"REQUEST": self.texts, "THINK": self.thoughts, **dict.fromkeys(_ANSWERS, self.texts)}
        if isinstance(kind, str) and kind in texts and (text is None or isinstance(text, str)):
            texts[kind] += [text] if text else []
        elif kind == "SEARCH":
            self._search(fragment)
        else:
            self.unknown.append(fragment)
        if isinstance(kind, str):
            self.role = self.role or ("user" if kind == "REQUEST" else "assistant")

    def _search(self, fragment: dict[str, Any]) -> None:
        results = fragment.get("results")
        found = [
            {field: item[field] for field in ("url", "title") if text_or_none(item.get(field))}
            for item in (results if isinstance(results, list) else ())
            if isinstance(item, dict)
        ]
        self.citations += filter(None, found)
        if not found and filled(fragment, frozenset({"type"})):
            self.unknown.append(fragment)

    def _old(self, source: dict[str, Any]) -> None:
        for field, texts in (("content", self.texts), ("reasoning_content", self.thoughts)):
            text = source.get(field)
            if isinstance(text, str) and text:
                texts.append(text)
            elif text is not None and text != "":
                self.unknown.append({field: text})
        if self.thoughts:
            self.role = "assistant"
