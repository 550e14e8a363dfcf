"""The md5 of local files, remembered between runs by path, time of change and size."""

import hashlib
import os
import sqlite3
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, suppress
from pathlib import Path

from motherlode.folders import LocalFile

THREADS = min(8, os.cpu_count() or 1)
FLUSH_FILES = 2000
AT_ONCE = 32  # files in one task: a task costs as much as hashing a small image
# A file may change again within the resolution of its mtime: one that has just changed is not cached.
SETTLED_NS = 2_000_000_000
CHUNK = 1 << 20


def cache_folder() -> Path:
    """Return the folder of this user's caches."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "motherlode"


class HashCache:
    """Cached md5 digests of the files of one folder. A cache that can't be read or written only makes hashing
    slower."""

    def __init__(self, folder: Path, *, place: Path | None = None) -> None:
        self._folder = str(folder.resolve())
        self._place = place or cache_folder() / "hashes.sqlite3"
        self._known: dict[str, tuple[int, int, str]] = {}
        with suppress(sqlite3.Error, OSError), closing(self._open()) as database:
            rows = database.execute("SELECT name, mtime_ns, size, md5 FROM hashes WHERE folder = ?", (self._folder,))
            self._known = {name: (mtime_ns, size, md5) for name, mtime_ns, size, md5 in rows}

    def digests(
        self, files: Sequence[LocalFile], *, on_file: Callable[[int], None] = lambda _: None
    ) -> Iterator[tuple[LocalFile, str]]:
        """Yield each file with its md5, in order; `on_file` receives the number of files done. Raises OSError."""
        fresh: list[tuple[str, str, int, int, str]] = []
        parts = [files[at : at + AT_ONCE] for at in range(0, len(files), AT_ONCE)]
        done = 0
        with ThreadPoolExecutor(THREADS, thread_name_prefix="hashes") as pool:
            for part, digests in zip(parts, pool.map(self._digested, parts), strict=True):
                done += len(part)
                for file, md5 in zip(part, digests, strict=True):
                    if self._known.get(file.key) != (file.mtime_ns, file.size, md5) and _is_settled(file):
                        fresh.append((self._folder, file.key, file.mtime_ns, file.size, md5))
                if len(fresh) >= FLUSH_FILES or done == len(files):
                    self._save(fresh)
                    fresh = []
                on_file(done)
                yield from zip(part, digests, strict=True)

    def _digested(self, files: Sequence[LocalFile]) -> list[str]:
        return [self._digest(file) for file in files]

    def _digest(self, file: LocalFile) -> str:
        known = self._known.get(file.key)
        if known is not None and known[:2] == (file.mtime_ns, file.size):
            return known[2]
        hasher = hashlib.md5(usedforsecurity=False)
        with open(file.path, "rb", buffering=0) as stream:  # noqa: PTH123 - half the price of Path.open, for each file
            while chunk := stream.read(CHUNK):
                hasher.update(chunk)
        return hasher.hexdigest()

    def _save(self, rows: Sequence[tuple[str, str, int, int, str]]) -> None:
        if rows:
            with suppress(sqlite3.Error, OSError), closing(self._open()) as database, database:
                database.executemany("INSERT OR REPLACE INTO hashes VALUES (?, ?, ?, ?, ?)", rows)

    def _open(self) -> sqlite3.Connection:
        self._place.parent.mkdir(parents=True, exist_ok=True)
        database = sqlite3.connect(self._place, timeout=10)
        database.execute("PRAGMA journal_mode=WAL")
        database.execute(
            "CREATE TABLE IF NOT EXISTS hashes (folder TEXT, name TEXT, mtime_ns INTEGER, size INTEGER, md5 TEXT, "
            "PRIMARY KEY (folder, name)) WITHOUT ROWID"
        )
        return database


def _is_settled(file: LocalFile) -> bool:
    return time.time_ns() - file.mtime_ns > SETTLED_NS
