"""One message of Claude.ai: its blocks, or its flattened text where they say nothing; attachments and files."""

from __future__ import annotations

from typing import Any, Final

from mnemo_lab.conversation import Attachment, Role
from mnemo_lab.formats.histories.blocks import BlockReader, Place
from mnemo_lab.formats.histories.drafts import Draft
from mnemo_lab.formats.histories.fields import list_at, rest, text_at
from mnemo_lab.formats.histories.ledger import Ledger
from mnemo_lab.formats.histories.media import encoded, kind_of
from mnemo_lab.formats.histories.tidy import stamp

_ROLES: Final[dict[str, Role]] = {"human": "user", "user": "user", "assistant": "assistant", "system": "system"}
_KNOWN: Final = (
    *("uuid", "sender", "text", "content", "created_at", "updated_at", "attachments", "files", "files_v2"),
    *("parent_message_uuid", "index"),
)


class MessageReader:
    """Reads the messages of one conversation in the order of the file."""

    def __init__(self, format_name: str, ledger: Ledger) -> None:
        self._format, self._ledger = format_name, ledger
        self._blocks = BlockReader(format_name, ledger)

    def read(self, item: dict[str, Any], message_id: str, pointer: str) -> list[Draft]:
        """No draft where the message is empty."""
        moment = stamp(item.get("created_at"), self._ledger, f"{pointer}/created_at", message_id)
        role = self._role(item, message_id, pointer)
        place = Place(message_id, f"{pointer}/content", moment)
        drafts = self._blocks.read(role, item.get("content"), place)
        flat = text_at(item, "text")
        if flat and all(draft.says_nothing for draft in drafts):
            if not drafts:
                drafts.append(Draft(role, message_id, moment, f"{pointer}/text"))
            drafts[0].add_text(flat)
        files = self._files(item, message_id, pointer)
        if files and not drafts:
            drafts.append(Draft(role, message_id, moment, pointer))
        if files:
            drafts[0].add("attachments", *files)
        kept = [draft for draft in drafts if not draft.is_empty]
        if not kept:
            self._ledger.add("empty_message", message_id=message_id, pointer=pointer)
            return []
        kept[0].kept |= rest(item, _KNOWN)
        return kept

    def _role(self, item: dict[str, Any], message_id: str, pointer: str) -> Role:
        sender = text_at(item, "sender", "role")
        if sender in _ROLES:
            return _ROLES[sender]
        why = f"sender is {sender}" if sender else "no sender is given"
        self._ledger.add("role_guessed", message_id=message_id, pointer=f"{pointer}/sender", role="user", reason=why)
        return "user"

    def _files(self, item: dict[str, Any], message_id: str, pointer: str) -> list[Attachment]:
        """Attachments, whose text the export holds, and files, of which it holds the name alone."""
        found = [self._attachment(value) for value in list_at(item, "attachments") if isinstance(value, dict)]
        seen: set[str] = set()
        for key in ("files", "files_v2"):
            for index, value in enumerate(list_at(item, key)):
                own = text_at(value, "file_uuid", "uuid", "file_name") if isinstance(value, dict) else ""
                if own and own not in seen:
                    seen.add(own)
                    found.append(self._file(value, message_id, f"{pointer}/{key}/{index}"))
        return found

    def _attachment(self, value: dict[str, Any]) -> Attachment:
        text, kept = value.get("extracted_content"), rest(value, ("file_name", "extracted_content"))
        # What was extracted is text, whatever the file was; its own type stays in the extensions.
        holds = isinstance(text, str) and bool(text)
        return Attachment(
            kind="file",
            media_type="text/plain" if holds else None,
            data=encoded(text) if isinstance(text, str) and text else None,
            name=text_at(value, "file_name") or None,
            extensions={self._format: kept} if kept else {},
        )

    def _file(self, value: dict[str, Any], message_id: str, pointer: str) -> Attachment:
        name = text_at(value, "file_name")
        self._ledger.add("missing_asset", message_id=message_id, pointer=pointer, name=name or "without a name")
        kept = rest(value, ("file_name",))
        kind = "image" if value.get("file_kind") == "image" else kind_of(name)
        return Attachment(kind, name=name or None, extensions={self._format: kept} if kept else {})
