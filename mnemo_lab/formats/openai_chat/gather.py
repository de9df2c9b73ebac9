"""What the readers of request bodies share: losses with places, the parts of one message, the system prompt."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final, NamedTuple

from mnemo_lab.conversation import Attachment, Conversation, Message, Role
from mnemo_lab.formats.faults import Refused, pointer, shorten
from mnemo_lab.formats.lists.values import arguments_of, attachment_of
from mnemo_lab.losses import CODES, Loss, loss

At = tuple[str | int, ...]
_ID_KEYS: Final = frozenset({"id", "call_id", "tool_call_id", "tool_use_id"})
_ROLES: Final[Mapping[str, Role]] = {
    "system": "system",
    "developer": "system",
    "user": "user",
    "human": "user",
    "assistant": "assistant",
    "model": "assistant",
    "ai": "assistant",
    "bot": "assistant",
    "tool": "tool",
    "function": "tool",
}


class Notes:
    """Adds to the losses of one conversation; what only informs stands once, at its first place."""

    def __init__(self, losses: list[Loss]) -> None:
        self._losses = losses
        self._said: set[Loss] = set()

    def add(self, code: str, at: At = (), message_id: str = "", **values: object) -> None:
        bare = replace(loss(code), values=tuple((key, str(value)) for key, value in values.items()))
        if CODES[code].severity == "info":
            if bare in self._said:
                return
            self._said.add(bare)
        self._losses.append(replace(bare, message_id=message_id or None, pointer=pointer(at)))


class Body(NamedTuple):
    """A request body, and the list in it that holds the conversation with its place."""

    fields: dict[str, Any]
    entries: list[Any]
    at: At


def body_of(value: Any, key: str, expected: str) -> Body:
    """The body of a value that is one, of a bare list, or of a single entry; raises ``Refused`` for anything else."""
    if isinstance(value, list):
        return Body({}, value, ())
    if isinstance(value, dict) and isinstance(value.get(key), list):
        return Body(value, value[key], (key,))
    raise Refused("(file)", [f"found {shorten(value)}; expected {expected}; name the format with --from"])


def role_of(entry: Mapping[str, Any], at: At, notes: Notes) -> Role:
    """The role, mapped where another name stands for it and guessed where none does."""
    said = entry.get("role")
    found = _ROLES.get(said.lower()) if isinstance(said, str) else None
    if found is None:
        notes.add("role_guessed", (*at, "role"), role="user", reason=f"{shorten(said)} is not known")
        return "user"
    if found != said:
        notes.add("role_mapped", (*at, "role"), role=said, new=found)
    return found


def text_at(value: Any, key: str) -> str | None:
    """Text of an object under a key; ``None`` where there is none."""
    found = value.get(key) if isinstance(value, Mapping) else None
    return found if isinstance(found, str) else None


def rest_of(value: Mapping[str, Any], known: Collection[str]) -> dict[str, Any]:
    """Fields with another name that say something."""
    return {key: item for key, item in value.items() if key not in known and item is not None}


def ids_in(value: Any) -> Iterator[str]:
    """Every id in a body, so that made ones keep clear of them."""
    boxes = [value]
    while boxes:
        box = boxes.pop()
        for key, item in box.items() if isinstance(box, Mapping) else enumerate(box):
            if isinstance(item, str):
                if key in _ID_KEYS:
                    yield item
            elif isinstance(item, Mapping | list):
                boxes.append(item)


def arguments(value: Any, name: str, at: At, notes: Notes) -> str:
    """Arguments as JSON text; text that is no JSON object is kept as it is, and listed."""
    if isinstance(value, str) and not value.strip():
        return value  # a call without arguments, as some models stream it
    found = arguments_of(value)
    if not found.good:
        notes.add("bad_arguments", at, name=name)
    return found.text


@dataclass(slots=True)
class Gathered:
    """The parts of one message, as they come up.

    ``media_first``: the format's own writer puts attachments before the text, so that this order is none to list.
    """

    format: str
    notes: Notes
    at: At
    media_first: bool = False
    texts: list[str] = field(default_factory=list)
    attachments: list[Attachment] = field(default_factory=list)
    parts: list[dict[str, Any]] = field(default_factory=list)
    reasoning: list[dict[str, Any]] = field(default_factory=list)
    citations: list[dict[str, Any]] = field(default_factory=list)
    refusals: list[str] = field(default_factory=list)
    broken: list[Any] = field(default_factory=list)
    cited: bool = False

    @property
    def length(self) -> int:
        """Of the text so far, and the blank line behind it."""
        return sum(len(text) + 2 for text in self.texts if text)

    def text(self, value: str, at: At) -> None:
        if value and self.attachments and not self.media_first:
            self.notes.add("parts_reordered", at)
        self.texts.append(value)

    def attach(self, attachment: Attachment, at: At) -> None:
        if self.media_first and any(self.texts):
            self.notes.add("parts_reordered", at)
        self.attachments.append(attachment)

    def link(self, kind: str, url: str, raw: Any, at: At, **more: Any) -> None:
        """Attach by address or ``data:`` address; one whose data is broken stays as it was, and is listed."""
        known = {key: more.pop(key, None) for key in ("media_type", "name")}
        found = attachment_of(kind, url, known["media_type"], known["name"])
        if found is None:
            self.notes.add("image_dropped" if kind == "image" else "file_dropped", at, reason="its data is not base64")
            self.broken.append(raw)
        else:
            self.attach(replace(found, extensions={self.format: more} if more else {}), at)

    def keep(self, index: int, part: Any, at: At, broken: Collection[str] = ()) -> None:
        """Keep a part that is not understood: to be put back in its place, unless it is none or of a known type.

        ``broken`` are the types that are known; a part of one of them comes here where it lacks what it needs.
        """
        said = part.get("type") if isinstance(part, Mapping) else None
        self.notes.add("unknown_block", at, type=said if isinstance(said, str) else shorten(part))
        if isinstance(said, str) and said not in broken:
            self.parts.append({"at": index, "part": part})
        else:
            self.broken.append(part)

    def content(self, role: Role, joiner: str = "\n\n") -> str | None:
        if not self.texts:
            return None if role == "assistant" else ""
        return joiner.join(text for text in self.texts if text)

    def extensions(self, own: Mapping[str, Any] | None = None) -> dict[str, Any]:
        """Everything beside the text, where it has its place; ``own`` is kept under the format's name."""
        kept = {
            key: value for key, value in {**(own or {}), "parts": self.parts, "broken": self.broken}.items() if value
        }
        found = {
            "reasoning": self.reasoning,
            "citations": self.citations,
            "refusal": "\n\n".join(self.refusals),
            self.format: kept,
        }
        return {key: value for key, value in found.items() if value}


def conversation_of(
    messages: Sequence[Message],
    fields: Mapping[str, Any],
    own_format: str,
    notes: Notes,
    *,
    known: Collection[str],
    at: At,
    prompt: str | None = None,
) -> Conversation:
    """The conversation: a first system message is its prompt, fields that are not ``known`` are kept."""
    kept: dict[str, Any] = {"fields": rest_of(fields, known)}
    first = messages[0] if messages else None
    if prompt is None and first and _is_prompt(first):
        prompt, messages = first.text, messages[1:]
        kept["system"] = {**first.extensions.get(own_format, {}), **({"name": first.name} if first.name else {})}
    if not messages and not prompt:
        notes.add("empty_conversation", at)
    kept = {key: value for key, value in kept.items() if value}
    extensions = {own_format: kept} if kept else {}
    return Conversation(tuple(messages), model=text_at(fields, "model"), system_prompt=prompt, extensions=extensions)


def _is_prompt(message: Message) -> bool:
    return message.role == "system" and isinstance(message.content, str) and not message.attachments
