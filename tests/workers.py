"""Real Celery workers on the tests' database and broker."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

from django.conf import settings
from django.db import connection

ROOT = Path(__file__).resolve().parents[1]
START_SECONDS = 60.0


class Worker:
    """One `celery worker` with its pool of processes, in a process group of its own."""

    def __init__(self, log: Path, *, processes: int, queues: tuple[str, ...], env: dict[str, str]) -> None:
        self.log = log
        names = ",".join(settings.QUEUE_PREFIX + queue for queue in queues)
        argv = [sys.executable, "-m", "celery", "-A", "config", "worker", "-l", "INFO", "-O", "fair"]
        argv += ["-c", str(processes), "-Q", names, "-n", f"{log.stem}@%h"]
        argv += ["--without-gossip", "--without-mingle", "--without-heartbeat"]
        with log.open("wb") as output:
            self.process = subprocess.Popen(
                argv, cwd=ROOT, env=environment() | env, stdout=output, stderr=output, start_new_session=True
            )

    @property
    def children(self) -> list[int]:
        """The processes of the pool."""
        pid = self.process.pid
        try:
            return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
        except (FileNotFoundError, ProcessLookupError):
            return []

    @property
    def is_alive(self) -> bool:
        return self.process.poll() is None

    def wait_ready(self) -> "Worker":
        wait_until(lambda: " ready." in self.log.read_text() or not self.is_alive, seconds=START_SECONDS)
        assert self.is_alive, self.log.read_text()
        return self

    def kill(self, number: signal.Signals = signal.SIGKILL) -> None:
        """The whole group at once: no process of it gets to say a word."""
        if self.is_alive:
            os.killpg(self.process.pid, number)
        self.process.wait()


def environment() -> dict[str, str]:
    """For a process that works on the tests' database."""
    name = connection.settings_dict["NAME"]
    server = os.environ["MOTHERLODE_TEST_DATABASE_URL"]
    database = f"sqlite:///{name}" if connection.vendor == "sqlite" else f"{server}/{name}"
    path = os.pathsep.join(filter(None, sys.path))  # it sees the modules that we see
    return os.environ | {"MOTHERLODE_DATABASE_URL": database, "PYTHONPATH": path}


def wait_until(condition: Callable[[], bool], *, seconds: float = 30.0) -> None:
    """Wait for what must come true; fails when it does not."""
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, f"waited {seconds} s in vain"
        time.sleep(0.02)
