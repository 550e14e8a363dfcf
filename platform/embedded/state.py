"""The supervisor's public state: the lock that it holds while it runs, and a file that lists its processes."""

import fcntl
import json
import os
import time
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import IO

from embedded.private import write_private

LOOK_SECONDS = 0.5


@dataclass(frozen=True, slots=True)
class ProcessState:
    """One line of `make status`."""

    pid: int
    state: str  # starting | running | restarting
    restarts: int
    log: str
    place: str = ""


@dataclass(frozen=True, slots=True)
class SupervisorState:
    """The contents of `var/supervisor.json`."""

    pid: int
    address: str
    state: str  # starting | ready | upgrading | stopping
    processes: dict[str, ProcessState] = field(default_factory=dict)
    version: str = ""  # of the code that was put into service last; empty: 0.2.0 or before, which knows no upgrade
    fault: str = ""  # why the last upgrade was given up

    def write(self, path: Path) -> None:
        write_private(path, json.dumps(asdict(self), indent=1))

    @classmethod
    def read(cls, path: Path) -> "SupervisorState | None":
        """Read the state file; None if no supervisor has written one."""
        try:
            found = json.loads(path.read_text(encoding="utf-8"))
        except FileNotFoundError:
            return None
        processes = {name: ProcessState(**value) for name, value in found.pop("processes").items()}
        return cls(**found, processes=processes)


class AlreadyRunningError(Exception):
    """Another supervisor holds this `var/`."""


def take_lock(path: Path, *, state: Path | None = None) -> IO[str]:
    """Take the lock on `var/`, held until the returned file is closed or this process dies, and remove the `state` file
    of a supervisor that died. Raises AlreadyRunningError."""
    file = path.open("a+")
    deadline = time.monotonic() + LOOK_SECONDS
    while True:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            break
        except BlockingIOError as error:
            if time.monotonic() > deadline:
                file.close()
                raise AlreadyRunningError from error
            time.sleep(LOOK_SECONDS / 10)  # somebody may just be looking (`is_locked`)
    if state is not None:
        state.unlink(missing_ok=True)
    file.truncate(0)
    file.write(str(os.getpid()))
    file.flush()
    return file


def is_locked(path: Path) -> bool:
    """Whether a supervisor is running, whatever its state file says."""
    if not path.exists():
        return False
    with path.open("r") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
    return False


def lock_holder(path: Path) -> int | None:
    """Return the id of the process that holds the lock; None if none does, or has not written it yet."""
    text = path.read_text(encoding="utf-8") if is_locked(path) else ""
    return int(text) if text.isdecimal() else None


def running_state(state: Path, lock: Path) -> SupervisorState | None:
    """Return the state of the supervisor that runs now; None if none does, or it has not written one yet. The file
    alone proves nothing: a supervisor that was killed leaves it, and its id may be another process's by now."""
    if not is_locked(lock):
        return None
    found = SupervisorState.read(state)
    return found if found is not None and found.pid == lock_holder(lock) else None
