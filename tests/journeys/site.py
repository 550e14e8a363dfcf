"""A whole embedded platform for the journeys, and what a test may learn of it from outside."""

import json
import os
import signal
import sqlite3
import subprocess
import sys
import time
import urllib.request
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from tests import forked

from embedded.ports import HOST, free_ports
from embedded.state import SupervisorState
from motherlode.client import Motherlode

ROOT = Path(__file__).resolve().parents[2]
SHELVES = ("platform", "datasets", "models", "mining")
PRELOADED = Path(__file__).with_name("preloaded")
START_SECONDS = 200


@dataclass(frozen=True, slots=True)
class Site:
    """A running platform: where it is, its owner's token, and the folder with its state."""

    url: str
    token: str
    var: Path

    def client(self) -> Motherlode:
        return Motherlode(self.url, self.token)

    def pid(self, process: str) -> int:
        """The pid of one of the supervisor's processes, such as `web`."""
        state = SupervisorState.read(self.var / "supervisor.json")
        assert state is not None
        return state.processes[process].pid

    def log(self, process: str, *, lines: int = 40) -> str:
        """The end of what a process wrote."""
        text = (self.var / "log" / f"{process}.log").read_text(encoding="utf-8", errors="replace")
        return "".join(text.splitlines(keepends=True)[-lines:])

    def kill(self, process: str) -> int:
        """End one of its processes with its children as a crash would; the supervisor restarts it. Returns its pid."""
        pid = self.pid(process)
        os.killpg(pid, signal.SIGKILL)
        return pid

    def wait_for_restart(self, process: str, *, killed: int, seconds: float = 60) -> None:
        """Until another one than `killed` runs in its place."""
        deadline = time.monotonic() + seconds
        while not self._is_back(process, killed):
            assert time.monotonic() < deadline, f"{process} did not come back"
            time.sleep(0.2)

    def _is_back(self, process: str, killed: int) -> bool:
        state = SupervisorState.read(self.var / "supervisor.json")
        found = state.processes[process] if state else None
        return found is not None and found.pid not in {0, killed} and found.state == "running"

    def answers(self, queue: str) -> dict[str, list[str]]:
        """By sample key: the classes that were answered and stand. Read from the rows, which hide no duplicate."""
        rows = self._rows(
            "SELECT sample.key, json_extract(answer.value, '$.class') FROM labeling_answer answer"
            " JOIN labeling_task task ON task.id = answer.task_id"
            " JOIN labeling_queue queue ON queue.id = task.queue_id"
            " JOIN catalog_sample sample ON sample.id = task.sample_id"
            " WHERE queue.name = ? AND NOT answer.withdrawn AND answer.value IS NOT NULL",
            queue,
        )
        given: dict[str, list[str]] = {}
        for key, name in rows:
            given.setdefault(key, []).append(name)
        return given

    def _rows(self, query: str, *values: str) -> list[tuple[str, str]]:
        with closing(sqlite3.connect(f"file:{self.var / 'db.sqlite3'}?mode=ro", uri=True)) as database:
            return database.execute(query, values).fetchall()

    def change_queue(self, queue: str, **terms: object) -> None:
        """Change what holds for a queue, such as its `kind`, as its owner."""
        request = urllib.request.Request(  # noqa: S310  # an http:// address of our own
            f"{self.url}/labeling/queues/{queue}",
            method="PATCH",
            data=json.dumps(terms).encode(),
            headers={"Authorization": f"Bearer {self.token}", "Content-Type": "application/json"},
        )
        with urllib.request.urlopen(request) as answer:  # noqa: S310  # as above
            assert answer.status == 200

    def add_user(self, username: str) -> str:
        """The token of a new annotator; people are added on the machine until there is a call for it."""
        script = f"from accounts.services import create_user; print(create_user({username!r}, role='annotator')[1])"
        return self.run_script(script).strip().splitlines()[-1]

    def run_script(self, script: str) -> str:
        """What a Python script says that runs on the platform's machine, with its settings."""
        manage = [sys.executable, str(ROOT / "manage.py"), "shell", "--no-imports", "-c", script]
        environment = self.environment()
        done = subprocess.run(manage, cwd=ROOT, env=environment, capture_output=True, text=True, check=True)
        return done.stdout

    def environment(self) -> dict[str, str]:
        """The environment of the platform's own processes, as the kernel shows it."""
        pairs = Path(f"/proc/{self.pid('web')}/environ").read_bytes().decode().split("\0")
        return dict(pair.split("=", 1) for pair in pairs if "=" in pair)


def start(var: Path) -> Site:
    """A fresh platform over an empty folder, on a free port; the caller stops it."""
    port = free_ports(1)[0]
    done = command(var, "up", "--detach", "--port", str(port))
    if done.returncode != 0:
        raise RuntimeError(f"the platform did not start\n{done.stdout}{done.stderr}")
    return Site(f"http://{HOST}:{port}", (var / "token").read_text().strip(), var)


def command(var: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """`python -m embedded` as a person would call it, with nothing of the test session's own settings; but what torch
    takes seconds to load is loaded already when a program starts."""
    argv = [sys.executable, "-m", "embedded", "--var", str(var), *arguments]
    mine = {name: value for name, value in os.environ.items() if not name.startswith(("MOTHERLODE_", "DJANGO_"))}
    shelves = [str(ROOT / shelf) for shelf in SHELVES]
    environment = mine | {"PYTHONPATH": os.pathsep.join(shelves)}
    if forked.WANTED:
        environment |= {"PYTHONPATH": os.pathsep.join([str(PRELOADED), *shelves]), forked.PLACE: forked.address()}
        environment["MOTHERLODE_PRELOAD_PROGRAMS"] = "0"
    return subprocess.run(
        argv, cwd=ROOT, env=environment, capture_output=True, text=True, check=False, timeout=START_SECONDS
    )
