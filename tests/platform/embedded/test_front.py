"""The front of the web server, before a real one: slow clients hold connections, and no thread that others need."""

import asyncio
import json
import re
import resource
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from http.client import HTTPConnection
from pathlib import Path

import pytest
from django.conf import settings
from tests.workers import ROOT, environment, wait_until

from accounts.models import Token, User
from embedded import front
from embedded.front import Front, RefusedError, body_length
from embedded.ports import HOST, free_ports

THREADS, STREAMS, REQUESTS = 4, 1, 2
LARGE = b"x" * (1600 << 10)  # a static file, as large as the largest of them
OPEN = b"POST /session HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{"
GET = b"GET %s HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"
LOGGED_IN = OPEN.replace(b"/session", b"/datasets").replace(b"100\r\n", b"%d\r\nAuthorization: Bearer %s\r\n")


class Site:
    """A front on its port, and a web server of few threads behind it."""

    def __init__(self, path: Path) -> None:
        self.port = free_ports(1)[0]
        self.front = Front(str(path), streams=STREAMS, requests=REQUESTS, most_clients=4096)
        self._loop = asyncio.new_event_loop()
        self._serving = self._loop.create_task(front.serve(self.front, self.port))
        self._thread = threading.Thread(target=self._loop.run_until_complete, args=[asyncio.wait([self._serving])])
        self._thread.start()
        wait_until(self._listens)

    def stop(self) -> None:
        self._loop.call_soon_threadsafe(self._serving.cancel)
        self._thread.join()
        self._loop.close()

    def _listens(self) -> bool:
        try:
            self.connect().close()
        except ConnectionRefusedError:
            return False
        return True

    def connect(self) -> socket.socket:
        return socket.create_connection((HOST, self.port), timeout=30)

    def ask(self, data: bytes) -> bytes:
        """What is answered to `data`, until the front closes."""
        with self.connect() as connection:
            connection.sendall(data)
            answer = b""
            while chunk := connection.recv(65536):
                answer += chunk
            return answer

    def passes(self, path: str = "/health/live") -> bool:
        """Whether it comes within a second. Where others hold what it needs no try does; on a busy machine one does."""
        return any(self.live(path) < 1 for _ in range(3))

    def live(self, path: str = "/health/live") -> float:
        """How long this takes, in seconds."""
        began = time.monotonic()
        connection = HTTPConnection(HOST, self.port, timeout=30)
        connection.request("GET", path)
        assert connection.getresponse().status == 200
        connection.close()
        return time.monotonic() - began

    def waiting(self, count: int) -> Callable[[], bool]:
        return lambda: len(self.front.waiting) >= count


