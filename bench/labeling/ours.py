"""Our web processes as the supervisor starts them, on PostgreSQL or SQLite."""

import json
import os
import subprocess
import sys
import uuid
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path

from bench.labeling.driving import Line, Taken
from bench.labeling.prepare import DATASET
from bench.labeling.servers import busy, database, serving
from embedded.layout import project_root
from embedded.ports import HOST, free_ports
from embedded.profile import WEB_THREADS

WORKERS = 2
PAGE = 200
QUEUE = "/labeling/queues/bench"


class Motherlode:
    """The running platform, its queue named `bench`."""

    def __init__(self, url: str, tokens: list[str], pid: int, db: str) -> None:
        kind = db.partition(":")[0].replace("postgres", "PostgreSQL").replace("sqlite", "SQLite")
        self.name, self._db, self._pid = f"ours, granian {WORKERS}×{WEB_THREADS}, {kind}", db, pid
        self._owner, *self.lines = [Line(url, f"Bearer {token}") for token in tokens]

    def load(self, count: int) -> None:
        """One call over samples that lie in a dataset already."""
        body = {"name": "bench", "dataset": DATASET, "samples": [f"{n:07d}.jpg" for n in range(count)]}
        told = self._owner.json("POST", "/labeling/queues", body)
        assert told["counts"]["todo"] == count

    def take(self, line: Line) -> Taken:
        """A lease on one task."""
        (task,) = line.json("POST", f"{QUEUE}/next", {"count": 1})["tasks"]
        return Taken(task["id"], task["lease_token"])

    def submit(self, line: Line, taken: Taken) -> None:
        """One class, with the key that makes a repetition harmless, as the browser sends it."""
        body = {"value": {"class": "a"}, "seconds": 1.0, "shown_suggestion": False, "lease_token": taken.token}
        line.ask("POST", f"/labeling/tasks/{taken.task}/answer", body, Idempotency_Key=uuid.uuid4().hex)

    def submit_page(self, line: Line) -> int:
        """Take and answer a page of tasks in two calls, as a grid does. Returns how many were saved."""
        tasks = line.json("POST", f"{QUEUE}/next", {"count": PAGE})["tasks"]
        said = [
            {"task": task["id"], "value": {"class": "a"}, "seconds": 0.1, "lease_token": task["lease_token"]}
            for task in tasks
        ]
        results = line.json("POST", f"{QUEUE}/answers", {"answers": said}, Idempotency_Key=uuid.uuid4().hex)["results"]
        return sum(one["status"] == "saved" for one in results)

    def export(self, *, everything: bool) -> int:
        """JSON lines."""
        return self._owner.ask("GET", f"{QUEUE}/answers{'' if everything else '?state=done'}").count(b"\n")

    def busy(self) -> float:
        """As the side's protocol has it."""
        return busy(self._pid, self._db)


@contextmanager
def running(folder: Path, server: str | None, *, samples: int, people: int) -> Iterator[Motherlode]:
    """A fresh platform with a dataset and so many annotators; on SQLite below `folder` without a server."""
    place = folder / ("postgres" if server else "sqlite")
    (place / "static").mkdir(parents=True)
    where = database(server, "ours") if server else nullcontext(f"sqlite:///{place / 'db.sqlite3'}")
    with where as url:
        env = {
            **os.environ,
            "MOTHERLODE_SECRET_KEY": os.urandom(32).hex(),
            "MOTHERLODE_VAR": str(place),
            "MOTHERLODE_DATABASE_URL": url,
            "MOTHERLODE_LOG_LEVEL": "WARNING",
        }
        argv = [sys.executable, "-m", "bench.labeling.prepare", str(samples), str(people)]
        done = subprocess.run(argv, env=env, cwd=project_root(), capture_output=True, text=True, check=False)
        if done.returncode:
            raise SystemExit(done.stderr[-3000:])
        port, granian = free_ports(1)[0], str(Path(sys.executable).with_name("granian"))
        argv = [granian, "--interface", "wsgi", "--host", HOST, "--port", str(port), "--http", "1", "--no-ws"]
        argv += ["--workers", str(WORKERS), "--blocking-threads", str(WEB_THREADS), "config.wsgi:application"]
        address, log = f"http://{HOST}:{port}", place / "web.log"
        with serving(argv, env=env, folder=project_root(), log=log, ready=f"{address}/health/live") as pid:
            yield Motherlode(address, json.loads(done.stdout.splitlines()[-1]), pid, url)
