"""Programs that import torch, forked from a process that has it loaded (`worker_programs.preloaded`): each starts some
seconds sooner, and is still a process of its own.

Each process of a worker starts one such preloader with its first such program, which itself starts normally while the
preloader loads. A preloader ends when it is idle for a while, so that an idle platform holds no memory for it. On
machines with a GPU driver, or without pidfds, all programs start normally.
"""

import json
import os
import select
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Self

from django.conf import settings

from worker_programs import confinement
from worker_programs.preloaded import MOST_BYTES

PROGRAMS = frozenset({"training", "export", "export.preparing", "backtest"})
LIBRARIES = (
    "numpy", "orjson", "PIL.Image", "cv2", "simplejpeg", "minio", "pydantic.dataclasses", "pydantic.type_adapter",
    "onnx", "sympy", "torch", "torch.distributed.algorithms.ddp_comm_hooks", "safetensors.torch",
    "tensorboardX.record_writer", "torch.onnx", "torch._dynamo", "torch.export._trace", "onnxscript",
)  # fmt: skip
IDLE_SECONDS = 120.0
ANSWER_SECONDS = 30.0
CAN_FORK = hasattr(os, "pidfd_open") and not Path("/dev/nvidiactl").exists()


class Forked:
    """A forked program, with the interface of `subprocess.Popen`."""

    def __init__(self, pid: int, told: socket.socket, pipes: Sequence[int]) -> None:
        self.pid, self._told, self._turn = pid, told, threading.Lock()
        self.stdin, self.stdout, self.stderr = (
            os.fdopen(pipe, mode, encoding="utf-8", errors="replace") for pipe, mode in zip(pipes, "wrr", strict=True)
        )
        self.returncode: int | None = None

    def poll(self) -> int | None:
        """Its exit status, or minus the signal that ended it; None while it runs."""
        return self._look(0.0)

    def wait(self, timeout: float | None = None) -> int:
        """Wait for the program to end; return as `poll`. Raises subprocess.TimeoutExpired."""
        code = self._look(timeout)
        if code is None:
            raise subprocess.TimeoutExpired(f"program {self.pid}", timeout or 0.0)
        return code

    def _look(self, seconds: float | None) -> int | None:
        if self.returncode is None and _says(self._told, seconds):
            with self._turn:
                if self.returncode is None:
                    said = _received(self._told)
                    self.returncode = int(said) if said else -signal.SIGKILL  # no answer: it ended with the preloader
                    with suppress(OSError):
                        self._told.send(b".")  # its id may be reused from now on
        return self.returncode

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for pipe in (self.stdout, self.stderr, self.stdin):
            with suppress(BrokenPipeError):
                pipe.close()
        self.wait()
        self._told.close()


class Preloader:
    """The process that forks the programs of this one, while it runs."""

    def __init__(
        self, programs: frozenset[str] = PROGRAMS, libraries: Sequence[str] = LIBRARIES, *, idle: float = IDLE_SECONDS
    ) -> None:
        self._programs, self._libraries, self._idle = programs, libraries, idle
        self._process: subprocess.Popen[bytes] | None = None
        self._control: socket.socket | None = None
        self._ready, self._guard = False, threading.Lock()

    @property
    def pid(self) -> int | None:
        """The process id of the preloader, once it was started."""
        return None if self._process is None else self._process.pid

    def start(self, command: Sequence[str], env: Mapping[str, str], *, passed: Sequence[int] = ()) -> Forked | None:
        """Fork `python -m command` as the leader of a group of its own, with pipes to its standard streams. Returns
        None if it has to start normally: it is no such program, or the preloader, which this call starts, is not
        ready."""
        if command[0] not in self._programs or not (settings.PRELOAD_PROGRAMS and CAN_FORK):
            return None
        with self._guard:
            if not self._looked():
                return None
            with suppress(OSError):
                return self._forked(command, env, passed)
            self.close()
        return None

    def close(self) -> None:
        """End the preloader, and the programs that it forked."""
        if self._process is not None and self._control is not None:
            self._control.close()
            self._process.kill()
            self._process.wait()
        self._process, self._control, self._ready = None, None, False

    def is_ready(self) -> bool:
        """Whether a program would be forked now; starts the preloader if it does not run."""
        with self._guard:
            return self._looked()

    def _looked(self) -> bool:
        if self._process is not None and self._process.poll() is not None:
            self.close()  # it ended because it was idle
        if self._control is None:
            self._begin()
        elif not self._ready:
            self._ready = _says(self._control, 0.0) and bool(_received(self._control))
        return self._ready

    def _begin(self) -> None:
        self._control, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        more = dict.fromkeys(confinement.THREAD_VARIABLES, str(settings.PROGRAM_THREADS))
        argv = [sys.executable, "-m", "worker_programs.preloaded", str(theirs.fileno()), str(self._idle)]
        with theirs:
            self._process = subprocess.Popen(  # noqa: S603 - our own interpreter and module names
                [*argv, *self._libraries],
                env=confinement.environment(**more),
                stdin=subprocess.DEVNULL,
                pass_fds=[theirs.fileno()],
                process_group=0,
            )
        confinement.offer_to_kernel(self._process.pid)

    def _forked(self, command: Sequence[str], env: Mapping[str, str], passed: Sequence[int]) -> Forked:
        """Have the preloader fork a program. Raises OSError."""
        assert self._control is not None  # noqa: S101 - it is ready
        told, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        (stdin, to), (out, stdout), (err, stderr) = os.pipe(), os.pipe(), os.pipe()
        numbers = [0, 1, 2, *passed]
        request = {"arguments": list(command), "environment": dict(env), "descriptors": numbers}
        message = json.dumps(request).encode()
        try:
            with theirs:
                if len(message) > MOST_BYTES:
                    raise OSError("the environment is too large")
                socket.send_fds(self._control, [message], [theirs.fileno(), stdin, stdout, stderr, *passed])
            told.settimeout(ANSWER_SECONDS)
            pid = int(told.recv(32) or _gone())
            told.settimeout(None)
        except OSError:
            told.close()
            for number in (to, out, err):
                os.close(number)
            raise
        finally:
            for number in (stdin, stdout, stderr):
                os.close(number)
        return Forked(pid, told, (to, out, err))


def _gone() -> int:
    raise ConnectionResetError("it ended before it forked")


def _says(from_there: socket.socket, seconds: float | None) -> bool:
    """Whether data arrives within `seconds` (None: wait for it); a closed other end counts as data."""
    waiting = select.poll()
    waiting.register(from_there, select.POLLIN)
    return bool(waiting.poll(None if seconds is None else 1000 * seconds))


def _received(from_there: socket.socket) -> bytes:
    """The message that has arrived; empty if the other end is closed."""
    try:
        return from_there.recv(32)
    except OSError:
        return b""


preloader = Preloader()
