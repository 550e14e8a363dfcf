"""A real server and the real `lode`, with a wire between them that counts and can be cut."""

import os
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from pathlib import Path

import pytest
from tests.datasets.conftest import png
from tests.workers import ROOT, environment, wait_until

from accounts.models import Token, User
from blobs.store import BlobStore
from catalog.models import Dataset
from motherlode import Motherlode
from motherlode.cli.terminal import SOME_REFUSED

HOST = "127.0.0.1"


class Web:
    """A granian that serves this test's database; it can be killed and started again on the same port."""

    def __init__(self, port: int, log: Path) -> None:
        self.port = port
        self._log = log
        self.start()

    def start(self) -> None:
        argv = [str(Path(sys.executable).with_name("granian")), "--interface", "wsgi", "--host", HOST, "--http", "1"]
        argv += ["--port", str(self.port), "--no-ws", "--blocking-threads", "4", "config.wsgi:application"]
        with self._log.open("ab") as log:
            self.process = subprocess.Popen(
                argv, cwd=ROOT, env=environment(), stdout=log, stderr=log, start_new_session=True
            )
        wait_until(self._answers)

    def kill(self) -> None:
        """The whole group at once."""
        with suppress(ProcessLookupError):
            os.killpg(self.process.pid, 9)
        self.process.wait()

    def _answers(self) -> bool:
        assert self.process.poll() is None, self._log.read_text()
        with suppress(OSError), closing(socket.create_connection((HOST, self.port), timeout=2)) as one:
            one.sendall(b"GET /health/live HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n")
            return b"200" in one.recv(100)
        return False


class Wire:
    """A TCP relay to the server: it counts the bytes of each direction and, when told, breaks after so many."""

    def __init__(self, target: int) -> None:
        self._target = target
        self._listener = socket.create_server((HOST, 0))
        self.port = self._listener.getsockname()[1]
        self.up = self.down = 0
        self.cut_after: dict[str, int | None] = {"up": None, "down": None}
        self.on_cut: Callable[[], None] = lambda: None
        threading.Thread(target=self._serve, daemon=True).start()

    def settle(self) -> None:
        """Wait for what a killed client had handed to its kernel: it still comes, and is counted."""
        seen = -1
        while seen != self.up:
            seen = self.up
            time.sleep(1)

    def reset(self) -> None:
        self.up = self.down = 0

    def close(self) -> None:
        self._listener.close()

    def _serve(self) -> None:
        with suppress(OSError):
            while True:
                client, _ = self._listener.accept()
                try:
                    server = socket.create_connection((HOST, self._target), timeout=60)
                except OSError:
                    client.close()
                    continue
                for source, sink, way in ((client, server, "up"), (server, client, "down")):
                    threading.Thread(target=self._copy, args=(source, sink, way), daemon=True).start()

    def _copy(self, source: socket.socket, sink: socket.socket, way: str) -> None:
        with suppress(OSError):
            while chunk := source.recv(65536):
                setattr(self, way, getattr(self, way) + len(chunk))
                limit = self.cut_after[way]
                if limit is not None and getattr(self, way) > limit:
                    self.cut_after[way] = None
                    self.on_cut()
                    break
                sink.sendall(chunk)
        for one in (source, sink):
            with suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)


class Lode:
    """The command line of one person on one machine."""

    def __init__(self, wire: Wire, token: str, home: Path) -> None:
        path = os.pathsep.join([str(ROOT / "platform")])
        self._env = os.environ | {"MOTHERLODE_URL": f"http://{HOST}:{wire.port}", "MOTHERLODE_TOKEN": token,
                                  "XDG_CACHE_HOME": str(home), "PYTHONPATH": path, "COLUMNS": "200"}  # fmt: skip

    def start(self, *words: str) -> "subprocess.Popen[str]":
        argv = [sys.executable, "-m", "motherlode", "dataset", *words]
        return subprocess.Popen(argv, env=self._env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def __call__(self, *words: str, code: int = 0) -> str:
        process = self.start(*words)
        out, err = process.communicate(timeout=120)
        assert process.returncode == code, f"{out}\n{err}"
        return out if code in {0, SOME_REFUSED} else err


@pytest.fixture
def web(transactional_db: None, object_store: BlobStore, tmp_path: Path) -> Iterator[Web]:
    with closing(socket.create_server((HOST, 0))) as probe:
        port = probe.getsockname()[1]
    made = Web(port, tmp_path / "web.log")
    yield made
    made.kill()


@pytest.fixture
def wire(web: Web) -> Iterator[Wire]:
    made = Wire(web.port)
    yield made
    made.close()


@pytest.fixture
def token(alice: User) -> str:
    return Token.objects.issue(alice, "lode")[1]


@pytest.fixture
def lode(wire: Wire, token: str, dataset: Dataset, tmp_path: Path) -> Lode:
    """Alice's `lode`, with a dataset `digits` to push to."""
    return Lode(wire, token, tmp_path / "cache")


@pytest.fixture
def client(wire: Wire, token: str, dataset: Dataset) -> Iterator[Motherlode]:
    with Motherlode(f"http://{HOST}:{wire.port}", token, patience=30) as made:
        yield made


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Sixty images of about 10 KB, in folders named like classes and splits."""
    root = tmp_path / "images"
    for number in range(60):
        path = root / ("test" if number % 10 == 0 else "train") / ("cat", "dog")[number % 2] / f"{number:03d}.png"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(png(number, (100, 100)))
    return root


def bytes_of(folder: Path) -> dict[str, bytes]:
    """Every file that is not hidden, by its path in the folder."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file() and not any(part.startswith(".") for part in path.relative_to(folder).parts)
    }
