"""History: columns over the messages a working memory has observed, grown one message at a time."""

from __future__ import annotations

import json
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, Final

from mnemo_lab.context import Piece, Source
from mnemo_lab.conversation import ConversationInfo, Message, time_of
from mnemo_lab.message_rows import from_row, to_row
from mnemo_lab.packing.lines import transcript_line, undated_line
from mnemo_lab.recording import SESSION_KEY
from mnemo_lab.services import Services
from mnemo_lab.units import Unit, UnitParser, parse_units

SESSION_GAP_SECONDS: Final = 6 * 3600
"""A silence of this length starts a new session where messages do not name theirs."""


class History:
    """Observed messages with their tokens, running sums, units, sessions and times, by position.

    Token columns: ``chat_tokens`` for native messages, ``line_tokens`` for transcript lines; the running sums
    have one more entry than there are messages (``sums[j] - sums[i]`` is the cost of messages i to j-1). Every
    column is filled when it is first asked for, so that a cut which looks at the newest messages alone reads,
    parses and counts no others.
    """

    def __init__(self, services: Services) -> None:
        self._services = services
        self._parser = UnitParser()
        self.infos: list[ConversationInfo] = []
        self.messages: list[Message] = []
        self._begins: list[int] = []
        self._position_of: dict[str, int] = {}
        self._placed = 0
        self._unit_of: list[int] = []
        self._session_of: list[int] = []
        self._conversation_of: list[int] = []
        self._times: list[float | None] = []
        self._chat_pieces: dict[int, Piece] = {}
        self._line_pieces: dict[int, Piece] = {}
        self._undated_pieces: dict[int, Piece] = {}
        self._chat_sums: list[int] = [0]

    def __len__(self) -> int:
        return len(self.messages)

    @property
    def system_prompt(self) -> str | None:
        """The system prompt of the conversation that is going on."""
        return self.infos[-1].system_prompt if self.infos else None

    def begin(self, info: ConversationInfo) -> None:
        self.infos.append(info)
        self._begins.append(len(self.messages))

    def extend(self, messages: Sequence[Message]) -> None:
        self.messages.extend(messages)

    @property
    def units(self) -> list[Unit]:
        units, unit_of = self._parser.units, self._unit_of
        for message in self.messages[len(unit_of) :]:
            self._parser.append(message)
            unit_of.append(len(units) - 1)
        return units

    @property
    def unit_of(self) -> list[int]:
        """The index of every message's unit."""
        _ = self.units
        return self._unit_of

    def newest_units(self) -> Iterator[Unit]:
        """Units from the newest to the oldest, parsed no further than they are asked for."""
        if len(self._unit_of) == len(self.messages):
            yield from reversed(self._parser.units)
            return
        stop = len(self.messages)
        while stop:
            start = stop - 1
            while start and self.messages[start].role == "tool":
                start -= 1
            for unit in reversed(parse_units(self.messages[start:stop])):
                yield Unit(unit.kind, start + unit.start, start + unit.stop)
            stop = start

    @property
    def position_of(self) -> dict[str, int]:
        for position in range(self._placed, len(self.messages)):
            self._position_of[self.messages[position].id] = position
        self._placed = len(self.messages)
        return self._position_of

    @property
    def conversation_of(self) -> list[int]:
        for position in range(len(self._conversation_of), len(self.messages)):
            self._conversation_of.append(max(bisect_right(self._begins, position) - 1, 0))
        return self._conversation_of

    @property
    def times(self) -> list[float | None]:
        """Seconds since 1970, ``None`` where a message has no readable time."""
        for position in range(len(self._times), len(self.messages)):
            moment = time_of(self.messages[position].timestamp)
            self._times.append(moment.timestamp() if moment else None)
        return self._times

    @property
    def session_of(self) -> list[int]:
        for position in range(len(self._session_of), len(self.messages)):
            self._session_of.append(self._session(position))
        return self._session_of

    def _session(self, position: int) -> int:
        if not position:
            return 0
        last, message, before = self._session_of[-1], self.messages[position], self.messages[position - 1]
        new_conversation = self.conversation_of[position] != self.conversation_of[position - 1]
        named, named_before = message.extensions.get(SESSION_KEY), before.extensions.get(SESSION_KEY)
        if named is not None or named_before is not None:
            return last + (named != named_before or new_conversation)
        seconds, previous = self.times[position], self.times[position - 1]
        gap = seconds is not None and previous is not None and seconds - previous > SESSION_GAP_SECONDS
        return last + (gap or new_conversation)

    def line(self, position: int) -> Piece:
        """The message as a transcript line; a whole verbatim source. Made and counted once."""
        piece = self._line_pieces.get(position)
        if piece is None:
            message = self.messages[position]
            text = transcript_line(message)
            piece = Piece(text, self._services.count(text), (_whole(message),))
            self._line_pieces[position] = piece
        return piece

    def undated(self, position: int) -> Piece:
        """The line without its date, for packing under headings. Made and counted once."""
        piece = self._undated_pieces.get(position)
        if piece is None:
            message = self.messages[position]
            text = undated_line(message)
            piece = Piece(text, self._services.count(text), (_whole(message),))
            self._undated_pieces[position] = piece
        return piece

    def chat(self, position: int) -> Piece:
        """The message as it is, for chat rendering; a whole verbatim source. Made and counted once."""
        piece = self._chat_pieces.get(position)
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
