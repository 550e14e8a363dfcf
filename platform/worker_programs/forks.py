"""How a fork becomes a program of its own. Nothing but the standard library is loaded for it."""

import atexit
import ctypes
import os
import signal
import sys
import threading
from collections.abc import Callable, Mapping
from contextlib import suppress

PR_SET_NAME = 15


def call_it(name: str) -> None:
    """What `top` and `ps -o comm` call this process, where the system is Linux: its command line stays that of what
    forked it."""
    if sys.platform == "linux":
        ctypes.CDLL(None, use_errno=True).prctl(PR_SET_NAME, name.encode(), 0, 0, 0)


def take(descriptors: Mapping[int, int]) -> None:
    """Let each number be its descriptor, and close everything else."""
    most = max([*descriptors.values(), *descriptors, 2]) + 1
    for number, own in descriptors.items():
        os.dup2(own, most + number)
    os.closerange(3, most)
    for number in descriptors:
        os.dup2(most + number, number)
        os.close(most + number)
    os.closerange(most, os.sysconf("SC_OPEN_MAX"))


def exit_code(main: Callable[[], object]) -> int:
    """Of a program that runs in this process: it leaves as an interpreter does, but for taking apart what was loaded
    before. Who asks leaves by `os._exit`."""
    signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background job ignores it
    code = 0
    try:
        main()
    except SystemExit as left:
        code = left.code if isinstance(left.code, int) else int(left.code is not None)
        if isinstance(left.code, str):
            sys.stderr.write(f"{left.code}\n")
    except BaseException as fault:  # noqa: BLE001 - the edge of a process
        code = 1
        sys.excepthook(type(fault), fault, fault.__traceback__)
    threading._shutdown()  # type: ignore[attr-defined]  # noqa: SLF001 - it waits for threads, as the interpreter does
    atexit._run_exitfuncs()  # noqa: SLF001 - likewise
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError):
            stream.flush()
    return code & 0xFF
