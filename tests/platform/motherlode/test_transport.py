"""What the client does when the platform, or the way to it, is not well."""

import io
import socket
import threading
import time
from pathlib import Path

import pytest
from tests.platform.motherlode.canned import Answer, CannedServer, problem

from motherlode import Motherlode, MotherlodeError
from motherlode.errors import JobFailedError, UnreachableError
from motherlode.transport import Transport, Upload

DATASET = {"id": 1, "name": "digits"}


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def test_every_call_carries_the_token_and_every_post_a_key_of_its_own(server: CannedServer, client: Motherlode) -> None:
    server.script = {"POST /datasets": [Answer(201, DATASET)], "GET /datasets/digits": [Answer(200, DATASET)]}
    client.datasets.create("digits", classes=["0", "1"])
    client.datasets.create("digits", classes=["0", "1"])
    client.datasets.get("digits")
    assert {asked.headers["Authorization"] for asked in server.asked} == {"Bearer secret"}
    first, second = (asked.headers["Idempotency-Key"] for asked in server.asked[:2])
    assert first != second


@pytest.mark.parametrize(
    "trouble",
    [
        problem(503, "unavailable"),
        Answer(502, None, {"Content-Type": "text/html"}),
        problem(409, "idempotency_in_progress"),
        Answer(cut=True),
    ],
    ids=["unavailable", "a proxy's 502", "the first try is under way", "a cut connection"],
)
def test_a_post_is_sent_again_with_the_same_key_and_body(
    trouble: Answer, server: CannedServer, client: Motherlode
) -> None:
    server.script["POST /datasets"] = [trouble, trouble, Answer(201, DATASET)]
    assert client.datasets.create("digits", classes=["0"])["name"] == "digits"
    assert len(server.asked) == 3
    assert len({(asked.headers["Idempotency-Key"], asked.body) for asked in server.asked}) == 1


def test_a_quota_of_requests_is_waited_for_by_who_has_no_patience(server: CannedServer) -> None:
    hurried = Motherlode(server.url, "secret", patience=0.0)
    server.script["GET /datasets/digits"] = [problem(429, "requests_quota"), problem(429, "requests_quota"),
                                             Answer(200, DATASET)]  # fmt: skip
    assert hurried.datasets.get("digits")["name"] == "digits"
    assert len(server.asked) == 3


def test_an_upload_is_sent_again_from_its_start(server: CannedServer, client: Motherlode) -> None:
    commit = {"version": 1, "rejected": []}
    server.script["POST /datasets/digits"] = [problem(503, "unavailable"), Answer(201, commit)]
    file = io.BytesIO(b"the archive")
    assert client.datasets.push("digits", Upload("a.tar", file), split="pool")["version"] == 1
    assert all(b"the archive" in asked.body for asked in server.asked)
    assert all(int(asked.headers["Content-Length"]) == len(asked.body) for asked in server.asked)


def test_a_file_that_grows_while_it_is_sent_is_told(server: CannedServer, client: Motherlode, tmp_path: Path) -> None:
    server.script["POST /datasets/digits"] = [Answer(201, {"version": 1, "rejected": []})]

    class Growing(io.FileIO):
        def read(self, size: int | None = -1, /) -> bytes:
            return super().read(-1 if size is None else size) or b"and more"

    (tmp_path / "a.tar").write_bytes(b"the archive")
    with Growing(tmp_path / "a.tar") as file, pytest.raises(MotherlodeError, match="changed while it was sent"):
        client.datasets.push("digits", Upload("a.tar", file), split="pool")


def test_what_is_no_regular_file_is_not_sent(server: CannedServer, client: Motherlode) -> None:
    with open("/dev/zero", "rb") as file, pytest.raises(MotherlodeError, match="/dev/zero is not a regular file"):  # noqa: PTH123 - a device
        client.datasets.push("digits", Upload("/dev/zero", file), split="pool")
    assert not server.asked


def test_a_refusal_is_an_error_with_code_detail_and_fields_and_is_not_repeated(
    server: CannedServer, client: Motherlode
) -> None:
    server.script["POST /datasets"] = [problem(400, "invalid", errors={"classes": ["must be different"]})]
    with pytest.raises(MotherlodeError) as caught:
        client.datasets.create("digits", classes=["0", "0"])
    assert (caught.value.status, caught.value.code) == (400, "invalid")
    assert caught.value.errors == {"classes": ["must be different"]}
    assert len(server.asked) == 1


def test_patience_ends_with_the_platforms_own_words() -> None:
    server = CannedServer()
    server.script["GET /health/ready"] = [problem(503, "unavailable")]
    with Motherlode(server.url, "secret", patience=0.2) as client, pytest.raises(MotherlodeError) as caught:
        client.health()
    server.close()
    assert caught.value.code == "unavailable"


def test_a_platform_that_is_not_there_is_unreachable() -> None:
    client = Motherlode(f"http://127.0.0.1:{free_port()}", "secret", patience=0.2)
    with client, pytest.raises(UnreachableError) as caught:
        client.health()
    assert caught.value.code == "unreachable"


