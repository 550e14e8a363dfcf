"""What holds for every request: bodies have a length, answers have their security headers."""

import socket
import time

import pytest
from django.test import Client, override_settings
from rest_framework.test import APIClient
from tests.web import Web

from accounts.models import Token, User


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


def test_a_real_server_answers_411_to_a_chunked_body(web: Web) -> None:
    head = b"POST /session HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\nContent-Type: application/json\r\n"
    answer = say(web.port, head + b"Transfer-Encoding: chunked\r\n\r\n5\r\n{}   \r\n0\r\n\r\n")
    assert b" 411 " in answer.splitlines()[0]
    assert b'"length_required"' in answer
    assert b" 400 " in say(web.port, head + b"Content-Length: 2\r\n\r\n{}").splitlines()[0]


@pytest.mark.parametrize(
    ("method", "path", "role", "status"),
    [
        ("PUT", "/datasets", "owner", 405),
        ("POST", "/datasets", "owner", 415),
    ],
)
def test_a_refusal_reads_the_body_so_that_its_answer_arrives(
    web: Web, alice: User, method: str, path: str, role: str, status: int
) -> None:
    """Without that, the server closes the connection under the client that is still sending."""
    head = f"{method} {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: text/plain\r\nContent-Length: 200000\r\n"
    head += f"Authorization: Bearer {Token.objects.issue(alice, 'test')[1]}\r\n\r\n" if role else "\r\n"
    with socket.create_connection(("127.0.0.1", web.port), timeout=10) as connection:
        connection.sendall(head.encode())
        for _ in range(20):
            connection.sendall(b"x" * 10_000)
            time.sleep(0.005)  # as a network does: the answer would be ready long before the body has come
        answer = read_answer(connection)
        connection.sendall(b"GET /health/live HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
        again = read_answer(connection)
    assert answer.startswith(f"HTTP/1.1 {status} ".encode())
    assert again.startswith(b"HTTP/1.1 200 ")


def test_a_refusal_does_not_wait_for_a_body_that_is_too_long_to_drain(web: Web) -> None:
    head = b"POST /datasets HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 9000000000\r\n\r\n"
    with socket.create_connection(("127.0.0.1", web.port), timeout=10) as connection:
        connection.sendall(head + b"x" * 1000)
        answer = read_answer(connection)
    assert answer.startswith(b"HTTP/1.1 401 ")
    assert b"connection: close" in answer.lower()


@pytest.mark.parametrize("path", ["/datasets", "/nowhere", "/session"])
@pytest.mark.parametrize("headers", ["", "Idempotency-Key: a\r\nAuthorization: Bearer x\r\n"])
def test_the_body_of_a_stranger_is_not_waited_for(web: Web, path: str, headers: str) -> None:
    head = f"POST {path} HTTP/1.1\r\nHost: 127.0.0.1\r\n{headers}Content-Length: 200\r\n\r\n"
    with socket.create_connection(("127.0.0.1", web.port), timeout=10) as connection:
        connection.sendall(head.encode())
        answer = read_answer(connection)
    assert int(answer.split()[1]) in {401, 404, 415}
    assert b"connection: close" in answer.lower()


def read_answer(connection: socket.socket) -> bytes:
    """One answer with a Content-Length; the connection stays open."""
    answer = b""
    while b"\r\n\r\n" not in answer:
        answer += (chunk := connection.recv(65536))
        assert chunk, "the connection was closed without an answer"
    head, _, body = answer.partition(b"\r\n\r\n")
    length = next(
        int(line.split(b":")[1]) for line in head.split(b"\r\n") if line.lower().startswith(b"content-length")
    )
    while len(body) < length:
        body += connection.recv(65536)
    return head + b"\r\n\r\n" + body


@pytest.mark.parametrize("method", ["POST", "PUT", "PATCH", "DELETE"])
@pytest.mark.parametrize("path", ["/health/live", "/health/ready", "/app/", "/"])
def test_what_is_only_read_refuses_changes_as_everywhere(client: Client, method: str, path: str) -> None:
    answer = client.generic(method, path)
    assert (answer.status_code, answer.json()["code"]) == (405, "method_not_allowed")
    assert (answer["Content-Type"], answer["Allow"]) == ("application/problem+json", "GET, HEAD, OPTIONS")


@pytest.mark.parametrize(
    "header", [{"If-Match": '"1"'}, {"If-None-Match": '"1"'}, {"If-Unmodified-Since": "Mon, 23 Nov 2026 04:00:00 GMT"}]
)
def test_a_change_under_a_condition_that_nobody_can_check_is_refused(api: APIClient, header: dict[str, str]) -> None:
    body = {"name": "pets", "task": "classification", "classes": ["cat"]}
    answer = api.post("/datasets", body, format="json", headers=header)
    assert (answer.status_code, answer.json()["code"]) == (412, "precondition_failed")
    assert "parent" in answer.json()["detail"]
    assert api.get("/datasets", headers=header).json()["results"] == []
    assert api.post("/datasets", body, format="json", headers={"If-Match": "*"}).status_code == 201


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