@pytest.fixture(scope="module")
def path(django_db_setup: None, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The socket of a real granian."""
    path = tmp_path_factory.mktemp("web") / "web.sock"
    (Path(settings.STATIC_ROOT) / "large.js").write_bytes(LARGE)
    argv = [str(Path(sys.executable).with_name("granian")), "--interface", "wsgi", "--uds", str(path), "--http", "1"]
    argv += ["--no-ws", "--blocking-threads", str(THREADS), "--backpressure", "4096", "config.wsgi:application"]
    with path.with_name("web.log").open("wb") as log:
        process = subprocess.Popen(argv, cwd=ROOT, env=environment(), stdout=log, stderr=log)
    yield path
    process.terminate()
    process.wait()


@pytest.fixture(scope="module")
def site(path: Path) -> Iterator[Site]:
    made = Site(path)
    wait_until(
        lambda: b" 200 " in made.ask(b"GET /health/live HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n")
    )
    yield made
    made.stop()


@pytest.fixture
def secret(transactional_db: None, alice: User) -> bytes:
    return Token.objects.issue(alice, "test")[1].encode()


def slow_requests(secret: bytes) -> list[bytes]:
    """Those that begin and then trickle: a head, a stranger's body, a body of somebody logged in."""
    return [b"GET /health/live HTTP/1.1\r\nX-Slow: ", OPEN, LOGGED_IN % (100, secret)]


@pytest.mark.clock
def test_slow_heads_and_bodies_hold_no_thread(site: Site, secret: bytes) -> None:
    held(site, slow_requests(secret) * 8)


def test_long_bodies_that_come_slowly_leave_threads_to_others(site: Site, secret: bytes) -> None:
    held(site, [LOGGED_IN % (50 << 20, secret)] * 24, waiting=24 - STREAMS)


@pytest.mark.clock
@pytest.mark.parametrize("kind", range(3))
def test_two_thousand_slow_connections_hold_no_thread(site: Site, secret: bytes, kind: int) -> None:
    resource.setrlimit(resource.RLIMIT_NOFILE, (resource.getrlimit(resource.RLIMIT_NOFILE)[1],) * 2)
    held(site, [slow_requests(secret)[kind]] * 2000)


def held(site: Site, requests: list[bytes], *, waiting: int = 0) -> None:
    """While all of these hold their connections and send a byte a second, others are answered within a second."""
    with ExitStack() as stack:
        ours = []
        for request in requests:
            ours.append(stack.enter_context(site.connect()))
            ours[-1].sendall(request)
        wait_until(site.waiting(waiting or len(requests)))
        for _ in range(5):
            assert site.passes()
            for one in ours:
                one.sendall(b"x")
            time.sleep(0.2)
        assert len(site.front.waiting) >= (waiting or len(requests))


@pytest.mark.parametrize("count", [300, pytest.param(2000, marks=pytest.mark.clock)])
def test_clients_that_do_not_take_a_static_file_let_others_pass(site: Site, count: int) -> None:
    resource.setrlimit(resource.RLIMIT_NOFILE, (resource.getrlimit(resource.RLIMIT_NOFILE)[1],) * 2)
    with ExitStack() as stack:
        for _ in range(count):
            client = stack.enter_context(socket.socket())
            client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            client.connect((HOST, site.port))
            client.sendall(GET % b"/static/large.js")
        for _ in range(5):
            assert site.passes()
            assert site.passes("/app/")
    wait_until(lambda: not site.front.clients)


def test_connections_that_say_nothing_make_room_too(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    wait_until(lambda: not site.front.clients)
    monkeypatch.setattr(site.front, "most_clients", 3)
    with ExitStack() as stack:
        idle = [stack.enter_context(site.connect()) for _ in range(3)]
        wait_until(site.waiting(3))
        assert site.passes()
        assert idle[0].recv(1) == b""


def test_requests_sent_at_once_are_answered_one_after_the_other(site: Site) -> None:
    """Also to a client that says that it has no more to send."""
    head = GET % b"/static/large.js"
    with site.connect() as connection:
        connection.sendall(head.replace(b"GET", b"HEAD") + head + GET % b"/session" + GET % b"/health/live")
        connection.shutdown(socket.SHUT_WR)
        answer = b"".join(iter(lambda: connection.recv(65536), b""))
    assert re.findall(rb"HTTP/1.1 (\d+)", answer) == [b"200", b"200", b"401", b"200"]
    assert answer.count(LARGE) == 1


def test_what_comes_too_slowly_is_told_so_and_cut_off(
    site: Site, secret: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("HEAD_SECONDS", "BODY_SECONDS"):
        monkeypatch.setattr(front, name, 0.3)
    for request in [*slow_requests(secret), LOGGED_IN % (50 << 20, secret)]:
        head, _, body = site.ask(request).partition(b"\r\n\r\n")
        assert head.startswith(b"HTTP/1.1 408 ")
        assert json.loads(body)["code"] == "too_slow"
    wait_until(lambda: not site.front.clients)
    assert site.front.kept == 0


def test_a_connection_too_many_ends_the_one_that_has_been_waiting_longest(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    wait_until(lambda: not site.front.clients)
    monkeypatch.setattr(site.front, "most_clients", 3)
    with ExitStack() as stack:
        slow = []
        for count in range(1, 4):
            slow.append(stack.enter_context(site.connect()))
            slow[-1].sendall(OPEN)
            wait_until(site.waiting(count))
        assert site.passes()
        assert slow[0].recv(1) == b""
        wait_until(lambda: len(site.front.waiting) == 2)


def test_a_body_sent_in_pieces_arrives_whole(site: Site, secret: bytes) -> None:
    body = json.dumps({"name": "pets", "task": "classification", "classes": ["cat", "dog"], "nothing": "x" * 200_000})
    connection = HTTPConnection(HOST, site.port, timeout=30)
    headers = {"Authorization": f"Bearer {secret.decode()}", "Content-Type": "application/json"}
    for size in (1000, 2 << 20):  # kept until it is whole; passed on as it comes
        text = body.ljust(size).encode()
        pieces = iter([text[:1], text[1:500], text[500:]])
        connection.request("POST", "/datasets", pieces, headers | {"Content-Length": str(len(text))})
        answer = connection.getresponse()
        assert answer.status == 400
        assert "nothing" in json.loads(answer.read())["errors"]


def test_a_refusal_arrives_though_its_client_still_sends(site: Site) -> None:
    """The server closes at once; the front takes what still comes, and throws it away."""
    head = b"POST /datasets HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 20000000\r\n\r\n"
    for _ in range(5):
        answer = site.ask(head + bytes(20_000_000))  # no connection of ours is reset meanwhile
        assert answer.startswith(b"HTTP/1.1 401 ")
        assert answer.endswith(b"}")


def test_a_client_that_asks_first_is_told_to_send(site: Site) -> None:
    with site.connect() as connection:
        connection.sendall(OPEN[:-5] + b"\r\nExpect: 100-continue\r\n\r\n")
        assert connection.recv(100) == b"HTTP/1.1 100 Continue\r\n\r\n"
        connection.sendall(b'{"token": "x"}'.ljust(100))
        assert connection.recv(65536).startswith(b"HTTP/1.1 401 ")


def test_without_its_server_the_front_says_503(tmp_path: Path) -> None:
    alone = Site(tmp_path / "none.sock")
    answer = alone.ask(b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
    alone.stop()
    assert answer.startswith(b"HTTP/1.1 503 ")
    assert json.loads(answer.partition(b"\r\n\r\n")[2])["code"] == "unavailable"


@pytest.mark.parametrize(
    "headers",
    [
        b"Content-Length: 5\r\nTransfer-Encoding: chunked",
        b"Content-Length: 5\r\nContent-Length: 6",
        b"Content-Length: +5",
        b"Content-Length: 5, 5",
        b"Content-Length : 5",
        b"Transfer-Encoding: gzip, chunked",
        b"X: a\r\n Content-Length: 5",
        b"X: a\n\nPOST /session HTTP/1.1\nContent-Length: 5",
        b"X: a\rContent-Length: 5",
    ],
)
def test_a_head_that_servers_read_differently_is_refused(headers: bytes) -> None:
    with pytest.raises(RefusedError):
        body_length(b"POST /session HTTP/1.1\r\nHost: x\r\n" + headers + b"\r\n\r\n")


def test_how_long_a_body_is() -> None:
    head = b"POST /session HTTP/1.1\r\nHost: x\r\n%s\r\n\r\n"
    assert body_length(head % b"content-length:\t7 ") == 7
    assert body_length(head % b"Transfer-Encoding: Chunked") is None
    assert body_length(head % b"X-Content-Length: 9") == 0


class Leaving:
    """A web server that closes its first connections without a word, as one does that is being replaced."""

    def __init__(self, path: Path, *, closes: int) -> None:
        self.asked: list[bytes] = []
        self._closes = closes
        self._listener = socket.socket(socket.AF_UNIX)
        self._listener.bind(str(path))
        self._listener.listen()
        self._thread = threading.Thread(target=self._serve, daemon=True)
        self._thread.start()

    def _serve(self) -> None:
        while True:
            connection, _ = self._listener.accept()
            with connection:
                self.asked.append(connection.recv(65536).split(b" ")[0])
                if len(self.asked) > self._closes:
                    connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")


@pytest.mark.parametrize(
    ("method", "closes", "asked", "begins"),
    [
        (b"GET", 0, 1, b"HTTP/1.1 200"),
        (b"GET", 1, 2, b"HTTP/1.1 200"),
        (b"HEAD", 1, 2, b"HTTP/1.1 200"),
        (b"GET", 2, 2, b""),  # once more, not for ever
        (b"POST", 1, 1, b""),  # it may have been done
    ],
)
def test_a_read_that_a_leaving_server_dropped_is_asked_once_more(
    tmp_path: Path, method: bytes, closes: int, asked: int, begins: bytes
) -> None:
    server = Leaving(tmp_path / "web.sock", closes=closes)
    made = Site(tmp_path / "web.sock")
    try:
        got = made.ask(method + b" /session HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n")
    finally:
        made.stop()
    assert (got[:12], server.asked) == (begins, [method] * asked)
