"""The supervisor's public state: the lock that it holds while it runs, and a file that lists its processes."""

import fcntl
import json
import os
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import IO

from embedded.private import write_private


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
    state: str  # starting | ready | stopping
    processes: dict[str, ProcessState] = field(default_factory=dict)

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


def take_lock(path: Path) -> IO[str]:
    """Take the lock on `var/`, held until the returned file is closed or this process dies. Raises
    AlreadyRunningError."""
    file = path.open("a+")
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as error:
        file.close()
        raise AlreadyRunningError from error
    file.truncate(0)
    file.write(str(os.getpid()))
    file.flush()
    return file


def is_locked(path: Path) -> bool:
    """Whether a supervisor is running, whatever its state file says."""
    if not path.exists():
        return False
    try:
        take_lock(path).close()
    except AlreadyRunningError:
        return True
    return False
