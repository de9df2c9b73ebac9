"""Where sessions live: one store, one namespace for each session, and what its memory looked like last."""

from __future__ import annotations

import fcntl
import json
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from hashlib import blake2b
from pathlib import Path
from typing import Any, Final, NamedTuple

from mnemo_lab.errors import InvalidInput
from mnemo_lab.storage.files import sync
from mnemo_lab.store import ConversationStore, Receipt
from mnemo_lab.strategy import WorkingMemory

ABOUT: Final = "about.json"
TURNED: Final = "new-conversation"
LONGEST_NAME: Final = 200


class SessionSeen(NamedTuple):
    """A session in a list: how many conversations it has, when the first began and how the last one begins."""

    name: str
    conversations: int
    started_at: str | None
    title: str | None


def default_folder() -> Path:
    """The platform's folder for data that stays."""
    from platformdirs import user_data_path

    return user_data_path("mnemo-lab") / "chat"


class Session:
    """One session's folder, held by one agent at a time, in this process or any; a killed one lets go.

    Raises ``InvalidInput`` for a name that cannot be one, and where the session is open elsewhere.
    """

    def __init__(self, folder: Path, name: str) -> None:
        if not name.strip() or len(name) > LONGEST_NAME or not name.isprintable():
            raise InvalidInput(f"session {name!r}: must be 1 to {LONGEST_NAME} printable characters")
        self.name, self._folder = name, _place(folder, name)
        try:
            folder.parent.mkdir(parents=True, exist_ok=True)
            for place in (folder, self._folder.parent, self._folder):
                place.mkdir(mode=0o700, exist_ok=True)
            self._lock = (self._folder / "lock").open("w")
        except OSError as error:
            raise InvalidInput(f"{self._folder}: cannot be written ({error.strerror}); name another store") from None
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            self._lock.close()
            raise InvalidInput(f"session {name!r} is open elsewhere; close it there, or take another name") from None

    def close(self) -> None:
        self._lock.close()

    @property
    def turned(self) -> bool:
        """Whether what is said next begins another conversation; as a file, for the next start to know."""
        return (self._folder / TURNED).exists()

    @turned.setter
    def turned(self, value: bool) -> None:
        with suppress(OSError):  # all that is lost is where a conversation began
            (self._folder / TURNED).touch() if value else (self._folder / TURNED).unlink(missing_ok=True)

    def saved(self) -> tuple[Path, dict[str, Any]] | None:
        """The newest saved memory and what was said about it; ``None`` where there is none that can be read."""
        folder = max(self._folder.glob("memory-*"), default=None)
        if folder is None:
            return None
        try:
            about = json.loads((folder / ABOUT).read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return None
        return (folder, about) if isinstance(about, dict) else None

    def save(self, memory: WorkingMemory, about: Mapping[str, Any], number: int) -> None:
        """Write the memory in place of the last one; a crash leaves the old one or the new."""
        draft, named = self._folder / "draft", self._folder / f"memory-{number:08d}"
        for old in (draft, named):
            shutil.rmtree(old, ignore_errors=True)
        draft.mkdir(mode=0o700)
        memory.save(draft)
        (draft / ABOUT).write_text(json.dumps(about), encoding="utf-8")
        for path in (*draft.rglob("*"), draft):
            sync(path)
        draft.rename(named)
        sync(self._folder)
        self.forget(but=named)

    def forget(self, but: Path | None = None) -> None:
        """Delete saved memories."""
        for path in self._folder.iterdir():
            if path.is_dir() and path != but:
                shutil.rmtree(path)


def list_sessions(folder: Path | str | None = None) -> list[SessionSeen]:
    """The sessions of a store, in the order in which they began."""
    place = default_folder() if folder is None else Path(folder).expanduser()
    if not (place / "store.db").exists():
        return []
    found = []
    with ConversationStore(place) as store:
        for name in store.namespaces():
            infos = store.conversations(name)
            found.append(SessionSeen(name, len(infos), infos[0].started_at, infos[-1].title))
    return found


def forget_session(name: str, folder: Path | str | None = None) -> list[Receipt]:
    """Delete a session for good, every conversation of it; nothing happens where there is none.

    Raises ``InvalidInput`` where it is open elsewhere. Vectors in the embedding cache stay; they hold no text.
    """
    place = default_folder() if folder is None else Path(folder).expanduser()
    session = Session(place, name)
    try:
        with ConversationStore(place) as store:
            return forget_in(store, session)
    finally:
        session.close()


@contextmanager
def without_saved(folder: Path, name: str, known: bool = True) -> Iterator[None]:
    """Hold a chat's session, where the folder has one, while a conversation (``known``) is taken out of its store.

    The saved memory repeats what was said: it goes, and the next start makes it anew of what is left.
    """
    if not _place(folder, name).is_dir():
        yield
        return
    session = Session(folder, name)
    try:
        if known:
            session.forget()
        yield
    finally:
        session.close()


def _place(folder: Path, name: str) -> Path:
    return folder / "sessions" / blake2b(name.encode(), digest_size=12).hexdigest()


def forget_in(store: ConversationStore, session: Session) -> list[Receipt]:
    session.forget()
    return [store.forget(session.name, info.id) for info in store.conversations(session.name)]
