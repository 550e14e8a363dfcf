"""Counts and durations of requests, by route, method and class of status, over all web processes.

Each process counts in memory and writes its sums to a file of its own every second; the process that is asked adds up
all files, so that it never reports less than another one has. A file belongs to the process that holds its lock: a
process that starts takes a free one and continues from its sums. So no restart and no crash leaves files behind or lets
a counter fall; a crash loses a second. `prometheus_client` would map such files into memory instead: on a full disk a
write to one ends the process.
"""

import fcntl
import threading
import time
from bisect import bisect_left
from collections.abc import Iterator
from contextlib import suppress
from functools import cache
from itertools import accumulate, count
from pathlib import Path
from typing import IO, NamedTuple

import orjson
from django.conf import settings
from prometheus_client.core import HistogramMetricFamily

BOUNDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)
"""Histogram bounds in seconds. If you change them, rename FILES: sums under other bounds can't be added up."""
FILES = "requests-{}.json"
WRITE_SECONDS = 1.0


class Key(NamedTuple):
    """The labels that requests are counted by."""

    route: str
    method: str
    status: str  # its class: `2xx`


Sums = dict[Key, list[float]]
"""Sums by key: total seconds, then the number of requests between each bound and the one before, then of those above
the last."""


class RequestCounts:
    """The counts of this process, and access to those of the other processes in the same folder."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._lock, self._writing = threading.Lock(), threading.Lock()
        self._sums: Sums = {}
        self._changed = False
        self._file: Path | None = None
        self._held: IO[str] | None = None  # the lock, as long as it is open

    def add(self, key: Key, seconds: float) -> None:
        """Count an answered request."""
        with self._lock:
            if self._file is None:
                with suppress(OSError):  # of a full disk: the next request tries again
                    self._begin()
            sums = self._sums.setdefault(key, _nothing())
            sums[0] += seconds
            sums[1 + bisect_left(BOUNDS, seconds)] += 1
            self._changed = True

    def all(self) -> Sums:
        """Return the sums of all processes."""
        self._write()
        total: Sums = {}
        for file in self._folder.glob(FILES.format("*")):
            _add(total, _read(file))
        return total

    def _begin(self) -> None:
        """Take a file that no process holds, and start writing to it."""
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        for number in count():
            held = (self._folder / f"{FILES.format(number)}.lock").open("a")
            try:
                fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                held.close()
                continue
            self._held, self._file = held, self._folder / FILES.format(number)
            _add(self._sums, _read(self._file))
            threading.Thread(target=self._keep, name="request-counts", daemon=True).start()
            return

    def _keep(self) -> None:
        while True:
            time.sleep(WRITE_SECONDS)
            self._write()

    def _write(self) -> None:
        """Write this process's sums. If that fails, as on a full disk, they are written a second later."""
        with self._writing:
            with self._lock:
                if self._file is None or not self._changed:
                    return
                rows, self._changed = [[*key, *sums] for key, sums in self._sums.items()], False
            fresh = self._file.with_suffix(".new")
            try:
                fresh.write_bytes(orjson.dumps(rows))
                fresh.replace(self._file)
            except OSError:
                self._changed = True


@cache
def counts() -> RequestCounts:
    """Return the counts of the platform that this process serves."""
    return RequestCounts(settings.VAR_DIR / "metrics")


def figures() -> Iterator[HistogramMetricFamily]:
    """Yield the counts as a Prometheus histogram; its `_count` is the number of requests."""
    words = "Seconds from a request to the head of its answer."
    family = HistogramMetricFamily("motherlode_request_seconds", words, labels=Key._fields)
    bounds = [*map(str, BOUNDS), "+Inf"]
    for key, (seconds, *requests) in sorted(counts().all().items()):
        family.add_metric(key, list(zip(bounds, accumulate(requests), strict=True)), seconds)
    yield family


def _nothing() -> list[float]:
    return [0.0] * (len(BOUNDS) + 2)


def _add(total: Sums, more: Sums) -> None:
    for key, sums in more.items():
        total[key] = [a + b for a, b in zip(total.get(key, _nothing()), sums, strict=True)]


def _read(file: Path) -> Sums:
    """Read the sums from a file; none if it doesn't exist, or was cut short when the machine lost power."""
    with suppress(FileNotFoundError, orjson.JSONDecodeError):
        return {Key(*row[:3]): row[3:] for row in orjson.loads(file.read_bytes())}
    return {}
