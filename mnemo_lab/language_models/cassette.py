"""Recorded answers: exact replay without the model, one line of JSON per question."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Sequence
from functools import cached_property
from hashlib import blake2b
from pathlib import Path
from threading import Lock
from typing import Any, Final

from mnemo_lab.conversation import Message
from mnemo_lab.errors import InvalidInput, MissingDependency
from mnemo_lab.language_models.base import Completion, LanguageModel
from mnemo_lab.language_models.errors import BrokenAnswer, ContextTooLong, Declined, NotRecorded, Unavailable

_KEPT: Final = {"Declined": Declined, "BrokenAnswer": BrokenAnswer}


class RecordedModel:
    """A model whose answers are looked up in a file first; what is not there is asked and recorded.

    That a prompt was too long is an answer too: whoever then asked with a smaller one does so again on replay. So is
    one that was declined for what it says, and an answer that could not be read however often it was asked for.
    """

    def __init__(self, inner: LanguageModel, path: Path) -> None:
        self.inner, self.path, self.name = inner, path, inner.name
        self._lines, self._lock = _read(path), Lock()

    @cached_property
    def fingerprint(self) -> str:
        """The model's, or where it cannot be told (its weights are not here) the recorded one."""
        try:
            return self.inner.fingerprint
        except (InvalidInput, MissingDependency):
            if recorded := self._recorded("fingerprint"):
                return str(recorded)
            raise

    @cached_property
    def window(self) -> int | None:
        return self._recorded("window") or self.inner.window

    def _recorded(self, name: str) -> Any:
        return next((line[name] for line in self._lines.values() if line["model"] == self.name), None)

    def chat(self, messages: Sequence[Message], max_tokens: int) -> Completion:
        sent = [_sent(message) for message in messages]
        key = _key(self.fingerprint, sent, max_tokens)
        line = self._lines.get(key) or self._record(key, sent, messages, max_tokens)
        if too_long := line.get("too_long"):
            raise ContextTooLong(**too_long)
        if failed := line.get("failed"):
            raise _KEPT[failed["kind"]](failed["message"])
        return Completion(**line["answer"])

    def stream(self, messages: Sequence[Message], max_tokens: int) -> Iterator[str | Completion]:
        done = self.chat(messages, max_tokens)
        yield from (done.text, done)

    def _record(self, key: str, sent: list[Any], messages: Sequence[Message], max_tokens: int) -> dict[str, Any]:
        # Enough for a person to know which kind of question it was, and no more: what was asked may be private.
        head = f"{len(messages)} messages: {' '.join(messages[0].text.split())[:60] if messages else ''}"
        line = {"key": key, "model": self.name, "fingerprint": self.fingerprint, "max_tokens": max_tokens, "head": head}
        try:
            line["answer"] = self.inner.chat(messages, max_tokens)._asdict()
        except ContextTooLong as error:
            line["too_long"] = {"message": str(error), "limit": error.limit, "asked": error.asked}
        except (Declined, BrokenAnswer) as error:
            line["failed"] = {"kind": type(error).__name__, "message": str(error)}
        except (InvalidInput, MissingDependency, Unavailable) as error:
            # Not one of the errors that a strategy has a fallback for: a replay with a hole is no replay.
            raise NotRecorded(
                f"{self.path}: no recorded answer of {self.name} to {head!r} (max_tokens {max_tokens}), and it cannot "
                f"be asked: {error}; where it can, record it by the same command with MNEMO_CASSETTE={self.path}"
            ) from error
        line["window"] = self.window
        with self._lock:
            if key not in self._lines:
                _append(self.path, line)
                self._lines[key] = line
            return self._lines[key]


def _sent(message: Message) -> list[Any]:
    """What a model is sent of a message; ids and times are not."""
    calls = [[call.id, call.name, call.arguments] for call in message.tool_calls]
    files = [[f.kind, f.media_type, f.reference, f.name] for f in message.attachments]
    return [message.role, message.text, message.name, message.tool_call_id, calls, files]


def _key(fingerprint: str, sent: list[Any], max_tokens: int) -> str:
    return blake2b(json.dumps([fingerprint, sent, max_tokens]).encode(), digest_size=16).hexdigest()


def _read(path: Path) -> dict[str, dict[str, Any]]:
    """Whole lines by key, the first of each; what a killed writer left of its last one is passed over."""
    try:
        raw = path.read_bytes() if path.exists() else b""
        lines = [json.loads(line) for line in raw[: raw.rfind(b"\n") + 1].splitlines()]
        return {line["key"]: line for line in reversed(lines)}
    except (OSError, ValueError, LookupError, TypeError) as error:
        raise InvalidInput(f"{path}: not a cassette ({error}); name another file, or delete this one") from None


def _append(path: Path, line: dict[str, Any]) -> None:
    text = json.dumps(line, ensure_ascii=False) + "\n"
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("a+b") as stream:
            stream.seek(max(stream.seek(0, os.SEEK_END) - 1, 0))
            if stream.read(1) not in (b"", b"\n"):
                stream.seek(0)
                stream.truncate(stream.read().rfind(b"\n") + 1)
            stream.write(text.encode("utf-8", "surrogatepass"))
    except OSError as error:
        raise InvalidInput(f"{path}: cannot be written ({error.strerror}); name another cassette") from None
