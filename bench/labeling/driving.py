"""One client for both sides: plain HTTP over connections that stay open, one thread an annotator."""

import http.client
import json
import threading
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol
from urllib.parse import urlsplit

ERRORS = 400
PATIENCE = 600.0
IDLE = 2.0  # seconds after which a server may have closed a connection


@dataclass(frozen=True, slots=True)
class Taken:
    """A task that was handed to an annotator, and what must be sent back with the answer."""

    task: int
    token: int | None = None


class Side(Protocol):
    """A labelling platform that is running, with one owner and some annotators."""

    name: str

    def load(self, count: int) -> None:
        """Put so many tasks before the annotators; return when all can be had."""

    def take(self, line: "Line") -> Taken:
        """Ask for the next task."""

    def submit(self, line: "Line", taken: Taken) -> None:
        """Answer it."""

    def export(self, *, everything: bool) -> int:
        """Read the tasks with their answers, or with `everything` all tasks. Returns how many came."""

    def busy(self) -> float:
        """Seconds of CPU that its processes and its database's connections have taken so far."""


class Line:
    """A connection of one person's that stays open."""

    def __init__(self, url: str, authorization: str) -> None:
        parts = urlsplit(url)
        self._http = http.client.HTTPConnection(parts.hostname or "", parts.port, timeout=PATIENCE)
        self._headers = {"Authorization": authorization, "Accept": "*/*"}
        self._used = time.monotonic()

    def ask(self, method: str, path: str, body: object = None, **headers: str) -> bytes:
        """The body of the answer. An error of either side ends the benchmark."""
        sent = None if body is None else json.dumps(body).encode()
        kind = {} if sent is None else {"Content-Type": "application/json"}
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        if time.monotonic() - self._used > IDLE:
            self._http.close()  # the request opens it again
        self._http.request(method, path, body=sent, headers=self._headers | kind | named)
        answer = self._http.getresponse()
        data = answer.read()
        self._used = time.monotonic()
        if answer.status >= ERRORS:
            raise SystemExit(f"{method} {path} answered {answer.status}: {data[:500]!r}")
        return data

    def json(self, method: str, path: str, body: object = None, **headers: str) -> Any:
        """The same, read as JSON."""
        return json.loads(self.ask(method, path, body, **headers))


@dataclass(slots=True)
class Work:
    """What some annotators did side by side: seconds of each step, tasks by how often they were answered."""

    seconds: float = 0.0
    cpu: float = 0.0
    taking: list[float] = field(default_factory=list)
    submitting: list[float] = field(default_factory=list)
    answered: Counter[int] = field(default_factory=Counter)

    @property
    def cycles(self) -> list[float]:
        """Seconds from asking for a task to the receipt of its answer."""
        return [first + second for first, second in zip(self.taking, self.submitting, strict=True)]

    @property
    def rate(self) -> float:
        """Answers per second."""
        return len(self.taking) / self.seconds

    @property
    def cpu_each(self) -> float:
        """Seconds of CPU per answer."""
        return self.cpu / len(self.taking)


def work(side: Side, lines: Sequence[Line], count: int) -> Work:
    """Let each line's annotator take and answer, all at once, until `count` answers are in."""
    done, lock, left, faults = Work(), threading.Lock(), [count], list[BaseException]()

    def annotate(line: Line) -> None:
        while not faults:
            with lock:
                if left[0] <= 0:
                    return
                left[0] -= 1
            try:
                started = time.perf_counter()
                taken = side.take(line)
                between = time.perf_counter()
                side.submit(line, taken)
                ended = time.perf_counter()
            except (SystemExit, OSError) as fault:  # a thread says nothing of it
                faults.append(fault)
                return
            with lock:
                done.taking.append(between - started)
                done.submitting.append(ended - between)
                done.answered[taken.task] += 1

    threads = [threading.Thread(target=annotate, args=(line,)) for line in lines]
    before, started = side.busy(), time.perf_counter()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    done.seconds, done.cpu = time.perf_counter() - started, side.busy() - before
    if faults:
        raise SystemExit(f"{side.name}: {len(done.taking)} of {count} answers were taken: {faults[0]}")
    return done
