"""The objects that a backup has copied and still has to copy, in a small database, so that they need not fit into
memory and a killed run loses little."""

import sqlite3
import time
from collections.abc import Iterable, Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Self

SAVE_SECONDS = 1.0
TABLES = """
CREATE TABLE IF NOT EXISTS copied (key TEXT PRIMARY KEY, size INTEGER, sha256 TEXT) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS wanted (
  key TEXT PRIMARY KEY, size INTEGER, sha256 TEXT, needed INTEGER, changing INTEGER) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS members (key TEXT, start INTEGER, size INTEGER, sha256 TEXT);
CREATE INDEX IF NOT EXISTS members_of ON members (key);
"""


@dataclass(frozen=True, slots=True)
class Wanted:
    """An object that the snapshot names. `sha256` is empty if the snapshot does not have it; `needed`: the platform
    needs it; `changing`: it may have been overwritten since it was last copied."""

    key: str
    size: int
    sha256: str
    needed: bool
    changing: bool


@dataclass(frozen=True, slots=True)
class Copied:
    """An object as it was copied."""

    key: str
    size: int
    sha256: str


class Catalogue:
    """The database of wanted and copied objects. Use it as a context manager, from one thread."""

    def __init__(self, path: Path) -> None:
        self._connection = sqlite3.connect(path)
        self._connection.executescript(TABLES)
        self._saved = time.monotonic()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.save()
        self._connection.close()

    def save(self) -> None:
        """Commit what was recorded so far, so that it survives this process."""
        self._connection.commit()
        self._saved = time.monotonic()

    def begin(self) -> None:
        """Delete the entries of an earlier snapshot."""
        self._connection.execute("DELETE FROM wanted")
        self._connection.execute("DELETE FROM members")

    def want(self, objects: Iterable[Wanted]) -> None:
        """Record objects of the snapshot."""
        rows = [(one.key, one.size, one.sha256, one.needed, one.changing) for one in objects]
        self._connection.executemany("INSERT OR REPLACE INTO wanted VALUES (?, ?, ?, ?, ?)", rows)

    def want_members(self, members: Iterable[tuple[str, int, int, str]]) -> None:
        """Record the blobs in objects that may have been overwritten: (key, offset, size, sha256)."""
        self._connection.executemany("INSERT INTO members VALUES (?, ?, ?, ?)", members)

    def members(self, key: str) -> list[tuple[int, int, str]]:
        """Return (offset, size, sha256) of the blobs in such an object."""
        found = self._connection.execute("SELECT start, size, sha256 FROM members WHERE key = ? ORDER BY start", (key,))
        return found.fetchall()

    def bytes_wanted(self) -> int:
        """Return the total bytes of the snapshot's objects, as far as it has their sizes."""
        return int(self._connection.execute("SELECT COALESCE(SUM(size), 0) FROM wanted").fetchone()[0])

    def to_copy(self) -> Iterator[tuple[Wanted, Copied | None]]:
        """Yield each object of the snapshot by key, with its earlier copy if there is one."""
        sql = "SELECT w.*, c.size, c.sha256 FROM wanted w LEFT JOIN copied c USING (key) ORDER BY key"
        with closing(self._connection.cursor()) as cursor:
            for key, size, sha256, needed, changing, copied_size, copied in cursor.execute(sql):
                before = Copied(key, copied_size, copied) if copied is not None else None
                yield Wanted(key, size, sha256, bool(needed), bool(changing)), before

    def note(self, copied: Copied) -> None:
        """Record that the folder now has an object."""
        row = (copied.key, copied.size, copied.sha256)
        self._connection.execute("INSERT OR REPLACE INTO copied VALUES (?, ?, ?)", row)
        if time.monotonic() - self._saved > SAVE_SECONDS:
            self.save()

    def forget(self, key: str) -> None:
        """Record that the folder doesn't have an object, or only a damaged copy."""
        self._connection.execute("DELETE FROM copied WHERE key = ?", (key,))

    def finish(self) -> None:
        """Delete the entries of objects that the snapshot does not name."""
        self._connection.execute("DELETE FROM copied WHERE key NOT IN (SELECT key FROM wanted)")
        self.save()

    def copied(self) -> Iterator[Copied]:
        """Yield the snapshot's objects that are in the folder, by key."""
        with closing(self._connection.cursor()) as cursor:
            for row in cursor.execute("SELECT c.* FROM copied c JOIN wanted USING (key) ORDER BY key"):
                yield Copied(*row)

    def digests(self) -> Iterator[str]:
        """Yield the digests of the snapshot's objects that are in the folder, in order."""
        sql = "SELECT DISTINCT c.sha256 FROM copied c JOIN wanted USING (key) ORDER BY 1"
        with closing(self._connection.cursor()) as cursor:
            for (sha256,) in cursor.execute(sql):
                yield sha256
