"""A real server and the real `lode`, with a wire between them that counts and can be cut."""

import os
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from tests import commands
from tests.datasets.conftest import png
from tests.web import Web
from tests.workers import ROOT

from accounts.models import Token, User
from blobs.store import BlobStore
from catalog.models import Dataset
from embedded.ports import HOST
from motherlode import Motherlode
from motherlode.cli.terminal import SOME_REFUSED


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
        self._env = {"MOTHERLODE_URL": f"http://{HOST}:{wire.port}", "MOTHERLODE_TOKEN": token,
                     "XDG_CACHE_HOME": str(home), "COLUMNS": "200"}  # fmt: skip

    def start(self, *words: str) -> "subprocess.Popen[str]":
        """As a process of its own, which can be killed."""
        argv, env = [sys.executable, "-m", "motherlode", "dataset", *words], os.environ | self._env
        env["PYTHONPATH"] = str(ROOT / "platform")
        return subprocess.Popen(argv, env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def __call__(self, *words: str, code: int = 0) -> str:
        done = commands.lode(("dataset", *words), env=self._env, cwd=Path.cwd())
        assert done.returncode == code, f"{done.stdout}\n{done.stderr}"
        return done.stdout if code in {0, SOME_REFUSED} else done.stderr


@pytest.fixture
def wire(web: Web, object_store: BlobStore) -> Iterator[Wire]:
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
