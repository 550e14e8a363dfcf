"""One real web server for all tests of a process, on their database and store."""

import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, suppress
from pathlib import Path

import pytest
from tests.broker import Broker
from tests.workers import ROOT, environment, wait_until

from blobs.settings import StoreConfig
from embedded.ports import HOST, free_ports

THREADS = 8
ASKED = b"GET /health/live HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n"


class Web:
    """A granian; it can be killed, and started again on the same port."""

    def __init__(self, env: dict[str, str], log: Path) -> None:
        self.port = free_ports(1)[0]
        self.url = f"http://{HOST}:{self.port}"
        self._env, self._log = env, log
        self.start()

    def start(self) -> None:
        argv = [str(Path(sys.executable).with_name("granian")), "--interface", "wsgi", "--host", HOST, "--http", "1"]
        argv += ["--port", str(self.port), "--no-ws", "--blocking-threads", str(THREADS), "config.wsgi:application"]
        with self._log.open("ab") as log:
            self.process = subprocess.Popen(
                argv, cwd=ROOT, env=self._env, stdout=log, stderr=log, start_new_session=True
            )
        wait_until(self._answers, seconds=60)

    def kill(self) -> None:
        """The whole group at once."""
        with suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()

    def _answers(self) -> bool:
        assert self.process.poll() is None, self._log.read_text()
        with suppress(OSError), closing(socket.create_connection((HOST, self.port), timeout=5)) as one:
            one.sendall(ASKED)
            return b"200" in one.recv(100)
        return False


@pytest.fixture(scope="session")
def web_server(
    django_db_setup: None, s3_server: StoreConfig, broker_server: Broker, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Web]:
    made = Web(environment() | s3_server.to_env(), tmp_path_factory.mktemp("web") / "web.log")
    yield made
    made.kill()


@pytest.fixture
def web(web_server: Web, transactional_db: None) -> Web:
    """The running server; what a test commits is seen by it."""
    if web_server.process.poll() is not None:
        web_server.start()
    return web_server
