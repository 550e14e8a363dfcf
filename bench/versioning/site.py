"""A platform of its own, whose object store the peer uses as well."""

import json
import os
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import psutil

from blobs.settings import StoreConfig
from blobs.store import BlobStore
from embedded.environment import BUCKET
from embedded.layout import Layout, project_root
from embedded.ports import HOST, free_ports
from embedded.state import SupervisorState
from motherlode.client import Motherlode

POLL_SECONDS = 0.02
PATIENCE_SECONDS = 600.0
OURS = ("web", "worker")
STORE = "object-store"


@dataclass(frozen=True, slots=True)
class Site:
    """A running platform: its address, its owner's token, its object store, and all of its state below `var`."""

    url: str
    token: str
    store: StoreConfig
    var: Path

    def client(self) -> Motherlode:
        """A client of the owner's."""
        return Motherlode(self.url, self.token)

    def lode(self, *arguments: str) -> None:
        """Run the client's own command."""
        known = {"MOTHERLODE_URL": self.url, "MOTHERLODE_TOKEN": self.token}
        run([sys.executable, "-m", "motherlode", *arguments], environment=known)

    def repository(self, dataset: str) -> str:
        """The address at which git and DVC find a dataset, the token in it."""
        return f"{self.url.replace('://', f'://owner:{self.token}@')}/datasets/{dataset}.git"

    def run_job(self, path: str) -> None:
        """POST to what answers with a job, and wait until that is done."""
        request = urllib.request.Request(  # noqa: S310 - our own address
            self.url + path, method="POST", headers={"Authorization": f"Bearer {self.token}"}
        )
        with urllib.request.urlopen(request) as answer:  # noqa: S310 - as above
            job = json.load(answer)["job"]["id"]
        with self.client() as client:
            client.jobs.wait(job, poll=POLL_SECONDS)

    def wait_published(self, dataset: str, version: int) -> None:
        """Return as soon as git would be told of the version's tag."""
        address = f"{self.url}/datasets/{dataset}.git/info/refs?service=git-upload-pack"
        request = urllib.request.Request(address, headers={"Authorization": f"Bearer {self.token}"})  # noqa: S310 - ours
        deadline = time.monotonic() + PATIENCE_SECONDS
        while time.monotonic() < deadline:
            try:
                with urllib.request.urlopen(request) as answer:  # noqa: S310 - as above
                    if f"refs/tags/v{version}\n".encode() in answer.read():
                        return
            except urllib.error.HTTPError as error:
                if error.code != 404:  # nothing is published yet
                    raise
            time.sleep(POLL_SECONDS)
        raise SystemExit(f"{dataset} v{version} was not published within {PATIENCE_SECONDS:.0f} s")

    def resident(self) -> int:
        """Bytes of memory that the web and the workers hold."""
        return sum(_resident(process) for process in self._processes())

    def busy(self) -> float:
        """Seconds of CPU that the web and the workers have taken so far."""
        return sum(_busy(process) for process in self._processes())

    def store_busy(self) -> float:
        """The same of the object store."""
        return sum(_busy(process) for process in self._processes(STORE))

    def _processes(self, names: str | tuple[str, ...] = OURS) -> list[psutil.Process]:
        state = SupervisorState.read(Layout(self.var).state)
        if state is None:
            raise SystemExit("the platform has stopped")
        known = [one.pid for name, one in state.processes.items() if name.startswith(names) and one.pid]
        chosen = [psutil.Process(pid) for pid in known]
        return [each for one in chosen for each in (one, *one.children(recursive=True))]


@contextmanager
def own_site(folder: Path, **settings: str) -> Iterator[Site]:
    """A fresh platform below `folder`, with these settings; stopped at the end."""
    var, port = folder / "var", free_ports(1)[0]
    embedded = [sys.executable, "-m", "embedded", "--var", str(var)]
    try:
        run([*embedded, "up", "--detach", "--port", str(port)], environment=settings)
        layout = Layout(var)
        secrets, ports = layout.secrets(), json.loads((var / "ports.json").read_text())
        address = f"{HOST}:{ports['s3']}"
        store = StoreConfig(address, secrets.s3_access_key, secrets.s3_secret_key, BUCKET, secure=False)
        yield Site(f"http://{HOST}:{port}", layout.token.read_text().strip(), store, var)
    finally:
        run([*embedded, "down"])


def ensure_bucket(store: StoreConfig) -> None:
    """Make the bucket of this configuration."""
    BlobStore(store).ensure_bucket()


def run(argv: list[str], *, folder: Path | None = None, environment: dict[str, str] | None = None) -> None:
    """Run a program to its end; what it said is shown only when it fails."""
    done = subprocess.run(
        argv, cwd=folder or project_root(), env={**os.environ, **(environment or {})}, capture_output=True, text=True
    )
    if done.returncode:
        raise SystemExit(f"{' '.join(argv[:6])} failed:\n{done.stdout[-3000:]}{done.stderr[-3000:]}")


def _busy(process: psutil.Process) -> float:
    try:
        times = process.cpu_times()
    except psutil.NoSuchProcess:
        return 0.0
    return float(times.user + times.system + times.children_user + times.children_system)


def _resident(process: psutil.Process) -> int:
    try:
        return int(process.memory_info().rss)
    except psutil.NoSuchProcess:
        return 0
