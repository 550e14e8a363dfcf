"""Turn a forked process into a program of its own. Imports only the standard library."""

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
    """Set the name that `top` and `ps -o comm` show for this process, on Linux: its command line stays that of its
    parent."""
    if sys.platform == "linux":
        ctypes.CDLL(None, use_errno=True).prctl(PR_SET_NAME, name.encode(), 0, 0, 0)


def take(descriptors: Mapping[int, int]) -> None:
    """Move each descriptor to its number (`descriptors` maps number to descriptor), and close all others from 3 on."""
    most = max([*descriptors.values(), *descriptors, 2]) + 1
    for number, own in descriptors.items():
        os.dup2(own, most + number)
    os.closerange(3, most)
    for number in descriptors:
        os.dup2(most + number, number)
        os.close(most + number)
    os.closerange(most, os.sysconf("SC_OPEN_MAX"))


def exit_code(main: Callable[[], object]) -> int:
    """Run a program in this process and return its exit code. It ends as in an interpreter, except that loaded modules
    are not torn down: the caller ends by `os._exit`."""
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
