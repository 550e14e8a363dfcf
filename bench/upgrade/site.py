"""A platform whose processes may each run another version's code, on a database, queues and a bucket of its own."""

import os
import signal
import subprocess
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from bench.crowd.deployed import program
from bench.upgrade.code import Code
from embedded.environment import SHELVES

START_SECONDS = 120.0
DRAIN_SECONDS = 20.0
SHOWN_BYTES = 3000
QUEUES = "compute,gpu,default,clock"


@dataclass(slots=True)
class Process:
    """A web server, a worker or beat, in a process group of its own."""

    name: str
    popen: "subprocess.Popen[bytes]"
    log: Path

    def stop(self) -> None:
        """Ask it to end, then to give back what it has, then end it."""
        for number, patience in ((signal.SIGTERM, 3.0), (signal.SIGQUIT, DRAIN_SECONDS)):
            with suppress(subprocess.TimeoutExpired):
                self.popen.send_signal(number)
                self.popen.wait(patience)
                break
        with suppress(ProcessLookupError):
            os.killpg(self.popen.pid, signal.SIGKILL)
        self.popen.wait()

    def said(self) -> str:
        """Return the end of its log."""
        return self.log.read_text(errors="replace")[-SHOWN_BYTES:]


@dataclass(slots=True)
class Site:
    """Where the processes find everything: `variables` name the database, the broker, the bucket and the secret."""

    folder: Path
    variables: Mapping[str, str]
    processes: list[Process] = field(default_factory=list)

    @property
    def token(self) -> str:
        """Return the owner's token, which `bootstrap` has made."""
        return (self.folder / "token").read_text().strip()

    def environment(self, code: Code) -> dict[str, str]:
        """Return the environment of a process of this code."""
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("MOTHERLODE_", "OTEL_"))}
        return {
            **kept,
            "DJANGO_SETTINGS_MODULE": "config.settings",
            "PYTHONPATH": os.pathsep.join(str(code.root / shelf) for shelf in SHELVES),
            "PYTHONUNBUFFERED": "1",
            "MOTHERLODE_VAR": str(self.folder),
            "MOTHERLODE_CACHE_DIR": str(self.folder / "cache"),
            **self.variables,
        }

    def manage(self, code: Code, *words: str) -> str:
        """Run a command of manage.py and return what it prints. Raises SystemExit with its words."""
        argv = [program("python"), "manage.py", *words]
        done = subprocess.run(
            argv, cwd=code.root, env=self.environment(code), capture_output=True, text=True, check=False
        )
        if done.returncode:
            raise SystemExit(f"{' '.join(words)} of {code.version} failed:\n{done.stdout}{done.stderr}"[-SHOWN_BYTES:])
        return done.stdout

    def web(self, code: Code, *, host: str, port: int, wait: bool = True) -> Process:
        """Start a web server; with `wait`, return once it answers."""
        argv = [
            program("granian"),
            "--interface",
            "wsgi",
            "--host",
            host,
            "--port",
            str(port),
            "--http",
            "1",
            "--no-ws",
        ]
        argv += ["--workers", "1", "--blocking-threads", "8", "--workers-kill-timeout", "8", "config.wsgi:application"]
        made = self._start(f"web-{host}", code, argv)
        if wait:
            self._await(made, lambda: answers(f"http://{host}:{port}/health/live"))
        return made

    def worker(self, code: Code, name: str, *, slots: int = 1, wait: bool = True) -> Process:
        """Start a worker for all queues; with `wait`, return once it listens."""
        prefix = self.variables["MOTHERLODE_QUEUE_PREFIX"]
        queues = ",".join(prefix + queue for queue in QUEUES.split(","))
        argv = [program("python"), "-m", "celery", "-A", "config", "worker", "-n", f"{prefix}{name}@%h", "-Q", queues]
        argv += ["-c", str(slots), "-l", "INFO", "--prefetch-multiplier", "1", "-O", "fair"]
        made = self._start(name, code, [*argv, "--without-gossip", "--without-mingle"])
        if wait:
            self._await(made, lambda: " ready." in made.log.read_text(errors="replace"))
        return made

    def beat(self, code: Code) -> Process:
        """Start beat, which wakes what stands still."""
        return self._start("beat", code, [program("python"), "-m", "celery", "-A", "config", "beat", "--pidfile="])

    def stop(self) -> None:
        """Stop all processes that still run, the newest first."""
        for process in reversed(self.processes):
            process.stop()

    def _start(self, name: str, code: Code, argv: Sequence[str]) -> Process:
        log = self.folder / f"{name}-{len(self.processes):03}.log"
        with log.open("wb") as output:
            popen = subprocess.Popen(
                argv, cwd=code.root, env=self.environment(code), stdout=output, stderr=output, start_new_session=True
            )
        self.processes.append(Process(name, popen, log))
        return self.processes[-1]

    @staticmethod
    def _await(process: Process, ready: Callable[[], bool]) -> None:
        deadline = time.monotonic() + START_SECONDS
        while not ready():
            if process.popen.poll() is not None or time.monotonic() > deadline:
                raise SystemExit(f"{process.name} did not start:\n{process.said()}")
            time.sleep(0.1)


def answers(url: str) -> bool:
    """Whether an address answers with 200."""
    with suppress(urllib.error.URLError, OSError), urllib.request.urlopen(url, timeout=5) as answer:  # noqa: S310 - http://
        return bool(answer.status == 200)
    return False
