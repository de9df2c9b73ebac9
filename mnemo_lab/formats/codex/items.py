"""Response items to drafts: reasoning, words and calls in a row are one message of the assistant."""

from __future__ import annotations

from typing import Any, Final

from mnemo_lab.conversation import Role
from mnemo_lab.formats.faults import shorten
from mnemo_lab.formats.histories.calls import Calls, dump
from mnemo_lab.formats.histories.drafts import Draft, Drafts
from mnemo_lab.formats.histories.fields import list_at, object_at, rest, text_at
from mnemo_lab.formats.histories.ledger import Ledger
from mnemo_lab.formats.histories.media import from_url, is_broken

_ROLES: Final[dict[str, Role]] = {"user": "user", "assistant": "assistant", "system": "system", "developer": "system"}
_QUIET: Final = frozenset({"ghost_snapshot"})
_INJECTED: Final = (
    *("<environment_context", "<user_instructions", "<permissions", "# AGENTS.md instructions", "<INSTRUCTIONS"),
    *("<turn_aborted", "<skill", "<collaboration_mode", "<subagent_notification", "<user_shell_command"),
    *("<app-context", "<model_switch", "<personality_spec", "<apps_instructions", "<plugins_instructions"),
)
_CALL: Final = ("type", "id", "call_id", "name", "arguments", "input", "action")
_OUTPUT: Final = ("type", "id", "call_id", "name", "output", "success")
_MESSAGE: Final = ("type", "id", "role", "content")


