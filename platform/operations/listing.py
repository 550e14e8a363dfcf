"""A listing of the bucket in a small database of its own, so that it need not fit into memory."""

import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import closing
from pathlib import Path
from types import TracebackType
from typing import Self

PAGE = 1000


class Listing:
    """Use it as a context, from one thread; it lies in a scratch folder."""

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
        """Note objects by key, with their sizes."""
        self._connection.executemany("INSERT OR REPLACE INTO listed VALUES (?, ?)", objects)

    def size(self, key: str) -> int | None:
        """The size of an object; None where it was not listed."""
        row = self._connection.execute("SELECT size FROM listed WHERE key = ?", (key,)).fetchone()
        return None if row is None else int(row[0])

    def __len__(self) -> int:
        return int(self._connection.execute("SELECT COUNT(*) FROM listed").fetchone()[0])

    def pages(self) -> Iterator[list[str]]:
        """The keys, in order, some at a time."""
        with closing(self._connection.cursor()) as cursor:
            cursor.execute("SELECT key FROM listed ORDER BY key")
            while page := cursor.fetchmany(PAGE):
                yield [key for (key,) in page]
