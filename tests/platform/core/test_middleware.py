"""What holds for every request: bodies have a length, answers have their security headers."""

import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.test import Client, override_settings
from tests.workers import ROOT, environment, wait_until


@pytest.fixture
def web(transactional_db: None, tmp_path: Path) -> Iterator[int]:
    """The port of a real granian."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
    argv = [str(Path(sys.executable).with_name("granian")), "--interface", "wsgi", "--host", "127.0.0.1"]
    argv += ["--port", str(port), "--http", "1", "--no-ws", "config.wsgi:application"]
    with (tmp_path / "web.log").open("wb") as log:
        process = subprocess.Popen(argv, cwd=ROOT, env=environment(), stdout=log, stderr=log)
    wait_until(
        lambda: b"200" in say(port, b"GET /health/live HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n")
    )
    yield port
    process.terminate()
    process.wait()


def say(port: int, request: bytes) -> bytes:
    try:
        with socket.create_connection(("127.0.0.1", port), timeout=5) as connection:
            connection.sendall(request)
            answer = b""
            while chunk := connection.recv(65536):
                answer += chunk
            return answer
    except ConnectionRefusedError:
        return b""


def test_a_real_server_answers_411_to_a_chunked_body(web: int) -> None:
    head = b"POST /session HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\nContent-Type: application/json\r\n"
    answer = say(web, head + b"Transfer-Encoding: chunked\r\n\r\n5\r\n{}   \r\n0\r\n\r\n")
    assert b" 411 " in answer.splitlines()[0]
    assert b'"length_required"' in answer
    assert b" 400 " in say(web, head + b"Content-Length: 2\r\n\r\n{}").splitlines()[0]


@pytest.mark.parametrize("length", ["", "5"])
def test_a_chunked_body_is_refused_whatever_length_it_claims(client: Client, length: str) -> None:
    answer = client.generic("POST", "/session", b"", HTTP_TRANSFER_ENCODING="chunked", CONTENT_LENGTH=length)
    assert (answer.status_code, answer.json()["code"]) == (411, "length_required")


@pytest.mark.parametrize("path", ["/app/", "/health/live", "/jobs", "/nowhere"])
def test_every_answer_has_the_security_headers(client: Client, path: str) -> None:
    headers = client.get(path).headers
    policy = headers["Content-Security-Policy"]
    assert "script-src 'self';" in policy
    assert "frame-ancestors 'none'" in policy
    assert (headers["X-Content-Type-Options"], headers["X-Frame-Options"]) == ("nosniff", "DENY")
    assert headers["Referrer-Policy"] == "same-origin"


def test_images_may_come_from_the_store_that_browsers_reach() -> None:
    with override_settings(S3_PUBLIC_ENDPOINT="https://images.example"):
        policy = Client().get("/health/live").headers["Content-Security-Policy"]
    assert "img-src 'self' data: blob: https://images.example;" in policy
