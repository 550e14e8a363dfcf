"""A mail server that takes what it is sent, and one that refuses it; and who listens to a webhook."""

import json
import socketserver
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from email import message_from_bytes, policy
from email.message import EmailMessage
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass(slots=True)
class Received:
    """Mails, and bodies of a webhook; `refuses`: everything is refused from then on."""

    port: int = 0
    refuses: bool = False
    mails: list[EmailMessage] = field(default_factory=list)
    posts: list[dict[str, Any]] = field(default_factory=list)


class _Session(socketserver.StreamRequestHandler):
    received: Received

    def handle(self) -> None:
        self._say("220 ready")
        while line := self.rfile.readline():
            word = line.split()[0].upper() if line.split() else b""
            if word == b"QUIT":
                self._say("221 bye")
                return
            if word == b"MAIL" and self.received.refuses:
                self._say("451 not now")
            elif word == b"DATA":
                self._say("354 go on")
                self._mail()
            else:
                self._say("250 ok")

    def _mail(self) -> None:
        lines: list[bytes] = []
        while (line := self.rfile.readline()) not in {b".\r\n", b""}:
            lines.append(line.removeprefix(b".") if line.startswith(b"..") else line)
        self.received.mails.append(message_from_bytes(b"".join(lines), policy=policy.default))
        self._say("250 taken")

    def _say(self, words: str) -> None:
        self.wfile.write(f"{words}\r\n".encode())


class _Hook(BaseHTTPRequestHandler):
    received: Received

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        if not self.received.refuses:
            self.received.posts.append(json.loads(body))
        self.send_response(500 if self.received.refuses else 204)
        self.end_headers()

    def log_message(self, *_: Any) -> None: ...


@contextmanager
def mail_server() -> Iterator[Received]:
    """One that listens for SMTP."""
    received = Received()
    with socketserver.ThreadingTCPServer(
        ("127.0.0.1", 0), type("Session", (_Session,), {"received": received})
    ) as server:
        yield from _serving(server, received)


@contextmanager
def webhook() -> Iterator[Received]:
    """One that listens for HTTP."""
    received = Received()
    with ThreadingHTTPServer(("127.0.0.1", 0), type("Hook", (_Hook,), {"received": received})) as server:
        yield from _serving(server, received)


def _serving(server: socketserver.TCPServer, received: Received) -> Iterator[Received]:
    received.port = server.server_address[1]
    thread = threading.Thread(target=server.serve_forever, args=(0.02,))
    thread.start()
    try:
        yield received
    finally:
        server.shutdown()
        thread.join()
