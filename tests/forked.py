"""What starts programs as forks of a process that has torch and the rest loaded already: see tests/fork_server.py.

It imports no pytest: processes of the platform use it too.
"""

import json
import os
import select
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

PROGRAMS = {
    "training", "export", "scoring", "backtest", "projection", "acquisition", "export.predictor", "export.engine",
    "export.backbone", "export.words.encoders", "export.words.lexicon", "motherlode", "celery", "dvc",
}  # fmt: skip
MANAGE = str(Path(__file__).resolve().parents[1] / "manage.py")
PLACE = "MOTHERLODE_TEST_FORK_SERVER"
"""The variable that holds the server's address: the processes of a run in parallel share one."""
WANTED = os.environ.get("MOTHERLODE_TEST_PRELOADED") != "0" and not any(
    name.startswith("COVERAGE_PROCESS") for name in os.environ
)
"""Who measures what lines are run has to see each program start."""
WORDS = "import runpy; runpy.run_path({!r})['main']({!r})"
FILE = Path(__file__).with_name("fork_server.py")
START_SECONDS = 30.0
OPTIONS = {"PYTHONPATH", "PYTHONDONTWRITEBYTECODE", "PYTHONUNBUFFERED"}
"""Variables of the interpreter that the server heeds."""
_Usual = subprocess.Popen
_guard = threading.Lock()
_servers: list["subprocess.Popen[bytes]"] = []


def stop() -> None:
    """The server that this process started, if there is one."""
    while _servers:
        server = _servers.pop()
        server.kill()
        server.wait()
        shutil.rmtree(Path(os.environ.pop(PLACE)).parent, ignore_errors=True)


def address() -> str:
    """Of the server, which is started where there is none yet."""
    with _guard:
        if PLACE not in os.environ:
            place = str(Path(tempfile.mkdtemp(prefix="motherlode-fork-"), "socket"))
            env = {name: text for name, text in os.environ.items() if name not in OPTIONS}
            argv = [sys.executable, "-P", "-c", WORDS.format(str(FILE), place)]
            _servers.append(_Usual(argv, env=env, stdin=subprocess.DEVNULL, process_group=0))
            os.environ[PLACE] = place
        return os.environ[PLACE]


class Forked(_Usual[Any]):
    """Popen for a program that the server can start; for any other the usual one."""

    _connection: socket.socket | None = None

    def _execute_child(self, *given: Any) -> None:
        (args, executable, preexec_fn, close_fds, pass_fds, cwd, env, _, _, shell, stdin, stdin_ours, stdout_ours,
         stdout, stderr_ours, stderr, _, gid, gids, uid, umask, session, group) = given  # fmt: skip
        usual = (executable, preexec_fn, close_fds, shell, gid, gids, uid, umask) == (
            None, None, True, False, None, None, None, -1,
        )  # fmt: skip
        if not (usual and group in {-1, 0} and _is_program(args) and _is_plain(env)):
            super()._execute_child(*given)  # type: ignore[misc]  # what a Popen calls to start its process
            return
        numbers = {0: stdin, 1: stdout, 2: stderr} | {fd: fd for fd in pass_fds}
        own = [number if fd == -1 else fd for number, fd in numbers.items()]
        told = {
            "arguments": [os.fspath(one) for one in args[1:]],
            "environment": dict(os.environ if env is None else env),
            "folder": os.fspath(cwd or os.getcwd()),  # noqa: PTH109 - as text
            "group": group == 0,
            "session": session,
            "umask": _umask(),
            "descriptors": list(numbers),
        }
        self._connection = _connected()
        socket.send_fds(self._connection, [json.dumps(told).encode()], own)
        self.pid = int(self._connection.recv(32))
        self._child_created = True
        self._close_pipe_fds(stdin, stdin_ours, stdout_ours, stdout, stderr_ours, stderr)  # type: ignore[attr-defined]

    def _internal_poll(self, _deadstate: int | None = None, *given: Any, **more: Any) -> int | None:
        if self._connection is None:
            code: int | None = super()._internal_poll(_deadstate, *given, **more)  # type: ignore[misc]  # as above
            return code
        self._look(0)
        return self.returncode

    def _wait(self, timeout: float | None) -> int:
        if self._connection is None:
            code: int = super()._wait(timeout=timeout)  # type: ignore[misc]  # as above
            return code
        self._look(timeout)
        if self.returncode is None:
            raise subprocess.TimeoutExpired(self.args, timeout or 0.0)
        return self.returncode

    def _look(self, seconds: float | None) -> None:
        """Has it ended, or will it within this time?"""
        assert self._connection is not None
        if self.returncode is not None or not select.select([self._connection], [], [], seconds)[0]:
            return
        with self._waitpid_lock:  # type: ignore[attr-defined]
            if self.returncode is None:
                self.returncode = int(self._connection.recv(32) or -9)  # nothing where the server was killed
                with suppress(OSError):
                    self._connection.send(b".")


def _umask() -> int:
    """Ours; to ask the system for it by os.umask would change it for a moment."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return int(next(line for line in lines if line.startswith("Umask:")).split()[1], 8)


def _is_program(argv: Any) -> bool:
    match argv:
        case [sys.executable, "-m", name, *_]:
            return name in PROGRAMS
        case [sys.executable, name, *_]:
            return str(name) == MANAGE
    return False


def _is_plain(env: Mapping[str, str] | None) -> bool:
    """Whether nothing else is asked of the interpreter."""
    names = os.environ if env is None else env
    return not any(name.startswith("PYTHON") and name not in OPTIONS for name in names)


def _connected() -> socket.socket:
    made = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    until = time.monotonic() + START_SECONDS
    while made.connect_ex(address()):
        assert time.monotonic() < until, "the server of preloaded programs did not start"
        time.sleep(0.01)
    return made
