"""History: columns over the messages a working memory has observed, grown one message at a time."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, Final

from mnemo_lab.context import Piece, Source
from mnemo_lab.conversation import ConversationInfo, Message, time_of
from mnemo_lab.message_rows import from_row, to_row
from mnemo_lab.packing.lines import transcript_line
from mnemo_lab.recording import SESSION_KEY
from mnemo_lab.services import Services
from mnemo_lab.units import Unit, UnitParser

SESSION_GAP_SECONDS: Final = 6 * 3600
"""A silence of this length starts a new session where messages do not name theirs."""


class History:
    """Observed messages with their tokens, running sums, units, sessions and times, by position.

    Token columns: ``chat_tokens`` for native messages, ``line_tokens`` for transcript lines; the running sums
    have one more entry than there are messages (``sums[j] - sums[i]`` is the cost of messages i to j-1).
    """

    def __init__(self, services: Services) -> None:
        self._services = services
        self._parser = UnitParser()
        self.infos: list[ConversationInfo] = []
        self.messages: list[Message] = []
        self.position_of: dict[str, int] = {}
        self.unit_of: list[int] = []
        self.session_of: list[int] = []
        self.conversation_of: list[int] = []
        self.times: list[float | None] = []
        self._chat_pieces: list[Piece | None] = []
        self._line_pieces: list[Piece | None] = []
        self._chat_sums: list[int] = [0]

    def __len__(self) -> int:
        return len(self.messages)

    @property
    def units(self) -> list[Unit]:
        return self._parser.units

    @property
    def system_prompt(self) -> str | None:
        """The system prompt of the conversation that is going on."""
        return self.infos[-1].system_prompt if self.infos else None

    def begin(self, info: ConversationInfo) -> None:
        self.infos.append(info)

    def extend(self, messages: Sequence[Message]) -> None:
        for message in messages:
            self._append(message)

    def _append(self, message: Message) -> None:
        moment = time_of(message.timestamp)
        seconds = moment.timestamp() if moment else None
        self.session_of.append(self._session(message, seconds))
        self.position_of[message.id] = len(self.messages)
        self.messages.append(message)
        self.times.append(seconds)
        self.conversation_of.append(max(len(self.infos) - 1, 0))
        self._parser.append(message)
        self.unit_of.append(len(self._parser.units) - 1)
        self._chat_pieces.append(None)
        self._line_pieces.append(None)

    def _session(self, message: Message, seconds: float | None) -> int:
        if not self.messages:
            return 0
        last, before = self.session_of[-1], self.messages[-1]
        new_conversation = self.conversation_of[-1] != max(len(self.infos) - 1, 0)
        named, named_before = message.extensions.get(SESSION_KEY), before.extensions.get(SESSION_KEY)
        if named is not None or named_before is not None:
            return last + (named != named_before or new_conversation)
        previous = self.times[-1]
        gap = seconds is not None and previous is not None and seconds - previous > SESSION_GAP_SECONDS
        return last + (gap or new_conversation)

    def line(self, position: int) -> Piece:
        """The message as a transcript line; a whole verbatim source. Made and counted once."""
        piece = self._line_pieces[position]
        if piece is None:
            message = self.messages[position]
            text = transcript_line(message)
            piece = Piece(text, self._services.count(text), (_whole(message),))
            self._line_pieces[position] = piece
        return piece

    def chat(self, position: int) -> Piece:
        """The message as it is, for chat rendering; a whole verbatim source. Made and counted once."""
        piece = self._chat_pieces[position]
        if piece is None:
            message = self.messages[position]
            piece = Piece(message.text, self._services.message_tokens(message), (_whole(message),), message)
            self._chat_pieces[position] = piece
        return piece

    @property
    def chat_sums(self) -> list[int]:
        """Running sums of chat tokens."""
        for position in range(len(self._chat_sums) - 1, len(self.messages)):
            self._chat_sums.append(self._chat_sums[-1] + self.chat(position).tokens)
        return self._chat_sums

    def save(self, folder: Path) -> None:
        """Write what was observed as JSON lines; ``restore`` reads them."""
        folder.mkdir(parents=True, exist_ok=True)
        rows = [_json({"begin": asdict(info)}) for info in self.infos]
        rows += [
            _json({"conversation": c, "message": to_row(m)})
            for c, m in zip(self.conversation_of, self.messages, strict=True)
        ]
        (folder / "history.jsonl").write_bytes("".join(f"{row}\n" for row in rows).encode("utf-8", "surrogatepass"))

    @classmethod
    def restore(cls, folder: Path, services: Services) -> History:
        history = cls(services)
        infos: list[ConversationInfo] = []
        for line in (folder / "history.jsonl").read_bytes().splitlines():
            row = json.loads(line.decode("utf-8", "surrogatepass"))
            if "begin" in row:
                infos.append(ConversationInfo(**row["begin"]))
                continue
            while len(history.infos) <= row["conversation"] and len(history.infos) < len(infos):
                history.begin(infos[len(history.infos)])
            history.extend([from_row(row["message"])])
        for info in infos[len(history.infos) :]:
            history.begin(info)
        return history


def _json(row: dict[str, Any]) -> str:
    """Not escaped: two escaped lone surrogates side by side would be read as one character."""
    return json.dumps(row, ensure_ascii=False)


def _whole(message: Message) -> Source:
    return Source(message.id, ((0, len(message.text)),))
