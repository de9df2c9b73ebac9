"""Tables as a list of steps: a file of an older version is brought up step by step, a newer one is refused."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from sqlite3 import Connection

from mnemo_lab.errors import InvalidInput

Step = tuple[str | Callable[[Connection], None], ...]


@dataclass(frozen=True, slots=True)
class Schema:
    """Step ``n`` makes version ``n + 1``.

    ``application`` stands in the file's header and tells it from any other SQLite file; ``instead`` is what to do
    with a file of another program.
    """

    application: int
    steps: tuple[Step, ...]
    instead: str

    def is_current(self, connection: Connection) -> bool:
        """Whether there is nothing to do, so that who opens a store need not wait for who writes into it."""
        found = [connection.execute(f"PRAGMA {name}").fetchone()[0] for name in ("application_id", "user_version")]
        return found == [self.application, len(self.steps)]

    def migrate(self, connection: Connection, path: str) -> None:
        """Bring the tables up to date, in the caller's write transaction.

        Raises ``InvalidInput`` for a file of a newer version or of another program.
        """
        (version,) = connection.execute("PRAGMA user_version").fetchone()
        (application,) = connection.execute("PRAGMA application_id").fetchone()
        (tables,) = connection.execute("SELECT count(*) FROM sqlite_schema").fetchone()
        if application != self.application and (version or tables):
            raise InvalidInput(f"{path} is a database of another program; {self.instead}")
        if version > len(self.steps):
            raise InvalidInput(
                f"{path} has version {version} and this mnemo-lab knows versions up to {len(self.steps)}; "
                "upgrade with: pip install -U mnemo-lab"
            )
        for part in (part for step in self.steps[version:] for part in step):
            connection.execute(part) if isinstance(part, str) else part(connection)
        if version < len(self.steps):
            connection.execute(f"PRAGMA application_id = {self.application}")
            connection.execute(f"PRAGMA user_version = {len(self.steps)}")
