"""One supervised process: how it is started, checked for readiness, and stopped with its descendants."""

import ctypes
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from pathlib import Path

_PR_SET_PDEATHSIG = 1
# Loaded here, not in the child: between fork and exec only the bare call is safe.
_LIBC = ctypes.CDLL(None, use_errno=True) if sys.platform == "linux" else None
LOGS_KEPT = 3


class Renewal(Enum):
    """How a running process gets new code: not at all, at a SIGHUP by replacing its own processes one by one, or by a
    stop and a start."""

    NONE = "none"
    RELOAD = "reload"
    RESTART = "restart"


@dataclass(frozen=True, slots=True, kw_only=True)
class ProcessSpec:
    """Description of a process for the supervisor.

    `prepare` is called before each start. `ready` gets the process's own log since this start and says whether it
    serves. `stop_signals` are sent one after the other, each followed by a wait of that many seconds; a process that
    remains after the last is killed.
    """

    name: str
    argv: Sequence[str]
    env: Mapping[str, str]
    cwd: Path
    prepare: Callable[[], object] = lambda: None
    ready: Callable[[str], bool] = lambda _log: True
    ready_seconds: float = 180.0
    stop_signals: Sequence[tuple[signal.Signals, float]] = ((signal.SIGTERM, 5.0),)
    renewal: Renewal = Renewal.NONE
    place: str = ""


@dataclass(slots=True)
class Child:
    """A running process of a spec. It leads its own process group, so that its children can be ended with it."""

    spec: ProcessSpec
    log_path: Path
    popen: subprocess.Popen[bytes]
    log_offset: int
    started: float = field(default_factory=time.monotonic)

    @property
    def pid(self) -> int:
        return self.popen.pid

    def exit_code(self) -> int | None:
        """Return the exit code; None while it runs, negative: the signal that ended it."""
        return self.popen.poll()

    def is_ready(self) -> bool:
        with self.log_path.open("rb") as log:
            log.seek(self.log_offset)
            return self.spec.ready(log.read().decode(errors="replace"))

    def signal(self, number: signal.Signals) -> None:
        """Send a signal to the process alone: servers and Celery notify their children themselves."""
        if self.exit_code() is None:
            self.popen.send_signal(number)

    def kill_group(self) -> None:
        """Ends whatever the process left behind in its group; a worker's pool must not outlive the worker."""
        try:
            os.killpg(self.pid, signal.SIGKILL)
        except (ProcessLookupError, PermissionError):
            return  # nobody is left (macOS answers EPERM for a group of zombies)


def dying_with(parent: int) -> Callable[[], None]:
    """Return what a child calls before it becomes its program, so that on Linux it dies with its parent, the process
    with this id, however that ends."""

    def die_with_parent() -> None:
        if _LIBC is not None:
            _LIBC.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
            if os.getppid() != parent:  # it died between fork and prctl
                os._exit(1)

    return die_with_parent


def spawn(spec: ProcessSpec, log_path: Path) -> Child:
    """Starts `spec` with its output appended to `log_path`; on Linux it dies with the calling thread's process."""
    spec.prepare()
    with log_path.open("ab") as log:
        offset = log.seek(0, os.SEEK_END)
        popen = subprocess.Popen(  # the argv comes from our own specs
            spec.argv,
            env=spec.env,
            cwd=spec.cwd,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=subprocess.STDOUT,
            process_group=0,
            preexec_fn=dying_with(os.getpid()),  # safe: the supervisor has one thread
        )
    return Child(spec, log_path, popen, offset)


def rotate(log_path: Path) -> None:
    """Rename `x.log` to `x.log.1`, and so on; the oldest is deleted."""
    for number in range(LOGS_KEPT, 0, -1):
        older = log_path.with_name(f"{log_path.name}.{number}")
        newer = log_path.with_name(f"{log_path.name}.{number - 1}") if number > 1 else log_path
        if newer.exists():
            newer.replace(older)
