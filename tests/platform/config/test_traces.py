"""Traces as a collector gets them: requests, the shards of the jobs they started, the programs of these."""

import threading
import time
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import httpx
import pytest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from tests.conftest import StartWorker
from tests.web import Web
from tests.workers import environment, wait_until

from accounts.models import Token, User
from blobs.settings import StoreConfig
from blobs.store import BlobStore
from jobs import services
from jobs.models import Job
from jobs.services import ShardSpec, create_job
from jobs.tasks import wake

pytestmark = pytest.mark.django_db(transaction=True)
TRACE, SPAN = "0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331"
ASKED = f"00-{TRACE}-{SPAN}-01"


class Collector:
    """An HTTP server that takes OTLP; `spans` are those that came so far."""

    def __init__(self) -> None:
        self.spans: list[dict[str, Any]] = []
        collector = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                collector.spans += _read(body)
                self.send_response(200)
                self.end_headers()

            def log_message(self, *_: object) -> None: ...

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    @property
    def env(self) -> dict[str, str]:
        address = f"http://127.0.0.1:{self.server.server_port}"
        return {"OTEL_EXPORTER_OTLP_ENDPOINT": address, "OTEL_BSP_SCHEDULE_DELAY": "100"}

    def wait_for(self, name: str, **attributes: Any) -> dict[str, Any]:
        """The first span of this name with these attributes, once it has come."""

        def found() -> dict[str, Any] | None:
            return next(
                (one for one in self.spans if one["name"] == name and attributes.items() <= one["attributes"].items()),
                None,
            )

        wait_until(lambda: found() is not None, seconds=60)
        made = found()
        assert made is not None
        return made


def _read(body: bytes) -> Iterator[dict[str, Any]]:
    for resource in ExportTraceServiceRequest.FromString(body).resource_spans:
        of = {one.key: one.value.string_value for one in resource.resource.attributes}
        for scope in resource.scope_spans:
            for span in scope.spans:
                values = {one.key: getattr(one.value, str(one.value.WhichOneof("value"))) for one in span.attributes}
                yield {
                    "name": span.name,
                    "trace": span.trace_id.hex(),
                    "id": span.span_id.hex(),
                    "parent": span.parent_span_id.hex(),
                    "attributes": values,
                    "failed": span.status.code == span.status.STATUS_CODE_ERROR,
                    "service": of["service.name"],
                    "text": str(span),
                }


@pytest.fixture
def collector() -> Iterator[Collector]:
    made = Collector()
    yield made
    made.server.shutdown()
    made.server.server_close()


@pytest.fixture
def start_web(
    transactional_db: None, object_store: BlobStore, s3_server: StoreConfig, tmp_path: Path
) -> Iterator[Callable[[dict[str, str]], Web]]:
    started: list[Web] = []

    def start(env: dict[str, str]) -> Web:
        started.append(Web(environment() | s3_server.to_env() | env, tmp_path / "web.log"))
        return started[-1]

    yield start
    for one in started:
        one.kill()


def test_a_request_and_the_job_that_it_started_are_one_trace(
    collector: Collector, start_web: Callable[[dict[str, str]], Web], worker: StartWorker, alice: User, tmp_path: Path
) -> None:
    web, (_, secret) = start_web(collector.env | {"MOTHERLODE_LOG_FORMAT": "json"}), Token.objects.issue(alice, "test")
    worker(processes=1, queues=("default",), env=collector.env)
    headers = {"Authorization": f"Bearer {secret}"}
    with httpx.Client(base_url=web.url, headers=headers) as client:
        new = {"name": "roads", "task": "classification", "classes": ["car", "bus"]}
        made = client.post("/datasets", json=new)
        assert made.status_code == 201, made.text
        assert client.post("/datasets/roads/archive").status_code == 200
        answer = client.post("/datasets/roads/deletion", json={"confirm": "roads"}, headers={"traceparent": ASKED})
        assert answer.status_code == 202, answer.text
        assert client.get("/datasets/secret-name").status_code == 404
    job = Job.objects.get(pk=answer.json()["job"]["id"])
    assert services.wait(job.pk, seconds=60).state == Job.State.SUCCEEDED

    asked = collector.wait_for("POST /datasets/{reference}/deletion")
    assert (asked["trace"], asked["parent"], asked["service"]) == (TRACE, SPAN, "motherlode-web")
    assert asked["attributes"]["http.response.status_code"] == 202
    done = collector.wait_for("shard of delete", **{"motherlode.job_id": job.pk, "motherlode.shard": 0})
    assert (done["trace"], done["parent"], done["service"]) == (TRACE, asked["id"], "motherlode-worker")

    missed = collector.wait_for("GET /datasets/{reference}")
    assert missed["attributes"]["http.response.status_code"] == 404
    assert missed["trace"] != TRACE
    told = "".join(one["text"] for one in collector.spans)
    assert "secret-name" not in told
    assert secret not in told
    assert not [one for one in collector.spans if "health" in one["text"]]
    assert f'"trace_id":"{TRACE}"' in (tmp_path / "web.log").read_text()


def test_the_program_of_a_shard_is_in_its_trace_and_a_shard_that_fails_says_so(
    collector: Collector, worker: StartWorker
) -> None:
    fine = create_job("programs", "a program", shards=[ShardSpec(params={"do": "work", "steps": 2})])
    wrong = create_job("practice", "a fault", shards=[ShardSpec(params={"do": "refuse"})])
    Job.objects.update(trace=ASKED)
    worker(env=collector.env)
    for job in (fine, wrong):
        wake(job)
        services.wait(job.pk, seconds=60)
    program = collector.wait_for("program tests.tiny_program")
    shard = collector.wait_for("shard of programs")
    assert (shard["trace"], shard["parent"], shard["failed"]) == (TRACE, SPAN, False)
    assert (program["trace"], program["parent"]) == (TRACE, shard["id"])
    failed = collector.wait_for("shard of practice")
    assert failed["failed"]
    assert "dog" not in failed["text"]  # what was wrong is in the log


def test_without_a_collector_nothing_is_kept_and_one_that_is_away_is_no_fault(
    start_web: Callable[[dict[str, str]], Web], collector: Collector, alice: User
) -> None:
    assert create_job("practice", "a job", shards=[ShardSpec()]).trace == ""
    away = {**collector.env, "OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:9"}
    web, (_, secret) = start_web(away), Token.objects.issue(alice, "test")
    headers = {"Authorization": f"Bearer {secret}"}
    began = time.monotonic()
    for _ in range(5):
        assert httpx.get(f"{web.url}/datasets", headers=headers).status_code == 200
    assert time.monotonic() - began < 30
    assert collector.spans == []
