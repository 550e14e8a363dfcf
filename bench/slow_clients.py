"""`python -m bench.slow_clients`: how long others wait for a running platform while 2,000 connections go slowly.

Three kinds of them, one after the other: clients that ask for the largest static file and read nothing of it, clients
that send a byte of their request's head in a second, and the same with a byte of a body.
"""

import argparse
import socket
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from http.client import HTTPConnection
from pathlib import Path
from urllib.parse import urlsplit

COUNT, SECONDS, PROMISED = 2000, 40.0, 1.0
STATIC = Path(__file__).resolve().parents[1] / "var" / "static"
HEAD = "HTTP/1.1\r\nHost: 127.0.0.1\r\n"
FORM = f"{HEAD}Content-Type: application/json\r\nContent-Length: 999\r\n\r\n"
SLOW = {
    "a head that comes byte by byte": f"GET /health/live {HEAD}X-Slow: ",
    "a body that comes byte by byte": f"POST /session {FORM}{{",
}


def largest() -> str:
    """The address of the largest static file."""
    file = max((one for one in STATIC.rglob("*.js") if one.is_file()), key=lambda one: one.stat().st_size)
    return f"/static/{file.relative_to(STATIC).as_posix()}"


class Waits:
    """Asks one address again and again, on a new connection each time, and keeps how long each answer took."""

    def __init__(self, host: str, port: int, path: str) -> None:
        self.path, self.seconds, self.failed = path, list[float](), 0
        self._at, self._ends = (host, port), threading.Event()
        self._thread = threading.Thread(target=self._ask, daemon=True)

    @contextmanager
    def kept(self) -> Iterator[None]:
        self._thread.start()
        yield
        self._ends.set()
        self._thread.join()

    def _ask(self) -> None:
        while not self._ends.wait(0.05):
            began = time.monotonic()
            connection = HTTPConnection(*self._at, timeout=60)
            try:
                connection.request("GET", self.path)
                answer = connection.getresponse()
                answer.read()
                self.failed += answer.status != 200
            except OSError:
                self.failed += 1
            finally:
                connection.close()
            self.seconds.append(time.monotonic() - began)

    def told(self) -> str:
        middle = sorted(self.seconds)[len(self.seconds) // 2]
        asked = f"{len(self.seconds)} times, {self.failed} failed"
        return f"    {self.path:<40} worst {max(self.seconds):6.2f} s, median {middle * 1000:7.1f} ms ({asked})"


def attack(host: str, port: int, request: bytes, *, count: int, seconds: float, slow: bool) -> int:
    """Hold that many connections for that long; how many of the slow senders the platform cut off by then."""
    with ExitStack() as stack:
        ours = []
        for _ in range(count):
            one = stack.enter_context(socket.socket())
            one.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            one.connect((host, port))
            one.sendall(request)
            ours.append(one)
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            time.sleep(1.0)
            ours = [one for one in ours if not slow or _sent(one)]
        return count - len(ours)


def _sent(connection: socket.socket) -> bool:
    try:
        connection.sendall(b"x")
    except OSError:
        return False
    return True


def main() -> int:
    """Print what others waited; 1 where /health/live took longer than promised."""
    parser = argparse.ArgumentParser(prog="python -m bench.slow_clients", description=__doc__)
    parser.add_argument("--url", default="http://127.0.0.1:8000")
    parser.add_argument("--count", type=int, default=COUNT)
    parser.add_argument("--seconds", type=float, default=SECONDS, help="that each kind lasts")
    asked = parser.parse_args()
    host, port = urlsplit(asked.url).hostname or "", urlsplit(asked.url).port or 80
    untaken = {"a static file that is not taken": f"GET {largest()} {HEAD}\r\n"}
    worst = 0.0
    for name, request in (untaken | SLOW).items():
        live, page = Waits(host, port, "/health/live"), Waits(host, port, "/app/")
        with live.kept(), page.kept():
            cut = attack(
                host, port, request.encode(), count=asked.count, seconds=asked.seconds, slow=name not in untaken
            )
        print(f"{asked.count} connections, {name}: {cut} cut off in {asked.seconds:.0f} s")
        print(live.told(), page.told(), sep="\n")
        worst = max(worst, *live.seconds)
    print(f"worst of /health/live: {worst:.2f} s, promised: under {PROMISED:.0f} s")
    return 1 if worst >= PROMISED else 0


if __name__ == "__main__":
    sys.exit(main())
