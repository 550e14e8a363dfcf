"""Sums by labels over all processes that share a folder, written so that no restart and no crash lets one fall.

Each process sums in memory and writes to a file of its own every second; the process that is asked adds up all files,
so that it never reports less than another one has. A file belongs to the process that holds its lock: a process that
starts takes a free one and continues from its sums. So no restart and no crash leaves files behind; a crash loses a
second. `prometheus_client` would map such files into memory instead: on a full disk a write to one ends the process.
"""

import fcntl
import os
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from itertools import count
from pathlib import Path
from typing import IO

import orjson

WRITE_SECONDS = 1.0
Labels = tuple[str, ...]
Sums = dict[Labels, list[float]]


class ProcessSums:
    """The sums of this process, and access to those of the other processes in the same folder.

    `name` names the files, `labels` is how many strings a key has. With `living`, values are those of a moment: a
    process begins at zero, and `all` leaves out the processes that have ended.
    """

    def __init__(self, folder: Callable[[], Path], name: str, *, labels: int, living: bool = False) -> None:
        self._folder, self._name, self._labels, self._living = folder, name, labels, living
        self._lock, self._writing = threading.Lock(), threading.Lock()
        self._forget()

    def add(self, key: Labels, values: Sequence[float]) -> None:
        """Add `values` to those of `key`, each to its own."""
        with self._lock:
            if self._pid != os.getpid() or (self._file and self._file.parent != self._folder()):
                self._forget()  # forked: the file and its lock are the parent's; or the state is elsewhere now
            if self._file is None:
                with suppress(OSError):  # of a full disk: the next call tries again
                    self._begin()
            _add(self._sums, {key: list(values)})
            self._changed = True

    def all(self) -> Sums:
        """Return the sums of all processes."""
        self._write()
        total: Sums = {}
        for file in self._folder().glob(f"{self._name}-*.json"):
            if not self._living or _is_held(_lock_of(file)):
                _add(total, self._read(file))
        return total

    def _forget(self) -> None:
        self._pid = os.getpid()
        self._sums: Sums = {}
        self._changed = False
        self._file: Path | None = None
        self._held: IO[str] | None = None  # the lock, as long as it is open

    def _begin(self) -> None:
        """Take a file that no process holds, and start writing to it."""
        folder = self._folder()
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        for number in count():
            file = folder / f"{self._name}-{number}.json"
            held = open(_lock_of(file), "a", opener=_private)  # noqa: SIM115 - held until the process ends
            try:
                fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                held.close()
                continue
            self._held, self._file = held, file
            if not self._living:
                _add(self._sums, self._read(file))
            threading.Thread(target=self._keep, args=(self._pid,), name=f"sums of {self._name}", daemon=True).start()
            return

    def _keep(self, pid: int) -> None:
        while os.getpid() == pid:
            time.sleep(WRITE_SECONDS)
            self._write()

    def _write(self) -> None:
        """Write this process's sums. If that fails, as on a full disk, they are written a second later."""
        with self._writing:
            with self._lock:
                if self._file is None or not self._changed or self._pid != os.getpid():
                    return
                file, self._changed = self._file, False
                rows = [[*key, *sums] for key, sums in self._sums.items()]
            fresh = file.with_suffix(".new")
            try:
                with open(fresh, "wb", opener=_private) as out:
                    out.write(orjson.dumps(rows))
                fresh.replace(file)
            except OSError:
                self._changed = True

    def _read(self, file: Path) -> Sums:
        """Read the sums from a file; none if it doesn't exist, or was cut short when the machine lost power."""
        with suppress(FileNotFoundError, orjson.JSONDecodeError):
            return {tuple(row[: self._labels]): row[self._labels :] for row in orjson.loads(file.read_bytes())}
        return {}


def _add(total: Sums, more: Sums) -> None:
    for key, sums in more.items():
        total[key] = [a + b for a, b in zip(total.get(key, [0.0] * len(sums)), sums, strict=True)]


def _private(path: str, flags: int) -> int:
    """For our own user alone, whatever the umask of the process: a command counts too."""
    return os.open(path, flags, 0o600)


def _lock_of(file: Path) -> Path:
    return file.with_name(f"{file.name}.lock")


def _is_held(lock: Path) -> bool:
    """Whether a living process holds a file: the system gives its lock back when it ends."""
    with suppress(FileNotFoundError), lock.open() as probe:
        try:
            fcntl.flock(probe, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
    return False


def keys_of(sums: Sums) -> Iterator[tuple[Labels, list[float]]]:
    """Yield the sums by key, in order."""
    yield from sorted(sums.items())
