"""A web server on this machine, for what the platform fetches from addresses."""

import http.server
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import pytest
from tests.datasets.conftest import png

from catalog.intake import fetching

Answer = Callable[[http.server.BaseHTTPRequestHandler], None]


@dataclass
class Site:
    """It remembers who asked it for what; what has no answer of its own is an image."""

    port: int
    asked: list[tuple[str, dict[str, str]]] = field(default_factory=list)
    answers: dict[str, Answer] = field(default_factory=dict)


@pytest.fixture
def site() -> Iterator[Site]:
    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            made.asked.append((self.path, {name.lower(): value for name, value in self.headers.items()}))
            made.answers.get(self.path, image)(self)

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the base class's name
            """Quiet."""

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    made = Site(server.server_port)
    threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
    yield made
    server.shutdown()
    server.server_close()


def image(handler: http.server.BaseHTTPRequestHandler, content: bytes = png(1)) -> None:
    handler.send_response(200)
    handler.send_header("Content-Length", str(len(content)))
    handler.end_headers()
    handler.wfile.write(content)


def moved(where: str, status: int = 302) -> Answer:
    """An answer that leads elsewhere."""

    def redirect(handler: http.server.BaseHTTPRequestHandler) -> None:
        handler.send_response(status)
        handler.send_header("Location", where)
        handler.send_header("Content-Length", "0")
        handler.end_headers()

    return redirect


def to(*addresses: str) -> fetching.Resolve:
    return lambda *_: list(addresses)
