"""nginx with deploy/nginx.conf finds a web service that was replaced: its name is asked for anew."""

import http.server
import os
import subprocess
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from bench.crowd.deployed import Places, proxy_command
from bench.upgrade.names import NameServer
from tests.workers import wait_until

from embedded.ports import HOST, free_ports, port_is_free
from embedded.setup.browser import find_proxy

KEPT_SECONDS = 3.0  # each process of nginx keeps an answer for two; the name server says ten minutes
FIRST, SECOND = "127.0.0.2", "127.0.0.3"


class Web:
    """A web service on an address, which answers with it."""

    def __init__(self, address: str, port: int) -> None:
        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                self.send_response(200)
                self.send_header("Content-Length", str(len(address)))
                self.end_headers()
                self.wfile.write(address.encode())

            def log_message(self, *_: object) -> None:
                pass

        self.server = http.server.ThreadingHTTPServer((address, port), Handler)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def stop(self) -> None:
        self.server.shutdown()
        self.server.server_close()


@pytest.fixture
def nginx() -> str:
    program = find_proxy()
    if program is None:
        if os.environ.get("CI") == "true":
            pytest.fail("no nginx on PATH: in CI the proxy must be tried")
        pytest.skip("no nginx on PATH")
    return program


@pytest.fixture
def stack() -> Iterator[ExitStack]:
    with ExitStack() as opened:
        yield opened


def answered(port: int) -> str:
    try:
        with urllib.request.urlopen(f"http://{HOST}:{port}/", timeout=10) as answer:
            return str(answer.read().decode())
    except urllib.error.HTTPError as error:
        return str(error.code)


def started(nginx: str, folder: Path, names: NameServer, stack: ExitStack) -> tuple[int, int]:
    """nginx, which finds the web by its name: its own port, and that of the web."""
    web, port, plain, store = free_ports(4)
    argv = proxy_command(nginx, folder, Places(plain, port, store, web, f"{HOST}:1", "web.test", names.place))
    config = (folder / "nginx.conf").read_text()
    (folder / "nginx.conf").write_text(config.replace(f"listen {port} ssl;", f"listen {HOST}:{port};"))
    process = subprocess.Popen(argv, cwd=folder, stderr=subprocess.DEVNULL, start_new_session=True)
    stack.callback(process.wait)
    stack.callback(process.terminate)
    wait_until(lambda: not port_is_free(port))
    return port, web


def test_a_web_service_at_a_new_address_is_found_within_seconds(nginx: str, tmp_path: Path, stack: ExitStack) -> None:
    names = NameServer([FIRST])
    stack.callback(names.close)
    port, at = started(nginx, tmp_path, names, stack)
    assert answered(port) == "502"  # it starts without a web, as after `docker compose up`
    first = Web(FIRST, at)
    assert answered(port) == FIRST
    second = Web(SECOND, at)
    stack.callback(second.stop)
    names.addresses = [SECOND]
    time.sleep(KEPT_SECONDS)
    first.stop()
    assert {answered(port) for _ in range(20)} == {SECOND}


def test_of_two_web_services_one_that_is_gone_is_passed_over(nginx: str, tmp_path: Path, stack: ExitStack) -> None:
    names = NameServer([FIRST, SECOND])
    stack.callback(names.close)
    port, at = started(nginx, tmp_path, names, stack)
    first, second = Web(FIRST, at), Web(SECOND, at)
    stack.callback(second.stop)
    assert {answered(port) for _ in range(40)} == {FIRST, SECOND}
    first.stop()
    assert {answered(port) for _ in range(40)} == {SECOND}
