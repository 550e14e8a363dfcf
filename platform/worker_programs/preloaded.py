"""A process that has preloaded the libraries of programs, and forks the programs: importing torch alone takes seconds.

`python -m worker_programs.preloaded SOCKET SECONDS LIBRARY..` serves the process that started it on a private socket
(`jobs.preloading`). A request is one message: `Request` as JSON with descriptors, of which the first is a socket that
receives the program's pid and later its exit status. The process ends with its parent, and when no request comes for
SECONDS seconds. Its programs end with it.

Only third-party libraries are loaded before a fork, and only those that start no thread (ONNX Runtime starts one): each
program itself loads our own modules and all code that reads files of strangers, and shares nothing writable with the
others. The one module of ours that is preloaded makes the exporter read its operators (`torchlib`).
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
    """A request to run `python -m arguments[0] ..` in this environment, with the descriptors sent along under these
    numbers."""

    arguments: list[str]
    environment: dict[str, str]
    descriptors: list[int]


class Child(NamedTuple):
    """A program that runs, or that has ended while its parent doesn't know yet."""

    pid: int
    told: socket.socket
    ended: int
    """The program's pidfd, readable once it has ended."""


def main(control: socket.socket, idle_seconds: float, libraries: Sequence[str]) -> int:
    """Serve requests. Returns in each forked program, with its exit code, and in the serving process at the end."""
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
    """Fork a program for each request. Returns the request and its descriptors in each program; None at the end."""
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
    """Report a program's pid and wait for its end. It leads its own process group before anybody knows its pid."""
    with suppress(OSError):  # the program has done that itself, or has ended
        os.setpgid(pid, pid)
    told.send(str(pid).encode())
    child = Child(pid, told, os.pidfd_open(pid))
    waiting.register(child.ended, selectors.EVENT_READ, child)


def _tell(waiting: selectors.BaseSelector, child: Child) -> None:
    """Report how a program ended. It is reaped, which frees its pid, only once the parent has received that."""
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
