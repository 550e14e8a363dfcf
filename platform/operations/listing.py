"""A listing of the bucket in a small database, so that it need not fit into memory."""

import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import closing
from pathlib import Path
from types import TracebackType
from typing import Self

PAGE = 1000


class Listing:
    """Keys and sizes of the bucket's objects, in a scratch folder. Use it as a context manager, from one thread."""

    def __init__(self, folder: Path) -> None:
        self._connection = sqlite3.connect(folder / "listing.sqlite3")
        self._connection.execute("PRAGMA synchronous=OFF")
        self._connection.execute("CREATE TABLE listed (key TEXT PRIMARY KEY, size INTEGER) WITHOUT ROWID")

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._connection.close()

    def fill(self, objects: Iterable[tuple[str, int]]) -> None:
        """Record objects by key, with their sizes."""
        self._connection.executemany("INSERT OR REPLACE INTO listed VALUES (?, ?)", objects)

    def size(self, key: str) -> int | None:
        """Return the size of an object; None if it was not listed."""
        row = self._connection.execute("SELECT size FROM listed WHERE key = ?", (key,)).fetchone()
        return None if row is None else int(row[0])

    def __len__(self) -> int:
        return int(self._connection.execute("SELECT COUNT(*) FROM listed").fetchone()[0])

    def pages(self) -> Iterator[list[str]]:
        """Yield the keys in order, in pages."""
        with closing(self._connection.cursor()) as cursor:
            cursor.execute("SELECT key FROM listed ORDER BY key")
            while page := cursor.fetchmany(PAGE):
                yield [key for (key,) in page]
