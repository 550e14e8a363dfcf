"""A real HTTP server on a free port that answers from a script and remembers what it was asked."""

import json
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass
class Asked:
    method: str
    path: str
    headers: Mapping[str, str]
    body: bytes

    @property
    def document(self) -> Any:
        return json.loads(self.body)


@dataclass
class Answer:
    status: int = 200
    document: Any = None
    headers: dict[str, str] = field(default_factory=dict)
    cut: bool = False  # break the connection instead of answering


def problem(status: int, code: str, **more: Any) -> Answer:
    document = {"type": f"urn:motherlode:problem:{code}", "title": code, "status": status, "code": code, "detail": code}
    return Answer(status, document | more, {"Content-Type": "application/problem+json"})


class CannedServer:
    """`script` maps "METHOD /path" to the answers it gives, one after the other; the last one stays."""

    def __init__(self, port: int = 0) -> None:
        self.script: dict[str, list[Answer | Callable[[Asked], Answer]]] = {}
        self.asked: list[Asked] = []
        owner = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self) -> None:
                body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
                answer = owner.answer(Asked(self.command, self.path, dict(self.headers), body))
                if answer.cut:
                    self.close_connection = True
                    return
                payload = b"" if answer.document is None else json.dumps(answer.document).encode()
                self.send_response(answer.status)
                for name, value in ({"Content-Type": "application/json"} | answer.headers).items():
                    self.send_header(name, value)
                if answer.status != 204:
                    self.send_header("Content-Length", str(len(payload)))
                self.end_headers()
                self.wfile.write(payload)

            do_POST = do_PUT = do_PATCH = do_DELETE = do_GET  # noqa: N815 - the base class's names

            def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the base class's name
                """Quiet."""

        self._server = ThreadingHTTPServer(("127.0.0.1", port), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_port}"
        threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True).start()

    def answer(self, asked: Asked) -> Answer:
        self.asked.append(asked)
        answers = self.script[f"{asked.method} {asked.path.partition('?')[0]}"]
        answer = answers.pop(0) if len(answers) > 1 else answers[0]
        return answer(asked) if callable(answer) else answer

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()
