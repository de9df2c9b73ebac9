"""Which conversations of a source are wanted: by number, id or title."""

from __future__ import annotations

from collections.abc import Sequence
from fnmatch import fnmatchcase

from mnemo_lab.conversation import Conversation
from mnemo_lab.errors import InvalidInput
from mnemo_lab.formats.base import StrPath


class Selection:
    """Texts that each name conversations: their number in the list (from 1), id, or title (case aside; ``*`` and
    ``?`` stand for any text and any character). None at all wants everything."""

    def __init__(self, texts: Sequence[str] | None) -> None:
        self._texts = tuple(dict.fromkeys(text.strip() for text in texts or ()))
        self._missing = set(self._texts)

    def takes(self, number: int, conversation: Conversation | None) -> bool:
        """Whether a conversation is wanted; remembers which texts named one."""
        found = {text for text in self._texts if _names(text, number, conversation)}
        self._missing -= found
        return bool(found) or not self._texts

    def check(self, path: StrPath, count: int) -> None:
        """Raise ``InvalidInput`` for a text that named nothing."""
        for text in self._texts:
            if text in self._missing:
                what = f"no conversation has the number, id or title {text!r}; it holds {count}"
                raise InvalidInput(f"{path}: {what}, see: mnemo list {path}")


def _names(text: str, number: int, conversation: Conversation | None) -> bool:
    if text == str(number):
        return True
    if conversation is None:
        return False
    return text == conversation.id or fnmatchcase((conversation.title or "").casefold().strip(), text.casefold())
