"""Whether a process of this host goes on: a file that it touches every few seconds, for a probe.

    python -m core.alive beat 60     # exit code 1 if beat on this host was not heard for so many seconds

The probe loads no Django and asks no service: a database that is away must not have workers killed.
"""

import os
import socket
import sys
import time
from contextlib import suppress
from pathlib import Path


def place(name: str) -> Path:
    """The file of `beat` or of a worker (its name without the host), in the folder of the state."""
    return Path(os.environ.get("MOTHERLODE_VAR", "var")) / "alive" / f"{name}@{socket.gethostname()}"


def touch(name: str) -> None:
    """Say that this process goes on. On a full disk the time of a file that is there changes all the same."""
    file = place(name)
    with suppress(OSError):
        file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        file.touch(mode=0o600)


def fault(name: str, seconds: float) -> str:
    """What is wrong, in words; empty if the process was heard in the last `seconds`."""
    file = place(name)
    try:
        age = time.time() - file.stat().st_mtime
    except FileNotFoundError:
        return f"{file} is missing: {name} has not begun on this host, or MOTHERLODE_VAR is another one"
    return f"{name} was last heard {age:.0f} s ago" if age > seconds else ""


def main() -> None:
    if words := fault(sys.argv[1], float(sys.argv[2])):
        sys.exit(words)


if __name__ == "__main__":
    main()