def test_a_platform_that_starts_meanwhile_is_waited_for() -> None:
    port, started = free_port(), []

    def start() -> None:
        time.sleep(0.3)
        server = CannedServer(port)
        server.script["GET /health/ready"] = [Answer(200, {"status": "ready"})]
        started.append(server)

    threading.Thread(target=start).start()
    with Motherlode(f"http://127.0.0.1:{port}", "secret", patience=10) as client:
        assert client.health()["status"] == "ready"
    started[0].close()


def test_the_pauses_grow_and_follow_retry_after(server: CannedServer) -> None:
    slow = problem(503, "unavailable")
    slow.headers["Retry-After"] = "2"
    server.script["GET /jobs/1"] = [*[problem(503, "unavailable")] * 3, slow, Answer(200, {})]
    pauses: list[float] = []
    transport = Transport(server.url, "secret", patience=60, sleep=pauses.append)
    transport.get("/jobs/1")
    assert [upper / 2 <= pause <= upper for pause, upper in zip(pauses, [0.2, 0.4, 0.8, 2.0], strict=True)] == [
        True
    ] * 4


def test_lists_are_followed_to_their_end_but_never_to_another_host(server: CannedServer, client: Motherlode) -> None:
    pages = [
        Answer(
            200, {"results": [{"id": 1}, {"id": 2}], "next": "http://elsewhere.invalid/datasets?cursor=abc&limit=2"}
        ),
        Answer(200, {"results": [{"id": 3}], "next": None}),
    ]
    server.script["GET /datasets"] = list(pages)
    assert [one["id"] for one in client.datasets.all()] == [1, 2, 3]
    assert server.asked[1].path == "/datasets?cursor=abc&limit=2"


def job(state: str, **more: object) -> Answer:
    progress = {"done": 1, "total": 2, "rate": None, "eta": None, "unit": "images"}
    base = {"id": 7, "kind": "ingest", "title": "Ingest", "state": state, "progress": progress, "points": [], "log": []}
    return Answer(200, base | {"result": None, "error": None, "next": 3} | more)


def test_a_large_archive_is_waited_for_and_answers_like_a_small_one(server: CannedServer, client: Motherlode) -> None:
    commit = {"version": 4, "rejected": []}
    server.script["POST /datasets/digits"] = [Answer(202, {"job": {"id": 7}})]
    server.script["GET /jobs/7"] = [job("running"), job("succeeded", result=commit)]
    seen: list[str] = []
    made = client.datasets.push("digits", Upload("a.tar", b"x"), on_progress=lambda one: seen.append(one["state"]))
    assert made == commit
    assert seen == ["running", "succeeded"]
    assert [asked.path for asked in server.asked[1:]] == ["/jobs/7?since=0", "/jobs/7?since=3"]


def test_a_failed_job_raises_with_its_own_code(server: CannedServer, client: Motherlode) -> None:
    error = {"code": "archive_unreadable", "detail": "not a tar archive"}
    server.script["GET /jobs/7"] = [job("failed", error=error)]
    with pytest.raises(JobFailedError, match="not a tar archive") as caught:
        client.jobs.wait(7)
    assert caught.value.code == "archive_unreadable"


def test_an_artefact_that_is_missing_is_an_error_before_any_byte(server: CannedServer, client: Motherlode) -> None:
    server.script["GET /models/m/versions/1/artifacts/model.onnx"] = [problem(404, "artifact_unknown")]
    with pytest.raises(MotherlodeError, match="artifact_unknown"):
        list(client.models.artifact("m", 1))


@pytest.mark.parametrize("name", ["two\nlines", "\udcff", "", "pets/versions"])
def test_a_name_that_no_address_can_have_is_told(client: Motherlode, name: str) -> None:
    with pytest.raises(MotherlodeError, match="can't be asked for"):
        client.datasets.get(name)


@pytest.mark.parametrize(
    ("name", "path"), [("..", "%2E%2E"), ("?limit=1", "%3Flimit%3D1"), ("a#b", "a%23b"), ("50%20", "50%2520")]
)
def test_a_name_never_becomes_another_address(server: CannedServer, client: Motherlode, name: str, path: str) -> None:
    server.script[f"DELETE /datasets/pets/slices/{path}"] = [Answer(204, None)]
    client.filters.remove("pets", name)
    assert [asked.path for asked in server.asked] == [f"/datasets/pets/slices/{path}"]


def test_a_text_that_is_none_is_told(client: Motherlode) -> None:
    with pytest.raises(MotherlodeError, match="can't be asked for"):
        client.datasets.create("\udcff", classes=["0"])


def test_an_address_that_is_none_is_told() -> None:
    with pytest.raises(UnreachableError, match="Invalid port"):
        Motherlode("http://127.0.0.1:abc", "secret")


@pytest.mark.parametrize("body", [{"control": float("nan")}, {"terms": [{"control": float("-inf")}]}])
def test_a_number_that_json_has_no_words_for_is_named(
    server: CannedServer, client: Motherlode, body: dict[str, object]
) -> None:
    with pytest.raises(MotherlodeError, match="control: give a number") as caught:
        client.queues.change("q", **body)
    assert (caught.value.code, server.asked) == ("invalid", [])
