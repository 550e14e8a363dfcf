"""Ends every process group of a supervisor that was killed. `python -m embedded.watchdog` reads its pipe on stdin.

The kernel's parent-death signal reaches only a supervisor's own children; a worker's pool and its programs are
grandchildren, and other systems than Linux know no such signal.
"""

import os
import signal
import sys


def main() -> None:
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)  # it ends with its supervisor, not before
    groups: set[int] = set()
    for line in sys.stdin.buffer:  # "+123" when a group starts, "-123" when it has ended
        group = int(line[1:])
        if line.startswith(b"+"):
            groups.add(group)
        else:
            groups.discard(group)
    for group in groups:
        try:
            os.killpg(group, signal.SIGKILL)
        except (ProcessLookupError, PermissionError):
            continue


if __name__ == "__main__":
    main()