class ItemReader:
    """Takes items in order. ``has_messages``: whether one was a message someone wrote."""

    def __init__(self, format_name: str, ledger: Ledger) -> None:
        self._format, self._ledger = format_name, ledger
        self._calls = Calls(format_name, ledger)
        self._drafts = Drafts(self._calls, ledger)
        self.model: str | None = None
        self.has_messages = False

    @property
    def all(self) -> list[Draft]:
        return self._drafts.all

    def take(self, item: dict[str, Any], moment: str | None, pointer: str) -> None:
        kind = text_at(item, "type")
        if kind == "message":
            self._message(item, moment, pointer)
        elif kind == "reasoning":
            self._reasoning(item, moment, pointer)
        elif kind.endswith("_output") and text_at(item, "call_id"):
            self._result(item, moment, pointer)
        elif kind.endswith("_call") and text_at(item, "call_id", "id") and kind != "web_search_call":
            self._call(item, kind, moment, pointer)
        elif kind not in _QUIET:
            self._keep(self._assistant(moment, pointer), item, pointer)

    def roll_back(self, turns: int) -> int:
        """Take out the last turns, each from a user's message on; how many messages that were."""
        at = len(self.all)
        while at > 0 and turns > 0:
            at -= 1
            turns -= self.all[at].role == "user" and not self.all[at].hidden
        count = len(self.all) - at
        del self.all[at:]
        return count

    def _assistant(self, moment: str | None, pointer: str) -> Draft:
        """The assistant's message that is still being written, or a new one."""
        last = self.all[-1] if self.all else None
        return last if last and last.role == "assistant" else self._drafts.add(Draft("assistant", "", moment, pointer))

    def _message(self, item: dict[str, Any], moment: str | None, pointer: str) -> None:
        role, message_id = self._role(item, pointer), text_at(item, "id")
        last = self.all[-1] if self.all else None
        draft = Draft(role, message_id, moment, pointer)
        if role == "assistant" and last and last.role == "assistant" and not last.text:
            draft = last
            draft.id = message_id
            if draft.has("calls"):
                self._ledger.count("parts_reordered", message_id=message_id, pointer=pointer)
        else:
            self._drafts.add(draft)
        self._content(draft, item.get("content"), f"{pointer}/content")
        draft.kept |= rest(item, _MESSAGE)
        if role != "assistant" and _is_injected(item.get("content")):
            draft.hidden = True
            self._ledger.count("hidden_message", message_id=message_id, pointer=pointer)
        self.has_messages = self.has_messages or not draft.hidden

    def _role(self, item: dict[str, Any], pointer: str) -> Role:
        role = text_at(item, "role")
        if role not in _ROLES:
            why = f"role is {shorten(item.get('role'))}"
            self._ledger.add("role_guessed", pointer=f"{pointer}/role", role="user", reason=why)
            return "user"
        if role == "developer":
            self._ledger.count("role_mapped", pointer=f"{pointer}/role", role=role, new="system")
        return _ROLES[role]

    def _content(self, draft: Draft, content: Any, pointer: str) -> None:
        if isinstance(content, str):
            draft.add_text(content)
            return
        for index, part in enumerate(content if isinstance(content, list) else [] if content is None else [content]):
            self._part(draft, part, f"{pointer}/{index}")

    def _part(self, draft: Draft, part: Any, pointer: str) -> None:
        kind = text_at(part, "type") if isinstance(part, dict) else ""
        if isinstance(part, str):
            draft.add_text(part)
        elif kind in ("input_text", "output_text", "text"):
            annotations = list_at(part, "annotations")
            if text_at(part, "text"):
                draft.add_text(text_at(part, "text"))
            draft.add("citations", *annotations)
        elif kind == "refusal":
            draft.refusal = text_at(part, "refusal")
            draft.add_text(draft.refusal)
        elif kind == "input_image" and _address(part):
            self._image(draft, part, pointer)
        else:
            self._keep(draft, part, pointer)

    def _image(self, draft: Draft, part: dict[str, Any], pointer: str) -> None:
        found = from_url(_address(part), "image")
        if is_broken(found, self._ledger, draft.id, pointer):
            draft.kept.setdefault("blocks", []).append(part)
        else:
            draft.add("attachments", found)

    def _reasoning(self, item: dict[str, Any], moment: str | None, pointer: str) -> None:
        last = self.all[-1] if self.all else None
        # What is thought after words were said belongs to what comes next.
        said = last is not None and last.role == "assistant" and not last.says_nothing
        draft = self._drafts.add(Draft("assistant", "", moment, pointer)) if said else self._assistant(moment, pointer)
        thought = [text_at(part, "text") for part in list_at(item, "content") if isinstance(part, dict)]
        summary = [text_at(part, "text") for part in list_at(item, "summary") if isinstance(part, dict)]
        entry = {"text": "\n\n".join(filter(None, thought)) or "\n\n".join(filter(None, summary)), "provider": "openai"}
        if self.model:
            entry["model"] = self.model
        if text_at(item, "encrypted_content"):
            entry["signature"] = text_at(item, "encrypted_content")
        draft.add("reasoning", entry)

    def _call(self, item: dict[str, Any], kind: str, moment: str | None, pointer: str) -> None:
        draft, kept = self._assistant(moment, pointer), rest(item, _CALL)
        if text_at(item, "id"):
            kept["id"] = item["id"]
        arguments = next((item[key] for key in ("arguments", "action", "input") if item.get(key) is not None), None)
        if kind != "function_call":
            kept["type"] = kind
        if kind == "custom_tool_call" and isinstance(arguments, str):
            arguments = {"input": arguments}  # free text; targets want an object
        name = text_at(item, "name") or kind.removesuffix("_call")
        self._calls.make(text_at(item, "call_id", "id"), name, arguments, draft, kept, pointer)

    def _result(self, item: dict[str, Any], moment: str | None, pointer: str) -> None:
        draft = Draft("tool", "", moment, pointer)
        output = item.get("output")
        if isinstance(output, dict) and ("content" in output or "success" in output):
            draft.is_error = output.get("success") is False
            output = output.get("content")
        if isinstance(output, dict):
            draft.add_text(dump(output))
        else:
            self._content(draft, output, f"{pointer}/output")
        draft.is_error = draft.is_error or item.get("success") is False
        draft.kept |= rest(item, _OUTPUT)
        self._drafts.result(draft, text_at(item, "call_id"), text_at(item, "name"))

    def _keep(self, draft: Draft, value: Any, pointer: str) -> None:
        draft.kept.setdefault("blocks", []).append(value)
        kind = text_at(value, "type") if isinstance(value, dict) else ""
        self._ledger.add("unknown_block", message_id=draft.id, pointer=pointer, type=kind or shorten(value))


def _address(part: dict[str, Any]) -> str:
    return text_at(part, "image_url") or text_at(object_at(part, "image_url"), "url")


def _is_injected(content: Any) -> bool:
    """Whether the tool wrote every text of a message itself."""
    parts = content if isinstance(content, list) else [content]
    texts = [part if isinstance(part, str) else text_at(part, "text") for part in parts if isinstance(part, str | dict)]
    texts = [text.lstrip() for text in texts if text]
    return bool(texts) and all(text.startswith(_INJECTED) for text in texts)
