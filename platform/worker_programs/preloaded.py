"""A process that has loaded what programs import, and forks them: torch alone takes seconds.

`python -m worker_programs.preloaded SOCKET SECONDS LIBRARY..` answers who started it on a socket of the two alone
(`jobs.preloading`): a request is one message, `Request` as JSON with descriptors beside it, of which the first is a
socket for what becomes of that program: its id, later how it ended. It ends with who started it, and when nobody asks
for so many seconds. A program ends with it.

Only what others publish is loaded before a fork, and of that what starts no thread (ONNX Runtime starts one): our own
modules, and whatever strangers' files are read with, are loaded by each program for itself, which shares nothing
with the others that it writes to. Of ours there is one that has the exporter read its operators (`torchlib`).
"""

import gc
import importlib
import json
import os
import runpy
import selectors
import socket
import sys
from collections.abc import Sequence
from contextlib import suppress
from typing import NamedTuple

from worker_programs.events import die_with_parent
from worker_programs.forks import call_it, exit_code, take

READY = b"ready"
MOST_BYTES, MOST_DESCRIPTORS = 1 << 20, 32


class Request(NamedTuple):
    """`python -m arguments[0] ..` in this environment, with descriptors of these numbers: those that come with it."""

    arguments: list[str]
    environment: dict[str, str]
    descriptors: list[int]


class Child(NamedTuple):
    """A program that runs, or has ended and is not known to have."""

    pid: int
    told: socket.socket
    ended: int
    """Its pidfd."""


def main(control: socket.socket, idle_seconds: float, libraries: Sequence[str]) -> int:
    """Serve. This returns in each program, with its exit code, and at the end."""
    die_with_parent()
    own_id = os.getpid()
    for name in libraries:
        with suppress(ImportError):
            importlib.import_module(name)
    if "onnxscript" in sys.modules:
        importlib.import_module("worker_programs.torchlib").read_operators()
    gc.collect()
    gc.freeze()
    with suppress(BrokenPipeError):
        control.send(READY)
    if (asked := _serve(control, idle_seconds)) is None:
        return 0
    die_with_parent()
    if os.getppid() != own_id:
        return 1
    request, own = asked
    control.detach()
    take(dict(zip(request.descriptors, own, strict=True)))
    os.environ.clear()
    os.environ.update(request.environment)
    call_it(request.arguments[0])
    sys.argv[:] = request.arguments
    return exit_code(lambda: runpy.run_module(request.arguments[0], run_name="__main__", alter_sys=True))


def _serve(control: socket.socket, idle_seconds: float) -> tuple[Request, list[int]] | None:
    """In a program: what it was asked to be, and its descriptors. None at the end."""
    waiting, running = selectors.DefaultSelector(), 0
    waiting.register(control, selectors.EVENT_READ)
    while events := waiting.select(None if running else idle_seconds):
        for key, _ in events:
            child: Child | None = key.data
            if child is None:
                message, own, _, _ = socket.recv_fds(control, MOST_BYTES, MOST_DESCRIPTORS)
                if not message:
                    return None
                request, told = Request(**json.loads(message)), socket.socket(fileno=own.pop(0))
                pid = os.fork()
                if pid == 0:
                    return request, own
                running += 1
                _follow(waiting, pid, told)
                for number in own:
                    os.close(number)
            elif key.fd == child.ended:
                _tell(waiting, child)
            else:
                _reap(waiting, child)
                running -= 1
    return None


def _follow(waiting: selectors.BaseSelector, pid: int, told: socket.socket) -> None:
    """It leads a group of its own before anybody knows its id."""
    with suppress(OSError):  # it has done that itself, or has ended
        os.setpgid(pid, pid)
    told.send(str(pid).encode())
    child = Child(pid, told, os.pidfd_open(pid))
    waiting.register(child.ended, selectors.EVENT_READ, child)


def _tell(waiting: selectors.BaseSelector, child: Child) -> None:
    """Say how it ended. Its id stays taken until that is known."""
    found = os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT)
    status = 0 if found is None else found.si_status
    killed = found is not None and found.si_code != os.CLD_EXITED
    waiting.unregister(child.ended)
    os.close(child.ended)
    with suppress(OSError):
        child.told.send(str(-status if killed else status).encode())
    waiting.register(child.told, selectors.EVENT_READ, child)


def _reap(waiting: selectors.BaseSelector, child: Child) -> None:
    waiting.unregister(child.told)
    child.told.close()
    os.waitpid(child.pid, 0)


if __name__ == "__main__":
    os._exit(main(socket.socket(fileno=int(sys.argv[1])), float(sys.argv[2]), sys.argv[3:]))
