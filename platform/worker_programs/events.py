"""A program's output: JSON lines on stdout for its worker, logs on stderr, an exit code; and when it must end."""

import contextlib
import ctypes
import os
import select
import signal
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, BinaryIO, Literal, Protocol, TypeVar

import orjson

from worker_programs import config as configs

C = TypeVar("C")
Kept = Literal["recovery", "best"]
PR_SET_PDEATHSIG = 1
DONE, REFUSED, DEFECT = 0, 1, 2
"""How work on a config ends: with a result, with an expected error, or with a bug."""


class Listener(Protocol):
    """Receives the events of a long call: a worker through JSON lines, or a notebook."""

    def progress(self, done: int, total: int, *, unit: str) -> None: ...

    def point(self, step: int, values: Mapping[str, float]) -> None: ...

    def checkpoint(self, path: Path, *, kind: Kept, step: int, values: Mapping[str, float]) -> None: ...

    def log(self, message: str) -> None: ...


class Silent:
    """A listener that ignores all events; the default of every library call."""

    def progress(self, done: int, total: int, *, unit: str) -> None:
        """Do nothing."""

    def point(self, step: int, values: Mapping[str, float]) -> None:
        """Do nothing."""

    def checkpoint(self, path: Path, *, kind: Kept, step: int, values: Mapping[str, float]) -> None:
        """Do nothing."""

    def log(self, message: str) -> None:
        """Do nothing."""


class JsonLines:
    """Writes each event as one JSON line, flushed, so that a worker sees it at once."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream

    def emit(self, event: str, **fields: Any) -> None:
        """Write one line `{"event": event, ...fields}`; numpy scalars and arrays are written as numbers."""
        self._stream.write(orjson.dumps({"event": event, **fields}, option=orjson.OPT_SERIALIZE_NUMPY) + b"\n")
        self._stream.flush()

    def progress(self, done: int, total: int, *, unit: str) -> None:
        """Report that `done` of `total` units (steps, images) are done."""
        self.emit("progress", done=done, total=total, unit=unit)

    def point(self, step: int, values: Mapping[str, float]) -> None:
        """Report values of the live curves at `step`."""
        self.emit("point", step=step, values=dict(values))

    def checkpoint(self, path: Path, *, kind: Kept, step: int, values: Mapping[str, float]) -> None:
        """Report a complete file at `path`: a recovery snapshot, or the best weights so far. A later one may replace
        it."""
        self.emit("checkpoint", path=str(path), kind=kind, step=step, values=dict(values))

    def log(self, message: str) -> None:
        """Send a line for the job's log."""
        self.emit("log", message=message)

    def error(self, fault: BaseException) -> None:
        """Write the last event of a failure: the exception's stable `code` (`internal_error` if it has none) and its
        message."""
        fields = getattr(fault, "errors", None)
        extra = {"errors": fields} if isinstance(fields, dict) else {}
        words = str(fault) or type(fault).__name__
        self.emit("error", code=getattr(fault, "code", "internal_error"), message=words, **extra)


def die_with_parent() -> None:
    """End on SIGTERM and, on Linux, when the thread that started this process ends: no trainer outlives its worker."""
    signal.signal(signal.SIGTERM, signal.SIG_DFL)  # an ignored SIGTERM would be inherited
    if sys.platform == "linux":
        ctypes.CDLL(None, use_errno=True).prctl(PR_SET_PDEATHSIG, signal.SIGTERM, 0, 0, 0)


@contextlib.contextmanager
def claimed_stdout() -> Iterator[JsonLines]:
    """Context that writes events to the real stdout and redirects all other output (a C library's, an exporter's) to
    stderr."""
    with os.fdopen(os.dup(sys.stdout.fileno()), "wb") as stream:
        os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
        yield JsonLines(stream)


def run(config_type: type[C], body: Callable[[C, Listener], Mapping[str, Any]]) -> int:
    """The main function of a program: config path from argv, events on stdout, the return value of `body` as `result`.
    Returns the exit code."""
    die_with_parent()
    with claimed_stdout() as events:
        if len(sys.argv) != 2:
            events.error(configs.ConfigError({"config": ["give the path of one JSON config as the only argument"]}))
            return 1
        return 0 if _worked(config_type, body, Path(sys.argv[1]), events) == DONE else 1


def stay(config_type: type[C], body: Callable[[C, Listener], Mapping[str, Any]], *, idle_seconds: float) -> int:
    """The main function of a program that runs one config after another: their paths come on stdin, one per line.

    Each config ends with a `result` or `error` event. The program ends with stdin, when nothing comes for
    `idle_seconds`, and after a bug. Returns the exit code.
    """
    die_with_parent()
    with claimed_stdout() as events, os.fdopen(os.dup(sys.stdin.fileno()), "rb", 0) as asked:
        while select.select([asked], [], [], idle_seconds)[0] and (line := asked.readline()):
            if _worked(config_type, body, Path(os.fsdecode(line.rstrip(b"\n"))), events) == DEFECT:
                return 1
    return 0


def _worked(
    config_type: type[C], body: Callable[[C, Listener], Mapping[str, Any]], path: Path, events: JsonLines
) -> int:
    try:
        result = body(configs.read(config_type, path), events)
    except Exception as fault:  # noqa: BLE001 - the edge of a process: every failure becomes its error event
        events.error(fault)
        if hasattr(fault, "code"):
            return REFUSED
        sys.excepthook(type(fault), fault, fault.__traceback__)  # not a refusal but a bug: for the log
        return DEFECT
    events.emit("result", **result)
    return DONE
